"""Compiled: can some of the boxes all come to goals, were there no others?

Best first by the sum of the pushes that each box needs alone. What is lost by a trap or a frozen
group is not entered; the traps and groups that were used are kept, for they belong to the proof.
"""

from typing import NamedTuple, no_type_check

import numpy as np
from jaxtyping import Bool, Int16, Int32, Int64

from tokoban.compiling import entry, inner
from tokoban.sokoban.proofs.world import World
from tokoban.sokoban.search.astar import NONE, UNREACHABLE, copy_with_moved, slot_of

# Why `search` returned.
BUDGET_SPENT, STORE_FULL, SOLVED, EXHAUSTED = range(4)

# Entries of `Store.progress`.
NUM_POSITIONS, LOWEST_BUCKET, NUM_EXPANSIONS, REACHED, NUM_TRAPS, NUM_GROUPS = range(6)

_MAX_SUM = 1 << 12  # positions with a greater sum of distances are taken up in any order
_MAX_TRAPS = 64  # further ones are not looked for, and cost positions instead
_MAX_GROUPS = 512


class Store(NamedTuple):
    """All positions met, the open ones in buckets by their sum of distances."""

    boxes: Int16[np.ndarray, "P K"]  # ascending
    player: Int16[np.ndarray, " P"]  # the least square it can walk to
    parent: Int32[np.ndarray, " P"]
    next_open: Int32[np.ndarray, " P"]  # in the same bucket
    bucket: Int32[np.ndarray, " D"]
    slots: Int32[np.ndarray, " S"]  # hash table of positions; the size is a power of two
    progress: Int64[np.ndarray, "6"]


class Lost(NamedTuple):
    """What positions were not entered for; trap 0 has no goal."""

    trap_goals: Bool[np.ndarray, "T G"]
    trap_places: Bool[np.ndarray, "T F*4"]  # those that boxes were in
    groups: Int16[np.ndarray, "_ K"]  # frozen boxes, one of them on no goal; NONE after the last


class Scratch(NamedTuple):
    """Room to work in while one position is expanded."""

    is_blocked: Bool[np.ndarray, "F+1"]  # walls and boxes
    is_held: Bool[np.ndarray, "F+1"]
    area: Bool[np.ndarray, "2 F+1"]  # of the position, and of the one after a push
    waiting: Int16[np.ndarray, " F"]
    boxes: Int16[np.ndarray, " K"]  # after a push
    kept: Int16[np.ndarray, " K"]
    goal_box: Int16[np.ndarray, " G"]  # the box matched with each goal, or NONE
    is_seen: Bool[np.ndarray, " G"]
    path: Int16[np.ndarray, "3 K"]


def empty_store(capacity: int, num_boxes: int) -> Store:
    """Room for positions; the capacity is a power of two."""
    return Store(
        boxes=np.empty((capacity, num_boxes), np.int16),
        player=np.empty(capacity, np.int16),
        parent=np.empty(capacity, np.int32),
        next_open=np.empty(capacity, np.int32),
        bucket=np.full(_MAX_SUM + 1, NONE, np.int32),
        slots=np.full(2 * capacity, NONE, np.int32),
        progress=np.array([0, _MAX_SUM, 0, NONE, 1, 0], np.int64),
    )


def grown(store: Store) -> Store:
    """The same search with room for twice as many positions."""
    capacity, num_boxes = store.boxes.shape
    larger = empty_store(2 * capacity, num_boxes)
    for name in ("boxes", "player", "parent", "next_open"):
        getattr(larger, name)[:capacity] = getattr(store, name)
    larger.bucket[:] = store.bucket
    larger.progress[:] = store.progress
    refill_slots(larger)
    return larger


def nothing_lost(world: World, num_boxes: int) -> Lost:
    """No traps with goals and no groups yet."""
    num_places, num_goals = world.reaches.shape
    return Lost(
        trap_goals=np.zeros((_MAX_TRAPS, num_goals), np.bool_),
        trap_places=np.zeros((_MAX_TRAPS, num_places), np.bool_),
        groups=np.full((_MAX_GROUPS, num_boxes), NONE, np.int16),
    )


def empty_scratch(world: World, num_boxes: int) -> Scratch:
    """Only the wall is blocked yet."""
    num_squares, num_goals = len(world.is_goal), world.reaches.shape[1]
    is_blocked = np.zeros(num_squares, np.bool_)
    is_blocked[-1] = True
    return Scratch(
        is_blocked=is_blocked,
        is_held=np.empty(num_squares, np.bool_),
        area=np.empty((2, num_squares), np.bool_),
        waiting=np.empty(num_squares, np.int16),
        boxes=np.empty(num_boxes, np.int16),
        kept=np.empty(num_boxes, np.int16),
        goal_box=np.empty(num_goals, np.int16),
        is_seen=np.empty(num_goals, np.bool_),
        path=np.empty((3, num_boxes), np.int16),
    )


