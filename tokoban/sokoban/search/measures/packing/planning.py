"""Makes the packing plan of a level: pulls from the end, in the order of play, in stages.

Axes as in ``plan``.
"""

from functools import cache
from typing import NamedTuple

import numpy as np
from jaxtyping import Int64

from tokoban.sokoban.search.level.flood import flood
from tokoban.sokoban.search.level.ground import NONE, Ground, Squares, grounds_both_ways
from tokoban.sokoban.search.measures.packing.fillings import (
    Group,
    group_in_steps,
    groups_in_steps,
    obstructions_in_steps,
)
from tokoban.sokoban.search.measures.packing.plan import (
    NO_POINT,
    NUM_KEPT,
    NUM_POINTS,
    Packing,
    Points,
)
from tokoban.sokoban.search.measures.packing.pull_board import pull_board
from tokoban.sokoban.search.measures.packing.pulls import MAX_BOXES, pulls_in_steps
from tokoban.sokoban.search.pauses import ONE_PUSH
from tokoban.sokoban.search.state.columns import zeroed
from tokoban.sokoban.search.steps import Steps, completed


class _Stage(NamedTuple):
    """A stage of a plan as lists: the squares filled when it begins, and its steps."""

    base: list[int]
    fills: list[int]
    moves_on: tuple[int, int] | None  # from, to; None in the last stage


def packing_in_steps(ground: Ground, by_pulls: Ground, player: int) -> Steps[Packing]:
    """The plan for a level; boxes and goals are equally many.

    If no pulls are found, the goals are filled from far to near.
    """
    on_board = pull_board(ground, by_pulls)
    pulls = None
    if len(ground.goals) <= MAX_BOXES:
        pulls = yield from pulls_in_steps(on_board)
    if pulls is None:
        stages = [_Stage([], _from_far_to_near(ground, player), None)]
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


@cache
def prepare() -> None:
    """Compiles what only plans of many fillings need."""
    board = pull_board(*grounds_both_ways(ONE_PUSH, Squares(ONE_PUSH)))
    completed(obstructions_in_steps(board, np.empty(0, np.int16), board.goals))


def _from_far_to_near(ground: Ground, player: int) -> list[int]:
    """The goals, the one farthest for the player to walk to first."""
    num_floor = len(ground.zone)
    is_wall = np.arange(num_floor + 1) == num_floor
    marks, walked = np.zeros(num_floor + 1, np.int64), np.empty(num_floor + 1, np.int32)
    flood(ground.neighbours, is_wall, player, marks, 1, walked)
    return [square for square in walked[:num_floor][::-1].tolist() if ground.is_goal[square]]


def _stages(goals: list[int], pulls: list[tuple[int, int]]) -> list[_Stage]:
    """The pulls in the order of play."""
    filled = set(goals)
    for box, to in pulls:
        filled.remove(box)
        if to >= 0:
            filled.add(to)
    stages = [_Stage(sorted(filled), [], None)]
    for square, origin in reversed(pulls):
        stage = stages[-1]
        if origin < 0:
            stage.fills.append(square)
            filled.add(square)
        else:
            stages[-1] = stage._replace(moves_on=(origin, square))
            filled.remove(origin)
            filled.add(square)
            stages.append(_Stage(sorted(filled), [], None))
    return stages


def _packed(ground: Ground, stages: list[_Stage], groups: list[list[Group]]) -> Packing:
    """The plan as arrays."""
    steps, first_step = list(stages[0].base), []
    for stage in stages:
        first_step.append(len(steps))
        steps += stage.fills
        if stage.moves_on is not None:
            steps.append(stage.moves_on[1])
    flat = [group for of_stage in groups for group in of_stage]
    every = ~np.uint64(0)
    cores = [np.bitwise_and.reduce(group.fillings, initial=every) for group in flat]
    return zeroed(
        Packing,
        C=NUM_KEPT,
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
        kept_group=np.full(NUM_KEPT, NONE, np.int16),
        points=_no_points(ground, stages),
    )


def _no_points(ground: Ground, stages: list[_Stage]) -> Points:
    num_floor = len(ground.zone)
    is_for_good = np.ones((len(stages), num_floor + 1), np.bool_)
    for stage in range(len(stages)):
        for later in stages[stage:]:
            if later.moves_on is not None:
                is_for_good[stage, later.moves_on[0]] = False
    return zeroed(
        Points,
        F=num_floor,
        Z=NUM_POINTS,
        neighbours=ground.neighbours,
        is_for_good=is_for_good,
        stage=np.full(NUM_POINTS, NO_POINT, np.int16),
    )


def _firsts(counts: list[int]) -> Int64[np.ndarray, " _"]:
    """The first index of each of several lists in one array, and the end of the last."""
    return np.concatenate([[0], np.cumsum(counts, dtype=np.int64)]).astype(np.int64)


def _joined(arrays: list[np.ndarray], dtype: type) -> np.ndarray:
    return np.concatenate([np.empty(0, dtype), *arrays]).astype(dtype)
