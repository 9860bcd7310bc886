"""The advisors of FESS: each proposes at most one child of an expanded position, for weight 0.

An advisor of a feature proposes the child that is best by it, if that is strictly better than the
parent. None proposes a child that lowers the packing.
"""

from typing import no_type_check

from tokoban.compiling import inner
from tokoban.sokoban.search.fess.scores import (
    HOTSPOTS,
    OUT_OF_PLAN,
    PACKING,
    REGIONS,
    ROOMS,
    feature_of,
)
from tokoban.sokoban.search.ground import NONE

FEATURES = (PACKING, REGIONS, OUT_OF_PLAN, ROOMS, HOTSPOTS)
MAX_ADVICE = len(FEATURES)


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
def advise(tables, tree, score, first, last, advice):
    """Writes the children that are proposed into ``advice``; returns how many."""
    num_advised = 0
    for advisor in range(len(FEATURES)):
        feature = FEATURES[advisor]
        if tables.is_silent[advisor]:
            continue
        child = best_by(tree, feature, score, first, last)
        is_new = child != NONE
        for i in range(num_advised):
            is_new &= advice[i] != child
        if is_new:
            advice[num_advised] = child
            num_advised += 1
    return num_advised
