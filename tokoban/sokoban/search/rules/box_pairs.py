"""All positions of two boxes on a board without others, and which of them can be solved.

Retrograde analysis: by pulls from all ways to fill two goals. For searches by pulls: by pushes from
the start. The positions where the analysis begins are the *ends*. Axes as in ``ground``, and L live
squares (where a lone box is not deadlocked), K pairs of live squares. A pair is numbered by its
live squares, ascending. Side ``4 * i + direction`` is that of its box ``i``, and names a *region*
of the floor between the boxes if it is the first side that lies in it.
"""

from typing import NamedTuple, no_type_check

import numpy as np
from jaxtyping import Int16, Int64, UInt8, UInt32

from tokoban.compiling import entry, inner
from tokoban.sokoban.search.level.flood import flood
from tokoban.sokoban.search.level.ground import NONE, Ground
from tokoban.sokoban.search.level.regions import empty_regions, find_regions, region_of
from tokoban.sokoban.search.state.columns import zeroed
from tokoban.sokoban.search.state.positions import bit_of
from tokoban.sokoban.search.steps import Steps

_EXPANSIONS_A_STEP = 1 << 15
_NO_REGION = 15
_SIDES = 8


class BoxPairs(NamedTuple):
    """All positions of two boxes, and those that were reached from the ends."""

    squares: Int16[np.ndarray, " L"]
    number: Int16[np.ndarray, "F+1"]
    regions: UInt32[np.ndarray, " K"]  # the region of each side, four bits each
    is_reached: UInt8[np.ndarray, " K"]  # by side
    names: Int16[np.ndarray, "8"]  # workspace
    progress: Int64[np.ndarray, "3"]


# Entries of `BoxPairs.progress`.
NUM_REGIONS, FIRST_WAITING, NUM_WAITING = range(3)


def box_pairs_in_steps(
    ground: Ground, number: Int16[np.ndarray, " _"], player: int
) -> Steps[BoxPairs]:
    """All positions of two boxes; those reached are by pulls from goals, or, if the player starts
    somewhere, by pushes from there. ``number`` is that of each live square, NONE elsewhere."""
    squares = np.flatnonzero(number != NONE).astype(np.int16)
    num_floor, num_live = len(ground.zone), len(squares)
    num_pairs = num_live * (num_live - 1) // 2
    pairs = zeroed(BoxPairs, K=num_pairs, squares=squares, number=number)
    is_blocked = np.zeros(num_floor + 1, np.bool_)
    is_blocked[num_floor] = True
    yield
    regions = empty_regions(num_floor)
    for second in range(1, num_live):
        fill_regions(ground.neighbours, pairs, regions, is_blocked, second)
        yield
    waiting = np.empty(int(pairs.progress[NUM_REGIONS]), np.int64)
    marks, queue = np.zeros((2, num_floor + 1), np.int32)
    for second in range(1, len(ground.goals)):
        enter_ends(ground, pairs, waiting, is_blocked, marks, queue, second, player)
        yield
    is_by_pushes = player != NONE
    while pairs.progress[FIRST_WAITING] < pairs.progress[NUM_WAITING]:
        spread(ground.neighbours, pairs, waiting, is_blocked, is_by_pushes, _EXPANSIONS_A_STEP)
        yield
    return pairs


@inner
@no_type_check
def number_of_pair(first, second):
    """The number of a pair of live squares, which ascend."""
    return second * (second - 1) // 2 + first


@entry
@no_type_check
def fill_regions(neighbours, pairs, regions, is_blocked, second):
    """Fills the regions of all pairs of this square and a lower one, by one search."""
    names, squares = pairs.names, pairs.squares
    is_blocked[squares[second]] = True
    find_regions(neighbours, is_blocked, regions)
    for first in range(second):
        lifted = np.int64(squares[first])
        packed = np.uint32(0)
        for side in range(_SIDES):
            box = np.int64(squares[first if side < 4 else second])
            beside = np.int64(neighbours[box, side & 3])
            region = _NO_REGION
            names[side] = NONE
            if beside != lifted and not is_blocked[beside]:
                names[side] = region_of(neighbours, regions, lifted, beside)
                region = 0
                while names[region] != names[side]:
                    region += 1
                pairs.progress[NUM_REGIONS] += region == side
            packed |= np.uint32(region << 4 * side)
        pairs.regions[number_of_pair(first, second)] = packed
    is_blocked[squares[second]] = False


