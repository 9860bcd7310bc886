"""Which position is next: from a heap of all positions and from a heap of each cell, in turns."""

from typing import no_type_check

import numpy as np

from tokoban.compiling import entry, inner
from tokoban.sokoban.search.level.ground import NONE
from tokoban.sokoban.search.open_lists.pairing_heap import pairing_heap
from tokoban.sokoban.search.searches.bidirectional.sides import (
    NEVER,
    NEXT_CELL,
    NUM_CELLS,
    NUM_TURNS,
)

# In the heap of all, one push of the lower bound counts like so many already made.
_GREED = 4


@inner
@no_type_check
def is_before(heap, one, other):
    """Whether a position has the lower rank."""
    return heap.rank[one] < heap.rank[other]


meld, without_root = pairing_heap(is_before)


@entry
@no_type_check
def enter(side, position):
    """Opens a position: puts it into the heap of all and into that of its cell."""
    total = side.num_pushes[position] + _GREED * np.int64(side.lower_bound[position])
    side.of_all.rank[position] = total
    side.of_cells.rank[position] = (np.int64(side.weight[position]) << 32) + total
    side.is_open[position] = True
    cell = np.int64(side.cell[position])
    if side.root[cell] == NEVER:
        side.cells[side.progress[NUM_CELLS]] = cell
        side.progress[NUM_CELLS] += 1
        side.root[cell] = NONE
    everything = len(side.root) - 1
    for heap, place in ((side.of_cells, cell), (side.of_all, everything)):
        heap.first_below[position] = heap.next_beside[position] = NONE
        side.root[place] = meld(heap, side.root[place], position)


@inner
@no_type_check
def take_from(side, heap, place):
    """Takes the first open position out of the heap at a place of ``root``; NONE without one."""
    while side.root[place] != NONE:
        position = np.int64(side.root[place])
        side.root[place] = without_root(heap, position)
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
        return take_from(side, side.of_all, len(side.root) - 1)
    for _ in range(progress[NUM_CELLS]):
        cell = np.int64(side.cells[progress[NEXT_CELL]])
        progress[NEXT_CELL] = (progress[NEXT_CELL] + 1) % progress[NUM_CELLS]
        position = take_from(side, side.of_cells, cell)
        if position != NONE:
            return position
    return NONE
