"""A position in workspace, ready to be expanded, and what its corrals say of it. Axes as in
``ground``.

The workspace of a search has ``is_blocked``, ``boxes``, ``places``, ``area``, ``waiting`` and
``may_move`` among its fields.
"""

from functools import partial
from typing import no_type_check

import numpy as np

from tokoban.compiling import inner
from tokoban.sokoban.search.corrals import NO_CORRAL
from tokoban.sokoban.search.flood import flood, flood_rest
from tokoban.sokoban.search.positions import list_boxes
from tokoban.sokoban.search.pruning import judge_corrals

# Floods of corral searches: one expansion tries so many moves that all are worth it.
_UNLIMITED = 1 << 62


@partial(inner, is_inlined=True)
@no_type_check
def lay_out_position(ground, words, player, scratch):
    """Fills the workspace except ``may_move``; returns how many regions the player cannot enter."""
    boxes, is_blocked = scratch.boxes, scratch.is_blocked
    list_boxes(words, boxes)
    is_blocked[: len(is_blocked) - 1] = False
    for row in range(len(boxes)):
        is_blocked[boxes[row]] = True
        scratch.places[row] = boxes[row] * 4 + ground.zone[boxes[row], player]
    scratch.area[:] = 0
    flood(ground.neighbours, is_blocked, player, scratch.area, 1, scratch.waiting)
    return flood_rest(ground.neighbours, is_blocked, scratch.area, 1, scratch.waiting)


@partial(inner, is_inlined=True)
@no_type_check
def judge_position(ground, words, player, scratch, pruning, num_regions):
    """The verdict on the corrals of a position that is laid out, and the floods it took.

    Fills ``may_move``: which boxes need not wait for a corral.
    """
    num_floods = -pruning.corral_search.num_floods[0]
    verdict = judge_corrals(
        ground,
        pruning,
        words,
        scratch.boxes,
        scratch.is_blocked,
        scratch.area,
        num_regions,
        np.int64(player),
        0,
        _UNLIMITED,
    )
    num_floods += pruning.corral_search.num_floods[0]
    for row in range(len(scratch.may_move)):
        scratch.may_move[row] = verdict == NO_CORRAL or pruning.may_move[row]
    return verdict, num_floods
