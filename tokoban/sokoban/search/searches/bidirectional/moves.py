"""The moves of FESS: all ways to push one box alone, as far and as often as one likes.

These are the macro moves of Shoham and Schaeffer 2020. Backwards they are pulls.
"""

from functools import partial
from typing import NamedTuple, no_type_check

import numpy as np
from jaxtyping import Bool, Int16, Int32, Int64, UInt64

from tokoban.compiling import inner
from tokoban.sokoban.search.level.flood import flood, flood_rest
from tokoban.sokoban.search.level.ground import NONE, UNREACHABLE
from tokoban.sokoban.search.measures.bounds import lower_bound_after
from tokoban.sokoban.search.rules.few_boxes import is_deadlocked_now
from tokoban.sokoban.search.rules.pruning import is_deadlocked_by_push
from tokoban.sokoban.search.searches.bidirectional.features import cell_of
from tokoban.sokoban.search.searches.bidirectional.sides import MET, NUM_FLOODS, REACHED
from tokoban.sokoban.search.state.positions import add, bit_of, copy, slot_of

# Marks are never cleared: each area takes the next ones, this many apart, so that the regions
# beside it have marks of their own.
_MARKS = 1 << 14


class Scratch(NamedTuple):
    """Workspace for one position that is expanded."""

    is_blocked: Bool[np.ndarray, "F+1"]  # walls and boxes
    boxes: Int16[np.ndarray, " G"]  # ascending
    places: Int32[np.ndarray, " G"]
    area: Int32[np.ndarray, "F+1"]  # 1 where the player can walk, other regions from 2 on
    marks: Int64[np.ndarray, "F+1"]
    seen: Int64[np.ndarray, "F*4"]
    last_mark: Int64[np.ndarray, "1"]
    waiting: Int32[np.ndarray, "F+1"]
    ways: Int32[np.ndarray, "3 F*4"]
    words: UInt64[np.ndarray, " W"]
    others: UInt64[np.ndarray, " W"]  # the boxes that do not move
    matching: Int64[np.ndarray, "3 G+1"]
    path: Int64[np.ndarray, "3 G+1"]
    # Which boxes the position that is expanded forwards may move; ``Pruning`` is shared with other
    # searches, which may have a turn in between.
    may_move: Bool[np.ndarray, " G"]


