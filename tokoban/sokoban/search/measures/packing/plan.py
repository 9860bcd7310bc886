"""The packing plan: the order in which squares are filled, and the squares it cuts off.

After the packing plan of Shoham and Schaeffer 2020. It only guides the search: it never marks a
position as deadlocked.

A plan has *stages*. In each, boxes from elsewhere fill squares (goals and parking squares) in any
order that lets the rest be filled (``fillings``); then one box that the plan placed moves on
to another square, which begins the next stage. A plan that does not park has one stage.
Axes as in ``ground``, S steps, K stages, B squares that are filled when a stage begins, H groups of
N squares, M fillings, O obstructions.
"""

from typing import NamedTuple, no_type_check

import numpy as np
from jaxtyping import Bool, Int16, Int32, Int64, UInt64

from tokoban.compiling import inner
from tokoban.sokoban.hashing import GOLDEN
from tokoban.sokoban.search.level.ground import NONE
from tokoban.sokoban.search.level.words import EMPTY, ONE, count, index, lowest
from tokoban.sokoban.search.state.positions import bit_of, copy

# Powers of two: answers of ``packed_of_group``, and of ``progress_of_plan``.
NUM_KEPT = 1 << 16
NUM_POINTS = 1 << 12
NO_POINT = -2


class Packing(NamedTuple):
    """A plan for one level. The first steps are boxes that the plan never moves."""

    steps: Int16[np.ndarray, " S"]  # the square that each step fills
    first_step: Int64[np.ndarray, " K+1"]  # of each stage; the last one of a stage moves a box on
    base: Int16[np.ndarray, " B"]  # squares filled when a stage begins
    first_base: Int64[np.ndarray, " K+1"]
    first_group: Int64[np.ndarray, " K+1"]  # of each stage
    squares: Int16[np.ndarray, " N"]  # of each group
    first_square: Int64[np.ndarray, " H+1"]
    obstructions: UInt64[np.ndarray, " O"]  # of each square
    first_obstruction: Int64[np.ndarray, " N+1"]
    fillings: UInt64[np.ndarray, " M"]
    first_filling: Int64[np.ndarray, " H+1"]
    core: UInt64[np.ndarray, " H"]  # squares of every consistent filling
    kept_group: Int16[np.ndarray, " C"]  # NONE where nothing is kept
    kept_filling: UInt64[np.ndarray, " C"]  # what is filled of it, and how much of that is packed
    kept_packed: UInt64[np.ndarray, " C"]
    points: "Points"


class Points(NamedTuple):
    """What was packed in positions so far, and what is out of plan then; Z places in a table."""

    neighbours: Int16[np.ndarray, "F+1 4"]
    is_for_good: Bool[np.ndarray, "K F+1"]  # squares that no later stage empties
    stage: Int16[np.ndarray, " Z"]  # NO_POINT where nothing is kept
    packed: UInt64[np.ndarray, "Z W"]
    out_of_plan: UInt64[np.ndarray, "Z W"]
    words: UInt64[np.ndarray, " W"]  # workspace
    is_filled: Bool[np.ndarray, "F+1"]
    is_closed: Bool[np.ndarray, "F+1"]  # filled or reached
    waiting: Int32[np.ndarray, " F"]


@inner
@no_type_check
def stage_of(packing, is_blocked):
    """The latest stage that has begun; NONE if a box that the plan never moves is missing."""
    for stage in range(len(packing.first_step) - 2, -1, -1):
        has_begun = True
        for i in range(packing.first_base[stage], packing.first_base[stage + 1]):
            if not is_blocked[packing.base[i]]:
                has_begun = False
                break
        if has_begun:
            return np.int64(stage)
    return np.int64(NONE)


