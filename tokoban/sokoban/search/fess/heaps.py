"""Which child is next: cells in turns, each with a pairing heap of runs of children.

Pairing heaps: Fredman, Sedgewick, Sleator and Tarjan 1986.
"""

from typing import no_type_check

import numpy as np

from tokoban.compiling import inner
from tokoban.sokoban.search.fess.tree import (
    BEST,
    NEW_CELL,
    NEXT_CELL,
    NUM_CELLS,
    NUM_TURNS,
    cell_slot,
)
from tokoban.sokoban.search.ground import NONE

# Numbers of runs are int64 in this file: for each mixture numba would compile `meld` anew.


@inner
@no_type_check
def is_before(tree, one, other):
    """Whether the next child of a run comes before that of another: lighter, or the better one."""
    if tree.weight[one] != tree.weight[other]:
        return tree.weight[one] < tree.weight[other]
    return tree.child_score[tree.next_child[one]] > tree.child_score[tree.next_child[other]]


@inner
@no_type_check
def meld(tree, one, other):
    """The root of the heap of two heaps; either may be NONE."""
    if one == NONE:
        return other
    if other == NONE:
        return one
    if is_before(tree, other, one):
        one, other = other, one
    tree.next_beside[other] = tree.first_below[one]
    tree.first_below[one] = other
    return one


@inner
@no_type_check
def without_root(tree, root):
    """The root of the heap without its first."""
    # Pairs from left to right, then all pairs from right to left.
    pairs = np.int64(NONE)
    run = np.int64(tree.first_below[root])
    while run != NONE:
        partner = np.int64(tree.next_beside[run])
        following = np.int64(NONE)
        if partner != NONE:
            following = np.int64(tree.next_beside[partner])
        pair = meld(tree, run, partner)
        tree.next_beside[pair] = pairs
        pairs = pair
        run = following
    root = np.int64(NONE)
    while pairs != NONE:
        following = np.int64(tree.next_beside[pairs])
        root = meld(tree, root, pairs)
        pairs = following
    return root


@inner
@no_type_check
def enter(tree, run):
    """Puts a run with children into the heap of its cell."""
    tree.first_below[run] = NONE
    tree.next_beside[run] = NONE
    cell = tree.cell[run]
    tree.root[cell] = meld(tree, np.int64(tree.root[cell]), run)


@inner
@no_type_check
def take_from(tree, cell):
    """Takes the first child of a cell; NONE if there is none."""
    run = np.int64(tree.root[cell])
    if run == NONE:
        return np.int64(NONE)
    child = np.int64(tree.next_child[run])
    tree.root[cell] = without_root(tree, run)
    tree.next_child[run] += 1
    if tree.next_child[run] < tree.end_child[run]:
        enter(tree, run)
    return child


@inner
@no_type_check
def take_next(tree):
    """The child whose turn it is; NONE if no cell has any.

    In odd turns the cells take turns, but a new cell is next at once. In even turns it is the cell
    of the best position that was laid out.
    """
    progress = tree.progress
    if progress[NEW_CELL] != NONE:
        cell = progress[NEW_CELL]
        progress[NEW_CELL] = NONE
        child = take_from(tree, cell)
        if child != NONE:
            return child
    if progress[NUM_TURNS] % 2 == 0:
        slot = cell_slot(tree, tree.best_cell[progress[BEST]])
        if tree.cell_slots[slot] != NONE:
            child = take_from(tree, np.int64(tree.cell_slots[slot]))
            if child != NONE:
                return child
    for _ in range(progress[NUM_CELLS]):
        cell = progress[NEXT_CELL]
        progress[NEXT_CELL] = (progress[NEXT_CELL] + 1) % progress[NUM_CELLS]
        child = take_from(tree, cell)
        if child != NONE:
            return child
    return np.int64(NONE)
