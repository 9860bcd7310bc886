"""A small search around a corral: can the boxes around a region that the player cannot enter ever
all come to goals, were there no other boxes?"""

from typing import NamedTuple, no_type_check

import numpy as np
from jaxtyping import Bool, Int16, Int32, Int64

from tokoban.compiling import inner
from tokoban.sokoban.search.astar import NONE, UNREACHABLE
from tokoban.sokoban.search.fess.areas import mark_area
from tokoban.sokoban.search.fess.freezes import is_stuck, mark_frozen
from tokoban.sokoban.search.fess.lost_patterns import add_pattern

_MAX_BOXES = 24  # corrals with more are not searched
_MAX_SEARCHED = 400  # positions, then the corral counts as harmless


class SmallSearch(NamedTuple):
    """Room for the positions of one small search; axes M positions, N boxes around the corral."""

    positions: Int16[np.ndarray, "M N+1"]  # boxes, ascending, then the least square of the player
    slots: Int32[np.ndarray, " S"]  # hash table of positions; the size is a power of two
    boxes: Int16[np.ndarray, " N"]
    is_blocked: Bool[np.ndarray, "F+1"]
    is_held: Bool[np.ndarray, "F+1"]
    is_zone: Bool[np.ndarray, "F+1"]  # the region and the squares of its boxes
    area: Int32[np.ndarray, "F+1"]
    area_after: Int32[np.ndarray, "F+1"]
    waiting: Int32[np.ndarray, "F+1"]
    num_floods: Int64[np.ndarray, "1"]  # in all, as a measure of the work


def empty_small_search(num_floor: int) -> SmallSearch:
    """Only the wall is blocked yet."""
    room = SmallSearch(
        positions=np.zeros((_MAX_SEARCHED + 4 * _MAX_BOXES, _MAX_BOXES + 1), np.int16),
        slots=np.zeros(2048, np.int32),
        boxes=np.zeros(_MAX_BOXES, np.int16),
        is_blocked=np.zeros(num_floor + 1, np.bool_),
        is_held=np.zeros(num_floor + 1, np.bool_),
        is_zone=np.zeros(num_floor + 1, np.bool_),
        area=np.zeros(num_floor + 1, np.int32),
        area_after=np.zeros(num_floor + 1, np.int32),
        waiting=np.zeros(num_floor + 1, np.int32),
        num_floods=np.zeros(1, np.int64),
    )
    room.is_blocked[num_floor] = True
    return room


@inner
@no_type_check
def flood(tables, room, player, marks):
    """Marks the area of the player with 1 and all else with 0; returns its least square."""
    room.num_floods[0] += 1
    marks[:] = 0
    return mark_area(tables.neighbours, room.is_blocked, player, marks, 1, room.waiting)


@inner
@no_type_check
def enter_if_new(tables, room, num_boxes, position):
    """Whether a position was not met before; enters it then."""
    positions, slots = room.positions, room.slots
    mixed = tables.keys[1, positions[position, num_boxes]]
    for i in range(num_boxes):
        mixed ^= tables.keys[0, positions[position, i]]
    mask = len(slots) - 1
    slot = np.int64(mixed >> np.uint64(1)) & mask
    while slots[slot] != NONE:
        is_same = True
        for i in range(num_boxes + 1):
            is_same &= positions[slots[slot], i] == positions[position, i]
        if is_same:
            return False
        slot = (slot + 1) & mask
    slots[slot] = position
    return True


@inner
@no_type_check
def push(tables, room, boxes, row, direction, count):
    """Writes the position after a push as number ``count``; whether it is new and not lost."""
    num_boxes = len(boxes)
    box = boxes[row]
    end = tables.neighbours[box, direction]
    if tables.fewest_pushes[end * 4 + tables.side[end, box]] == UNREACHABLE:
        return False
    # The one box is taken out and put in again where it keeps the order.
    moved = room.positions[count, :num_boxes]
    for i in range(num_boxes):
        moved[i] = boxes[i]
    i = row
    while i > 0 and moved[i - 1] > end:
        moved[i] = moved[i - 1]
        i -= 1
    while i + 1 < num_boxes and moved[i + 1] < end:
        moved[i] = moved[i + 1]
        i += 1
    moved[i] = end
    is_blocked = room.is_blocked
    is_blocked[box] = False
    is_blocked[end] = True
    is_lost = (
        is_stuck(tables, is_blocked, end)
        and mark_frozen(tables, moved, is_blocked, room.is_held) < 0
    )
    if not is_lost:
        room.positions[count, num_boxes] = flood(tables, room, box, room.area_after)
    is_blocked[end] = False
    is_blocked[box] = True
    return not is_lost and enter_if_new(tables, room, num_boxes, count)


@inner
@no_type_check
def may_be_solved(tables, room, num_boxes):
    """Whether the boxes of position 0 may all come to goals, or one of them may leave the zone.

    True too where the small search was too small to tell.
    """
    positions, is_blocked = room.positions, room.is_blocked
    room.slots[:] = NONE
    # Not literals, for each of which numba would compile `enter_if_new` anew.
    first, count = np.int64(0), np.int64(1)
    enter_if_new(tables, room, num_boxes, first)
    may_be = False
    while first < count and not may_be:
        boxes = positions[first, :num_boxes]
        may_be = count >= _MAX_SEARCHED
        num_on_goals = 0
        for box in boxes:
            is_blocked[box] = True
            num_on_goals += tables.goal_of[box] != NONE
        may_be |= num_on_goals == num_boxes
        flood(tables, room, positions[first, num_boxes], room.area)
        for row in range(num_boxes):
            for direction in range(4):
                end = tables.neighbours[boxes[row], direction]
                start = tables.neighbours[boxes[row], direction ^ 2]
                if may_be or room.area[start] != 1 or is_blocked[end]:
                    continue
                if push(tables, room, boxes, row, direction, count):
                    may_be = not room.is_zone[end]
                    count += 1
        for box in boxes:
            is_blocked[box] = False
        first += 1
    return may_be


@inner
@no_type_check
def is_lost_corral(tables, patterns, room, boxes, marks, region, player):
    """Whether the boxes around the region of ``marks`` are lost even were there no others.

    What is found lost is kept as a pattern.
    """
    num_boxes = np.int64(0)
    mixed = np.uint64(0)
    is_finished = True
    for box in boxes:
        is_beside = False
        for direction in range(4):
            is_beside |= marks[tables.neighbours[box, direction]] == region
        if not is_beside:
            continue
        if num_boxes == len(room.boxes):
            return False
        room.boxes[num_boxes] = box
        room.positions[0, num_boxes] = box
        num_boxes += 1
        mixed ^= tables.keys[0, box]
        is_finished &= tables.goal_of[box] != NONE
    if is_finished:
        return False
    corral = room.boxes[:num_boxes]
    for box in corral:
        room.is_blocked[box] = True
    least = flood(tables, room, player, room.area)
    for box in corral:
        room.is_blocked[box] = False
    mixed ^= tables.keys[1, least]
    entry = np.int64(mixed >> np.uint64(1)) & (len(patterns.refuted) - 1)
    if patterns.refuted[entry] == mixed:
        return False
    room.positions[0, num_boxes] = least
    for square in range(len(marks)):
        room.is_zone[square] = marks[square] == region
    for box in corral:
        room.is_zone[box] = True
    if may_be_solved(tables, room, num_boxes):
        patterns.refuted[entry] = mixed
        return False
    for box in corral:
        room.is_blocked[box] = True
    flood(tables, room, player, room.area)
    for box in corral:
        room.is_blocked[box] = False
    add_pattern(patterns, corral, room.area, 1)
    return True