@inner
@no_type_check
def packed_of_group(packing, group, is_blocked):
    """The largest consistent filling among what is filled of a group; kept for later calls."""
    first = packing.first_square[group]
    filled = EMPTY
    for i in range(first, packing.first_square[group + 1]):
        if is_blocked[packing.squares[i]]:
            filled |= ONE << np.uint64(i - first)
    mixed = (filled + np.uint64(group)) * GOLDEN
    slot = np.int64(mixed >> np.uint64(40)) & (NUM_KEPT - 1)
    if packing.kept_group[slot] != group or packing.kept_filling[slot] != filled:
        packing.kept_group[slot] = group
        packing.kept_filling[slot] = filled
        if packing.first_filling[group] < packing.first_filling[group + 1]:
            packing.kept_packed[slot] = packed_in_fillings(packing, group, filled)
        else:
            packing.kept_packed[slot] = packed_unobstructed(packing, group, filled)
    return packing.kept_packed[slot]


@inner
@no_type_check
def packed_in_fillings(packing, group, filled):
    """The largest part of ``filled`` that is in the list of consistent fillings.

    Until the core, which every consistent filling has, is full, only its filled squares count.
    """
    core = packing.core[group]
    if filled & core != core:
        return filled & core
    for i in range(packing.first_filling[group], packing.first_filling[group + 1]):
        if packing.fillings[i] & ~filled == EMPTY:
            return packing.fillings[i]
    return EMPTY


@inner
@no_type_check
def packed_unobstructed(packing, group, filled):
    """What is left of ``filled`` once boxes are taken away until all other squares can be filled:
    each time the box without which the fewest squares are stuck."""
    while True:
        stuck = stuck_squares(packing, group, filled)
        candidates = EMPTY
        rest = stuck
        while rest != EMPTY:
            square = packing.first_square[group] + index(rest)
            rest ^= lowest(rest)
            for i in range(
                packing.first_obstruction[square], packing.first_obstruction[square + 1]
            ):
                if packing.obstructions[i] & ~(filled | stuck) == EMPTY:
                    candidates |= packing.obstructions[i] & filled
        if candidates == EMPTY:  # no square is stuck, or some would be stuck even on an empty board
            return filled
        worst, fewest = EMPTY, np.int64(64)
        while candidates != EMPTY:
            box = lowest(candidates)
            candidates ^= box
            num_stuck = count(stuck_squares(packing, group, filled ^ box))
            if num_stuck < fewest:
                worst, fewest = box, num_stuck
        filled ^= worst


@inner
@no_type_check
def stuck_squares(packing, group, filled):
    """The squares not in ``filled`` that boxes could not leave one by one if all were full."""
    first = packing.first_square[group]
    num_squares = packing.first_square[group + 1] - first
    stuck = ~np.uint64(0) >> np.uint64(64 - num_squares) & ~filled
    has_changed = True
    while has_changed:
        has_changed = False
        rest = stuck
        while rest != EMPTY:
            bit = lowest(rest)
            rest ^= bit
            square = first + index(bit)
            is_free = True
            for i in range(
                packing.first_obstruction[square], packing.first_obstruction[square + 1]
            ):
                is_free &= packing.obstructions[i] & ~(filled | stuck) != EMPTY
            if is_free:
                stuck ^= bit
                has_changed = True
    return stuck


