"""The explorer and the way back: what a move opens to the player, and whether it can be undone.

After Shoham and Schaeffer 2020 and Festival. Both look at one lifted box at a time, among the
regions that ``regions`` finds. Axes as in ``ground``.
"""

from typing import NamedTuple, no_type_check

import numpy as np
from jaxtyping import Int16, Int32, Int64

from tokoban.compiling import inner
from tokoban.sokoban.search.level.ground import NONE
from tokoban.sokoban.search.level.regions import place_beside, place_of, region_of
from tokoban.sokoban.search.state.columns import zeroed


class Exploring(NamedTuple):
    """What is known for one lifted box."""

    # By the order of the regions' forest: new pushes from all squares before. A push is new if it
    # is of another box, from a square that the player could not walk to.
    sums: Int16[np.ndarray, "F+1"]
    pushes_from: Int16[np.ndarray, "F+1"]  # new ones, from each square
    pushes_to: Int16[np.ndarray, "F+1 4"]  # the square a new push to here starts from, or NONE
    returns: Int64[np.ndarray, "F*4"]  # ``last_mark`` at places from which the box can come back
    last_mark: Int64[np.ndarray, "1"]
    waiting: Int32[np.ndarray, "F*4"]
    advice: Int64[np.ndarray, " A"]  # children that advisors propose


def empty_exploring(num_floor: int, max_advice: int = 0) -> Exploring:
    """Nothing is known yet; a beam, which has no advisors, asks for nothing."""
    return zeroed(Exploring, F=num_floor, A=max_advice)


@inner
@no_type_check
def find_new_pushes(ground, is_blocked, boxes, lifted, area, regions, num_free, exploring):
    """Fills ``sums``, ``pushes_from`` and ``pushes_to`` for the box lifted from a square.

    ``is_blocked`` and ``regions`` are without that box, ``area`` is 1 where the player could walk
    before the move.
    """
    neighbours, pushes_from = ground.neighbours, exploring.pushes_from
    exploring.pushes_from[:] = 0
    exploring.pushes_to[:] = NONE
    for box in boxes:
        if box == lifted:
            continue
        for direction in range(4):
            start, end = neighbours[box, direction ^ 2], neighbours[box, direction]
            if is_blocked[start] or is_blocked[end] or area[start] == 1 or ground.is_dead[end]:
                continue
            pushes_from[start] += 1
            exploring.pushes_to[end, direction] = start
    exploring.sums[0] = 0
    for number in range(num_free):
        square = regions.squares[number]
        exploring.sums[number + 1] = exploring.sums[number] + pushes_from[square]


@inner
@no_type_check
def has_new_push(neighbours, regions, exploring, to, least):
    """Whether the player, once the lifted box is on ``to``, can make a new push.

    The player is in the region with this least square, beside that box.
    """
    order, sums = regions.order, exploring.sums
    root = regions.root[to]
    num_pushes = sums[regions.end[root]] - sums[order[root]] - exploring.pushes_from[to]
    for direction in range(4):
        child = neighbours[to, direction]
        # Only those below that are parted are regions of their own.
        if regions.beside[to, direction] == NONE or regions.parent[child] != to:
            continue
        if regions.lowest[child] >= order[to]:
            below = sums[regions.end[child]] - sums[order[child]]
            if regions.least[child] == least:
                num_pushes = below
                break
            num_pushes -= below
    # Pushes onto the box itself are none.
    for direction in range(4):
        start = exploring.pushes_to[to, direction]
        if start != NONE and region_of(neighbours, regions, to, start) == least:
            num_pushes -= 1
    return num_pushes > 0


@inner
@no_type_check
def find_returns(neighbours, regions, start, least, exploring):
    """Fills ``returns``: from where the lifted box can come back to the square ``start``.

    There the player is again in the region with this least square, beside the box.
    """
    returns, waiting = exploring.returns, exploring.waiting
    exploring.last_mark[0] += 1
    mark = exploring.last_mark[0]
    waiting[0] = place_of(regions, start, least)
    returns[waiting[0]] = mark
    count = 1
    while count > 0:
        count -= 1
        place = np.int64(waiting[count])
        box = place >> 2
        for direction in range(4):
            before = neighbours[box, direction]  # pushed from there, away from ``direction``
            if regions.beside[box, direction] == NONE or regions.beside[before, direction] == NONE:
                continue
            if place_beside(regions, box, direction) != place:
                continue
            earlier = place_beside(regions, before, direction)
            if returns[earlier] != mark:
                returns[earlier] = mark
                waiting[count] = earlier
                count += 1


@inner
@no_type_check
def can_return(regions, exploring, to, least):
    """Whether the lifted box comes back from ``to``, the player in the region of this square."""
    return exploring.returns[place_of(regions, to, least)] == exploring.last_mark[0]