@inner
@no_type_check
def flood(neighbours, is_blocked, start, area, waiting):
    """Marks where the player can walk; returns the least such square."""
    area[:] = False
    area[start] = True
    waiting[0] = start
    count, least = 1, start
    while count > 0:
        count -= 1
        square = waiting[count]
        for direction in range(4):
            ahead = neighbours[square, direction]
            if not area[ahead] and not is_blocked[ahead]:
                area[ahead] = True
                waiting[count] = ahead
                count += 1
                least = min(least, ahead)
    return least


@entry
@no_type_check
def refill_slots(store):
    """Enters every position into an empty hash table."""
    for position in range(store.progress[NUM_POSITIONS]):
        slot = slot_of(store, store.boxes[position], store.player[position])
        store.slots[slot] = position


@inner
@no_type_check
def is_held_on(world, is_held, box, axis):
    """Whether held squares, or traps without a goal on both sides, keep a box on an axis."""
    before, beyond = world.neighbours[box, axis], world.neighbours[box, axis + 2]
    if is_held[before] or is_held[beyond]:
        return True
    is_trap_before = world.fewest[before * 4 + world.side[before, box]] == UNREACHABLE
    return is_trap_before and world.fewest[beyond * 4 + world.side[beyond, box]] == UNREACHABLE


@inner
@no_type_check
def let_go(world, boxes, is_held):
    """Lets go of boxes that are not held, until all are; whether one of those is on no goal."""
    has_changed = True
    while has_changed:
        has_changed = False
        for box in boxes:
            if is_held[box] and not (
                is_held_on(world, is_held, box, 0) and is_held_on(world, is_held, box, 1)
            ):
                is_held[box] = False
                has_changed = True
    is_off_goal = False
    for box in boxes:
        is_off_goal |= is_held[box] and not world.is_goal[box]
    return is_off_goal


@entry
@no_type_check
def find_group(world, boxes, is_blocked, is_held, kept):
    """Lists in ``kept`` frozen boxes, one of them on no goal, none of which can be left out.

    Returns how many; 0 if no boxes are frozen off their goals.
    """
    for square in range(len(is_held)):
        is_held[square] = is_blocked[square]
    if not let_go(world, boxes, is_held):
        return 0
    count = 0
    for box in boxes:
        if is_held[box]:
            kept[count] = box
            count += 1
    i = count - 1
    while i >= 0:
        # Without this one, and without those that let go then.
        for j in range(count):
            is_held[kept[j]] = j != i
        if let_go(world, kept[:count], is_held):
            num_left = 0
            for j in range(count):
                if is_held[kept[j]]:
                    kept[num_left] = kept[j]
                    num_left += 1
            count = num_left
            i = min(i, count)
        i -= 1
    return count


@inner
@no_type_check
def is_frozen(world, lost, scratch, progress, box):
    """Whether the box that was pushed is now in a frozen group, which is kept then."""
    is_blocked = scratch.is_blocked
    if not is_held_on(world, is_blocked, box, 0) or not is_held_on(world, is_blocked, box, 1):
        return False
    count = find_group(world, scratch.boxes, is_blocked, scratch.is_held, scratch.kept)
    if count == 0:
        return False
    for group in range(progress[NUM_GROUPS]):
        is_same = True
        for i in range(lost.groups.shape[1]):
            is_same &= lost.groups[group, i] == (scratch.kept[i] if i < count else NONE)
        if is_same:
            return True
    if progress[NUM_GROUPS] == len(lost.groups):
        return False
    for i in range(count):
        lost.groups[progress[NUM_GROUPS], i] = scratch.kept[i]
    progress[NUM_GROUPS] += 1
    return True


@inner
@no_type_check
def is_crowded(world, lost, scratch, progress, player):
    """Whether some boxes have fewer goals together than they are; their trap is kept then."""
    boxes, goal_box, path = scratch.boxes, scratch.goal_box, scratch.path
    goal_box[:] = NONE
    for start in range(len(boxes)):
        # Boxes that may have to take another goal, breadth first: each, the goal it has now, and
        # where in the list the box is that would take that goal.
        path[0, 0], path[1, 0], path[2, 0] = start, NONE, NONE
        scratch.is_seen[:] = False
        first, count, goal = 0, 1, NONE
        while first < count and goal == NONE:
            box = boxes[path[0, first]]
            place = box * 4 + world.side[box, player]
            for other in range(len(goal_box)):
                if not world.reaches[place, other] or scratch.is_seen[other]:
                    continue
                scratch.is_seen[other] = True
                if goal_box[other] == NONE:
                    goal = other
                    break
                path[0, count], path[1, count], path[2, count] = goal_box[other], other, first
                count += 1
            first += 1
        if goal == NONE:
            return keep_trap(world, lost, scratch, progress, player, count)
        i = first - 1
        while i != NONE:
            goal_box[goal] = path[0, i]
            goal, i = path[1, i], path[2, i]
    return False


