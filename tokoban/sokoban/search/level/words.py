"""Sets of cells as one 64-bit word, in compiled code: steps, floods, and single cells of a set.

Cell (row, column) is bit 8 * row + column, as in ``bitboards``; directions are those of ``board``.
Numba makes a float of a signed and an unsigned number, so that every word and every count of bits
by which one is shifted is unsigned.
"""

from typing import no_type_check

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from tokoban.compiling import inner

EMPTY, ONE, ALL = np.uint64(0), np.uint64(1), np.uint64(2**64 - 1)
_EIGHT = np.uint64(8)
# Without the last column, and without the first: a step along a row ends in neither.
_NOT_LAST, _NOT_FIRST = np.uint64(0x7F7F7F7F7F7F7F7F), np.uint64(0xFEFEFEFEFEFEFEFE)


def _number(instruction):
    """An instruction from a word to a count, as a function for compiled code."""

    def typed(typing_context, cells):
        def emit(context, builder, signature, arguments):
            return instruction(builder, arguments[0])

        return types.int64(types.uint64), emit

    return intrinsic(typed)


# The number of the lowest cell (64 for none), and the number of cells.
index = _number(lambda builder, cells: builder.cttz(cells, ir.Constant(ir.IntType(1), 0)))
count = _number(lambda builder, cells: builder.ctpop(cells))


@inner
@no_type_check
def cell(number):
    """The set of one cell."""
    return ONE << np.uint64(number)


@inner
@no_type_check
def lowest(cells):
    """The set of the lowest cell, empty if there is none."""
    return cells & (EMPTY - cells)


@inner
@no_type_check
def moved(cells, direction):
    """Every cell one step in ``direction``; those that would leave the 8x8 square are dropped."""
    if direction == 0:
        return cells >> _EIGHT
    if direction == 1:
        return (cells >> ONE) & _NOT_LAST
    if direction == 2:
        return cells << _EIGHT
    return (cells << ONE) & _NOT_FIRST


@inner
@no_type_check
def spread(cells):
    """The cells and all their neighbours."""
    beside = cells | moved(cells, 1) | moved(cells, 3)
    return beside | moved(cells, 0) | moved(cells, 2)


@inner
@no_type_check
def flood(start, free):
    """All cells of ``free`` that a walk from ``start`` comes to; ``start`` is part of ``free``."""
    area = start
    while True:
        grown = spread(area) & free
        if grown == area:
            return area
        area = grown
