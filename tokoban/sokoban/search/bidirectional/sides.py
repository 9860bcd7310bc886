"""One side of bidirectional FESS: the positions it has met, their features and its open lists."""

from typing import NamedTuple

import numpy as np
from jaxtyping import Bool, Int16, Int32, Int64

from tokoban.sokoban.search import positions as stores
from tokoban.sokoban.search.bidirectional.features import CELLS_PER_GOAL
from tokoban.sokoban.search.bidirectional.tables import Tables
from tokoban.sokoban.search.flood import flood
from tokoban.sokoban.search.ground import NONE
from tokoban.sokoban.search.positions import (
    Positions,
    enlarge,
    next_capacity,
    num_bytes,
    packed_bits,
    refill_slots,
)

# Entries of `Side.progress`.
(
    NUM_EXPANSIONS,
    NUM_DEADLOCKED,  # taken, and found deadlocked before they were expanded
    NUM_FLOODS,  # areas of the player marked: the measure of the work
    EXPANDING,  # the position whose boxes are being moved, or NONE
    VERDICT,  # on its corrals, or NONE while it is not known
    NEXT_ROW,  # its next box
    FIRST_NEW,  # the first position that was met by its moves
    NUM_CELLS,
    NEXT_CELL,
    NUM_TURNS,
    REACHED,  # the position that the other side of the search met too, or NONE
    MET,  # the same position there
) = range(12)

# The two kinds of heap that each position lies in; one type, so that one function is compiled.
ALL, CELLS = np.int64(0), np.int64(1)
NEVER = -2  # instead of the root of a cell's heap: no position ever was in the cell


class Side(NamedTuple):
    """Each position came from its parent by pushes of one box.

    ``rank``, ``first_child`` and ``next_sibling`` make up two kinds of pairing heaps: one of all
    positions, and one for each cell of the feature space (``heaps``). Axis C: cells.
    """

    positions: Positions  # the player is on the least square it can walk to
    pushed_to: Int16[np.ndarray, " P"]  # where the box that was pushed is now
    num_pushes: Int32[np.ndarray, " P"]  # since the first
    lower_bound: Int32[np.ndarray, " P"]  # on the pushes left
    weight: Int32[np.ndarray, " P"]  # moves on the way that no advisor proposed
    cell: Int32[np.ndarray, " P"]
    is_open: Bool[np.ndarray, " P"]  # not taken up yet
    rank: Int64[np.ndarray, "2 P"]  # least first
    first_child: Int32[np.ndarray, "2 P"]
    next_sibling: Int32[np.ndarray, "2 P"]
    root: Int32[np.ndarray, " C+1"]  # of the heap of each cell, then of the heap of all
    cells: Int32[np.ndarray, " C"]  # those where a position ever was
    progress: Int64[np.ndarray, "12"]


# What has one entry for each position.
_COLUMNS = ("pushed_to", "num_pushes", "lower_bound", "weight", "cell", "is_open")
_HEAP_COLUMNS = ("rank", "first_child", "next_sibling")


def empty_side(capacity: int, num_floor: int, num_goals: int) -> Side:
    """Room for positions."""
    num_cells = (num_goals + 1) * CELLS_PER_GOAL
    side = Side(
        positions=stores.empty_positions(capacity, num_floor),
        pushed_to=np.empty(capacity, np.int16),
        num_pushes=np.empty(capacity, np.int32),
        lower_bound=np.empty(capacity, np.int32),
        weight=np.empty(capacity, np.int32),
        cell=np.empty(capacity, np.int32),
        is_open=np.empty(capacity, np.bool_),
        rank=np.empty((2, capacity), np.int64),
        first_child=np.empty((2, capacity), np.int32),
        next_sibling=np.empty((2, capacity), np.int32),
        root=np.full(num_cells + 1, NEVER, np.int32),
        cells=np.empty(num_cells, np.int32),
        progress=np.zeros(12, np.int64),
    )
    side.root[num_cells] = NONE
    side.progress[[EXPANDING, REACHED, MET]] = NONE
    return side


def first_side(
    tables: Tables, boxes: Int16[np.ndarray, " G"], players: list[int], capacity: int
) -> Side:
    """Positions with the player in each region that one of ``players`` stands in; none is open."""
    ground = tables.ground
    num_floor = len(ground.zone)
    side = empty_side(capacity, num_floor, len(boxes))
    positions = side.positions
    is_blocked = np.zeros(num_floor + 1, np.bool_)
    is_blocked[[*boxes, num_floor]] = True
    marks = np.zeros(num_floor + 1, np.int64)
    waiting = np.empty(num_floor + 1, np.int32)
    count = 0
    for player in players:
        if is_blocked[player] or marks[player]:
            continue
        least = flood(ground.neighbours, is_blocked, player, marks, 1, waiting)
        positions.boxes[count] = packed_bits(is_blocked[:num_floor])
        positions.boxes_key[count] = np.bitwise_xor.reduce(ground.keys[0, boxes])
        positions.player[count] = least
        positions.parent[count] = NONE
        side.num_pushes[count] = side.weight[count] = side.cell[count] = 0
        side.lower_bound[count] = 0
        count += 1
    positions.num_known[0] = count
    refill_slots(positions, ground.keys, 0, count)
    return side


def num_bytes_while_growing(side: Side) -> int:
    """Of what is held while the side grows; most columns are not copied."""
    capacity, size = len(side.cell), next_capacity(len(side.cell))
    growing = [getattr(side, name) for name in (*_COLUMNS, *_HEAP_COLUMNS)]
    growing += [side.positions.boxes, side.positions.boxes_key]
    growing += [side.positions.player, side.positions.parent]
    more = sum(column.nbytes for column in growing) // capacity * (size - capacity)
    copied = sum(getattr(side, name).nbytes for name in _HEAP_COLUMNS)
    return num_bytes(side) + more + copied + (4 << (2 * size - 1).bit_length())


def grown(side: Side) -> Side:
    """The same positions, for the most part in the same arrays, with more room.

    If the hash table has another size than before, all are to be entered anew by ``refill_slots``.
    """
    capacity = next_capacity(len(side.cell))
    for name in _COLUMNS:
        enlarge(getattr(side, name), capacity)
    copied = {}
    for name in _HEAP_COLUMNS:
        column = getattr(side, name)
        copied[name] = np.empty((2, capacity), column.dtype)
        copied[name][:, : column.shape[1]] = column
    return side._replace(positions=stores.enlarged(side.positions, capacity), **copied)
