"""What a box on any square does to the regions of free floor, from one depth-first search.

The search numbers the free squares in the order in which it enters them, as a forest with one tree
for each region. A box on a square parts from the rest of its tree every subtree below it that has
no other way out, and leaves the remainder connected: Hopcroft and Tarjan, "Algorithm 447: efficient
algorithms for graph manipulation", Communications of the ACM 16 (1973). The search is made once for
each box that is to be moved, with that box lifted; the regions after each of its moves follow
without a flood, and are named only where it comes to (``find_beside``).
Axes as in ``ground``.
"""

from functools import partial
from typing import NamedTuple, no_type_check

import numpy as np
from jaxtyping import Int16, Int32

from tokoban.compiling import inner
from tokoban.sokoban.search.level.ground import NONE

# In place of the order of a square: above every one, so never the lowest.
_BLOCKED = 1 << 14
_NEW = _BLOCKED + 1


class Regions(NamedTuple):
    """The forest over the free floor, and what a box on a square of it would leave.

    Entries of squares that are not free mean nothing, except in ``order``.
    """

    # The forest. ``order`` counts through all trees, so that a subtree is a range of it.
    order: Int16[np.ndarray, "F+1"]  # _BLOCKED where a wall or a box is
    squares: Int16[np.ndarray, " F"]  # by order
    parent: Int16[np.ndarray, "F+1"]  # a root is its own
    root: Int16[np.ndarray, "F+1"]  # the least square of the tree
    end: Int16[np.ndarray, "F+1"]  # the order after the last of the subtree
    lowest: Int16[np.ndarray, "F+1"]  # least order of the subtree and the squares beside it
    least: Int16[np.ndarray, "F+1"]  # least square of the subtree
    num_trees: Int16[np.ndarray, "1"]
    waiting: Int32[np.ndarray, " 4*F+1"]  # workspace
    # Filled by ``find_beside``: the least square of the region that lies in each direction of the
    # box, which names the region; NONE where there is a wall or another box.
    beside: Int16[np.ndarray, "F+1 4"]
    num_regions: Int16[np.ndarray, "F+1"]  # of the whole floor, with the box there


def empty_regions(num_floor: int) -> Regions:
    """Nothing is known yet."""

    def by_square(*shape: int) -> np.ndarray:
        return np.full((num_floor + 1, *shape), NONE, np.int16)

    return Regions(
        order=by_square(),
        squares=by_square()[:-1],
        parent=by_square(),
        root=by_square(),
        end=by_square(),
        lowest=by_square(),
        least=by_square(),
        num_trees=np.zeros(1, np.int16),
        waiting=np.zeros(4 * num_floor + 1, np.int32),
        beside=by_square(4),
        num_regions=by_square(),
    )


@partial(inner, is_inlined=True)
@no_type_check
def find_regions(neighbours, is_blocked, regions):
    """Fills the forest: free squares depth first, then from the leaves to the roots.

    The box that is to be moved must not be in ``is_blocked``. A mask tells numba that a square is
    no negative index, which it would count from the end.
    """
    order, squares, parent, root = regions.order, regions.squares, regions.parent, regions.root
    end, lowest, least, waiting = regions.end, regions.lowest, regions.least, regions.waiting
    num_floor = len(neighbours) - 1
    for square in range(num_floor + 1):
        order[square] = _BLOCKED if is_blocked[square] else _NEW
    num_trees = num_free = 0
    for first in range(num_floor):
        if order[first] != _NEW:
            continue
        num_trees += 1
        # A square waits together with the one from which it was seen last: its parent.
        waiting[0] = first | first << 16
        count = 1
        while count > 0:
            count -= 1
            square = waiting[count] & 0xFFFF
            if order[square] != _NEW:
                continue
            parent[square] = waiting[count] >> 16
            root[square] = first
            order[square] = lowest_beside = num_free
            squares[num_free] = square
            num_free += 1
            for direction in range(3, -1, -1):
                ahead = np.int64(neighbours[square, direction]) & 0xFFFF
                place = np.int64(order[ahead])
                if place == _NEW:
                    waiting[count] = ahead | square << 16
                    count += 1
                else:
                    lowest_beside = min(lowest_beside, place)
            lowest[square], least[square], end[square] = lowest_beside, square, num_free
    for number in range(num_free - 1, -1, -1):
        square = np.int64(squares[number]) & 0xFFFF
        above = np.int64(parent[square]) & 0xFFFF
        lowest[above] = min(lowest[above], lowest[square])
        least[above] = min(least[above], least[square])
        end[above] = max(end[above], end[square])
    regions.num_trees[0] = num_trees


@inner
@no_type_check
def find_beside(neighbours, regions, box):
    """Fills ``beside`` and ``num_regions`` of one free square."""
    order, parent = regions.order, regions.parent
    pieces = np.int64(regions.num_trees[0]) - (parent[box] == box)
    for direction in range(4):
        ahead = np.int64(neighbours[box, direction])
        if order[ahead] == _BLOCKED:
            regions.beside[box, direction] = NONE
            continue
        regions.beside[box, direction] = region_of(neighbours, regions, box, ahead)
        pieces += parent[ahead] == box and regions.lowest[ahead] >= order[box]
    regions.num_regions[box] = pieces


@inner
@no_type_check
def find_beside_whole(neighbours, is_blocked, regions, box, least, num_regions):
    """``find_beside`` without the forest, where a box on the square parts no region.

    That is so if its free neighbours, at least one, are connected through the eight squares around
    it; returns whether they are. Before the box is there, the floor has ``num_regions`` regions,
    and ``least`` is the least square of the one that the square is in.
    """
    num_gaps = 0
    for direction in range(4):
        ahead, after = neighbours[box, direction], (direction + 1) & 3
        is_free = not is_blocked[ahead]
        is_gap = is_blocked[neighbours[box, after]] or is_blocked[neighbours[ahead, after]]
        num_gaps += is_free and is_gap
        regions.beside[box, direction] = least if is_free else NONE
    regions.num_regions[box] = num_regions
    return num_gaps <= 1 and box != least


@inner
@no_type_check
def region_of(neighbours, regions, box, square):
    """The least square of the region that a free square belongs to once a box is on ``box``."""
    order, end = regions.order, regions.end
    place = order[square]
    if order[box] < place < end[box]:
        for direction in range(4):
            child = neighbours[box, direction]
            if (
                order[child] <= place
                and regions.parent[child] == box
                and place < end[child]
                and regions.lowest[child] >= order[box]
            ):
                return regions.least[child]
    return regions.root[square]


@inner
@no_type_check
def place_beside(regions, box, direction):
    """The place of a box with the player beside it in this direction, where there is free floor.

    As in ``ground``, but among the other boxes: ``box * 4`` and the lowest direction of the region.
    """
    zone = 0
    while regions.beside[box, zone] != regions.beside[box, direction]:
        zone += 1
    return np.int64(box) * 4 + zone
