"""The packing plan of FESS: which squares are filled in which order, and what that cuts off.

After the packing plan of Shoham and Schaeffer 2020. It only guides the search: nothing is held
deadlocked because of it.

A plan has *stages*. In each, boxes from elsewhere fill squares, goals and parking squares, in any
order that leaves the rest to be filled (``fillings``); then one box that the plan placed moves on
to another square, which begins the next stage. A plan that does not park has one stage.
Axes as in ``ground``, S steps, K stages, B squares that are filled when a stage begins, H groups of
N squares, M fillings, O obstructions.
"""

from typing import NamedTuple, no_type_check

import numpy as np
from jaxtyping import Int8, Int16, Int64, UInt64

from tokoban.compiling import entry, inner
from tokoban.sokoban.board import Board
from tokoban.sokoban.search.bidirectional.packing import packing_order_in_steps
from tokoban.sokoban.search.bitboard.words import EMPTY, ONE, count, index, lowest
from tokoban.sokoban.search.fess.fillings import Group, group_in_steps, groups_in_steps
from tokoban.sokoban.search.fess.pulls import GONE, MAX_BOXES, pull_board, pulls_in_steps
from tokoban.sokoban.search.ground import NONE, Ground, Squares
from tokoban.sokoban.search.positions import bit_of
from tokoban.sokoban.search.steps import Steps

_KEPT = 1 << 16  # answers of ``packed_of_group``; a power of two


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
    kept_filling: UInt64[np.ndarray, " C"]  # what is filled of it, and how much is consistent
    kept_packed: Int8[np.ndarray, " C"]
    out_of_plan: UInt64[np.ndarray, "S+1 W"]  # squares that so many first steps cut off


class _Stage(NamedTuple):
    """A stage in the making: what is filled when it begins, and its steps."""

    base: list[int]
    fills: list[int]
    moves_on: tuple[int, int] | None  # from, to; None in the last stage


def packing_in_steps(board: Board, squares: Squares, ground: Ground) -> Steps[Packing]:
    """The plan for a level; boxes and goals are equally many.

    If no plan is found, goals are filled in the order of ``packing_order_in_steps``.
    """
    starts = squares.numbers(board.boxes)
    on_board = pull_board(ground, starts)
    pulls = None
    if len(ground.goals) <= MAX_BOXES:
        pulls = yield from pulls_in_steps(on_board)
    if pulls is None:
        rank = yield from packing_order_in_steps(
            ground.neighbours, ground.goals, starts, squares.number[board.player]
        )
        stages = [_Stage([], ground.goals[np.argsort(rank)].tolist(), None)]
    else:
        stages = _stages(ground.goals.tolist(), pulls)
    groups: list[list[Group]] = []
    for stage in stages:
        base = np.array(stage.base, np.int16)
        of_stage = []
        parts = yield from groups_in_steps(on_board, base, stage.fills)
        for group in parts:
            of_stage.append((yield from group_in_steps(on_board, base, group)))
        groups.append(of_stage)
    return _packed(ground, stages, groups)


def _stages(goals: list[int], pulls: list[tuple[int, int]]) -> list[_Stage]:
    """The pulls in the order of play."""
    filled = set(goals)
    for box, to in pulls:
        filled.remove(box)
        if to != GONE:
            filled.add(to)
    stages = [_Stage(sorted(filled), [], None)]
    for square, origin in reversed(pulls):
        stage = stages[-1]
        if origin == GONE:
            stage.fills.append(square)
            filled.add(square)
        else:
            stages[-1] = stage._replace(moves_on=(origin, square))
            filled.remove(origin)
            filled.add(square)
            stages.append(_Stage(sorted(filled), [], None))
    return stages


