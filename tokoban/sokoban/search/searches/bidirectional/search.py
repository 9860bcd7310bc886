"""One side of bidirectional FESS: takes the best positions, prunes deadlocks, tries the moves."""

from functools import partial
from typing import no_type_check

from tokoban.compiling import entry, inner
from tokoban.sokoban.search.level.ground import NONE
from tokoban.sokoban.search.measures.bounds import match_all
from tokoban.sokoban.search.outcome import Outcome
from tokoban.sokoban.search.rules.corrals import DEADLOCKED, NO_CORRAL
from tokoban.sokoban.search.rules.pruning import judge_position
from tokoban.sokoban.search.searches.bidirectional.features import add_weights
from tokoban.sokoban.search.searches.bidirectional.heaps import enter, take_next
from tokoban.sokoban.search.searches.bidirectional.moves import move_box
from tokoban.sokoban.search.searches.bidirectional.sides import (
    EXPANDING,
    FIRST_NEW,
    NEXT_ROW,
    NUM_DEADLOCKED,
    NUM_EXPANSIONS,
    NUM_FLOODS,
    REACHED,
    VERDICT,
)
from tokoban.sokoban.search.state.workspace import lay_out_position


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
    words, player = positions.boxes[position], positions.player[position]
    num_regions = lay_out_position(ground, words, player, scratch)
    if progress[VERDICT] == NONE:
        progress[VERDICT] = NO_CORRAL
        if not tables.is_backward:
            progress[VERDICT], num_floods = judge_position(
                ground, words, player, scratch, pruning, num_regions
            )
            progress[NUM_FLOODS] += num_floods
    if progress[VERDICT] == DEADLOCKED:
        progress[NUM_DEADLOCKED] += 1
        progress[EXPANDING] = NONE
        return True
    match_all(ground, tables.is_matched, scratch.places, scratch.matching, scratch.path)
    for row in range(progress[NEXT_ROW], len(scratch.boxes)):
        if progress[VERDICT] == NO_CORRAL or scratch.may_move[row]:
            if is_full(tables, side) or progress[NUM_FLOODS] >= max_floods:
                return False
            move_box(tables, side, other_side, scratch, pruning, row)
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
                return Outcome.BUDGET_SPENT
            progress[EXPANDING] = take_next(side)
            if progress[EXPANDING] == NONE:
                return Outcome.EXHAUSTED
            progress[VERDICT] = NONE
            progress[NEXT_ROW] = 0
            progress[FIRST_NEW] = side.positions.num_known[0]
            progress[NUM_FLOODS] += 1
        if not expand(tables, side, other_side, scratch, pruning, max_floods):
            if progress[REACHED] != NONE:
                return Outcome.SOLVED
            return Outcome.STORE_FULL if is_full(tables, side) else Outcome.BUDGET_SPENT
