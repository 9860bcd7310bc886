"""Compiled: macro pushes, which bring one box to any place that it reaches while all others stay.

They shorten solutions of large levels, where no policy is sure of every push. A macro push has a
share of the probability of its first push; the single push keeps the rest, so that the search stays
complete and its bounds hold. Moves of one box are the macro moves of FESS (Shoham and Schaeffer
2020). Axes as in ``tree``.
"""

from functools import partial
from typing import NamedTuple, no_type_check

import numpy as np
from jaxtyping import Int32, Int64

from tokoban.compiling import inner
from tokoban.sokoban.search.flood import flood
from tokoban.sokoban.search.guided.classical import may_push

MOST_MACROS = 256  # of one box of a position: those of the fewest pushes

# What is known of a place in ``Macros.waiting``.
_END, _SIDE, _FIRST, _LENGTH = range(4)


class Macros(NamedTuple):
    """Workspace: places of the box that is pushed, squares with the player's zone beside them."""

    waiting: Int32[np.ndarray, "M 4"]
    seen: Int64[np.ndarray, "4*F"]  # by square and a side in the zone; never cleared
    last_mark: Int64[np.ndarray, "1"]


def empty_macros(num_floor: int) -> Macros:
    """Nothing is seen yet."""
    return Macros(
        waiting=np.empty((16 * num_floor + 4, 4), np.int32),
        seen=np.zeros(4 * num_floor, np.int64),
        last_mark=np.zeros(1, np.int64),
    )


@partial(inner, is_inlined=True)
@no_type_check
def list_macros(level, tree, scratch, macros, classical, position, row, first, edge):
    """Adds the macro pushes of box ``row`` from ``edge`` on, and returns the next free one.

    Its single pushes are the edges from ``first`` on, before ``edge``.
    """
    neighbours, is_blocked, waiting = level.neighbours, scratch.is_blocked, macros.waiting
    seen, box = macros.seen, np.int64(scratch.boxes[row])
    macros.last_mark[0] += 1
    mark = macros.last_mark[0]
    for side in range(4):
        if scratch.area[neighbours[box, side]] == 1:
            seen[4 * box + side] = mark
    count = 0
    for single in range(first, edge):
        direction = tree.edge_push[single] % 4
        waiting[count, _END], waiting[count, _SIDE] = tree.edge_end[single], direction ^ 2
        waiting[count, _FIRST], waiting[count, _LENGTH] = single, 1
        count += 1
    singles_end, at = edge, 0
    while at < count and edge < singles_end + MOST_MACROS:
        end, side = np.int64(waiting[at, _END]), waiting[at, _SIDE]
        single, length = waiting[at, _FIRST], waiting[at, _LENGTH]
        at += 1
        if seen[4 * end + side] == mark:
            continue
        player = np.int64(neighbours[end, side])
        is_blocked[box] = False
        is_blocked[end] = True
        scratch.last_mark[0] += 1
        zone = scratch.last_mark[0]
        flood(neighbours, is_blocked, player, scratch.marks, zone, scratch.waiting)
        for direction in range(4):
            if scratch.marks[neighbours[end, direction ^ 2]] != zone:
                continue
            seen[4 * end + (direction ^ 2)] = mark
            ahead = np.int64(neighbours[end, direction])
            if not is_blocked[ahead] and seen[4 * ahead + (direction ^ 2)] != mark:
                waiting[count, _END], waiting[count, _SIDE] = ahead, direction ^ 2
                waiting[count, _FIRST], waiting[count, _LENGTH] = single, length + 1
                count += 1
        is_blocked[end] = False
        is_blocked[box] = True
        if length == 1 or (
            classical is not None
            and not may_push(classical, tree.positions, scratch, position, row, end, player)
        ):
            continue
        tree.edge_push[edge] = tree.edge_push[single]
        tree.edge_end[edge] = end
        tree.edge_player[edge] = player
        tree.edge_length[edge] = length
        edge += 1
    for single in range(first, singles_end):
        number = 0
        for macro in range(singles_end, edge):
            number += tree.edge_push[macro] == tree.edge_push[single]
        tree.edge_share[single] = 1.0 if number == 0 else 1.0 - level.macro_share
        for macro in range(singles_end, edge):
            if tree.edge_push[macro] == tree.edge_push[single]:
                tree.edge_share[macro] = level.macro_share / number
    return edge
