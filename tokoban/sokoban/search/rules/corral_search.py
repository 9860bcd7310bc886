"""A bounded search of a corral: could the boxes around regions that the player cannot enter all
reach goals if there were no other boxes? Condition and source in ``table``."""

from functools import partial
from typing import NamedTuple, no_type_check

import numpy as np
from jaxtyping import Bool, Int16, Int32, Int64, UInt64

from tokoban.compiling import inner
from tokoban.sokoban.search.level.flood import flood
from tokoban.sokoban.search.level.ground import NONE, UNREACHABLE
from tokoban.sokoban.search.rules.corrals import touches
from tokoban.sokoban.search.rules.freeze import is_frozen_off_goals
from tokoban.sokoban.search.rules.patterns import (
    MAX_SEARCHED,
    MIN_SEARCHED,
    add_pattern,
    allowed_positions,
    has_pattern,
    note_harmless,
)
from tokoban.sokoban.search.state.columns import zeroed
from tokoban.sokoban.search.state.positions import (
    Positions,
    add,
    bit_of,
    copy,
    empty_positions,
    key_of,
    list_boxes,
    slot_of,
)
from tokoban.sokoban.search.state.single_pushes import single_pushes
from tokoban.sokoban.search.state.workspace import place_boxes

_MAX_BOXES = 24  # corrals with more are not searched
_FLOODS_TO_SHRINK = 1 << 13  # of a deadlock; after these, it stays as it is
_CAPACITY = 4096  # and one more expansion
_NUM_ASKED = 1 << 12


class CorralSearch(NamedTuple):
    """Workspace of one search; axis N boxes around the corral."""

    positions: Positions
    words: UInt64[np.ndarray, " W"]  # the boxes after a push
    start: UInt64[np.ndarray, " W"]  # all
    boxes: Int16[np.ndarray, " N"]
    is_blocked: Bool[np.ndarray, "F+1"]
    is_frozen: Bool[np.ndarray, "F+1"]
    is_corral: Bool[np.ndarray, "F+1"]  # the region and the squares of its boxes
    area: Int32[np.ndarray, "F+1"]
    area_after: Int32[np.ndarray, "F+1"]
    waiting: Int32[np.ndarray, "F+1"]
    num_floods: Int64[np.ndarray, "1"]  # in all, as a measure of the work
    # By key of boxes and player: the least square of the player's area among these boxes alone.
    asked: UInt64[np.ndarray, " A"]
    least: Int16[np.ndarray, " A"]


def empty_corral_search(num_floor: int) -> CorralSearch:
    """Only the wall is blocked yet."""
    positions = empty_positions(_CAPACITY, num_floor)
    search = zeroed(CorralSearch, F=num_floor, N=_MAX_BOXES, A=_NUM_ASKED, positions=positions)
    search.is_blocked[num_floor] = True
    return search


@partial(inner, is_inlined=True)
@no_type_check
def _flood(ground, search, player, marks):
    """Marks the area of the player with 1 and all else with 0; returns its least square."""
    search.num_floods[0] += 1
    marks[:] = 0
    return flood(ground.neighbours, search.is_blocked, player, marks, 1, search.waiting)


@partial(inner, is_inlined=True)
@no_type_check
def _store(ground, search, words, key, least):
    """Stores a position if it is new; returns whether it was.

    In place of a parent it keeps its slot, by which the hash table is emptied again.
    """
    positions = search.positions
    slot = slot_of(positions, words, key, least, ground.keys[1, least])
    if positions.slots[slot] != NONE:
        return False
    add(positions, slot, words, key, least, slot)
    return True


@partial(inner, is_inlined=True)
@no_type_check
def _push(state, _row, box, direction, end):
    """Stores the position after a push if it is new and not deadlocked.

    Whether to go on: not where a box has left the corral.
    """
    ground, patterns, search, boxes, parent = state
    positions, words = search.positions, search.words
    if ground.lower_bound[end * 4 + ground.zone[end, box]] == UNREACHABLE:
        return True
    copy(positions.boxes[parent], words)
    words[box >> 6] ^= bit_of(box)
    if is_frozen_off_goals(ground, boxes, search.is_blocked, search.is_frozen, end):
        return True
    least = np.int64(_flood(ground, search, box, search.area_after))
    words[end >> 6] ^= bit_of(end)
    if has_pattern(patterns, words, end, least, 0):
        return True
    key = positions.boxes_key[parent] ^ ground.keys[0, box] ^ ground.keys[0, end]
    return not _store(ground, search, words, key, least) or search.is_corral[end]


_push_each = single_pushes(_push)


@inner
@no_type_check
def _lay_out_start(ground, search, boxes, player):
    """Blocks the squares of ``start`` and lists its boxes; returns the least of the player's."""
    place_boxes(search.start, boxes, search.is_blocked)
    return np.int64(_flood(ground, search, player, search.area))


@inner
@no_type_check
def _least_alone(ground, search, boxes, key, player):
    """The least square of the player's area if the level had only these boxes.

    It is remembered, since most corrals are met again. A remembered one counts as a flood too, so
    that the work of a search does not depend on what is remembered.
    """
    asked = key ^ ground.keys[1, player]
    entry = np.int64(asked >> np.uint64(1)) & (len(search.asked) - 1)
    if search.asked[entry] == asked:
        search.num_floods[0] += 1
    else:
        search.asked[entry] = asked
        search.least[entry] = _lay_out_start(ground, search, boxes, player)
    return np.int64(search.least[entry])


