"""All positions of two or three boxes on an otherwise empty board, and which can be solved.

Retrograde analysis: by pulls from all ways to fill goals. For searches by pulls, pushes tell which
the start can lead to. Where either begins are the *ends*. Axes as in ``ground``, and L live squares
(where a lone box is not deadlocked), K sets of two or three live squares. A set is numbered by its
live squares, ascending. Side ``4 * i + direction`` is that of its box ``i``, and names a *region*
of the floor between the boxes if it is the first side that lies in it.
"""

from typing import NamedTuple, no_type_check

import numpy as np
from jaxtyping import Int16, Int64, UInt16, UInt64

from tokoban.compiling import entry, inner
from tokoban.sokoban.search.level.flood import flood
from tokoban.sokoban.search.level.ground import NONE, Ground
from tokoban.sokoban.search.level.regions import empty_regions, find_regions, region_of
from tokoban.sokoban.search.level.words import EMPTY
from tokoban.sokoban.search.state.columns import zeroed
from tokoban.sokoban.search.state.positions import bit_of
from tokoban.sokoban.search.steps import Steps

_EXPANSIONS_A_STEP = 1 << 15
_NO_REGION = 15


class BoxSets(NamedTuple):
    """All positions of two or of three boxes, and those that were reached from the ends."""

    squares: Int16[np.ndarray, " L"]
    number: Int16[np.ndarray, "F+1"]
    regions: UInt64[np.ndarray, " K"]  # the region of each side, four bits each
    is_reached: UInt16[np.ndarray, " K"]  # by side
    names: Int16[np.ndarray, "12"]  # workspace
    progress: Int64[np.ndarray, "3"]


# Entries of `BoxSets.progress`.
NUM_REGIONS, FIRST_WAITING, NUM_WAITING = range(3)


def no_sets(number: Int16[np.ndarray, " _"], count: int) -> BoxSets:
    """Room for so many sets, of which nothing is known yet."""
    squares = np.flatnonzero(number != NONE).astype(np.int16)
    return zeroed(BoxSets, K=count, squares=squares, number=number)


def num_sets(num_live: int, size: int) -> int:
    """The number of sets of ``size`` live squares."""
    pairs = num_live * (num_live - 1) // 2
    return pairs if size == 2 else pairs * (num_live - 2) // 3


def sets_in_steps(
    ground: Ground, number: Int16[np.ndarray, " _"], size: int, player: int
) -> Steps[BoxSets]:
    """All positions of ``size`` boxes; those reached are by pulls from goals, or, if the player
    starts somewhere, by pushes from there."""
    squares = np.flatnonzero(number != NONE).astype(np.int16)
    num_floor, num_live = len(ground.zone), len(squares)
    sets = no_sets(number, num_sets(num_live, size))
    is_blocked = np.zeros(num_floor + 1, np.bool_)
    is_blocked[num_floor] = True
    yield
    regions = empty_regions(num_floor)
    for last in range(size - 1, num_live):
        fill_regions(ground.neighbours, sets, regions, is_blocked, size, last)
        yield
    waiting = np.empty(int(sets.progress[NUM_REGIONS]), np.int64)
    marks, queue = np.zeros((2, num_floor + 1), np.int32)
    for last in range(size - 1, len(ground.goals)):
        enter_ends(ground, sets, waiting, is_blocked, marks, queue, size, last, player)
        yield
    while sets.progress[FIRST_WAITING] < sets.progress[NUM_WAITING]:
        spread(
            ground.neighbours,
            sets,
            waiting,
            is_blocked,
            size,
            player != NONE,
            _EXPANSIONS_A_STEP,
        )
        yield
    return sets


@inner
@no_type_check
def number_of_set(first, second, third, size):
    """The number of a set of live squares, which ascend; ``third`` counts for triples only."""
    place = second * (second - 1) // 2 + first
    return place + third * (third - 1) * (third - 2) // 6 if size == 3 else place


@inner
@no_type_check
def _box(sets, first, second, third, i):
    """The square of box ``i`` of a set."""
    return np.int64(sets.squares[first if i == 0 else second if i == 1 else third])


@entry
@no_type_check
def fill_regions(neighbours, sets, regions, is_blocked, size, last):
    """Fills the regions of all sets whose last live square is ``last``."""
    if size == 2:
        fill_regions_with(neighbours, sets, regions, is_blocked, last, 0, 2)
        return
    is_blocked[sets.squares[last]] = True
    for second in range(1, last):
        fill_regions_with(neighbours, sets, regions, is_blocked, second, last, 3)
    is_blocked[sets.squares[last]] = False


@inner
@no_type_check
def fill_regions_with(neighbours, sets, regions, is_blocked, second, third, size):
    """Fills the regions of all sets of these squares and a lower one, by one search.

    ``third`` counts for triples only.
    """
    is_blocked[sets.squares[second]] = True
    find_regions(neighbours, is_blocked, regions)
    names = sets.names
    for first in range(second):
        if is_blocked[sets.squares[first]]:
            sets.regions[number_of_set(first, second, third, size)] = ~EMPTY
            continue
        lifted = np.int64(sets.squares[first])
        packed = np.uint64(0)
        for side in range(4 * size):
            beside = np.int64(neighbours[_box(sets, first, second, third, side >> 2), side & 3])
            region = _NO_REGION
            names[side] = NONE
            if beside != lifted and not is_blocked[beside]:
                names[side] = region_of(neighbours, regions, lifted, beside)
                region = 0
                while names[region] != names[side]:
                    region += 1
                sets.progress[NUM_REGIONS] += region == side
            packed |= np.uint64(region) << np.uint64(4 * side)
        sets.regions[number_of_set(first, second, third, size)] = packed
    is_blocked[sets.squares[second]] = False


