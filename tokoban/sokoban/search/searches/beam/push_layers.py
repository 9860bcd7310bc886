"""One layer of a beam of moves: those of the positions that the layer before keeps; compiled.

A move is any pushes of one box alone, as in FESS, whose tree holds the positions. Each expanded
position has one run. The score of a child is its cell in FESS, and below that its badness, on which
the beam decides. Axes as in ``ground``.
"""

from functools import partial
from typing import no_type_check

import numpy as np

from tokoban.compiling import entry, inner
from tokoban.sokoban.search.level.ground import NONE, UNREACHABLE
from tokoban.sokoban.search.measures.bounds import lower_bound_after
from tokoban.sokoban.search.outcome import Outcome
from tokoban.sokoban.search.searches.beam.rounds import BADNESS_BITS, LEAST_BADNESS
from tokoban.sokoban.search.searches.fess import scores
from tokoban.sokoban.search.searches.fess.moves import move_box
from tokoban.sokoban.search.searches.fess.search import add_run, begin_expansion, move_child
from tokoban.sokoban.search.searches.fess.tree import (
    EXPANDING,
    FIRST_NEW,
    NEXT_ROW,
    NUM_CHILDREN,
    NUM_LAID_OUT,
    NUM_PUSHES,
    NUM_RUNS,
    SOLVED_BY,
    child_boxes,
    lacks_room,
    slot_of,
)


@inner
@no_type_check
def badness(score, lower_bound, weights, bonus):
    """The pushes left, plus the regions, plus the boxes out of plan less what is packed.

    The regions count ``weights[0]`` times, the plan ``weights[1]`` times. The ``bonus`` of all
    boxes is subtracted.
    """
    regions = 255 - scores.feature_of(score, scores.REGIONS)
    outside = 255 - scores.feature_of(score, scores.OUT_OF_PLAN)
    packed = scores.feature_of(score, scores.PACKING)
    of_plan = weights[1] * (outside - packed)
    return LEAST_BADNESS + lower_bound + weights[0] * regions + of_plan - bonus


@partial(inner, is_inlined=True)
@no_type_check
def _file_children(tables, tree, scratch, row, weights, bonuses):
    """Scores and stores the children of one box, except those that no matching brings to goals."""
    ground, progress = tables.ground, tree.progress
    position, kept = progress[NUM_LAID_OUT], progress[FIRST_NEW]
    bonus_of_others = -bonuses[scratch.boxes[row]]
    for box in scratch.boxes:
        bonus_of_others += bonuses[box]
    for child in range(kept, progress[NUM_CHILDREN]):
        to, least = np.int64(tree.to[child]), np.int64(tree.child_player[child])
        lower_bound = lower_bound_after(
            ground,
            tables.is_matched,
            scratch.places,
            row,
            to * 4 + ground.zone[to, least],
            scratch.matching,
            scratch.path,
        )
        progress[NUM_PUSHES] += 1  # a lower bound takes as long as trying a push
        if lower_bound == UNREACHABLE:
            continue
        move_child(tree, child, kept)
        score = tree.child_score[child]
        cell = score >> BADNESS_BITS << BADNESS_BITS
        bonus = bonus_of_others + bonuses[to]
        tree.child_score[kept] = cell | badness(score, lower_bound, weights, bonus)
        tree.run[kept] = progress[NUM_RUNS] - 1
        # So that ``add_child`` drops it when it is met again, before any test for deadlocks.
        tree.is_done[kept] = True
        child_boxes(tree, position, kept, scratch.words)
        tree.slots[slot_of(tree, scratch.words, tree.key[kept], least)] = kept
        kept += 1
    progress[NUM_CHILDREN] = progress[FIRST_NEW] = kept


@entry
@no_type_check
def expand_layer(
    tables,
    tree,
    scratch,
    pruning,
    chosen,
    next_chosen,
    weights,
    bonuses,
    max_laid_out,
    max_pushes,
    max_expansions,
):
    """Expands the chosen children from ``next_chosen[0]`` on, up to so many positions in all.

    Deadlocked positions are skipped. ``bonuses`` has the bonus of a box on each square. Stops
    for a limit do not change the result. EXHAUSTED says that the layer is done.
    """
    progress, num_floor = tree.progress, len(tables.ground.zone)
    while True:
        if progress[EXPANDING] == NONE:
            if next_chosen[0] == len(chosen) or progress[NUM_LAID_OUT] == max_laid_out:
                return Outcome.EXHAUSTED
            if progress[NUM_PUSHES] >= max_pushes or progress[NUM_LAID_OUT] > max_expansions:
                return Outcome.BUDGET_SPENT
            if lacks_room(tree, num_floor):
                return Outcome.STORE_FULL
            child = chosen[next_chosen[0]]
            next_chosen[0] += 1
            tree.is_done[child] = False
            if not begin_expansion(tables, tree, scratch, pruning, child):
                continue
            add_run(tree, progress[NUM_LAID_OUT], 0, 0, progress[NUM_CHILDREN])
        for row in range(progress[NEXT_ROW], len(scratch.boxes)):
            if scratch.may_move[row]:
                if lacks_room(tree, num_floor):
                    return Outcome.STORE_FULL
                if progress[NUM_PUSHES] >= max_pushes:
                    return Outcome.BUDGET_SPENT
                move_box(tables, tree, scratch, pruning, row)
                if progress[SOLVED_BY] != NONE:
                    tree.run[progress[SOLVED_BY]] = progress[NUM_RUNS] - 1
                    return Outcome.SOLVED
                _file_children(tables, tree, scratch, row, weights, bonuses)
            progress[NEXT_ROW] = row + 1
        progress[EXPANDING] = NONE
        progress[NUM_LAID_OUT] += 1