def _packed(ground: Ground, stages: list[_Stage], groups: list[list[Group]]) -> Packing:
    """All of a plan in arrays."""
    steps, first_step = list(stages[0].base), []
    for stage in stages:
        first_step.append(len(steps))
        steps += stage.fills
        if stage.moves_on is not None:
            steps.append(stage.moves_on[1])
    flat = [group for of_stage in groups for group in of_stage]
    every = ~np.uint64(0)
    cores = [np.bitwise_and.reduce(group.fillings, initial=every) for group in flat]
    is_kept = np.ones(len(steps), np.bool_)  # until the end
    for stage, end in zip(stages, [*first_step[1:], len(steps)], strict=True):
        if stage.moves_on is not None:
            is_kept[max(i for i in range(end) if steps[i] == stage.moves_on[0])] = False
    return Packing(
        steps=np.array(steps, np.int16),
        first_step=np.array([*first_step, len(steps)]),
        base=np.array([square for stage in stages for square in stage.base], np.int16),
        first_base=_firsts([len(stage.base) for stage in stages]),
        first_group=_firsts([len(of_stage) for of_stage in groups]),
        squares=_joined([group.squares for group in flat], np.int16),
        first_square=_firsts([len(group.squares) for group in flat]),
        obstructions=_joined([group.obstructions for group in flat], np.uint64),
        first_obstruction=_firsts(
            [int(number) for group in flat for number in np.diff(group.first_obstruction)]
        ),
        fillings=_joined([group.fillings for group in flat], np.uint64),
        first_filling=_firsts([len(group.fillings) for group in flat]),
        core=np.array(cores, np.uint64),
        kept_group=np.full(_KEPT, NONE, np.int16),
        kept_filling=np.empty(_KEPT, np.uint64),
        kept_packed=np.empty(_KEPT, np.int8),
        out_of_plan=~squares_in_plan(ground.neighbours, np.array(steps, np.int16), is_kept),
    )


def _firsts(counts: list[int]) -> Int64[np.ndarray, " _"]:
    """Where each of several runs begins, and the end."""
    return np.concatenate([[0], np.cumsum(counts, dtype=np.int64)]).astype(np.int64)


def _joined(arrays: list[np.ndarray], dtype: type) -> np.ndarray:
    return np.concatenate([np.empty(0, dtype), *arrays]).astype(dtype)


