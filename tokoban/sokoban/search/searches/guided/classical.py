"""Compiled: the classical deadlock rules in a guided search.

All are sound and bind pushes only where others suffice for some solution, so an exhausted search is
still a proof (``rules.table``). Axes as in ``ground``.
"""

from functools import partial
from typing import NamedTuple, no_type_check

import numpy as np

from tokoban.compiling import inner
from tokoban.sokoban.search.level.flood import flood, flood_rest
from tokoban.sokoban.search.level.ground import UNREACHABLE, Ground
from tokoban.sokoban.search.measures.bounds import MAX_MATCHED, lower_bound_after, match_all
from tokoban.sokoban.search.rules.corrals import DEADLOCKED, PUSH_THESE
from tokoban.sokoban.search.rules.pruning import (
    Pruning,
    empty_pruning,
    is_deadlocked_by_push,
    judge_corrals,
)
from tokoban.sokoban.search.state.positions import bit_of, copy

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
    """Whether a position may be solvable; says in ``may_move`` of which boxes the pushes suffice.

    The scratch has its boxes, and ``area`` 1 where the player can walk.
    """
    ground, pruning, boxes = classical.ground, classical.pruning, scratch.boxes
    player = np.int64(positions.player[position])
    for row in range(len(boxes)):
        scratch.places[row] = boxes[row] * 4 + ground.zone[boxes[row], player]
    num_regions = flood_rest(
        ground.neighbours, scratch.is_blocked, scratch.area, 1, scratch.waiting
    )
    verdict = judge_corrals(
        ground,
        pruning,
        positions.boxes[position],
        boxes,
        scratch.is_blocked,
        scratch.area,
        num_regions,
        player,
        0,
        pruning.corral_search.num_floods[0] + _CORRAL_FLOODS,
    )
    if verdict != PUSH_THESE:
        pruning.may_move[:] = True
    match_all(ground, classical.is_matched, scratch.places, scratch.matching, scratch.path)
    return verdict != DEADLOCKED


@partial(inner, is_inlined=True)
@no_type_check
def may_push(classical, positions, scratch, position, row, end, player):
    """Whether box ``row`` of a position that was judged may come to ``end``."""
    ground, pruning = classical.ground, classical.pruning
    boxes, is_blocked, words = scratch.boxes, scratch.is_blocked, scratch.words
    box = np.int64(boxes[row])
    place = end * 4 + ground.zone[end, player]
    if not pruning.may_move[row] or ground.lower_bound[place] == UNREACHABLE:
        return False
    copy(positions.boxes[position], words)
    words[box >> 6] ^= bit_of(box)
    words[end >> 6] ^= bit_of(end)
    boxes[row], is_blocked[box] = end, False
    is_blocked[end] = True
    scratch.last_mark[0] += 1
    least = flood(
        ground.neighbours, is_blocked, player, scratch.marks, scratch.last_mark[0], scratch.waiting
    )
    is_deadlocked = is_deadlocked_by_push(ground, pruning, words, boxes, is_blocked, end, least)
    boxes[row], is_blocked[end] = box, False
    is_blocked[box] = True
    return (
        not is_deadlocked
        and lower_bound_after(
            ground, classical.is_matched, scratch.places, row, place, scratch.matching, scratch.path
        )
        != UNREACHABLE
    )
