"""A level for the plans by pulls, and what one box can be pulled to.

Axes as in ``ground``.
"""

from typing import NamedTuple, no_type_check

import numpy as np
from jaxtyping import Bool, Int16, Int32, Int64, UInt64

from tokoban.compiling import inner
from tokoban.sokoban.search.level.ground import NONE, UNREACHABLE, Ground
from tokoban.sokoban.search.level.regions import Regions, empty_regions, find_beside
from tokoban.sokoban.search.state.columns import zeroed


class PullBoard(NamedTuple):
    """A level for pulls, and workspace."""

    neighbours: Int16[np.ndarray, "F+1 4"]
    goals: Int16[np.ndarray, " G"]
    is_goal: Bool[np.ndarray, "F+1"]
    is_start: Bool[np.ndarray, "F+1"]  # where boxes leave the board
    is_closed: Bool[np.ndarray, "F+1"]  # no box is ever pushed to this square
    distance: Int32[np.ndarray, "F+1"]  # pushes of a lone box to the nearest goal
    keys: UInt64[np.ndarray, "2 F"]
    is_blocked: Bool[np.ndarray, "F+1"]
    regions: Regions
    seen: Int64[np.ndarray, "4*F+4"]
    last_mark: Int64[np.ndarray, "1"]  # in ``seen``: each search for pulls uses a new one
    marks: Int64[np.ndarray, "F+1"]
    waiting: Int32[np.ndarray, "F+1"]
    ways: Int32[np.ndarray, "3 4*F"]  # squares of the box, the player's region there, pulls
    leaving: Int32[np.ndarray, "2 F"]  # boxes that can leave, their pulls
    work: Int64[np.ndarray, "1"]  # squares looked at for ``fillings``


def pull_board(ground: Ground, by_pulls: Ground) -> PullBoard:
    """A level by its two grounds."""
    num_floor = len(ground.zone)
    nearest = ground.lower_bound.reshape(num_floor, 4).min(axis=1)
    distance = np.where(nearest < UNREACHABLE, nearest, 0)
    is_blocked = np.zeros(num_floor + 1, np.bool_)
    is_blocked[num_floor] = True
    return zeroed(
        PullBoard,
        F=num_floor,
        neighbours=ground.neighbours,
        goals=ground.goals,
        is_goal=ground.is_goal,
        is_start=by_pulls.is_goal,
        is_closed=by_pulls.is_dead,
        distance=np.append(distance, 0).astype(np.int32),
        keys=ground.keys,
        is_blocked=is_blocked,
        regions=empty_regions(num_floor),
    )


@inner
@no_type_check
def find_pulls(board, box, player):
    """Fills ``board.ways`` with what ``box`` can be pulled to, the nearest first; returns how many.

    The box must be lifted and the forest of ``board.regions`` found so; ``player`` is the least
    square of the player's region with the box in place. The first way is the box where it is.
    """
    neighbours, is_blocked, regions = board.neighbours, board.is_blocked, board.regions
    beside = regions.beside
    squares, players, pulls = board.ways[0], board.ways[1], board.ways[2]
    seen = board.seen
    board.last_mark[0] += 1
    mark = board.last_mark[0]
    squares[0], players[0], pulls[0] = box, player, 0
    find_beside(neighbours, regions, np.int64(box))
    for direction in range(4):
        if beside[box, direction] == player:
            seen[np.int64(box) * 4 + direction] = mark
    first, count = 0, 1
    while first < count:
        square, region = np.int64(squares[first]), players[first]
        for direction in range(4):
            if beside[square, direction] != region:
                continue
            end = np.int64(neighbours[square, direction])
            if is_blocked[neighbours[end, direction]] or seen[end * 4 + direction] == mark:
                continue
            find_beside(neighbours, regions, end)
            region_after = beside[end, direction]
            for side in range(4):
                if beside[end, side] == region_after:
                    seen[end * 4 + side] = mark
            squares[count], players[count], pulls[count] = end, region_after, pulls[first] + 1
            count += 1
        first += 1
    return count


@inner
@no_type_check
def is_first_beside(beside, box, direction):
    """Whether a region lies in this direction of a box, and in no earlier one."""
    region = beside[box, direction]
    is_first = region != NONE
    for earlier in range(direction):
        is_first &= beside[box, earlier] != region
    return is_first
