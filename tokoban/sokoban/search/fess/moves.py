"""What comes after a position: all ways to push one box alone, as far and as often as one likes."""

from typing import NamedTuple, no_type_check

import numpy as np
from jaxtyping import Bool, Int16, Int32, Int64, UInt64

from tokoban.compiling import inner
from tokoban.sokoban.search.astar import NONE, UNREACHABLE
from tokoban.sokoban.search.bit_slots import slot_of
from tokoban.sokoban.search.fess.areas import mark_area, mark_other_regions
from tokoban.sokoban.search.fess.features import cell_of
from tokoban.sokoban.search.fess.freezes import (
    FrozenWalls,
    empty_frozen_walls,
    frozen_entry,
    is_stuck,
    mark_frozen,
)
from tokoban.sokoban.search.fess.lost_patterns import LostPatterns, has_lost_pattern, no_patterns
from tokoban.sokoban.search.fess.matching import every_box_has_a_goal, pushes_left_after
from tokoban.sokoban.search.fess.positions import MET, NUM_FLOODS, NUM_POSITIONS, REACHED

# Marks are never cleared: each area takes new ones, and leaves so many for the regions beside it.
_MARKS = 1 << 14


class Scratch(NamedTuple):
    """Room to work in while one position is expanded, and what was learned of lost ones."""

    frozen_walls: FrozenWalls
    patterns: LostPatterns
    is_blocked: Bool[np.ndarray, "F+1"]  # walls and boxes
    is_held: Bool[np.ndarray, "F+1"]
    is_inside: Bool[np.ndarray, "F+2"]  # by region
    is_around: Bool[np.ndarray, "F+1"]
    may_move: Bool[np.ndarray, " G"]
    boxes: Int16[np.ndarray, " G"]  # ascending
    places: Int32[np.ndarray, " G"]  # box * 4 + side
    area: Int32[np.ndarray, "F+1"]  # 1 where the player can walk, other regions from 2 on
    marks: Int64[np.ndarray, "F+1"]
    seen: Int64[np.ndarray, "F*4"]
    last_mark: Int64[np.ndarray, "1"]
    waiting: Int32[np.ndarray, "F+1"]
    ways: Int32[np.ndarray, "3 F*4"]
    words: UInt64[np.ndarray, " W"]
    goals_of_box: UInt64[np.ndarray, "G X"]
    pairs: Int32[np.ndarray, "4 G"]
    matching: Int64[np.ndarray, "2 3 G+1"]
    path: Int64[np.ndarray, "3 G+1"]