@inner
@no_type_check
def _may_be_solved(ground, patterns, search, num_boxes, player, max_positions):
    """Whether the boxes of ``start`` may all reach goals, or one of them may leave the corral.

    1 if so, 0 if not, -1 if ``max_positions`` do not decide it. ``positions.num_known`` says how
    many it took.
    """
    positions, is_blocked = search.positions, search.is_blocked
    boxes = search.boxes[:num_boxes]
    for position in range(positions.num_known[0]):
        positions.slots[positions.parent[position]] = NONE
    positions.num_known[0] = 0
    least = _lay_out_start(ground, search, boxes, player)
    _store(ground, search, search.start, key_of(ground.keys, boxes), least)
    first = np.int64(0)
    verdict = np.int64(0)
    while first < positions.num_known[0] and verdict == 0:
        if positions.num_known[0] >= max_positions:
            verdict = np.int64(-1)
        place_boxes(positions.boxes[first], boxes, is_blocked)
        num_on_goals = 0
        for box in boxes:
            num_on_goals += ground.is_goal[box]
        if num_on_goals == num_boxes:
            verdict = np.int64(1)
        _flood(ground, search, np.int64(positions.player[first]), search.area)
        state = (ground, patterns, search, boxes, first)
        if verdict == 0 and not _push_each(
            state, ground.neighbours, boxes, is_blocked, search.area, 1
        ):
            verdict = np.int64(1)
        first += 1
    return verdict


@inner
@no_type_check
def _shrink(ground, patterns, search, num_boxes, player):
    """Drops boxes of ``start`` that the deadlock does not need; returns how many are left."""
    allowed = min(2 * search.positions.num_known[0] + MIN_SEARCHED, MAX_SEARCHED)
    ends = search.num_floods[0] + _FLOODS_TO_SHRINK
    for square in range(len(search.is_corral) - 1):
        word, bit = square >> 6, bit_of(square)
        if num_boxes > 1 and search.start[word] & bit and search.num_floods[0] < ends:
            search.start[word] ^= bit
            verdict = _may_be_solved(ground, patterns, search, num_boxes - 1, player, allowed)
            if verdict == 0:
                num_boxes -= 1
            else:
                search.start[word] ^= bit
    return num_boxes


@inner
@no_type_check
def is_deadlocked_corral(ground, patterns, search, boxes, marks, is_inside, player):
    """Whether the boxes around regions of ``marks`` are deadlocked even without the others.

    The regions are those that ``is_inside`` marks. The fewest boxes that are found to be deadlocked
    are added to the patterns.
    """
    num_boxes = np.int64(0)
    key = np.uint64(0)
    is_finished = True
    search.start[:] = 0
    for box in boxes:
        if not touches(ground.neighbours, marks, box, is_inside):
            continue
        if num_boxes == len(search.boxes):
            return False
        search.start[box >> 6] |= bit_of(box)
        num_boxes += 1
        key ^= ground.keys[0, box]
        is_finished &= ground.is_goal[box]
    if is_finished:
        return False
    corral = search.boxes[:num_boxes]
    mixed = key ^ ground.keys[1, _least_alone(ground, search, corral, key, player)]
    max_positions = allowed_positions(patterns, mixed)
    if max_positions == 0:
        return False
    list_boxes(search.start, corral)
    for square in range(len(marks)):
        search.is_corral[square] = is_inside[marks[square]]
    for box in corral:
        search.is_corral[box] = True
    verdict = _may_be_solved(ground, patterns, search, num_boxes, player, max_positions)
    if verdict != 0:
        if verdict > 0:
            note_harmless(patterns, mixed)
        return False
    num_boxes = _shrink(ground, patterns, search, num_boxes, player)
    corral = search.boxes[:num_boxes]
    _lay_out_start(ground, search, corral, player)
    add_pattern(patterns, corral, search.area)
    return True


@inner
@no_type_check
def mark_beside(ground, box, marks, is_inside):
    """Marks the regions beside a box, without the player's; returns whether there are several."""
    num_marked = 0
    for direction in range(4):
        region = marks[ground.neighbours[box, direction]]
        if region > 1 and not is_inside[region]:
            is_inside[region] = True
            num_marked += 1
    return num_marked > 1


@inner
@no_type_check
def has_deadlocked_corral(
    ground,
    patterns,
    search,
    boxes,
    marks,
    num_regions,
    is_inside,
    player,
    max_floods,
):
    """Whether a region, or all those beside one box, are deadlocked with the boxes around them.

    No search begins after ``max_floods`` floods.
    """
    for seed in range(num_regions + len(boxes)):
        if search.num_floods[0] >= max_floods:
            return False
        is_inside[: num_regions + 2] = False
        if seed < num_regions:
            is_inside[2 + seed] = True
        elif not mark_beside(ground, boxes[seed - num_regions], marks, is_inside):
            continue
        if is_deadlocked_corral(ground, patterns, search, boxes, marks, is_inside, player):
            return True
    return False