@inner
@no_type_check
def keep_trap(world, lost, scratch, progress, player, count):
    """Keeps the places of the boxes in ``path`` as a trap with the goals that were seen."""
    trap = 1
    while trap < progress[NUM_TRAPS]:
        is_same = True
        for goal in range(len(scratch.is_seen)):
            is_same &= lost.trap_goals[trap, goal] == scratch.is_seen[goal]
        if is_same:
            break
        trap += 1
    if trap == len(lost.trap_goals):
        return False
    if trap == progress[NUM_TRAPS]:
        for goal in range(len(scratch.is_seen)):
            lost.trap_goals[trap, goal] = scratch.is_seen[goal]
        progress[NUM_TRAPS] += 1
    for i in range(count):
        box = scratch.boxes[scratch.path[0, i]]
        lost.trap_places[trap, box * 4 + world.side[box, player]] = True
    return True


@inner
@no_type_check
def enter(world, store, scratch, parent, player):
    """Stores the position of ``scratch.boxes`` unless it is known."""
    least = flood(world.neighbours, scratch.is_blocked, player, scratch.area[1], scratch.waiting)
    slot = slot_of(store, scratch.boxes, least)
    if store.slots[slot] != NONE:
        return
    total = 0
    for box in scratch.boxes:
        total += world.fewest[box * 4 + world.side[box, player]]
    total = min(total, _MAX_SUM)
    position = store.progress[NUM_POSITIONS]
    store.progress[NUM_POSITIONS] += 1
    for i in range(len(scratch.boxes)):
        store.boxes[position, i] = scratch.boxes[i]
    store.player[position] = least
    store.parent[position] = parent
    store.slots[slot] = position
    store.next_open[position] = store.bucket[total]
    store.bucket[total] = position
    store.progress[LOWEST_BUCKET] = min(store.progress[LOWEST_BUCKET], total)


@inner
@no_type_check
def add_push(world, store, lost, scratch, parent, row, box):
    """Enters the position after box ``row`` of ``parent`` is pushed to ``box``, unless it is lost.

    The scratch has that box moved already.
    """
    player = store.boxes[parent, row]
    place = box * 4 + world.side[box, player]
    if world.fewest[place] == UNREACHABLE:
        lost.trap_places[0, place] = True
        return
    copy_with_moved(store.boxes[parent], row, box, scratch.boxes)
    if is_frozen(world, lost, scratch, store.progress, box):
        return
    if is_crowded(world, lost, scratch, store.progress, player):
        return
    enter(world, store, scratch, parent, player)


@inner
@no_type_check
def expand(world, store, lost, scratch, position):
    """Enters the positions after each push that is possible."""
    is_blocked = scratch.is_blocked
    boxes = store.boxes[position]
    for box in boxes:
        is_blocked[box] = True
    area = scratch.area[0]
    flood(world.neighbours, is_blocked, store.player[position], area, scratch.waiting)
    for row in range(len(boxes)):
        box = boxes[row]
        for direction in range(4):
            beyond = world.neighbours[box, direction]
            if not area[world.neighbours[box, direction ^ 2]] or is_blocked[beyond]:
                continue
            is_blocked[box] = False
            is_blocked[beyond] = True
            add_push(world, store, lost, scratch, position, row, beyond)
            is_blocked[beyond] = False
            is_blocked[box] = True
    for box in boxes:
        is_blocked[box] = False


@entry
@no_type_check
def search(world, store, lost, scratch, max_expansions):
    """Goes on with the search; returns why it stopped."""
    capacity, num_boxes = store.boxes.shape
    progress, bucket = store.progress, store.bucket
    while True:
        while progress[LOWEST_BUCKET] < _MAX_SUM and bucket[progress[LOWEST_BUCKET]] == NONE:
            progress[LOWEST_BUCKET] += 1
        position = bucket[progress[LOWEST_BUCKET]]
        if position == NONE:
            return EXHAUSTED
        if progress[LOWEST_BUCKET] == 0:
            progress[REACHED] = position
            return SOLVED
        if progress[NUM_EXPANSIONS] >= max_expansions:
            return BUDGET_SPENT
        if progress[NUM_POSITIONS] + 4 * num_boxes > capacity:
            return STORE_FULL
        bucket[progress[LOWEST_BUCKET]] = store.next_open[position]
        progress[NUM_EXPANSIONS] += 1
        expand(world, store, lost, scratch, position)


@entry
@no_type_check
def begin(world, store, scratch, boxes, player):
    """Enters the first position, of boxes that each alone can come to a goal."""
    for i in range(len(boxes)):
        scratch.boxes[i] = boxes[i]
        scratch.is_blocked[boxes[i]] = True
    enter(world, store, scratch, NONE, player)
    for box in boxes:
        scratch.is_blocked[box] = False
