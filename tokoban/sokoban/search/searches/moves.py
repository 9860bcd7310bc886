"""The moves of one box alone, as far and as often as one likes: pushes, or pulls.

These are the macro moves of Shoham and Schaeffer 2020. The workspace holds the position that is
laid out. Axes as in ``ground``.
"""

from collections.abc import Callable
from functools import partial
from typing import no_type_check

import numpy as np

from tokoban.compiling import inner
from tokoban.sokoban.search.level.ground import UNREACHABLE
from tokoban.sokoban.search.level.regions import find_beside, find_beside_whole, find_regions
from tokoban.sokoban.search.state.positions import bit_of, copy


@partial(inner, is_inlined=True)
@no_type_check
def lift(ground, words, scratch, row, by_pulls):
    """Takes box ``row`` of the boxes ``words`` off the floor.

    Returns whether it can move at all. If it cannot, nothing is changed.
    """
    neighbours, is_blocked = ground.neighbours, scratch.is_blocked
    start = np.int64(scratch.boxes[row])
    may_move = False
    for direction in range(4):
        end, behind = neighbours[start, direction], neighbours[start, direction ^ 2]
        player, free = (end, neighbours[end, direction]) if by_pulls else (behind, end)
        may_move |= scratch.area[player] == 1 and not is_blocked[free]
    if may_move:
        copy(words, scratch.others)
        scratch.others[start >> 6] ^= bit_of(start)
        is_blocked[start] = False
    return may_move


def moves_of_one_box(visit: Callable) -> Callable:
    """``move_box``, which visits each square to which the pushes or pulls of a box lead.

    ``visit(state, ground, scratch, row, start, place, least)`` says whether to go on from there:
    box ``row`` has come from ``start`` to ``place``, and ``least`` names the region of the
    player. No push that leads through a deadlock of the box alone is visited.
    """

    @partial(inner, is_inlined=True)
    @no_type_check
    def move_box(state, ground, scratch, row, by_pulls):
        """Visits the moves of a lifted box, and puts it back; returns how many were tried."""
        neighbours, is_blocked, seen = ground.neighbours, scratch.is_blocked, scratch.seen
        regions, beside = scratch.regions, scratch.regions.beside
        has_regions = False  # few moves of a box part a region
        boxes, reached_from = scratch.ways[0], scratch.ways[1]
        start = np.int64(scratch.boxes[row])
        scratch.last_mark[0] += 1
        seen_now = scratch.last_mark[0]
        num_tried = np.int64(0)
        first, count = 0, 1
        boxes[0] = start
        reached_from[0] = 0
        # The regions beside the box are one now that it is lifted.
        lowest, num_regions = start, scratch.num_areas[0] + 1
        for direction in range(4):
            area = scratch.area[neighbours[start, direction]]
            if area == 1:
                reached_from[0] |= 1 << direction
                seen[start * 4 + direction] = seen_now
            is_new = area > 0
            for other in range(direction):
                is_new &= scratch.area[neighbours[start, other]] != area
            if is_new:
                num_regions -= 1
                lowest = min(lowest, np.int64(scratch.least[area]))
        while first < count:
            box = np.int64(boxes[first])
            for direction in range(4):
                # Where the player is beside the box, before and after.
                side = direction if by_pulls else direction ^ 2
                end = np.int64(neighbours[box, direction])
                player = np.int64(neighbours[end, direction]) if by_pulls else box
                if not reached_from[first] >> side & 1 or is_blocked[end] or is_blocked[player]:
                    continue
                if seen[end * 4 + side] == seen_now:
                    continue
                num_tried += 1
                place = end * 4 + ground.zone[end, player]
                if ground.lower_bound[place] == UNREACHABLE:
                    continue
                if not find_beside_whole(neighbours, is_blocked, regions, end, lowest, num_regions):
                    if not has_regions:
                        find_regions(neighbours, is_blocked, regions)
                        has_regions = True
                    find_beside(neighbours, regions, end)
                least = np.int64(beside[end, side])
                reached = 0
                for around in range(4):
                    if beside[end, around] == least:
                        reached |= 1 << around
                        seen[end * 4 + around] = seen_now
                is_blocked[end] = True
                scratch.boxes[row] = end
                if visit(state, ground, scratch, row, start, place, least):
                    boxes[count] = end
                    reached_from[count] = reached
                    count += 1
                is_blocked[end] = False
            first += 1
        is_blocked[start] = True
        scratch.boxes[row] = start
        return num_tried

    return move_box
