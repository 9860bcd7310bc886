"""The feature space of FESS: the cell of a position, and the moves that the advisors prefer.

After Yaron Shoham and Jonathan Schaeffer, "The FESS Algorithm: A Feature Based Approach to
Single-Agent Search", IEEE Conference on Games 2020: the search takes turns over the cells, so that
no one measure of progress decides.
"""

from typing import no_type_check

import numpy as np

from tokoban.compiling import inner
from tokoban.sokoban.search.level.ground import NONE
from tokoban.sokoban.search.level.words import count

# Counts from these on are one and the same.
MAX_REGIONS = 8
MAX_OUTSIDE = 4
MAX_AT_ARTICULATIONS = 4
CELLS_PER_GOAL = MAX_REGIONS * MAX_OUTSIDE * MAX_AT_ARTICULATIONS


@inner
@no_type_check
def cell_of(tables, is_blocked, words, num_regions):
    """The cell of a position, from four features, after those of the paper.

    Packing: goals filled without a gap in the packing order of their room (backwards: filled at
    all). Connectivity: regions of floor. Out of plan: boxes that what is packed cuts off from all
    goals. Boxes on articulation squares, in place of the room connectivity of the paper.
    """
    num_packed = 0
    without_gap = np.int64(len(tables.ground.goals))
    gap_in = NONE
    for i in range(len(tables.ground.goals)):
        goal = tables.packing[0, i]
        if tables.packing[1, i] == gap_in:
            continue
        if is_blocked[tables.ground.goals[goal]]:
            num_packed += 1
        else:
            gap_in = tables.packing[1, i]
            without_gap = min(without_gap, np.int64(tables.rank[goal]))
    num_outside = num_at_articulations = 0
    for word in range(len(words)):
        num_outside += count(words[word] & ~tables.in_plan[without_gap, word])
        num_at_articulations += count(words[word] & tables.articulation[word])
    cell = num_packed * MAX_REGIONS + min(num_regions, MAX_REGIONS - 1)
    cell = cell * MAX_OUTSIDE + min(num_outside, MAX_OUTSIDE - 1)
    return cell * MAX_AT_ARTICULATIONS + min(num_at_articulations, MAX_AT_ARTICULATIONS - 1)


@inner
@no_type_check
def feature_of(cell, feature):
    """One of the four features of a cell, so that less is better."""
    if feature == 0:
        return -(cell // CELLS_PER_GOAL)
    if feature == 1:
        return cell // (MAX_OUTSIDE * MAX_AT_ARTICULATIONS) % MAX_REGIONS
    if feature == 2:
        return cell // MAX_AT_ARTICULATIONS % MAX_OUTSIDE
    return cell % MAX_AT_ARTICULATIONS


@inner
@no_type_check
def add_weights(side, parent, first, last):
    """Gives the positions from ``first`` on, all one move from ``parent``, their weights.

    A move weighs 1, or 0 if an advisor proposes it. The advisors propose the position with the
    least lower bound, and of the best by each feature the one with the least lower bound.
    """
    if first == last:
        return
    for position in range(first, last):
        side.weight[position] = side.weight[parent] + 1
    for feature in range(-1, 4):
        best = first
        for position in range(first + 1, last):
            better = 0
            if feature >= 0:
                better = feature_of(side.cell[best], feature) - feature_of(
                    side.cell[position], feature
                )
            if better > 0 or (better == 0 and side.lower_bound[position] < side.lower_bound[best]):
                best = position
        side.weight[best] = side.weight[parent]
