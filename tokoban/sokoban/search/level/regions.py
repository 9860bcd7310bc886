"""What a box on any square does to the regions of free floor, from one depth-first search.

The search numbers the free squares in the order in which it enters them, as a forest with one tree
for each region. A box on a square parts from the rest of its tree every subtree below it that has
no other way out, and leaves the remainder connected: Hopcroft and Tarjan, "Algorithm 447: efficient
algorithms for graph manipulation", Communications of the ACM 16 (1973). The search is made once for
each box that is to be moved, with that box lifted; the regions after each of its moves follow
without a flood.
Axes as in ``ground``.
"""

from functools import partial
from typing import NamedTuple, no_type_check

import numpy as np
from jaxtyping import Int16, Int32

from tokoban.compiling import inner
from tokoban.sokoban.search.level.ground import NONE

_BLOCKED = 1 << 14  # in place of the order of a square: above every one, so never the lowest


class Regions(NamedTuple):
    """The forest over the free floor, and for each free square what a box on it would leave.

    Entries of squares that are not free mean nothing, except in ``order``.
    """

    # The least square of the region that lies in each direction of the box, which names the region;
    # NONE where there is a wall or another box.
    beside: Int16[np.ndarray, "F+1 4"]
    num_regions: Int16[np.ndarray, "F+1"]  # of the whole floor, with the box there
    # The forest. ``order`` counts through all trees, so that a subtree is a range of it.
    order: Int16[np.ndarray, "F+1"]  # _BLOCKED where a wall or a box is
    squares: Int16[np.ndarray, " F"]  # by order
    parent: Int16[np.ndarray, "F+1"]  # NONE at a root
    root: Int16[np.ndarray, "F+1"]  # the least square of the tree
    end: Int16[np.ndarray, "F+1"]  # the order after the last of the subtree
    lowest: Int16[np.ndarray, "F+1"]  # least order of the squares beside the subtree's
    least: Int16[np.ndarray, "F+1"]  # least square of the subtree
    waiting: Int32[np.ndarray, " 4*F+1"]  # workspace


def empty_regions(num_floor: int) -> Regions:
    """Nothing is known yet."""

    def by_square(*shape: int) -> np.ndarray:
        return np.full((num_floor + 1, *shape), NONE, np.int16)

    return Regions(
        beside=by_square(4),
        num_regions=by_square(),
        order=by_square(),
        squares=by_square()[:-1],
        parent=by_square(),
        root=by_square(),
        end=by_square(),
        lowest=by_square(),
        least=by_square(),
        waiting=np.zeros(4 * num_floor + 1, np.int32),
    )


@partial(inner, is_inlined=True)
@no_type_check
def find_regions(neighbours, is_blocked, regions):
    """Fills ``regions``.

    The box that is to be moved must not be in ``is_blocked``.
    """
    num_trees, num_free = _plant(neighbours, is_blocked, regions)
    _cut(neighbours, regions, num_trees, num_free)


@inner
@no_type_check
def _plant(neighbours, is_blocked, regions):
    """Orders the free squares depth first."""
    num_floor = len(neighbours) - 1
    order, squares, parent, root = regions.order, regions.squares, regions.parent, regions.root
    waiting = regions.waiting
    for square in range(num_floor + 1):
        order[square] = _BLOCKED if is_blocked[square] else NONE
    num_trees = num_free = 0
    for least in range(num_floor):
        if order[least] != NONE:
            continue
        num_trees += 1
        # A square waits together with the one from which it was seen last: its parent.
        waiting[0] = least
        parent[least] = NONE
        count = 1
        while count > 0:
            count -= 1
            square = waiting[count] & 0xFFFF
            if order[square] != NONE:
                continue
            if square != least:
                parent[square] = waiting[count] >> 16
            order[square] = num_free
            squares[num_free] = square
            root[square] = least
            num_free += 1
            for direction in range(3, -1, -1):
                ahead = neighbours[square, direction]
                if order[ahead] == NONE:
                    waiting[count] = ahead | square << 16
                    count += 1
    return num_trees, num_free


@inner
@no_type_check
def _cut(neighbours, regions, num_trees, num_free):
    """Fills what follows from the forest, from the leaves to the roots."""
    order, parent, beside = regions.order, regions.parent, regions.beside
    for number in range(num_free - 1, -1, -1):
        square = regions.squares[number]
        least, lowest = np.int64(square), np.int64(number)
        regions.end[square] = number + 1
        pieces = num_trees - (parent[square] == NONE)
        for direction in range(4):
            ahead = neighbours[square, direction]
            place = order[ahead]
            if place == _BLOCKED:
                beside[square, direction] = NONE
                continue
            beside[square, direction] = regions.root[square]
            if place < number:
                lowest = min(lowest, np.int64(place))
            elif parent[ahead] == square:
                lowest = min(lowest, np.int64(regions.lowest[ahead]))
                least = min(least, np.int64(regions.least[ahead]))
                regions.end[square] = max(regions.end[square], regions.end[ahead])
                if regions.lowest[ahead] >= number:
                    beside[square, direction] = regions.least[ahead]
                    pieces += 1
            else:  # below another neighbour, which was entered earlier
                beside[square, direction] = region_of(neighbours, regions, square, ahead)
        regions.lowest[square], regions.least[square] = lowest, least
        regions.num_regions[square] = pieces


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
