"""Hotspots: boxes that, if they were walls, would keep another box from a goal.

After Shoham and Schaeffer 2020, with the player's walks taken into account. They only guide the
search. Axes as in ``ground``.
"""

from typing import NamedTuple, no_type_check

import numpy as np
from jaxtyping import Bool, Int32, UInt64

from tokoban.compiling import entry, inner
from tokoban.sokoban.search.level.ground import NONE, UNREACHABLE, Ground
from tokoban.sokoban.search.level.regions import (
    Regions,
    empty_regions,
    find_beside,
    find_regions,
    place_beside,
)
from tokoban.sokoban.search.level.words import EMPTY, index, lowest
from tokoban.sokoban.search.state.columns import zeroed
from tokoban.sokoban.search.state.positions import bit_of
from tokoban.sokoban.search.steps import Steps

_MAX_SQUARES = 700  # of floor; larger boards have no table, which would take seconds
_SQUARES_A_STEP = 1 << 16  # of walls and boxes: some 10 ms


class _Workspace(NamedTuple):
    regions: Regions
    is_blocked: Bool[np.ndarray, "F+1"]
    goals: UInt64[np.ndarray, "F*4 X"]  # by place, those that a lone box is pushed to
    is_waiting: Bool[np.ndarray, " F*4"]
    waiting: Int32[np.ndarray, " F*4"]


def hotspots_in_steps(ground: Ground) -> Steps[UInt64[np.ndarray, "F W"]]:
    """For a box on each square, the squares where it is in the way of another box, as bits.

    From such a square a lone box can be pushed to a goal that it cannot reach, wherever the player
    stands, if the first box is a wall. The goal under the first box does not count. Empty above
    ``_MAX_SQUARES``.
    """
    num_floor = len(ground.zone)
    blocked = np.zeros((num_floor, -(-num_floor // 64)), np.uint64)
    if num_floor > _MAX_SQUARES:
        return blocked
    regions, num_goals = empty_regions(num_floor), len(ground.goals)
    workspace = zeroed(_Workspace, F=num_floor, G=num_goals, regions=regions)
    workspace.is_blocked[num_floor] = True
    at_once = max(_SQUARES_A_STEP // num_floor, 1)
    for first in range(0, num_floor, at_once):
        fill_blocked(ground, blocked, workspace, first, min(first + at_once, num_floor))
        yield
    return blocked


@entry
@no_type_check
def fill_blocked(ground, blocked, workspace, first, last):
    """Fills the rows from ``first`` on, before ``last``, of a table of zeros."""
    num_floor = len(ground.zone)
    for wall in range(first, last):
        if ground.is_dead[wall]:
            continue
        workspace.is_blocked[wall] = True
        find_regions(ground.neighbours, workspace.is_blocked, workspace.regions)
        for box in range(num_floor):
            if box != wall:
                find_beside(ground.neighbours, workspace.regions, box)
        workspace.is_blocked[wall] = False
        _pull_from_goals(ground, workspace, wall)
        for box in range(num_floor):
            if box == wall:
                continue
            for goal in range(len(ground.goals)):
                if ground.goals[goal] == wall or ground.goals[goal] == box:
                    continue
                can_reach = still_can = False
                for zone in range(4):
                    can_reach |= ground.pushes[box * 4 + zone, goal] != UNREACHABLE
                    word = workspace.goals[box * 4 + zone, goal >> 6]
                    still_can |= word & bit_of(goal) != EMPTY
                if can_reach and not still_can:
                    blocked[wall, box >> 6] |= bit_of(box)


@inner
@no_type_check
def _pull_from_goals(ground, workspace, wall):
    """Fills ``goals`` of the workspace for a lone box beside a box that never moves."""
    neighbours, regions, goals = ground.neighbours, workspace.regions, workspace.goals
    is_waiting, waiting = workspace.is_waiting, workspace.waiting
    goals[:] = 0
    first = num_waiting = 0
    for goal in range(len(ground.goals)):
        square = np.int64(ground.goals[goal])
        if square == wall:
            continue
        for direction in range(4):
            if regions.beside[square, direction] != NONE:
                place = place_beside(regions, square, direction)
                goals[place, goal >> 6] |= bit_of(goal)
                if not is_waiting[place]:
                    is_waiting[place] = True
                    waiting[num_waiting] = place
                    num_waiting += 1
    while num_waiting > 0:
        place = np.int64(waiting[first])
        first = (first + 1) % len(waiting)
        num_waiting -= 1
        is_waiting[place] = False
        box = place >> 2
        for direction in range(4):
            end = np.int64(neighbours[box, direction])
            if regions.beside[box, direction] == NONE or regions.beside[end, direction] == NONE:
                continue
            if place_beside(regions, box, direction) != place:
                continue
            earlier = place_beside(regions, end, direction)
            has_more = False
            for word in range(goals.shape[1]):
                more = goals[earlier, word] | goals[place, word]
                has_more |= more != goals[earlier, word]
                goals[earlier, word] = more
            if has_more and not is_waiting[earlier]:
                is_waiting[earlier] = True
                waiting[(first + num_waiting) % len(waiting)] = earlier
                num_waiting += 1


@inner
@no_type_check
def num_hotspots(hotspots, words):
    """How many of the boxes ``words`` are in the way of another."""
    num_boxes = np.int64(0)
    for word in range(len(words)):
        rest = words[word]
        while rest != EMPTY:
            blocked = hotspots[64 * word + index(rest)]
            is_in_the_way = False
            for other in range(len(words)):
                is_in_the_way |= blocked[other] & words[other] != EMPTY
            num_boxes += is_in_the_way
            rest ^= lowest(rest)
    return num_boxes