def empty_scratch(num_floor: int, num_boxes: int) -> Scratch:
    """Only the wall is blocked yet."""
    scratch = Scratch(
        frozen_walls=empty_frozen_walls(num_floor, num_boxes),
        patterns=no_patterns(num_floor),
        is_blocked=np.zeros(num_floor + 1, np.bool_),
        is_held=np.zeros(num_floor + 1, np.bool_),
        is_inside=np.zeros(num_floor + 2, np.bool_),
        is_around=np.zeros(num_floor + 1, np.bool_),
        may_move=np.zeros(num_boxes, np.bool_),
        boxes=np.zeros(num_boxes, np.int16),
        places=np.zeros(num_boxes, np.int32),
        area=np.zeros(num_floor + 1, np.int32),
        marks=np.zeros(num_floor + 1, np.int64),
        seen=np.zeros(num_floor * 4, np.int64),
        last_mark=np.zeros(1, np.int64),
        waiting=np.zeros(num_floor + 1, np.int32),
        ways=np.zeros((3, num_floor * 4), np.int32),
        words=np.zeros(-(-num_floor // 64), np.uint64),
        goals_of_box=np.zeros((num_boxes, -(-num_boxes // 64)), np.uint64),
        pairs=np.zeros((4, num_boxes), np.int32),
        matching=np.zeros((2, 3, num_boxes + 1), np.int64),
        path=np.zeros((3, num_boxes + 1), np.int64),
    )
    scratch.is_blocked[num_floor] = True
    return scratch


@inner
@no_type_check
def copy(source, into):
    """For slices cannot be assigned where references are not counted."""
    for i in range(len(source)):
        into[i] = source[i]


@inner
@no_type_check
def is_lost_by_freeze(tables, scratch):
    """Whether some box is frozen off the goals, or shut off from them by those frozen on goals."""
    boxes, is_held = scratch.boxes, scratch.is_held
    num_frozen = mark_frozen(tables, boxes, scratch.is_blocked, is_held)
    if num_frozen <= 0:
        return num_frozen < 0
    entry = frozen_entry(tables, scratch.frozen_walls, boxes, is_held, scratch.waiting)
    goals = scratch.frozen_walls.goals[entry]
    for row in range(len(boxes)):
        copy(goals[boxes[row]], scratch.goals_of_box[row])
    return not every_box_has_a_goal(scratch.goals_of_box, scratch.pairs)


@inner
@no_type_check
def add_position(tables, positions, others, scratch, parent, row, place, least):
    """Stores the position after box ``row`` of ``parent`` has come to ``place``, if it is new.

    The scratch holds the box moved on the floor, but not in ``boxes``, and the player's area with
    the last mark; ``least`` is its least square. Returns whether the pushes may go on from here:
    False where the position is lost.
    """
    box_before, box = scratch.boxes[row], place // 4
    words = scratch.words
    copy(positions.boxes[parent], words)
    words[box_before >> 6] ^= np.uint64(1) << np.uint64(box_before & 63)
    words[box >> 6] ^= np.uint64(1) << np.uint64(box & 63)
    mixed = positions.mixed_boxes[parent] ^ tables.keys[0, box_before] ^ tables.keys[0, box]
    slot = slot_of(positions, words, mixed, least, tables.keys[1, least])
    if positions.slots[slot] != NONE:
        return True
    if not tables.is_backward:
        if has_lost_pattern(scratch.patterns, words, box, least):
            return False
        scratch.boxes[row] = box
        is_lost = is_stuck(tables, scratch.is_blocked, box) and is_lost_by_freeze(tables, scratch)
        scratch.boxes[row] = box_before
        if is_lost:
            return False
    pushes_left = pushes_left_after(
        tables, scratch.places, row, place, scratch.matching, scratch.path
    )
    if pushes_left >= UNREACHABLE:
        return False
    num_regions = mark_other_regions(
        tables.neighbours, scratch.is_blocked, scratch.marks, scratch.last_mark[0], scratch.waiting
    )
    position = positions.progress[NUM_POSITIONS]
    positions.progress[NUM_POSITIONS] += 1
    copy(words, positions.boxes[position])
    positions.mixed_boxes[position] = mixed
    positions.player[position] = least
    positions.parent[position] = parent
    positions.pushed_to[position] = box
    positions.pushes_left[position] = pushes_left
    positions.cell[position] = cell_of(tables, scratch.is_blocked, words, num_regions)
    positions.is_open[position] = False
    positions.slots[slot] = position
    met = slot_of(others, words, mixed, least, tables.keys[1, least])
    if others.slots[met] != NONE:
        positions.progress[REACHED] = position
        positions.progress[MET] = others.slots[met]
    return True


@inner
@no_type_check
def move_box(tables, positions, others, scratch, parent, row):
    """Adds the positions after any pushes of box ``row`` alone, none of them lost before the last.

    Backwards a pull: the player goes before the box.
    """
    neighbours, is_blocked = tables.neighbours, scratch.is_blocked
    marks, seen, mark = scratch.marks, scratch.seen, scratch.last_mark
    places, sides, nums_pushes = scratch.ways
    start = scratch.boxes[row]
    mark[0] += _MARKS
    seen_now = mark[0]
    is_blocked[start] = False
    first, count = 0, 1
    places[0] = start * 4
    nums_pushes[0] = sides[0] = 0
    for direction in range(4):
        if scratch.area[neighbours[start, direction]] == 1:
            sides[0] |= 1 << direction
            seen[start * 4 + direction] = seen_now
    while first < count:
        box, num_pushes = places[first] // 4, nums_pushes[first] + 1
        for direction in range(4):
            # The side of the box on which the player stands, before and after.
            side = direction if tables.is_backward else direction ^ 2
            end = neighbours[box, direction]
            player = neighbours[end, direction] if tables.is_backward else box
            if not sides[first] >> side & 1 or is_blocked[end] or is_blocked[player]:
                continue
            if seen[end * 4 + side] == seen_now:
                continue
            place = end * 4 + tables.side[end, player]
            if tables.fewest_pushes[place] == UNREACHABLE:
                continue
            mark[0] += _MARKS
            positions.progress[NUM_FLOODS] += 1
            is_blocked[end] = True
            least = mark_area(neighbours, is_blocked, player, marks, mark[0], scratch.waiting)
            reached = 0
            for around in range(4):
                if marks[neighbours[end, around]] == mark[0]:
                    reached |= 1 << around
                    seen[end * 4 + around] = seen_now
            next_position = positions.progress[NUM_POSITIONS]
            if add_position(tables, positions, others, scratch, parent, row, place, least):
                places[count] = place
                sides[count] = reached
                nums_pushes[count] = num_pushes
                count += 1
                if positions.progress[NUM_POSITIONS] > next_position:
                    positions.num_pushes[next_position] = positions.num_pushes[parent] + num_pushes
            is_blocked[end] = False
        first += 1
    is_blocked[start] = True
