"""What looks good about a position: its cell in the feature space, and which moves are advised.

After the feature space search of Shoham and Schaeffer (2020): the search goes round the cells, so
that no one measure of progress decides.
"""

from typing import no_type_check

import numpy as np

from tokoban.compiling import inner
from tokoban.sokoban.search.astar import NONE

# Counts from these on are one and the same.
MAX_REGIONS = 8
MAX_OUTSIDE = 4
MAX_IN_DOORS = 4
CELLS_PER_GOAL = MAX_REGIONS * MAX_OUTSIDE * MAX_IN_DOORS


@inner
@no_type_check
def count_bits(word):
    """How many bits of a word are set."""
    count = 0
    while word:
        word &= word - np.uint64(1)
        count += 1
    return count


@inner
@no_type_check
def cell_of(tables, is_blocked, words, num_regions):
    """The cell of a position, from four counts.

    Goals filled without a gap in the packing order of their room (backwards: filled at all),
    regions of floor, boxes out of the plan because they are shut off by what is packed, and boxes
    in doors.
    """
    num_packed = 0
    without_gap = np.int64(len(tables.goals))
    gap_in = NONE
    for i in range(len(tables.goals)):
        goal = tables.packing[0, i]
        if tables.packing[1, i] == gap_in:
            continue
        if is_blocked[tables.goals[goal]]:
            num_packed += 1
        else:
            gap_in = tables.packing[1, i]
            without_gap = min(without_gap, np.int64(tables.rank[goal]))
    num_outside = num_in_doors = 0
    for word in range(len(words)):
        num_outside += count_bits(words[word] & ~tables.in_plan[without_gap, word])
        num_in_doors += count_bits(words[word] & tables.doors[word])
    cell = num_packed * MAX_REGIONS + min(num_regions, MAX_REGIONS - 1)
    cell = cell * MAX_OUTSIDE + min(num_outside, MAX_OUTSIDE - 1)
    return cell * MAX_IN_DOORS + min(num_in_doors, MAX_IN_DOORS - 1)


@inner
@no_type_check
def badness(cell, feature):
    """One of the four counts of a cell, so that less is better."""
    if feature == 0:
        return -(cell // CELLS_PER_GOAL)
    if feature == 1:
        return cell // (MAX_OUTSIDE * MAX_IN_DOORS) % MAX_REGIONS
    if feature == 2:
        return cell // MAX_IN_DOORS % MAX_OUTSIDE
    return cell % MAX_IN_DOORS


@inner
@no_type_check
def weigh(positions, parent, first, last):
    """Gives the positions from ``first`` on, all one move from ``parent``, their weights.

    Advised, for no more than the weight before, are the position with the fewest pushes left, and
    of the best by each feature the one with the fewest pushes left.
    """
    if first == last:
        return
    for position in range(first, last):
        positions.weight[position] = positions.weight[parent] + 1
    for feature in range(-1, 4):
        best = first
        for position in range(first + 1, last):
            better = 0
            if feature >= 0:
                better = badness(positions.cell[best], feature) - badness(
                    positions.cell[position], feature
                )
            if better > 0 or (
                better == 0 and positions.pushes_left[position] < positions.pushes_left[best]
            ):
                best = position
        positions.weight[best] = positions.weight[parent]