@inner
@no_type_check
def region_at(pairs, place, side):
    """The region that contains the square at a side of a box; ``_NO_REGION`` for a wall or box."""
    return np.int64(pairs.regions[place]) >> 4 * side & _NO_REGION


@inner
@no_type_check
def reach(pairs, waiting, first, second, region):
    """Marks a position, and lets it wait if it is new."""
    place = number_of_pair(first, second)
    if pairs.is_reached[place] >> region & 1:
        return
    for side in range(_SIDES):
        if region_at(pairs, place, side) == region:
            pairs.is_reached[place] |= np.uint8(1 << side)
    waiting[pairs.progress[NUM_WAITING]] = first | second << 12 | region << 24
    pairs.progress[NUM_WAITING] += 1


@entry
@no_type_check
def enter_ends(ground, pairs, waiting, is_blocked, marks, queue, second_goal, player):
    """Reaches the positions with both boxes on goals, of which ``second_goal`` is the higher.

    If the player starts somewhere, it is in that region, else in any.
    """
    second = np.int64(pairs.number[ground.goals[second_goal]])
    for first_goal in range(second_goal):
        first = np.int64(pairs.number[ground.goals[first_goal]])
        boxes = np.int64(ground.goals[first_goal]), np.int64(ground.goals[second_goal])
        if player != NONE:
            is_blocked[boxes[0]] = is_blocked[boxes[1]] = True
            marks[:] = 0
            flood(ground.neighbours, is_blocked, player, marks, 1, queue)
            is_blocked[boxes[0]] = is_blocked[boxes[1]] = False
        place = number_of_pair(first, second)
        for side in range(_SIDES):
            beside = ground.neighbours[boxes[side >> 2], side & 3]
            if player != NONE and marks[beside] == 0:
                continue
            if region_at(pairs, place, side) == side:
                reach(pairs, waiting, first, second, side)


@entry
@no_type_check
def spread(neighbours, pairs, waiting, is_blocked, is_by_pushes, max_expansions):
    """Reaches what pulls lead to from the next positions that wait, or pushes if so asked."""
    progress, number, squares = pairs.progress, pairs.number, pairs.squares
    ends = progress[FIRST_WAITING] + max_expansions
    while progress[FIRST_WAITING] < min(progress[NUM_WAITING], ends):
        position = waiting[progress[FIRST_WAITING]]
        progress[FIRST_WAITING] += 1
        first, second, region = position & 4095, position >> 12 & 4095, position >> 24
        place = number_of_pair(first, second)
        for side in range(_SIDES):
            if region_at(pairs, place, side) != region:
                continue
            moving, other = (first, second) if side < 4 else (second, first)
            box, other_box = np.int64(squares[moving]), np.int64(squares[other])
            direction = side & 3
            end = np.int64(neighbours[box, direction ^ 2 if is_by_pushes else direction])
            player = box if is_by_pushes else np.int64(neighbours[end, direction])
            moved = np.int64(number[end])
            if moved == NONE or is_blocked[end] or is_blocked[player]:
                continue
            if other_box in (end, player):
                continue
            is_second = np.int64(moved > other)
            after = min(moved, other), max(moved, other)
            region_after = region_at(
                pairs, number_of_pair(after[0], after[1]), 4 * is_second + direction
            )
            reach(pairs, waiting, after[0], after[1], region_after)


@entry
@no_type_check
def mark_lost(pairs, partners):
    """Marks the pairs that were not reached: ``TwoBoxes.partners``."""
    for second in range(len(pairs.squares)):
        for first in range(second):
            place = number_of_pair(first, second)
            for side in range(_SIDES):
                is_floor = region_at(pairs, place, side) != _NO_REGION
                if is_floor and not pairs.is_reached[place] >> side & 1:
                    box, other = (first, second) if side < 4 else (second, first)
                    square = np.int64(pairs.squares[other])
                    partners[4 * box + (side & 3), square >> 6] |= bit_of(square)