@inner
@no_type_check
def progress_of_plan(packing, is_blocked):
    """How many steps of the plan are fulfilled, from 0 to S, and where it stands.

    The latter as a number for ``out_of_plan`` until this is called again. ``is_blocked`` marks
    walls and boxes. Of each group of squares the largest consistent filling counts.
    """
    points = packing.points
    words = points.words
    stage = stage_of(packing, is_blocked)
    words[:] = 0
    of_stage = max(stage, np.int64(0))
    num_packed = np.int64(0)
    for i in range(packing.first_base[of_stage], packing.first_base[of_stage + 1]):
        square = np.int64(packing.base[i])
        if is_blocked[square]:
            words[square >> 6] |= bit_of(square)
            num_packed += 1
    if stage != NONE:
        num_packed = packing.first_step[stage]
        for group in range(packing.first_group[stage], packing.first_group[stage + 1]):
            rest = packed_of_group(packing, group, is_blocked)
            num_packed += count(rest)
            while rest != EMPTY:
                square = np.int64(packing.squares[packing.first_square[group] + index(rest)])
                words[square >> 6] |= bit_of(square)
                rest ^= lowest(rest)
    mixed = np.uint64(stage + 1)
    for word in range(len(words)):
        mixed = (mixed ^ words[word]) * GOLDEN
        mixed ^= mixed >> np.uint64(29)
    point = np.int64(mixed & np.uint64(NUM_POINTS - 1))
    is_known = points.stage[point] == stage
    for word in range(len(words)):
        is_known &= points.packed[point, word] == words[word]
    if not is_known:
        points.stage[point] = stage
        copy(words, points.packed[point])
        fill_point(packing, stage, point)
    return num_packed, point


@inner
@no_type_check
def fill_point(packing, stage, point):
    """Finds what is out of plan: squares from which no box will come to a square to be filled.

    Looks ahead in the order of the plan, to the next step that puts more squares out of plan, so
    that boxes are cleared away early.
    """
    points = packing.points
    packed, zone = points.packed[point], points.out_of_plan[point]
    words, is_filled = points.words, points.is_filled
    num_floor = len(is_filled) - 1
    of_stage = max(stage, np.int64(0))
    for square in range(num_floor):
        is_packed = packed[square >> 6] & bit_of(square) != EMPTY
        is_filled[square] = is_packed and points.is_for_good[of_stage, square]
    is_filled[num_floor] = True
    first = np.int64(0) if stage == NONE else packing.first_step[stage]
    num_reached = mark_reached(packing, of_stage, first)
    for step in range(first, min(packing.first_step[of_stage + 1], len(packing.steps) - 1)):
        square = np.int64(packing.steps[step])
        if words[square >> 6] & bit_of(square) == EMPTY and points.is_for_good[of_stage, square]:
            is_filled[square] = True
            words[square >> 6] |= bit_of(square)
            most = num_reached - 1  # the filled square itself is not reached
            num_reached = mark_reached(packing, of_stage, first)
            if num_reached < most:
                break
    for word in range(len(zone)):
        zone[word] = ~words[word]
    for i in range(num_reached):
        square = np.int64(points.waiting[i])
        zone[square >> 6] &= ~bit_of(square)


@inner
@no_type_check
def mark_reached(packing, stage, first):
    """Lists squares in ``waiting`` from which pushes, wherever the player stands, lead past
    ``is_filled`` to that of a step from ``first`` on that is not in ``words``; returns how many."""
    points = packing.points
    is_filled, is_closed, waiting = points.is_filled, points.is_closed, points.waiting
    copy(is_filled, is_closed)
    num_reached = 0
    for step in range(first, len(packing.steps)):
        square = np.int64(packing.steps[step])
        # What a later stage fills may be filled now, and emptied in between.
        is_open = step >= packing.first_step[stage + 1]
        is_open |= points.words[square >> 6] & bit_of(square) == EMPTY
        if is_open and not is_closed[square]:
            is_closed[square] = True
            waiting[num_reached] = square
            num_reached += 1
    first_waiting = 0
    while first_waiting < num_reached:
        square = waiting[first_waiting]
        first_waiting += 1
        for direction in range(4):
            before = points.neighbours[square, direction]
            if not is_closed[before] and not is_filled[points.neighbours[before, direction]]:
                is_closed[before] = True
                waiting[num_reached] = before
                num_reached += 1
    return num_reached


@inner
@no_type_check
def out_of_plan(packing, words, point):
    """The number of boxes that cannot come to a square that is still to be filled.

    ``words`` are the boxes; ``point`` is that of ``progress_of_plan``.
    """
    num_boxes = np.int64(0)
    for word in range(len(words)):
        num_boxes += count(words[word] & packing.points.out_of_plan[point, word])
    return num_boxes
