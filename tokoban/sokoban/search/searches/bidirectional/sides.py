"""One side of bidirectional FESS: the positions it has met, their features and its open lists."""

from typing import NamedTuple

import numpy as np
from jaxtyping import Bool, Int16, Int32, Int64

from tokoban.sokoban.search.level.flood import flood
from tokoban.sokoban.search.level.ground import NONE
from tokoban.sokoban.search.searches.bidirectional.features import CELLS_PER_GOAL
from tokoban.sokoban.search.searches.bidirectional.tables import Tables
from tokoban.sokoban.search.state import positions as stores
from tokoban.sokoban.search.state.columns import column_names, zeroed
from tokoban.sokoban.search.state.positions import (
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

NEVER = -2  # instead of the root of a cell's heap: no position ever was in the cell


class Heap(NamedTuple):
    """An order of a side's positions, and the links of heaps in this order."""

    rank: Int64[np.ndarray, " P"]  # least first
    first_below: Int32[np.ndarray, " P"]
    next_beside: Int32[np.ndarray, " P"]


class Side(NamedTuple):
    """Each position came from its parent by pushes of one box.

    It lies in two heaps: that of all positions, and that of its cell of the feature space. Axis C:
    cells.
    """

    positions: Positions  # the player is on the least square it can walk to
    pushed_to: Int16[np.ndarray, " P"]  # where the box that was pushed is now
    num_pushes: Int32[np.ndarray, " P"]  # since the first
    lower_bound: Int32[np.ndarray, " P"]  # on the pushes left
    weight: Int32[np.ndarray, " P"]  # moves on the way that no advisor proposed
    cell: Int32[np.ndarray, " P"]
    is_open: Bool[np.ndarray, " P"]  # not taken up yet
    of_all: Heap
    of_cells: Heap
    root: Int32[np.ndarray, " C+1"]  # of the heap of each cell, then of the heap of all
    cells: Int32[np.ndarray, " C"]  # those where a position ever was
    progress: Int64[np.ndarray, "12"]


def empty_side(capacity: int, num_floor: int, num_goals: int) -> Side:
    """Room for positions."""
    num_cells = (num_goals + 1) * CELLS_PER_GOAL
    side = zeroed(
        Side,
        P=capacity,
        C=num_cells,
        positions=stores.empty_positions(capacity, num_floor),
        of_all=zeroed(Heap, P=capacity),
        of_cells=zeroed(Heap, P=capacity),
        root=np.full(num_cells + 1, NEVER, np.int32),
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


def _columns(side: Side) -> list[np.ndarray]:
    own = [getattr(side, name) for name in column_names(Side, "P")]
    return [*own, *side.of_all, *side.of_cells]


def num_bytes_while_growing(side: Side) -> int:
    """The most bytes while the side grows; its columns grow in place."""
    capacity, size = len(side.cell), next_capacity(len(side.cell))
    growing = [*_columns(side)]
    growing += [getattr(side.positions, name) for name in column_names(Positions, "P")]
    more = sum(column.nbytes for column in growing) // capacity * (size - capacity)
    return num_bytes(side) + more + (4 << (2 * size - 1).bit_length())


def grown(side: Side) -> Side:
    """Enlarges the arrays in place, to the next capacity.

    If the hash table had to grow it is empty: all are to be entered anew by ``refill_slots``.
    """
    capacity = next_capacity(len(side.cell))
    for column in _columns(side):
        enlarge(column, capacity)
    return side._replace(positions=stores.enlarged(side.positions, capacity))