def empty_scratch(num_floor: int, num_boxes: int) -> Scratch:
    """Only the wall is blocked yet."""
    scratch = Scratch(
        is_blocked=np.zeros(num_floor + 1, np.bool_),
        boxes=np.zeros(num_boxes, np.int16),
        places=np.zeros(num_boxes, np.int32),
        area=np.zeros(num_floor + 1, np.int32),
        marks=np.zeros(num_floor + 1, np.int64),
        seen=np.zeros(num_floor * 4, np.int64),
        last_mark=np.zeros(1, np.int64),
        waiting=np.zeros(num_floor + 1, np.int32),
        ways=np.zeros((3, num_floor * 4), np.int32),
        words=np.zeros(-(-num_floor // 64), np.uint64),
        others=np.zeros(-(-num_floor // 64), np.uint64),
        matching=np.zeros((3, num_boxes + 1), np.int64),
        path=np.zeros((3, num_boxes + 1), np.int64),
        may_move=np.zeros(num_boxes, np.bool_),
    )
    scratch.is_blocked[num_floor] = True
    return scratch


@partial(inner, is_inlined=True)
@no_type_check
def add_position(tables, side, other_side, scratch, pruning, parent, row, place, least):
    """Stores the position after box ``row`` of ``parent`` has come to ``place``, if it is new.

    The scratch holds the box moved on the floor, but not in ``boxes``, and the player's area with
    the last mark; ``least`` is its least square. Returns whether the pushes may go on from here:
    False where the position is deadlocked.
    """
    ground, positions = tables.ground, side.positions
    box_before, box = scratch.boxes[row], place // 4
    words = scratch.words
    copy(positions.boxes[parent], words)
    words[box_before >> 6] ^= bit_of(box_before)
    words[box >> 6] ^= bit_of(box)
    key = positions.boxes_key[parent] ^ ground.keys[0, box_before] ^ ground.keys[0, box]
    slot = slot_of(positions, words, key, least, ground.keys[1, least])
    if positions.slots[slot] != NONE:
        return True
    if not tables.is_backward:
        scratch.boxes[row] = box
        is_deadlocked = is_deadlocked_by_push(
            ground, pruning, words, scratch.boxes, scratch.is_blocked, box, least
        )
        scratch.boxes[row] = box_before
        if is_deadlocked:
            return False
    lower_bound = lower_bound_after(
        ground, tables.is_matched, scratch.places, row, place, scratch.matching, scratch.path
    )
    if lower_bound >= UNREACHABLE:
        return False
    num_regions = flood_rest(
        ground.neighbours, scratch.is_blocked, scratch.marks, scratch.last_mark[0], scratch.waiting
    )
    position = add(positions, slot, words, key, least, parent)
    side.pushed_to[position] = box
    side.lower_bound[position] = lower_bound
    side.cell[position] = cell_of(tables, scratch.is_blocked, words, num_regions)
    side.is_open[position] = False
    others = other_side.positions
    met = slot_of(others, words, key, least, ground.keys[1, least])
    if others.slots[met] != NONE:
        side.progress[REACHED] = position
        side.progress[MET] = others.slots[met]
    return True


@partial(inner, is_inlined=True)
@no_type_check
def move_box(tables, side, other_side, scratch, pruning, parent, row):
    """Adds the positions after any pushes of box ``row`` alone that lead through no deadlock.

    Backwards a pull: the player goes before the box.
    """
    ground, positions = tables.ground, side.positions
    neighbours, is_blocked = ground.neighbours, scratch.is_blocked
    marks, seen, mark = scratch.marks, scratch.seen, scratch.last_mark
    places, reached_from, nums_pushes = scratch.ways
    start = scratch.boxes[row]
    mark[0] += _MARKS
    seen_now = mark[0]
    is_blocked[start] = False
    others = scratch.others
    copy(positions.boxes[parent], others)
    others[start >> 6] ^= bit_of(start)
    first, count = 0, 1
    places[0] = start * 4
    nums_pushes[0] = reached_from[0] = 0
    for direction in range(4):
        if scratch.area[neighbours[start, direction]] == 1:
            reached_from[0] |= 1 << direction
            seen[start * 4 + direction] = seen_now
    while first < count:
        box, num_pushes = places[first] // 4, nums_pushes[first] + 1
        for direction in range(4):
            # Where the player is beside the box, before and after.
            beside = direction if tables.is_backward else direction ^ 2
            end = neighbours[box, direction]
            player = neighbours[end, direction] if tables.is_backward else box
            if not reached_from[first] >> beside & 1 or is_blocked[end] or is_blocked[player]:
                continue
            if seen[end * 4 + beside] == seen_now:
                continue
            place = end * 4 + ground.zone[end, player]
            if ground.lower_bound[place] == UNREACHABLE:
                continue
            if is_deadlocked_now(pruning.few_boxes, others, end, beside):
                continue
            mark[0] += _MARKS
            side.progress[NUM_FLOODS] += 1
            is_blocked[end] = True
            least = flood(neighbours, is_blocked, player, marks, mark[0], scratch.waiting)
            reached = 0
            for around in range(4):
                if marks[neighbours[end, around]] == mark[0]:
                    reached |= 1 << around
                    seen[end * 4 + around] = seen_now
            next_position = positions.num_known[0]
            if add_position(tables, side, other_side, scratch, pruning, parent, row, place, least):
                places[count] = place
                reached_from[count] = reached
                nums_pushes[count] = num_pushes
                count += 1
                if positions.num_known[0] > next_position:
                    side.num_pushes[next_position] = side.num_pushes[parent] + num_pushes
            is_blocked[end] = False
        first += 1
    is_blocked[start] = True
