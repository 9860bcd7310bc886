"""The search from one end: takes the best positions up, throws the lost ones away, moves on."""

from typing import no_type_check

import numpy as np

from tokoban.compiling import entry, inner
from tokoban.sokoban.search.astar import NONE
from tokoban.sokoban.search.fess.areas import mark_area, mark_other_regions
from tokoban.sokoban.search.fess.corral_search import is_lost_corral
from tokoban.sokoban.search.fess.corrals import LOST, NO_CORRAL, find_pi_corral
from tokoban.sokoban.search.fess.features import weigh
from tokoban.sokoban.search.fess.heaps import enter, take_next
from tokoban.sokoban.search.fess.lost_patterns import has_lost_pattern
from tokoban.sokoban.search.fess.matching import match_all
from tokoban.sokoban.search.fess.moves import move_box
from tokoban.sokoban.search.fess.positions import (
    EXPANDING,
    FIRST_NEW,
    NEXT_ROW,
    NUM_EXPANSIONS,
    NUM_FLOODS,
    NUM_LOST,
    NUM_POSITIONS,
    REACHED,
    VERDICT,
)

# Why `search` returned.
BUDGET_SPENT, STORE_FULL, SOLVED, EXHAUSTED = range(4)


@inner
@no_type_check
def lay_out(tables, positions, scratch, position):
    """Puts boxes and areas of a position into the scratch; returns the regions beside the area."""
    boxes, places, is_blocked = scratch.boxes, scratch.places, scratch.is_blocked
    player = positions.player[position]
    count = 0
    for square in range(len(is_blocked) - 1):
        word = positions.boxes[position, square >> 6]
        is_blocked[square] = word >> np.uint64(square & 63) & np.uint64(1) != np.uint64(0)
        if is_blocked[square]:
            boxes[count] = square
            places[count] = square * 4 + tables.side[square, player]
            count += 1
    scratch.area[:] = 0
    mark_area(tables.neighbours, is_blocked, player, scratch.area, 1, scratch.waiting)
    return mark_other_regions(tables.neighbours, is_blocked, scratch.area, 1, scratch.waiting)


@inner
@no_type_check
def look_at_corrals(tables, positions, scratch, small_search, position, num_regions):
    """LOST, or which boxes may move without loss: those of ``may_move``, or all if NO_CORRAL."""
    player = positions.player[position]
    for box in scratch.boxes:
        if has_lost_pattern(scratch.patterns, positions.boxes[position], box, player):
            return LOST
    for region in range(2, 2 + num_regions):
        if is_lost_corral(
            tables,
            scratch.patterns,
            small_search,
            scratch.boxes,
            scratch.area,
            region,
            player,
        ):
            return LOST
    return find_pi_corral(
        tables,
        scratch.boxes,
        scratch.is_blocked,
        scratch.area,
        num_regions,
        scratch.is_inside,
        scratch.is_around,
        scratch.may_move,
    )


@inner
@no_type_check
def has_no_room(tables, positions):
    """Whether the moves of one box could be too many: to each square, the player on each side."""
    return positions.progress[NUM_POSITIONS] + 4 * len(tables.side) > len(positions.player)


@inner
@no_type_check
def expand(tables, positions, others, scratch, small_search, max_floods):
    """Goes on with the moves of the position that is being expanded, a box at a time.

    Returns whether all boxes were moved; else the budget is spent, there is no more room, or the
    other side was met.
    """
    progress = positions.progress
    position = progress[EXPANDING]
    num_regions = lay_out(tables, positions, scratch, position)
    if progress[VERDICT] == NONE:
        progress[VERDICT] = NO_CORRAL
        if not tables.is_backward:
            progress[NUM_FLOODS] -= small_search.num_floods[0]
            progress[VERDICT] = look_at_corrals(
                tables, positions, scratch, small_search, position, num_regions
            )
            progress[NUM_FLOODS] += small_search.num_floods[0]
    if progress[VERDICT] == LOST:
        progress[NUM_LOST] += 1
        progress[EXPANDING] = NONE
        return True
    match_all(tables, scratch.places, scratch.matching, scratch.path)
    for row in range(progress[NEXT_ROW], len(scratch.boxes)):
        if progress[VERDICT] == NO_CORRAL or scratch.may_move[row]:
            if has_no_room(tables, positions) or progress[NUM_FLOODS] >= max_floods:
                return False
            move_box(tables, positions, others, scratch, position, row)
            if progress[REACHED] != NONE:
                return False
        progress[NEXT_ROW] = row + 1
    progress[EXPANDING] = NONE
    progress[NUM_EXPANSIONS] += 1
    weigh(positions, position, progress[FIRST_NEW], progress[NUM_POSITIONS])
    for new in range(progress[FIRST_NEW], progress[NUM_POSITIONS]):
        enter(positions, new)
    return True


@entry
@no_type_check
def search(tables, positions, others, scratch, small_search, max_floods, max_expansions):
    """Goes on with the search until it meets a position of ``others``, the other side's.

    Where it stops for a limit it goes on later as if it had not. ``max_floods`` and
    ``max_expansions`` count from the first call.
    """
    progress = positions.progress
    while True:
        if progress[EXPANDING] == NONE:
            if progress[NUM_FLOODS] >= max_floods or progress[NUM_EXPANSIONS] >= max_expansions:
                return BUDGET_SPENT
            progress[EXPANDING] = take_next(positions)
            if progress[EXPANDING] == NONE:
                return EXHAUSTED
            progress[VERDICT] = NONE
            progress[NEXT_ROW] = 0
            progress[FIRST_NEW] = progress[NUM_POSITIONS]
            progress[NUM_FLOODS] += 1
        if not expand(tables, positions, others, scratch, small_search, max_floods):
            if progress[REACHED] != NONE:
                return SOLVED
            return STORE_FULL if has_no_room(tables, positions) else BUDGET_SPENT
