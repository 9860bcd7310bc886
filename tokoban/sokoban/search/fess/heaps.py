"""Which position is next: two kinds of pairing heaps, taken by turns."""

from typing import no_type_check

import numpy as np

from tokoban.compiling import entry, inner
from tokoban.sokoban.search.astar import NONE
from tokoban.sokoban.search.fess.positions import ALL, CELLS, NEVER, NEXT_CELL, NUM_CELLS, NUM_TURNS

# Numbers of positions are int64 in this file: for each mixture numba would compile `meld` anew.

# In the heap of all, one push that is left counts like so many already made.
_GREED = 4


@inner
@no_type_check
def meld(positions, kind, one, other):
    """The root of the heap of two heaps; either may be NONE."""
    if one == NONE:
        return other
    if other == NONE:
        return one
    if positions.rank[kind, other] < positions.rank[kind, one]:
        one, other = other, one
    positions.next_sibling[kind, other] = positions.first_child[kind, one]
    positions.first_child[kind, one] = other
    return one


@inner
@no_type_check
def without_root(positions, kind, root):
    """The root of the heap without its least."""
    # Pairs from left to right, then all pairs from right to left.
    pairs = np.int64(NONE)
    child = np.int64(positions.first_child[kind, root])
    while child != NONE:
        partner = np.int64(positions.next_sibling[kind, child])
        following = np.int64(NONE)
        if partner != NONE:
            following = np.int64(positions.next_sibling[kind, partner])
        pair = meld(positions, kind, child, partner)
        positions.next_sibling[kind, pair] = pairs
        pairs = pair
        child = following
    root = np.int64(NONE)
    while pairs != NONE:
        following = np.int64(positions.next_sibling[kind, pairs])
        root = meld(positions, kind, root, pairs)
        pairs = following
    return root


@entry
@no_type_check
def enter(positions, position):
    """Opens a position: puts it into the heap of all, and that of its cell."""
    total = positions.num_pushes[position] + _GREED * np.int64(positions.pushes_left[position])
    positions.rank[ALL, position] = total
    positions.rank[CELLS, position] = (np.int64(positions.weight[position]) << 32) + total
    positions.first_child[:, position] = NONE
    positions.next_sibling[:, position] = NONE
    positions.is_open[position] = True
    cell = np.int64(positions.cell[position])
    if positions.root[cell] == NEVER:
        positions.cells[positions.progress[NUM_CELLS]] = cell
        positions.progress[NUM_CELLS] += 1
        positions.root[cell] = NONE
    everything = np.int64(len(positions.root) - 1)
    for kind, heap in ((CELLS, cell), (ALL, everything)):
        positions.root[heap] = meld(positions, kind, np.int64(positions.root[heap]), position)


@inner
@no_type_check
def take_from(positions, kind, root):
    """Takes the first open position out of a heap; NONE if there is none."""
    while positions.root[root] != NONE:
        position = np.int64(positions.root[root])
        positions.root[root] = without_root(positions, kind, position)
        if positions.is_open[position]:
            positions.is_open[position] = False
            return position
    return NONE


@inner
@no_type_check
def take_next(positions):
    """By turns the best open position of all and the best of the next cell; NONE at the end."""
    progress = positions.progress
    progress[NUM_TURNS] += 1
    if progress[NUM_TURNS] % 2 == 0:
        return take_from(positions, ALL, len(positions.root) - 1)
    for _ in range(progress[NUM_CELLS]):
        cell = np.int64(positions.cells[progress[NEXT_CELL]])
        progress[NEXT_CELL] = (progress[NEXT_CELL] + 1) % progress[NUM_CELLS]
        position = take_from(positions, CELLS, cell)
        if position != NONE:
            return position
    return NONE
