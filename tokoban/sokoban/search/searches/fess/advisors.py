"""The advisors of FESS: each proposes at most one child of an expanded position, for weight 0.

Each has a feature and proposes the child that is best by it, if strictly better than the parent.
None proposes a child that lowers the packing.
"""

from functools import partial
from typing import no_type_check

from tokoban.compiling import inner
from tokoban.sokoban.search.level.ground import NONE
from tokoban.sokoban.search.searches.fess.scores import (
    HOTSPOTS,
    OUT_OF_PLAN,
    PACKING,
    REGIONS,
    feature_of,
)
from tokoban.sokoban.search.searches.fess.tree import swap_children

# Their names, by which they are silenced, and their features.
ADVISORS = ("packing", "regions", "out-of-plan", "hotspots")
FEATURES = (PACKING, REGIONS, OUT_OF_PLAN, HOTSPOTS)


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


@partial(inner, is_inlined=True)
@no_type_check
def advise(tables, tree, score, first, last):
    """Puts the proposed children before the others; returns how many there are."""
    num_advised = 0
    for advisor in range(len(FEATURES)):
        if tables.is_silent[advisor]:
            continue
        child = best_by(tree, FEATURES[advisor], score, first, last)
        if child >= first + num_advised:  # else none is proposed, or this one was before
            swap_children(tree, first + num_advised, child)
            num_advised += 1
    return num_advised
