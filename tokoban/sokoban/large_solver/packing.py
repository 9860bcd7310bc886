"""What a good plan may look like: in which order goals are filled, and what that shuts off.

All this only guides the search; nothing is held lost because of it.
"""

from functools import partial
from typing import no_type_check

import numpy as np

from tokoban.sokoban.compiled import entry, inner
from tokoban.sokoban.large_solver.areas import mark_area, mark_other_regions
from tokoban.sokoban.solving.astar import NONE

_MAX_FLOODED = 50_000_000  # squares, for the packing order of one level: about half a second


@inner
@no_type_check
def pulls_out(neighbours, is_blocked, is_start, box, player, fewer_than, mark, room):
    """The pulls that bring ``box`` to where some box starts, and the last mark used.

    NONE where there are no such pulls fewer than ``fewer_than``. The box must be blocked.
    ``room`` are marks of places and of squares, in which ``mark`` and all later numbers must be
    new, and three lists.
    """
    seen, marks, places, pulls, waiting = room
    seen_by = mark
    mark_area(neighbours, is_blocked, player, marks, mark, waiting)
    first = count = 0
    for direction in range(4):
        if marks[neighbours[box, direction]] == mark:
            seen[box * 4 + direction] = seen_by
            places[count] = box * 4 + direction
            pulls[count] = 0
            count += 1
    is_blocked[box] = False
    found = NONE
    while first < count and found == NONE and pulls[first] + 1 < fewer_than:
        square, direction = places[first] // 4, places[first] % 4
        before = neighbours[square, direction]  # the box comes to where the player stands
        behind = neighbours[before, direction]
        first += 1
        if is_blocked[behind]:
            continue
        if is_start[before]:
            found = pulls[first - 1] + 1
            break
        is_blocked[before] = True
        mark += 1
        mark_area(neighbours, is_blocked, behind, marks, mark, waiting)
        is_blocked[before] = False
        for side in range(4):
            place = before * 4 + side
            if marks[neighbours[before, side]] == mark and seen[place] < seen_by:
                seen[place] = seen_by
                places[count] = place
                pulls[count] = pulls[first - 1] + 1
                count += 1
    is_blocked[box] = True
    return found, mark


@partial(entry, makes_arrays=True)
@no_type_check
def packing_order(neighbours, goals, boxes, player):
    """The place of each goal in an order that fills them from far to near, counted from 0.

    Found backwards from all goals filled: of the boxes that can be pulled to where some box starts
    the nearest is taken away first, so its goal comes last. What never can be taken away, or not
    within a bound on the work, comes first.
    """
    num_floor = len(neighbours) - 1
    is_blocked = np.zeros(num_floor + 1, np.bool_)
    is_blocked[num_floor] = True
    is_start = np.zeros(num_floor + 1, np.bool_)
    for i in range(len(goals)):
        is_blocked[goals[i]] = True
        is_start[boxes[i]] = True
    marks = np.zeros(num_floor + 1, np.int64)
    regions = np.zeros(num_floor + 1, np.int64)
    seen = np.zeros(num_floor * 4, np.int64)
    waiting = np.empty(num_floor * 4, np.int32)
    room = (seen, marks, np.empty_like(waiting), np.empty_like(waiting), waiting)
    inside = np.empty(num_floor + 1, np.int64)
    rank = np.full(len(goals), NONE, np.int16)
    mark = 0
    for last in range(len(goals) - 1, -1, -1):
        # The player is where it can walk now, or if no box can be had from there, anywhere else.
        regions[:] = 0
        if not is_blocked[player]:
            mark_area(neighbours, is_blocked, player, regions, 1, waiting)
        num_regions = mark_other_regions(neighbours, is_blocked, regions, 1, waiting)
        inside[:] = NONE
        for square in range(num_floor):
            inside[regions[square]] = square
        best, best_pulls = NONE, np.int64(1 << 30)
        for region in range(1, num_regions + 2):
            for goal in range(len(goals)):
                is_spent = mark * num_floor > _MAX_FLOODED
                if inside[region] == NONE or rank[goal] != NONE or is_spent:
                    continue
                pulls, mark = pulls_out(
                    neighbours,
                    is_blocked,
                    is_start,
                    goals[goal],
                    inside[region],
                    best_pulls,
                    mark + 1,
                    room,
                )
                if pulls != NONE:
                    best, best_pulls = goal, pulls
            if best != NONE:
                break
        if best == NONE:
            for goal in range(len(goals)):
                if rank[goal] == NONE:
                    best = goal
        rank[best] = last
        is_blocked[goals[best]] = False
    return rank


