"""Which child is next: cells in turns, each with a heap of runs of children."""

from typing import no_type_check

import numpy as np

from tokoban.compiling import inner
from tokoban.sokoban.search.level.ground import NONE
from tokoban.sokoban.search.searches.fess.tree import (
    BEST,
    NEW_CELL,
    NEXT_CELL,
    NUM_CELLS,
    NUM_TURNS,
    cell_slot,
)
from tokoban.sokoban.search.state.pairing_heap import pairing_heap


@inner
@no_type_check
def is_before(tree, one, other):
    """Whether the next child of a run comes before that of another: lighter, or the better one."""
    if tree.weight[one] != tree.weight[other]:
        return tree.weight[one] < tree.weight[other]
    return tree.child_score[tree.next_child[one]] > tree.child_score[tree.next_child[other]]


meld, without_root = pairing_heap(is_before)


@inner
@no_type_check
def enter(tree, run):
    """Puts a run with children into the heap of its cell."""
    tree.first_below[run] = NONE
    tree.next_beside[run] = NONE
    cell = tree.cell[run]
    tree.root[cell] = meld(tree, tree.root[cell], run)


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

    A new cell is next at once. Else the cells take turns, except that every other time it is the
    turn of the cell of the best position that was laid out.
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
