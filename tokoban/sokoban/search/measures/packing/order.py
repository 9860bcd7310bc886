"""The packing order of FESS: in which order goals are filled.

After the packing plan of Shoham and Schaeffer 2020. It only guides the search; nothing is held
deadlocked because of it.
"""

from typing import NamedTuple, no_type_check

import numpy as np
from jaxtyping import Bool, Int16, Int32, Int64

from tokoban.compiling import entry, inner
from tokoban.sokoban.search.level.flood import flood, flood_rest
from tokoban.sokoban.search.level.ground import NONE
from tokoban.sokoban.search.steps import Steps

_MAX_FLOODED = 50_000_000  # squares, for the packing order of one level: about half a second
_FLOODED_A_STEP = 1_000_000
_GOALS_A_STEP = 100_000  # looked at, some of them without a flood

# Entries of ``_Order.progress``.
_LAST, _REGION, _GOAL, _NUM_REGIONS, _BEST, _BEST_PULLS, _MARK = range(7)


class _Order(NamedTuple):
    """A packing order in the making, and workspace."""

    rank: Int16[np.ndarray, " G"]  # NONE of goals that are not in the order yet
    is_blocked: Bool[np.ndarray, " F+1"]
    is_start: Bool[np.ndarray, " F+1"]
    marks: Int64[np.ndarray, " F+1"]
    regions: Int64[np.ndarray, " F+1"]
    inside: Int64[np.ndarray, " F+1"]  # a square of each region, or NONE
    seen: Int64[np.ndarray, " 4*F"]
    places: Int32[np.ndarray, " 4*F"]
    pulls: Int32[np.ndarray, " 4*F"]
    waiting: Int32[np.ndarray, " 4*F"]
    progress: Int64[np.ndarray, "7"]


@inner
@no_type_check
def pulls_out(neighbours, is_blocked, is_start, box, player, fewer_than, mark, workspace):
    """The pulls that bring ``box`` to where some box starts, and the last mark used.

    NONE where there are no such pulls fewer than ``fewer_than``. The box must be blocked.
    ``workspace`` is marks of places and of squares, in which ``mark`` and all later numbers must be
    new, and three lists.
    """
    seen, marks, places, pulls, waiting = workspace
    seen_by = mark
    flood(neighbours, is_blocked, player, marks, mark, waiting)
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
        flood(neighbours, is_blocked, behind, marks, mark, waiting)
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


def packing_order_in_steps(
    neighbours: Int16[np.ndarray, "_ A"],
    goals: Int16[np.ndarray, " G"],
    boxes: Int16[np.ndarray, " _"],
    player: int,
) -> Steps[Int16[np.ndarray, " G"]]:
    """The place of each goal in an order that fills them from far to near, counted from 0.

    Found backwards from all goals filled: of the boxes that can be pulled to where some box starts
    the nearest is taken away first, so its goal comes last. What never can be taken away, or not
    within a bound on the work, comes first.
    """
    num_floor = len(neighbours) - 1
    order = _Order(
        rank=np.full(len(goals), NONE, np.int16),
        is_blocked=np.zeros(num_floor + 1, np.bool_),
        is_start=np.zeros(num_floor + 1, np.bool_),
        marks=np.zeros(num_floor + 1, np.int64),
        regions=np.zeros(num_floor + 1, np.int64),
        inside=np.empty(num_floor + 1, np.int64),
        seen=np.zeros(num_floor * 4, np.int64),
        places=np.empty(num_floor * 4, np.int32),
        pulls=np.empty(num_floor * 4, np.int32),
        waiting=np.empty(num_floor * 4, np.int32),
        progress=np.zeros(7, np.int64),
    )
    order.is_blocked[[*goals, num_floor]] = True
    order.is_start[boxes] = True
    order.progress[_LAST] = len(goals) - 1
    while not go_on_with_order(neighbours, goals, player, order):
        yield
    return order.rank


@entry
@no_type_check
def go_on_with_order(neighbours, goals, player, order):
    """Does a step of ``packing_order_in_steps``; returns whether the order is complete."""
    num_floor = len(neighbours) - 1
    progress, inside, rank, is_blocked = order.progress, order.inside, order.rank, order.is_blocked
    workspace = (order.seen, order.marks, order.places, order.pulls, order.waiting)
    last_mark = progress[_MARK] + _FLOODED_A_STEP // num_floor
    num_looked_at = 0
    while progress[_LAST] >= 0:
        if progress[_REGION] == 0:
            # The player is where it can walk now, or if no box can be had from there, elsewhere.
            regions = order.regions
            regions[:] = 0
            if not is_blocked[player]:
                flood(neighbours, is_blocked, player, regions, 1, order.waiting)
            progress[_NUM_REGIONS] = flood_rest(neighbours, is_blocked, regions, 1, order.waiting)
            inside[:] = NONE
            for square in range(num_floor):
                inside[regions[square]] = square
            progress[_BEST], progress[_BEST_PULLS] = NONE, 1 << 30
            progress[_REGION], progress[_GOAL] = 1, 0
            num_looked_at += num_floor
        while progress[_REGION] < progress[_NUM_REGIONS] + 2 and (
            progress[_GOAL] > 0 or progress[_BEST] == NONE
        ):
            region, goal, mark = progress[_REGION], progress[_GOAL], progress[_MARK]
            if mark > last_mark or num_looked_at > _GOALS_A_STEP:
                return False
            num_looked_at += 1
            is_spent = mark * num_floor > _MAX_FLOODED
            if inside[region] != NONE and rank[goal] == NONE and not is_spent:
                pulls, progress[_MARK] = pulls_out(
                    neighbours,
                    is_blocked,
                    order.is_start,
                    goals[goal],
                    inside[region],
                    progress[_BEST_PULLS],
                    mark + 1,
                    workspace,
                )
                if pulls != NONE:
                    progress[_BEST], progress[_BEST_PULLS] = goal, pulls
            progress[_GOAL] += 1
            if progress[_GOAL] == len(goals) or is_spent:
                progress[_GOAL] = 0
                progress[_REGION] += 1
        best = progress[_BEST]
        if best == NONE:
            for goal in range(len(goals)):
                if rank[goal] == NONE:
                    best = goal
        rank[best] = progress[_LAST]
        is_blocked[goals[best]] = False
        progress[_LAST] -= 1
        progress[_REGION] = 0
    return True
