"""A bounded search of a corral: can the boxes around a region that the player cannot enter ever all
come to goals, were there no other boxes? Condition and source in ``deadlocks``."""

from functools import partial
from typing import NamedTuple, no_type_check

import numpy as np
from jaxtyping import Bool, Int16, Int32, Int64, UInt64

from tokoban.compiling import inner
from tokoban.sokoban.search.deadlocks import is_immobile, mark_frozen
from tokoban.sokoban.search.flood import flood
from tokoban.sokoban.search.ground import NONE, UNREACHABLE
from tokoban.sokoban.search.patterns import add_pattern
from tokoban.sokoban.search.positions import (
    Positions,
    add,
    bit_of,
    copy,
    empty_positions,
    list_boxes,
    slot_of,
)

_MAX_BOXES = 24  # corrals with more are not searched
_MAX_SEARCHED = 400  # positions, then nothing is proved
_CAPACITY = 512  # and one more expansion


class CorralSearch(NamedTuple):
    """Workspace of one search; axis N boxes around the corral."""

    positions: Positions
    words: UInt64[np.ndarray, " W"]  # the boxes after a push
    boxes: Int16[np.ndarray, " N"]
    is_blocked: Bool[np.ndarray, "F+1"]
    is_frozen: Bool[np.ndarray, "F+1"]
    is_corral: Bool[np.ndarray, "F+1"]  # the region and the squares of its boxes
    area: Int32[np.ndarray, "F+1"]
    area_after: Int32[np.ndarray, "F+1"]
    waiting: Int32[np.ndarray, "F+1"]
    num_floods: Int64[np.ndarray, "1"]  # in all, as a measure of the work


def empty_corral_search(num_floor: int) -> CorralSearch:
    """Only the wall is blocked yet."""
    search = CorralSearch(
        positions=empty_positions(_CAPACITY, num_floor),
        words=np.zeros(-(-num_floor // 64), np.uint64),
        boxes=np.zeros(_MAX_BOXES, np.int16),
        is_blocked=np.zeros(num_floor + 1, np.bool_),
        is_frozen=np.zeros(num_floor + 1, np.bool_),
        is_corral=np.zeros(num_floor + 1, np.bool_),
        area=np.zeros(num_floor + 1, np.int32),
        area_after=np.zeros(num_floor + 1, np.int32),
        waiting=np.zeros(num_floor + 1, np.int32),
        num_floods=np.zeros(1, np.int64),
    )
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
def _push(ground, search, boxes, row, direction, parent):
    """Stores the position after a push if it is new and not deadlocked; returns whether it was."""
    box = np.int64(boxes[row])
    end = np.int64(ground.neighbours[box, direction])
    if ground.lower_bound[end * 4 + ground.zone[end, box]] == UNREACHABLE:
        return False
    is_blocked = search.is_blocked
    is_blocked[box] = False
    is_blocked[end] = True
    boxes[row] = end
    is_deadlocked = (
        is_immobile(ground, is_blocked, end)
        and mark_frozen(ground, boxes, is_blocked, search.is_frozen) < 0
    )
    boxes[row] = box
    is_new = False
    if not is_deadlocked:
        positions, words = search.positions, search.words
        least = np.int64(_flood(ground, search, box, search.area_after))
        copy(positions.boxes[parent], words)
        words[box >> 6] ^= bit_of(box)
        words[end >> 6] ^= bit_of(end)
        key = positions.boxes_key[parent] ^ ground.keys[0, box] ^ ground.keys[0, end]
        slot = slot_of(positions, words, key, least, ground.keys[1, least])
        is_new = positions.slots[slot] == NONE
        if is_new:
            add(positions, slot, words, key, least, parent)
    is_blocked[end] = False
    is_blocked[box] = True
    return is_new


@partial(inner, is_inlined=True)
@no_type_check
def _may_be_solved(ground, search, num_boxes):
    """Whether the boxes of position 0 may all come to goals, or one of them may leave the corral.

    True too if the search reaches its limit.
    """
    positions, is_blocked = search.positions, search.is_blocked
    boxes = search.boxes[:num_boxes]
    first = np.int64(0)
    may_be = False
    while first < positions.num_known[0] and not may_be:
        list_boxes(positions.boxes[first], boxes)
        may_be = positions.num_known[0] >= _MAX_SEARCHED
        num_on_goals = 0
        for box in boxes:
            is_blocked[box] = True
            num_on_goals += ground.is_goal[box]
        may_be |= num_on_goals == num_boxes
        _flood(ground, search, np.int64(positions.player[first]), search.area)
        for row in range(num_boxes):
            for direction in range(4):
                end = ground.neighbours[boxes[row], direction]
                start = ground.neighbours[boxes[row], direction ^ 2]
                if may_be or search.area[start] != 1 or is_blocked[end]:
                    continue
                if _push(ground, search, boxes, row, direction, first):
                    may_be = not search.is_corral[end]
        for box in boxes:
            is_blocked[box] = False
        first += 1
    return may_be


@inner
@no_type_check
def is_deadlocked_corral(ground, patterns, search, boxes, marks, region, player):
    """Whether the boxes around the region of ``marks`` are deadlocked even were there no others.

    A deadlock that is found is added to the patterns.
    """
    num_boxes = np.int64(0)
    key = np.uint64(0)
    is_finished = True
    search.words[:] = 0
    for box in boxes:
        is_beside = False
        for direction in range(4):
            is_beside |= marks[ground.neighbours[box, direction]] == region
        if not is_beside:
            continue
        if num_boxes == len(search.boxes):
            return False
        search.boxes[num_boxes] = box
        search.words[box >> 6] |= bit_of(box)
        num_boxes += 1
        key ^= ground.keys[0, box]
        is_finished &= ground.is_goal[box]
    if is_finished:
        return False
    corral = search.boxes[:num_boxes]
    for box in corral:
        search.is_blocked[box] = True
    least = np.int64(_flood(ground, search, player, search.area))
    for box in corral:
        search.is_blocked[box] = False
    mixed = key ^ ground.keys[1, least]
    entry = np.int64(mixed >> np.uint64(1)) & (len(patterns.refuted) - 1)
    if patterns.refuted[entry] == mixed:
        return False
    positions = search.positions
    positions.slots[:] = NONE
    positions.num_known[0] = 0
    slot = slot_of(positions, search.words, key, least, ground.keys[1, least])
    add(positions, slot, search.words, key, least, NONE)
    for square in range(len(marks)):
        search.is_corral[square] = marks[square] == region
    for box in corral:
        search.is_corral[box] = True
    if _may_be_solved(ground, search, num_boxes):
        patterns.refuted[entry] = mixed
        return False
    list_boxes(positions.boxes[0], corral)
    for box in corral:
        search.is_blocked[box] = True
    _flood(ground, search, player, search.area)
    for box in corral:
        search.is_blocked[box] = False
    add_pattern(patterns, corral, search.area, 1)
    return True
