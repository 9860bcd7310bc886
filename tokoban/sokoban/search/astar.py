"""The compiled half of the solver: A* over pushes on numbered floor squares.

Axes in this file: F floor squares, G goals (as many as boxes), P room for positions, S slots of the
hash table, T totals (price so far and pushes left) that are searched.
A square is a number below F; number F is the wall around everything. A push is an edge: its price
is the walk to it plus one (fewest moves) or one (fewest pushes).
"""

from functools import partial
from typing import NamedTuple, no_type_check

import numpy as np
from jaxtyping import Bool, Int, Int16, Int32, Int64

from tokoban.compiling import entry, inner
from tokoban.sokoban.search.matching import assign, matched_pushes

UNREACHABLE = 1 << 28  # above the sum of any distances: 4,096 boxes times 16,384 pushes
NONE = -1  # no square, no position, no way

# Why `search` returned.
BUDGET_SPENT, STORE_FULL, SOLVED, EXHAUSTED, TOO_LONG = range(5)

# Entries of `Store.progress`.
NUM_POSITIONS, LOWEST_BUCKET, NUM_EXPANSIONS, REACHED, HAS_DROPPED = range(5)


class World(NamedTuple):
    """What a search never changes."""

    neighbours: Int16[np.ndarray, "F+1 4"]  # the square in each direction; row F is never left
    is_goal: Bool[np.ndarray, "F+1"]
    # side[box, player]: for the lone box, the lowest direction from it whose square the player
    # can walk to; NONE where box and player cannot be. Equal sides are one and the same area.
    side: Int[np.ndarray, "F F"]
    pushes: Int32[np.ndarray, "F*4 G"]  # of a lone box, by box * 4 + side, to each goal
    fewest_pushes: Int32[np.ndarray, "F*4"]  # to any goal; UNREACHABLE if there is none
    counts_moves: bool
    is_matched: bool  # whether pushes left are of a matching, or only of each box to its next goal


class Store(NamedTuple):
    """All positions met, and the open ones in buckets of equal estimated total price.

    A position whose price improves is stored again; the old one keeps its place with price NONE.
    """

    boxes: Int16[np.ndarray, "P G"]  # ascending
    player: Int16[np.ndarray, " P"]  # after the push; for fewest pushes, the lowest in its area
    price: Int32[np.ndarray, " P"]
    pushes_left: Int32[np.ndarray, " P"]  # at least
    parent: Int32[np.ndarray, " P"]
    next_open: Int32[np.ndarray, " P"]  # in the same bucket
    bucket: Int32[np.ndarray, " T"]  # newest open position of each total
    slots: Int32[np.ndarray, " S"]  # hash table of positions; the size is a power of two
    progress: Int64[np.ndarray, "5"]


class Scratch(NamedTuple):
    """Room to work in while one position is expanded."""

    is_blocked: Bool[np.ndarray, "F+1"]  # walls and boxes
    is_held: Bool[np.ndarray, "F+1"]
    walk: Int[np.ndarray, "2 F+1"]  # of the position, and of the one after a push
    reached: Int[np.ndarray, "2 F+1"]
    places: Int[np.ndarray, " G"]
    boxes: Int16[np.ndarray, " G"]  # after a push
    matching: Int64[np.ndarray, "2 3 G+1"]
    path: Int64[np.ndarray, "3 G+1"]


def empty_scratch(num_floor: int, num_boxes: int) -> Scratch:
    """Room for boards of so much floor and so many boxes; only the wall is blocked yet."""
    scratch = Scratch(
        is_blocked=np.zeros(num_floor + 1, np.bool_),
        is_held=np.empty(num_floor + 1, np.bool_),
        walk=np.empty((2, num_floor + 1), np.int32),
        reached=np.empty((2, num_floor + 1), np.int16),
        places=np.empty(num_boxes, np.int32),
        boxes=np.empty(num_boxes, np.int16),
        matching=np.empty((2, 3, num_boxes + 1), np.int64),
        path=np.empty((3, num_boxes + 1), np.int64),
    )
    scratch.is_blocked[num_floor] = True
    return scratch


@entry
@no_type_check
def flood(neighbours, is_blocked, start, walk, reached):
    """Fills ``walk`` with the steps from ``start``, NONE where there is no way; lists ``reached``.

    Returns how many squares were reached; ``reached`` is in the order of the steps.
    """
    walk[:] = NONE
    walk[start] = 0
    reached[0] = start
    first, count = 0, 1
    while first < count:
        square = reached[first]
        first += 1
        for direction in range(4):
            ahead = neighbours[square, direction]
            if walk[ahead] == NONE and not is_blocked[ahead]:
                walk[ahead] = walk[square] + 1
                reached[count] = ahead
                count += 1
    return count


