"""Which position is next: pairing heaps of all positions and of each cell, in turns.

Pairing heaps: Fredman, Sedgewick, Sleator and Tarjan 1986.
"""

from typing import no_type_check

import numpy as np

from tokoban.compiling import entry, inner
from tokoban.sokoban.search.bidirectional.sides import (
    ALL,
    CELLS,
    NEVER,
    NEXT_CELL,
    NUM_CELLS,
    NUM_TURNS,
)
from tokoban.sokoban.search.ground import NONE

# Numbers of positions are int64 in this file: for each mixture numba would compile `meld` anew.

# In the heap of all, one push of the lower bound counts like so many already made.
_GREED = 4


@inner
@no_type_check
def meld(side, kind, one, other):
    """The root of the heap of two heaps; either may be NONE."""
    if one == NONE:
        return other
    if other == NONE:
        return one
    if side.rank[kind, other] < side.rank[kind, one]:
        one, other = other, one
    side.next_sibling[kind, other] = side.first_child[kind, one]
    side.first_child[kind, one] = other
    return one


@inner
@no_type_check
def without_root(side, kind, root):
    """The root of the heap without its least."""
    # Pairs from left to right, then all pairs from right to left.
    pairs = np.int64(NONE)
    child = np.int64(side.first_child[kind, root])
    while child != NONE:
        partner = np.int64(side.next_sibling[kind, child])
        following = np.int64(NONE)
        if partner != NONE:
            following = np.int64(side.next_sibling[kind, partner])
        pair = meld(side, kind, child, partner)
        side.next_sibling[kind, pair] = pairs
        pairs = pair
        child = following
    root = np.int64(NONE)
    while pairs != NONE:
        following = np.int64(side.next_sibling[kind, pairs])
        root = meld(side, kind, root, pairs)
        pairs = following
    return root


@entry
@no_type_check
def enter(side, position):
    """Opens a position: puts it into the heap of all and into that of its cell."""
    total = side.num_pushes[position] + _GREED * np.int64(side.lower_bound[position])
    side.rank[ALL, position] = total
    side.rank[CELLS, position] = (np.int64(side.weight[position]) << 32) + total
    side.first_child[:, position] = NONE
    side.next_sibling[:, position] = NONE
    side.is_open[position] = True
    cell = np.int64(side.cell[position])
    if side.root[cell] == NEVER:
        side.cells[side.progress[NUM_CELLS]] = cell
        side.progress[NUM_CELLS] += 1
        side.root[cell] = NONE
    everything = np.int64(len(side.root) - 1)
    for kind, heap in ((CELLS, cell), (ALL, everything)):
        side.root[heap] = meld(side, kind, np.int64(side.root[heap]), position)


@inner
@no_type_check
def take_from(side, kind, root):
    """Takes the first open position out of a heap; NONE if there is none."""
    while side.root[root] != NONE:
        position = np.int64(side.root[root])
        side.root[root] = without_root(side, kind, position)
        if side.is_open[position]:
            side.is_open[position] = False
            return position
    return NONE


@inner
@no_type_check
def take_next(side):
    """By turns the best open position of all and the best of the next cell; NONE at the end."""
    progress = side.progress
    progress[NUM_TURNS] += 1
    if progress[NUM_TURNS] % 2 == 0:
        return take_from(side, ALL, len(side.root) - 1)
    for _ in range(progress[NUM_CELLS]):
        cell = np.int64(side.cells[progress[NEXT_CELL]])
        progress[NEXT_CELL] = (progress[NEXT_CELL] + 1) % progress[NUM_CELLS]
        position = take_from(side, CELLS, cell)
        if position != NONE:
            return position
    return NONE
