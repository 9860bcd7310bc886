"""Facts about a level before any search: pushes of lone boxes, dead squares, freezes.

The freeze rule is that of ``rules.freeze.mark_frozen``, on all boxes at once by shifts of words.

Axes: G room for goals (their number, and at least four); places are numbered cell * 4 + side, where
the side is the direction from a box to the player. Sides that the player can walk between while the
box stays are the same place.
"""

from typing import NamedTuple, no_type_check

import numpy as np
from jaxtyping import Int16, UInt64

from tokoban.compiling import inner
from tokoban.sokoban.search.level.words import (
    ALL,
    EMPTY,
    count,
    flood,
    index,
    lowest,
    moved,
    spread,
)
from tokoban.sokoban.search.state.columns import zeroed

NO_BOX = 64 * 4  # a place equally near to every goal
UNREACHABLE = 1 << 14  # more pushes than 62 boxes need; fits an int16

# Entries of ``Terrain.words``. SPLIT: cells whose box parts the player's sides; UPRIGHT and ACROSS:
# cells whose box can never go up or down (left or right) without a deadlock, however empty the
# board is; ALIVE + direction: cells from which a lone box pushed there can go on to some goal.
FLOOR, GOALS, SPLIT, UPRIGHT, ACROSS, ALIVE = range(6)
NUM_WORDS = ALIVE + 4


class Terrain(NamedTuple):
    """What is known of one level."""

    words: UInt64[np.ndarray, " W"]
    # By place: all player cells of that place; of a cell that is not split, every cell for side 0.
    area: UInt64[np.ndarray, "256"]
    linked: UInt64[np.ndarray, "4 4"]  # split cells whose two sides are one place
    # Of a lone box, to each goal; cells not split have side 0 alone. The last row, of NO_BOX, and
    # the columns beyond the goals let fewer boxes than four be counted as four.
    pushes: Int16[np.ndarray, "257 G"]


def empty_terrain(num_goals: int) -> Terrain:
    """Room for levels of so many goals."""
    return zeroed(Terrain, W=NUM_WORDS, G=max(num_goals, 4))


@inner
@no_type_check
def survey(terrain, floor, goals):
    """Fills the terrain for boxes and a player that stay on ``floor``, which is connected."""
    words = terrain.words
    words[FLOOR] = floor
    words[GOALS] = goals
    _find_sides(terrain, floor)
    for direction in range(4):
        words[ALIVE + direction] = EMPTY
    for place in range(NO_BOX):
        for goal in range(terrain.pushes.shape[1]):
            terrain.pushes[place, goal] = UNREACHABLE
    rest = goals
    for goal in range(count(goals)):
        _find_pushes(terrain, floor, lowest(rest), goal)
        rest ^= lowest(rest)
    words[UPRIGHT] = _immobile(floor, words[ALIVE], words[ALIVE + 2], 0)
    words[ACROSS] = _immobile(floor, words[ALIVE + 1], words[ALIVE + 3], 1)


@inner
@no_type_check
def _immobile(floor, alive, alive_back, direction):
    """Where a box can neither go in ``direction`` nor back."""
    ahead, behind = moved(floor, direction ^ 2), moved(floor, direction)
    go, back = moved(alive, direction ^ 2), moved(alive_back, direction)
    return ~(ahead & behind & (go | back))


@inner
@no_type_check
def _find_sides(terrain, floor):
    """Fills what ``Terrain`` says of split cells."""
    linked = terrain.linked
    linked[:] = EMPTY
    for place in range(0, NO_BOX, 4):
        terrain.area[place] = ALL
    # A side breaks off where the next one, anticlockwise, is not floor or not reached around the
    # corner. With at most one break the sides hang together in the ring around the cell.
    breaks, doubtful = EMPTY, EMPTY
    for direction in range(4):
        turned = (direction + 1) & 3
        side, next_side = moved(floor, direction ^ 2), moved(floor, turned ^ 2)
        corner = moved(side, turned ^ 2)
        broken = floor & side & ~(next_side & corner)
        doubtful |= breaks & broken
        breaks |= broken
    split = EMPTY
    while doubtful != EMPTY:
        box = lowest(doubtful)
        doubtful ^= box
        free = floor ^ box
        beside = spread(box) & free
        area = flood(lowest(beside), free)
        if beside & ~area == EMPTY:
            continue
        split |= box
        place = index(box) * 4
        for direction in range(4):
            side = moved(box, direction) & free
            if side & ~area != EMPTY:
                area = flood(side, free)
            terrain.area[place + direction] = area if side != EMPTY else EMPTY
        for direction in range(4):
            for other in range(4):
                if terrain.area[place + direction] == terrain.area[place + other]:
                    linked[direction, other] |= box
    terrain.words[SPLIT] = split