@partial(entry, makes_arrays=True)
@no_type_check
def fill_sides(neighbours, side, first, last):
    """Fills ``World.side``, which is NONE everywhere, for the boxes from ``first`` to ``last``."""
    num_floor = len(neighbours) - 1
    is_blocked = np.zeros(num_floor + 1, np.bool_)
    is_blocked[num_floor] = True
    walk = np.empty(num_floor + 1, np.int32)
    reached = np.empty(num_floor, np.int16)
    for box in range(first, last):
        is_blocked[box] = True
        for direction in range(4):
            beside = neighbours[box, direction]
            if beside != num_floor and side[box, beside] == NONE:
                for i in range(flood(neighbours, is_blocked, beside, walk, reached)):
                    side[box, reached[i]] = direction
        is_blocked[box] = False


@partial(entry, makes_arrays=True)
@no_type_check
def fill_pushes(neighbours, side, squares, are_starts, pushes, first_square, last_square):
    """Fills columns of ``lone_box.find_pushes``, which are UNREACHABLE everywhere.

    Breadth first from each square: by pulls, or by pushes.
    """
    num_floor = len(neighbours) - 1
    waiting = np.empty(num_floor * 4, np.int32)
    for i in range(first_square, last_square):
        square = squares[i]
        count = 0
        for direction in range(4):
            beside = neighbours[square, direction]
            if beside != num_floor and side[square, beside] == direction:
                pushes[square * 4 + direction, i] = 0
                waiting[count] = square * 4 + direction
                count += 1
        first = 0
        while first < count:
            place = waiting[first]
            first += 1
            box = place // 4
            for direction in range(4):
                end = neighbours[box, direction]
                player = neighbours[box, direction ^ 2] if are_starts else end
                player_end = box if are_starts else neighbours[end, direction]
                is_outside = end == num_floor or player == num_floor or player_end == num_floor
                if is_outside or side[box, player] != place % 4:
                    continue
                later = end * 4 + side[end, player_end]
                if pushes[later, i] == UNREACHABLE:
                    pushes[later, i] = pushes[place, i] + 1
                    waiting[count] = later
                    count += 1


@entry
@no_type_check
def is_frozen_off_goal(world, boxes, is_blocked, is_held):
    """Whether ``deadlocks.frozen_boxes``, the same fixed point, include one that is on no goal."""
    for square in range(len(is_held)):
        is_held[square] = is_blocked[square]
    has_changed = True
    while has_changed:
        has_changed = False
        for box in boxes:
            around = world.neighbours[box]
            if is_held[box] and not (
                (is_held[around[0]] or is_held[around[2]])
                and (is_held[around[1]] or is_held[around[3]])
            ):
                is_held[box] = False
                has_changed = True
    is_lost = False
    for box in boxes:
        is_lost |= is_held[box] and not world.is_goal[box]
    return is_lost


@inner
@no_type_check
def copy_with_moved(boxes, row, box, copied):
    """Writes ``boxes``, which are in order, with box ``row`` now at ``box``, in order again."""
    for i in range(len(boxes)):
        copied[i] = boxes[i]
    i = row
    while i > 0 and copied[i - 1] > box:
        copied[i] = copied[i - 1]
        i -= 1
    while i + 1 < len(boxes) and copied[i + 1] < box:
        copied[i] = copied[i + 1]
        i += 1
    copied[i] = box


@inner
@no_type_check
def slot_of(store, boxes, player):
    """The slot of the hash table that holds this position, or the empty one where it belongs."""
    mixed = np.uint64(player)
    for box in boxes:
        mixed = (mixed ^ np.uint64(box)) * np.uint64(0x9E3779B97F4A7C15)
        mixed ^= mixed >> np.uint64(29)
    mask = len(store.slots) - 1
    slot = np.int64(mixed >> np.uint64(1)) & mask
    while store.slots[slot] != NONE:
        position = store.slots[slot]
        is_same = store.player[position] == player
        for i in range(len(boxes)):
            is_same &= store.boxes[position, i] == boxes[i]
        if is_same:
            break
        slot = (slot + 1) & mask
    return slot


@entry
@no_type_check
def enter_slots(store, first, last):
    """Enters the positions from ``first`` on, before ``last``, into the hash table."""
    for position in range(first, last):
        if store.price[position] != NONE:
            slot = slot_of(store, store.boxes[position], store.player[position])
            store.slots[slot] = position


@inner
@no_type_check
def first_open(store):
    """The open position of least total, newest first; NONE when there is none."""
    while store.progress[LOWEST_BUCKET] < len(store.bucket):
        position = store.bucket[store.progress[LOWEST_BUCKET]]
        if position == NONE:
            store.progress[LOWEST_BUCKET] += 1
        elif store.price[position] == NONE:
            store.bucket[store.progress[LOWEST_BUCKET]] = store.next_open[position]
        else:
            return position
    return NONE