@partial(entry, makes_arrays=True)
@no_type_check
def goal_rooms(neighbours, goals):
    """For each goal the number of its room: goals side by side share one."""
    is_other = np.ones(len(neighbours), np.bool_)
    for goal in goals:
        is_other[goal] = False
    marks = np.zeros(len(neighbours), np.int64)
    waiting = np.empty(len(neighbours), np.int32)
    mark_other_regions(neighbours, is_other, marks, 1, waiting)
    room = np.empty(len(goals), np.int16)
    for goal in range(len(goals)):
        room[goal] = marks[goals[goal]] - 2
    return room


@partial(entry, makes_arrays=True)
@no_type_check
def squares_in_plan(neighbours, goals, rank):
    """Squares from which boxes still come to a goal when the first goals of the order are filled.

    Row k, as bits: those first k goals, and every square from which a push after push, wherever
    the player stands, leads to a later goal while all goals before that one are filled.
    """
    num_goals, num_floor = len(goals), len(neighbours) - 1
    in_plan = np.zeros((num_goals + 1, -(-num_floor // 64)), np.uint64)
    goal_at = np.empty(num_goals, np.int64)
    is_filled = np.zeros(num_floor + 1, np.bool_)
    is_filled[num_floor] = True
    waiting = np.empty(num_floor, np.int32)
    is_reached = np.zeros(num_floor + 1, np.bool_)
    for goal in range(num_goals):
        is_filled[goals[goal]] = True
        goal_at[rank[goal]] = goals[goal]
    for step in range(num_goals - 1, -1, -1):
        is_filled[goal_at[step]] = False
        is_reached[:] = False
        is_reached[goal_at[step]] = True
        waiting[0] = goal_at[step]
        count = 1
        while count > 0:
            count -= 1
            square = waiting[count]
            for direction in range(4):
                before = neighbours[square, direction]
                if is_reached[before] or is_filled[before]:
                    continue
                if not is_filled[neighbours[before, direction]]:
                    is_reached[before] = True
                    waiting[count] = before
                    count += 1
        for word in range(in_plan.shape[1]):  # numba takes a second to compile a copied row
            in_plan[step, word] = in_plan[step + 1, word]
        for square in range(num_floor):
            if is_reached[square]:
                in_plan[step, square >> 6] |= np.uint64(1) << np.uint64(square & 63)
    for step in range(1, num_goals + 1):
        for goal in goal_at[:step]:
            in_plan[step, goal >> 6] |= np.uint64(1) << np.uint64(goal & 63)
    return in_plan


@partial(entry, makes_arrays=True)
@no_type_check
def find_doors(neighbours):
    """Bits of the squares between whose neighbours there is no other way."""
    num_floor = len(neighbours) - 1
    doors = np.zeros(-(-num_floor // 64), np.uint64)
    is_blocked = np.zeros(num_floor + 1, np.bool_)
    is_blocked[num_floor] = True
    waiting = np.empty(num_floor + 1, np.int32)
    marks = np.zeros(num_floor + 1, np.int64)
    for square in range(num_floor):
        is_blocked[square] = True
        has_marked = False
        for direction in range(4):
            beside = neighbours[square, direction]
            if beside == num_floor or marks[beside] == square + 1:
                continue
            if has_marked:
                doors[square >> 6] |= np.uint64(1) << np.uint64(square & 63)
            else:
                mark_area(neighbours, is_blocked, beside, marks, square + 1, waiting)
                has_marked = True
        is_blocked[square] = False
    return doors