@inner
@no_type_check
def region_at(sets, place, side):
    """The region in which a side of a box lies; ``_NO_REGION`` if it is no free floor."""
    return np.int64(sets.regions[place] >> np.uint64(4 * side) & np.uint64(_NO_REGION))


@inner
@no_type_check
def reach(sets, waiting, first, second, third, size, region):
    """Marks a position, and lets it wait if it is new."""
    place = number_of_set(first, second, third, size)
    if sets.is_reached[place] >> region & 1:
        return
    for side in range(4 * size):
        if region_at(sets, place, side) == region:
            sets.is_reached[place] |= np.uint16(1 << side)
    waiting[sets.progress[NUM_WAITING]] = first | second << 12 | third << 24 | region << 36
    sets.progress[NUM_WAITING] += 1


@entry
@no_type_check
def enter_ends(ground, sets, waiting, is_blocked, marks, queue, size, last, player):
    """Reaches the positions with all boxes on goals, of which ``last`` is the highest number.

    If the player starts somewhere, it is in that region, else in any.
    """
    numbers = sets.number
    goals = ground.goals
    highest = np.int64(numbers[goals[last]])
    for middle in range(last if size == 3 else 1):
        for least in range(middle if size == 3 else last):
            first = np.int64(numbers[goals[least]])
            second = np.int64(numbers[goals[middle]]) if size == 3 else highest
            place = number_of_set(first, second, highest, size)
            if player != NONE:
                for i in range(size):
                    is_blocked[_box(sets, first, second, highest, i)] = True
                marks[:] = 0
                flood(ground.neighbours, is_blocked, player, marks, 1, queue)
                for i in range(size):
                    is_blocked[_box(sets, first, second, highest, i)] = False
            for side in range(4 * size):
                box = _box(sets, first, second, highest, side >> 2)
                if player != NONE and marks[ground.neighbours[box, side & 3]] == 0:
                    continue
                if region_at(sets, place, side) == side:
                    reach(sets, waiting, first, second, highest, size, side)


@entry
@no_type_check
def spread(neighbours, sets, waiting, is_blocked, size, is_by_pushes, max_expansions):
    """Reaches what pulls lead to from the next positions that wait, or pushes if so asked."""
    reach_more(neighbours, sets, waiting, is_blocked, size, is_by_pushes, max_expansions)


@inner
@no_type_check
def reach_more(neighbours, sets, waiting, is_blocked, size, is_by_pushes, max_expansions):
    """``spread``, for compiled code."""
    progress, number = sets.progress, sets.number
    ends = progress[FIRST_WAITING] + max_expansions
    while progress[FIRST_WAITING] < min(progress[NUM_WAITING], ends):
        position = waiting[progress[FIRST_WAITING]]
        progress[FIRST_WAITING] += 1
        first, second = position & 4095, position >> 12 & 4095
        third, region = position >> 24 & 4095, position >> 36
        place = number_of_set(first, second, third, size)
        for side in range(4 * size):
            if region_at(sets, place, side) != region:
                continue
            i, direction = side >> 2, side & 3
            box = _box(sets, first, second, third, i)
            end = np.int64(neighbours[box, direction ^ 2 if is_by_pushes else direction])
            player = box if is_by_pushes else np.int64(neighbours[end, direction])
            moved = np.int64(number[end])
            if moved == NONE or is_blocked[end] or is_blocked[player]:
                continue
            # The other boxes, in ascending order; for pairs there is one.
            low = second if i == 0 else first
            high = second if i == 2 else third
            if size == 2:
                high = low
            low_box, high_box = np.int64(sets.squares[low]), np.int64(sets.squares[high])
            if end in (low_box, high_box) or player in (low_box, high_box):
                continue
            if size == 2:
                now = np.int64(moved > low)
                after = min(moved, low), max(moved, low), np.int64(0)
            else:
                now = np.int64(moved > low) + np.int64(moved > high)
                after = min(moved, low), max(low, min(moved, high)), max(moved, high)
            place_after = number_of_set(after[0], after[1], after[2], size)
            region_after = region_at(sets, place_after, 4 * now + direction)
            reach(sets, waiting, after[0], after[1], after[2], size, region_after)


@inner
@no_type_check
def is_missed(sets, place, side):
    """Whether the player may stand at this side of a box, and is in no position reached."""
    is_floor = region_at(sets, place, side) != _NO_REGION
    return is_floor and not sets.is_reached[place] >> side & 1


@inner
@no_type_check
def mark_lost_pairs(sets, seconds):
    """Marks the pairs that were not reached: ``FewBoxes.second``."""
    for second in range(len(sets.squares)):
        for first in range(second):
            place = number_of_set(first, second, 0, 2)
            for side in range(8):
                if is_missed(sets, place, side):
                    box, other = (first, second) if side < 4 else (second, first)
                    square = np.int64(sets.squares[other])
                    seconds[4 * box + (side & 3), square >> 6] |= bit_of(square)
