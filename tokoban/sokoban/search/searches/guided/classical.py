"""Compiled: the classical deadlock rules in a guided search.

All are sound and forbid pushes only where others suffice for some solution, so an exhausted search
is still a proof (``rules.table``). Axes as in ``ground``.
"""

from functools import partial
from typing import NamedTuple, no_type_check

import numpy as np

from tokoban.compiling import inner
from tokoban.sokoban.search.level.flood import flood_rest
from tokoban.sokoban.search.level.ground import UNREACHABLE, Ground
from tokoban.sokoban.search.measures.bounds import MAX_MATCHED, lower_bound_after, match_all
from tokoban.sokoban.search.rules.corrals import DEADLOCKED
from tokoban.sokoban.search.rules.pruning import (
    Pruning,
    empty_pruning,
    is_deadlocked_by_push,
    judge_position,
)
from tokoban.sokoban.search.state.positions import write_moved
from tokoban.sokoban.search.state.workspace import least_of_area

# Floods of corral searches for each position.
_CORRAL_FLOODS = 100


class Classical(NamedTuple):
    """A level with the tables of the rules, and what they learned of it."""

    ground: Ground
    pruning: Pruning
    is_matched: bool  # whether boxes are assigned to different goals


def classical_rules(ground: Ground) -> Classical:
    """The rules of a level, with empty tables."""
    num_floor, num_boxes = len(ground.zone), len(ground.goals)
    return Classical(
        ground,
        empty_pruning(num_floor, num_boxes, is_small=num_floor <= 64),
        is_matched=num_boxes <= MAX_MATCHED,
    )


@partial(inner, is_inlined=True)
@no_type_check
def judge(classical, positions, scratch, position):
    """Whether a position may be solvable; fills ``may_move``. Without rules every one may be.

    The scratch has its boxes, and ``area`` 1 where the player can walk.
    """
    if classical is None:
        return True
    ground, boxes, player = classical.ground, scratch.boxes, np.int64(positions.player[position])
    for row in range(len(boxes)):
        scratch.places[row] = boxes[row] * 4 + ground.zone[boxes[row], player]
    num_regions = flood_rest(ground.neighbours, scratch.is_blocked, scratch.area, scratch.waiting)
    words, pruning = positions.boxes[position], classical.pruning
    verdict, _ = judge_position(
        ground, words, player, scratch, pruning, num_regions, 0, _CORRAL_FLOODS
    )
    match_all(ground.pushes, classical.is_matched, scratch.places, scratch.matching, scratch.path)
    return verdict != DEADLOCKED


@partial(inner, is_inlined=True)
@no_type_check
def may_push(classical, positions, scratch, position, row, box, end):
    """Whether box ``row`` of a judged position, now on ``end``, may be pushed there."""
    if classical is None:
        return True
    ground, boxes, words = classical.ground, scratch.boxes, scratch.words
    place = end * 4 + ground.zone[end, box]
    if not scratch.may_move[row] or ground.lower_bound[place] == UNREACHABLE:
        return False
    write_moved(positions.boxes[position], box, end, words)
    least = least_of_area(ground.neighbours, scratch, box)
    return (
        not is_deadlocked_by_push(
            ground, classical.pruning, words, boxes, scratch.is_blocked, end, least
        )
        and lower_bound_after(
            ground, classical.is_matched, scratch.places, row, place, scratch.matching, scratch.path
        )
        != UNREACHABLE
    )