@inner
@no_type_check
def pushes_left_after(world, scratch, row, box, place):
    """At least how many pushes remain once box ``row`` has come to ``box``; UNREACHABLE if lost."""
    up, left, down, right = world.neighbours[box]
    may_be_frozen = (scratch.is_blocked[up] or scratch.is_blocked[down]) and (
        scratch.is_blocked[left] or scratch.is_blocked[right]
    )
    if may_be_frozen and is_frozen_off_goal(
        world, scratch.boxes, scratch.is_blocked, scratch.is_held
    ):
        return UNREACHABLE
    earlier_place = scratch.places[row]
    scratch.places[row] = place
    total = 0
    if world.is_matched:
        # Only this box's row of the matching changes: the player walked around the others.
        matching = scratch.matching[1]
        for i in range(3):
            for j in range(len(scratch.places) + 1):
                matching[i, j] = scratch.matching[0, i, j]
        for goal in range(1, len(scratch.places) + 1):
            if matching[2, goal] == row + 1:
                matching[2, goal] = 0
        assign(world.pushes, scratch.places, row, matching, scratch.path)
        total = matched_pushes(world.pushes, scratch.places, matching)
    else:
        for other in scratch.places:
            total += world.fewest_pushes[other]
    scratch.places[row] = earlier_place
    return min(total, UNREACHABLE)


@inner
@no_type_check
def add_push(world, store, scratch, parent, row, box, price):
    """Stores the position after box ``row`` of ``parent`` is pushed to ``box``, unless it is lost
    or known for no higher price. The scratch holds the position with that box already moved."""
    player = store.boxes[parent, row]
    place = box * 4 + world.side[box, player]
    if world.fewest_pushes[place] == UNREACHABLE:
        return
    boxes = scratch.boxes
    copy_with_moved(store.boxes[parent], row, box, boxes)
    if not world.counts_moves:
        reached = scratch.reached[1]
        count = flood(world.neighbours, scratch.is_blocked, player, scratch.walk[1], reached)
        for i in range(count):
            player = min(player, reached[i])
    slot = slot_of(store, boxes, player)
    known = store.slots[slot]
    if known == NONE:
        pushes_left = pushes_left_after(world, scratch, row, box, place)
    elif store.price[known] > price:
        pushes_left = np.int64(store.pushes_left[known])
        store.price[known] = NONE
    else:
        return
    if pushes_left >= UNREACHABLE:
        return
    if price + pushes_left >= len(store.bucket):
        store.progress[HAS_DROPPED] = 1
        return
    position = store.progress[NUM_POSITIONS]
    store.progress[NUM_POSITIONS] += 1
    for i in range(len(boxes)):
        store.boxes[position, i] = boxes[i]
    store.player[position] = player
    store.price[position] = price
    store.pushes_left[position] = pushes_left
    store.parent[position] = parent
    store.slots[slot] = position
    bucket = price + pushes_left
    store.next_open[position] = store.bucket[bucket]
    store.bucket[bucket] = position
    store.progress[LOWEST_BUCKET] = min(store.progress[LOWEST_BUCKET], bucket)


@inner
@no_type_check
def expand(world, store, scratch, position):
    """Adds the positions after each push that is possible from ``position``."""
    boxes = store.boxes[position]
    player = store.player[position]
    is_blocked = scratch.is_blocked
    for box in boxes:
        is_blocked[box] = True
    walk = scratch.walk[0]
    flood(world.neighbours, is_blocked, player, walk, scratch.reached[0])
    scratch.matching[0] = 0
    for row in range(len(boxes)):
        scratch.places[row] = boxes[row] * 4 + world.side[boxes[row], player]
    if world.is_matched:
        for row in range(len(boxes)):
            assign(world.pushes, scratch.places, row, scratch.matching[0], scratch.path)
    for row in range(len(boxes)):
        box = boxes[row]
        for direction in range(4):
            behind = world.neighbours[box, direction ^ 2]
            beyond = world.neighbours[box, direction]
            if walk[behind] == NONE or is_blocked[beyond]:
                continue
            price = store.price[position] + 1
            if world.counts_moves:
                price += walk[behind]
            is_blocked[box] = False
            is_blocked[beyond] = True
            add_push(world, store, scratch, position, row, beyond, price)
            is_blocked[beyond] = False
            is_blocked[box] = True
    for box in boxes:
        is_blocked[box] = False


@entry
@no_type_check
def search(world, store, scratch, max_expansions):
    """Goes on with the search; returns why it stopped, with the figures in ``store.progress``."""
    capacity, num_boxes = store.boxes.shape
    while True:
        position = first_open(store)
        if position == NONE:
            return TOO_LONG if store.progress[HAS_DROPPED] else EXHAUSTED
        if store.pushes_left[position] == 0:
            store.progress[REACHED] = position
            return SOLVED
        if store.progress[NUM_EXPANSIONS] >= max_expansions:
            return BUDGET_SPENT
        if store.progress[NUM_POSITIONS] + 4 * num_boxes > capacity:
            return STORE_FULL
        store.bucket[store.progress[LOWEST_BUCKET]] = store.next_open[position]
        store.progress[NUM_EXPANSIONS] += 1
        expand(world, store, scratch, position)