@inner
@no_type_check
def _find_pushes(terrain, floor, goal_cell, goal):
    """Fills ``pushes`` to one goal, backwards by pulls, all places of one distance at a time."""
    linked, pushes, words = terrain.linked, terrain.pushes, terrain.words
    split = words[SPLIT]
    whole = floor & ~split
    # By side: cells with floor there, cells known, cells found last.
    open0, open1 = moved(floor, 2) & floor, moved(floor, 3) & floor
    open2, open3 = moved(floor, 0) & floor, moved(floor, 1) & floor
    new0, new1 = goal_cell & open0, goal_cell & open1
    new2, new3 = goal_cell & open2, goal_cell & open3
    known0, known1, known2, known3 = new0, new1, new2, new3
    distance = 0
    while True:
        found = new0 | new1 | new2 | new3
        if found == EMPTY:
            break
        rest = found & whole
        while rest != EMPTY:
            pushes[index(rest) * 4, goal] = distance
            rest &= rest - np.uint64(1)
        if found & split != EMPTY:
            _note(pushes, new0 & split, 0, goal, distance)
            _note(pushes, new1 & split, 1, goal, distance)
            _note(pushes, new2 & split, 2, goal, distance)
            _note(pushes, new3 & split, 3, goal, distance)
        distance += 1
        new0, new1 = moved(new0, 0) & open0, moved(new1, 1) & open1
        new2, new3 = moved(new2, 2) & open2, moved(new3, 3) & open3
        found = (new0 | new1 | new2 | new3) & whole
        walked0 = found | new1 & linked[1, 0] | new2 & linked[2, 0] | new3 & linked[3, 0]
        walked1 = found | new0 & linked[0, 1] | new2 & linked[2, 1] | new3 & linked[3, 1]
        walked2 = found | new0 & linked[0, 2] | new1 & linked[1, 2] | new3 & linked[3, 2]
        walked3 = found | new0 & linked[0, 3] | new1 & linked[1, 3] | new2 & linked[2, 3]
        new0 = (new0 | walked0) & open0 & ~known0
        new1 = (new1 | walked1) & open1 & ~known1
        new2 = (new2 | walked2) & open2 & ~known2
        new3 = (new3 | walked3) & open3 & ~known3
        known0 |= new0
        known1 |= new1
        known2 |= new2
        known3 |= new3
    # A box that was pushed up has the player below it.
    words[ALIVE] |= known2
    words[ALIVE + 1] |= known3
    words[ALIVE + 2] |= known0
    words[ALIVE + 3] |= known1


@inner
@no_type_check
def _note(pushes, cells, side, goal, distance):
    while cells != EMPTY:
        pushes[index(cells) * 4 + side, goal] = distance
        cells &= cells - np.uint64(1)


@inner
@no_type_check
def place_of(terrain, box, player):
    """The place of the box in the cell numbered ``box`` and the player in the cell ``player``."""
    place = box * 4
    # Without branches, which could not be predicted.
    is_not_first = np.int64(terrain.area[place] & player == EMPTY)
    is_not_second = np.int64(terrain.area[place + 1] & player == EMPTY)
    is_not_third = np.int64(terrain.area[place + 2] & player == EMPTY)
    return place + is_not_first * (1 + is_not_second * (1 + is_not_third))


@inner
@no_type_check
def is_frozen(terrain, boxes, box):
    """Whether the box in cell ``box`` can never move again, and some such box is on no goal.

    A box that can only be pushed where it is deadlocked counts as one that cannot move.
    """
    upright, across = terrain.words[UPRIGHT], terrain.words[ACROSS]
    # The greatest fixed point, as in ``sokoban.deadlocks.frozen_boxes``, over all boxes at once.
    frozen = boxes
    while True:
        held = frozen & (upright | moved(frozen, 0) | moved(frozen, 2))
        held &= across | moved(frozen, 1) | moved(frozen, 3)
        if held & box == EMPTY:
            return False
        if held == frozen:
            return held & ~terrain.words[GOALS] != EMPTY
        frozen = held