@entry(makes_arrays=True)
@no_type_check
def squares_in_plan(neighbours, steps, is_kept):
    """Squares from which boxes still come to a later square of the plan, after so many steps.

    Row k, as bits: the squares filled by the first k steps for good, and every square from which a
    push after push, wherever the player stands, leads to the square of a later step while all that
    was filled for good before that one is filled.
    """
    num_steps, num_floor = len(steps), len(neighbours) - 1
    in_plan = np.zeros((num_steps + 1, -(-num_floor // 64)), np.uint64)
    is_filled = np.zeros(num_floor + 1, np.bool_)
    is_filled[num_floor] = True
    waiting = np.empty(num_floor, np.int32)
    is_reached = np.zeros(num_floor + 1, np.bool_)
    for step in range(num_steps):
        is_filled[steps[step]] |= is_kept[step]
    for step in range(num_steps - 1, -1, -1):
        if is_kept[step]:
            is_filled[steps[step]] = False
        is_reached[:] = False
        is_reached[steps[step]] = True
        waiting[0] = steps[step]
        num_waiting = 1
        while num_waiting > 0:
            num_waiting -= 1
            square = waiting[num_waiting]
            for direction in range(4):
                before = neighbours[square, direction]
                if is_reached[before] or is_filled[before]:
                    continue
                if not is_filled[neighbours[before, direction]]:
                    is_reached[before] = True
                    waiting[num_waiting] = before
                    num_waiting += 1
        for word in range(in_plan.shape[1]):  # numba takes a second to compile a copied row
            in_plan[step, word] = in_plan[step + 1, word]
        for square in range(num_floor):
            if is_reached[square]:
                in_plan[step, square >> 6] |= bit_of(square)
    for step in range(1, num_steps + 1):
        for earlier in range(step):
            if is_kept[earlier]:
                in_plan[step, steps[earlier] >> 6] |= bit_of(steps[earlier])
    return in_plan


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
def num_packed(packing, is_blocked):
    """How many steps of the plan are fulfilled, from 0 to S.

    ``is_blocked`` marks walls and boxes. Of each group of squares the largest consistent filling
    counts.
    """
    stage = stage_of(packing, is_blocked)
    packed = np.int64(0)
    if stage == NONE:
        for i in range(packing.first_base[1]):
            packed += is_blocked[packing.base[i]]
        return packed
    packed = packing.first_step[stage]
    for group in range(packing.first_group[stage], packing.first_group[stage + 1]):
        packed += packed_of_group(packing, group, is_blocked)
    return packed


@inner
@no_type_check
def packed_of_group(packing, group, is_blocked):
    """The most squares filled of a group that are a consistent filling; kept for the next time."""
    first = packing.first_square[group]
    filled = EMPTY
    for i in range(first, packing.first_square[group + 1]):
        if is_blocked[packing.squares[i]]:
            filled |= ONE << np.uint64(i - first)
    mixed = (filled + np.uint64(group)) * np.uint64(0x9E3779B97F4A7C15)
    slot = np.int64(mixed >> np.uint64(40)) & (_KEPT - 1)
    if packing.kept_group[slot] != group or packing.kept_filling[slot] != filled:
        packing.kept_group[slot] = group
        packing.kept_filling[slot] = filled
        if packing.first_filling[group] < packing.first_filling[group + 1]:
            packing.kept_packed[slot] = packed_in_fillings(packing, group, filled)
        else:
            packing.kept_packed[slot] = packed_unobstructed(packing, group, filled)
    return np.int64(packing.kept_packed[slot])


@inner
@no_type_check
def packed_in_fillings(packing, group, filled):
    """The most of ``filled`` that is in the list of consistent fillings.

    While the squares of all consistent fillings are not full, those of them that are count alone.
    """
    core = packing.core[group]
    if filled & core != core:
        return count(filled & core)
    for i in range(packing.first_filling[group], packing.first_filling[group + 1]):
        if packing.fillings[i] & ~filled == EMPTY:
            return count(packing.fillings[i])
    return np.int64(0)


@inner
@no_type_check
def packed_unobstructed(packing, group, filled):
    """How many of ``filled`` are left once boxes are taken away until all other squares can be
    filled: each time the one without which the fewest are stuck."""
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
        if candidates == EMPTY:  # none is stuck, or what is stuck would be on an empty board
            return count(filled)
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
    """The squares not filled that boxes could not leave one after another if all were full."""
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
def point_of_plan(packing, is_blocked):
    """The first step of the plan that is not fulfilled, S if all are."""
    stage = stage_of(packing, is_blocked)
    first = np.int64(0) if stage == NONE else packing.first_step[stage]
    end = packing.first_step[max(stage, np.int64(0)) + (stage != NONE)]
    for step in range(first, end):
        if not is_blocked[packing.steps[step]]:
            return np.int64(step)
    return np.int64(end)


@inner
@no_type_check
def out_of_plan(packing, words, point):
    """The number of boxes that cannot come to a later square of the plan.

    ``words`` are the boxes; ``point`` is that of ``point_of_plan``.
    """
    num_boxes = np.int64(0)
    for word in range(len(words)):
        num_boxes += count(words[word] & packing.out_of_plan[point, word])
    return num_boxes


@inner
@no_type_check
def next_square(packing, is_blocked, point):
    """The square that the plan fills next; NONE if it is fulfilled."""
    for step in range(point, len(packing.steps)):
        if not is_blocked[packing.steps[step]]:
            return np.int64(packing.steps[step])
    return np.int64(NONE)


@inner
@no_type_check
def out_of_plan_word(packing, point, word):
    """The squares out of plan at ``point``: 64 of them as bits."""
    return packing.out_of_plan[point, word]
