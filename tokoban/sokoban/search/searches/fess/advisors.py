"""The advisors of FESS: each proposes at most one child of an expanded position, for weight 0.

An advisor of a feature proposes the child that is best by it, if that is strictly better than the
parent. None proposes a child that lowers the packing.
"""

from functools import partial
from typing import no_type_check

from tokoban.compiling import inner
from tokoban.sokoban.search.level.ground import NONE
from tokoban.sokoban.search.searches.fess.clearing import clear_out_of_plan, open_next_square
from tokoban.sokoban.search.searches.fess.scores import (
    HOTSPOTS,
    OPENS,
    OUT_OF_PLAN,
    PACKING,
    REGIONS,
    RETURNS,
    ROOMS,
    feature_of,
    has_mark,
)

FEATURES = (PACKING, REGIONS, OUT_OF_PLAN, ROOMS, HOTSPOTS)
EXPLORER, OPENER, CLEARER = range(len(FEATURES), len(FEATURES) + 3)
# The names of all, by which they are silenced.
ADVISORS = (
    "packing",
    "regions",
    "out-of-plan",
    "rooms",
    "hotspots",
    "explorer",
    "opener",
    "clearer",
)
MAX_ADVICE = len(ADVISORS)


@inner
@no_type_check
def best_by(tree, feature, score, first, last):
    """The child before ``last`` that improves a feature of the parent's score most, or NONE."""
    packed = feature_of(score, PACKING)
    best = NONE
    best_value = feature_of(score, feature)
    for child in range(first, last):
        child_score = tree.child_score[child]
        value = feature_of(child_score, feature)
        is_better = value > best_value or (
            best != NONE and value == best_value and child_score > tree.child_score[best]
        )
        if is_better and feature_of(child_score, PACKING) >= packed:
            best, best_value = child, value
    return best


@inner
@no_type_check
def explore(tree, score, first, last):
    """The explorer: the best child whose move opens a push to the player, or NONE.

    The move can be undone, so that a look costs nothing.
    """
    packed = feature_of(score, PACKING)
    best = NONE
    for child in range(first, last):
        child_score = tree.child_score[child]
        if not (has_mark(child_score, OPENS) and has_mark(child_score, RETURNS)):
            continue
        if feature_of(child_score, PACKING) < packed:
            continue
        if best == NONE or child_score > tree.child_score[best]:
            best = child
    return best


@partial(inner, is_inlined=True)
@no_type_check
def propose(tables, tree, scratch, score, first, last, advisor):
    """The child that an advisor proposes, or NONE."""
    if advisor == EXPLORER:
        return explore(tree, score, first, last)
    if advisor == OPENER:
        return open_next_square(tables, tree, scratch, score, first, last)
    if advisor == CLEARER:
        return clear_out_of_plan(tables, tree, scratch, score, first, last)
    return best_by(tree, FEATURES[advisor], score, first, last)


@partial(inner, is_inlined=True)
@no_type_check
def advise(tables, tree, scratch, score, first, last):
    """Writes the children that are proposed into ``exploring.advice``; returns how many."""
    advice = scratch.exploring.advice
    num_advised = 0
    for advisor in range(MAX_ADVICE):
        if tables.is_silent[advisor]:
            continue
        child = propose(tables, tree, scratch, score, first, last, advisor)
        is_new = child != NONE
        for i in range(num_advised):
            is_new &= advice[i] != child
        if is_new:
            advice[num_advised] = child
            num_advised += 1
    return num_advised
