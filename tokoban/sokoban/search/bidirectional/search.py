"""One side of bidirectional FESS: takes the best positions, prunes deadlocks, tries the moves."""

from functools import partial
from typing import no_type_check

import numpy as np

from tokoban.compiling import entry, inner
from tokoban.sokoban.search.bidirectional.features import add_weights
from tokoban.sokoban.search.bidirectional.heaps import enter, take_next
from tokoban.sokoban.search.bidirectional.moves import move_box
from tokoban.sokoban.search.bidirectional.sides import (
    EXPANDING,
    FIRST_NEW,
    NEXT_ROW,
    NUM_DEADLOCKED,
    NUM_EXPANSIONS,
    NUM_FLOODS,
    REACHED,
    VERDICT,
)
from tokoban.sokoban.search.bounds import match_all
from tokoban.sokoban.search.corrals import DEADLOCKED, NO_CORRAL
from tokoban.sokoban.search.flood import flood, flood_rest
from tokoban.sokoban.search.ground import NONE
from tokoban.sokoban.search.positions import list_boxes
from tokoban.sokoban.search.pruning import judge_corrals

# Floods of corral searches: one expansion tries so many moves that all are worth it.
_UNLIMITED = 1 << 62

# Why `search` returned.
BUDGET_SPENT, STORE_FULL, SOLVED, EXHAUSTED = range(4)


@partial(inner, is_inlined=True)
@no_type_check
def lay_out(ground, positions, scratch, position):
    """Puts boxes and areas of a position into the scratch; returns the regions beside the area."""
    boxes, is_blocked = scratch.boxes, scratch.is_blocked
    player = positions.player[position]
    list_boxes(positions.boxes[position], boxes)
    is_blocked[: len(is_blocked) - 1] = False
    for row in range(len(boxes)):
        is_blocked[boxes[row]] = True
        scratch.places[row] = boxes[row] * 4 + ground.zone[boxes[row], player]
    scratch.area[:] = 0
    flood(ground.neighbours, is_blocked, player, scratch.area, 1, scratch.waiting)
    return flood_rest(ground.neighbours, is_blocked, scratch.area, 1, scratch.waiting)


@inner
@no_type_check
def is_full(tables, side):
    """Whether the moves of one box could be too many: to each square, the player in each zone."""
    return side.positions.num_known[0] + 4 * len(tables.ground.zone) > len(side.cell)


@partial(inner, is_inlined=True)
@no_type_check
def expand(tables, side, other_side, scratch, pruning, max_floods):
    """Continues the expansion of the current position, one box at a time.

    Returns whether all boxes were moved; else the budget is spent, the store is full, or the other
    side was met.
    """
    ground, positions, progress = tables.ground, side.positions, side.progress
    position = progress[EXPANDING]
    num_regions = lay_out(ground, positions, scratch, position)
    if progress[VERDICT] == NONE:
        progress[VERDICT] = NO_CORRAL
        if not tables.is_backward:
            num_floods = pruning.corral_search.num_floods
            progress[NUM_FLOODS] -= num_floods[0]
            progress[VERDICT] = judge_corrals(
                ground,
                pruning,
                positions.boxes[position],
                scratch.boxes,
                scratch.is_blocked,
                scratch.area,
                num_regions,
                np.int64(positions.player[position]),
                0,
                _UNLIMITED,
            )
            progress[NUM_FLOODS] += num_floods[0]
            for row in range(len(scratch.boxes)):
                scratch.may_move[row] = pruning.may_move[row]
    if progress[VERDICT] == DEADLOCKED:
        progress[NUM_DEADLOCKED] += 1
        progress[EXPANDING] = NONE
        return True
    match_all(ground, tables.is_matched, scratch.places, scratch.matching, scratch.path)
    for row in range(progress[NEXT_ROW], len(scratch.boxes)):
        if progress[VERDICT] == NO_CORRAL or scratch.may_move[row]:
            if is_full(tables, side) or progress[NUM_FLOODS] >= max_floods:
                return False
            move_box(tables, side, other_side, scratch, pruning, position, row)
            if progress[REACHED] != NONE:
                return False
        progress[NEXT_ROW] = row + 1
    progress[EXPANDING] = NONE
    progress[NUM_EXPANSIONS] += 1
    add_weights(side, position, progress[FIRST_NEW], positions.num_known[0])
    for new in range(progress[FIRST_NEW], positions.num_known[0]):
        enter(side, new)
    return True


@entry
@no_type_check
def search(tables, side, other_side, scratch, pruning, max_floods, max_expansions):
    """Goes on with the search until it meets a position of the other side.

    Where it stops for a limit it goes on later as if it had not. ``max_floods`` and
    ``max_expansions`` count from the first call.
    """
    progress = side.progress
    while True:
        if progress[EXPANDING] == NONE:
            if progress[NUM_FLOODS] >= max_floods or progress[NUM_EXPANSIONS] >= max_expansions:
                return BUDGET_SPENT
            progress[EXPANDING] = take_next(side)
            if progress[EXPANDING] == NONE:
                return EXHAUSTED
            progress[VERDICT] = NONE
            progress[NEXT_ROW] = 0
            progress[FIRST_NEW] = side.positions.num_known[0]
            progress[NUM_FLOODS] += 1
        if not expand(tables, side, other_side, scratch, pruning, max_floods):
            if progress[REACHED] != NONE:
                return SOLVED
            return STORE_FULL if is_full(tables, side) else BUDGET_SPENT
