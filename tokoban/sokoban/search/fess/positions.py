"""All positions met, and the hash table that finds them again."""

from typing import NamedTuple

import numpy as np
from jaxtyping import Bool, Int16, Int32, Int64, UInt64

from tokoban.sokoban.search.astar import NONE
from tokoban.sokoban.search.bit_slots import refill_slots
from tokoban.sokoban.search.fess.areas import mark_area
from tokoban.sokoban.search.fess.features import CELLS_PER_GOAL
from tokoban.sokoban.search.fess.tables import Tables

# Entries of `Positions.progress`.
(
    NUM_POSITIONS,
    NUM_EXPANSIONS,
    NUM_LOST,  # taken up, and found lost before they were expanded
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
) = range(13)

# The two kinds of heap that each position lies in; one type, so that one function is compiled.
ALL, CELLS = np.int64(0), np.int64(1)
NEVER = -2  # instead of the root of a cell's heap: no position ever was in the cell


class Positions(NamedTuple):
    """Each position came from its parent by pushes of one box.

    ``rank``, ``first_child`` and ``next_sibling`` make up two kinds of pairing heaps: one of all
    positions, and one for each cell of the feature space (``heaps``). Axis C: cells.
    """

    boxes: UInt64[np.ndarray, "P W"]
    mixed_boxes: UInt64[np.ndarray, " P"]  # all keys of the boxes, xored
    player: Int16[np.ndarray, " P"]  # the least square it can walk to
    parent: Int32[np.ndarray, " P"]  # NONE for the first
    pushed_to: Int16[np.ndarray, " P"]  # where the box that was pushed is now
    num_pushes: Int32[np.ndarray, " P"]  # since the first
    pushes_left: Int32[np.ndarray, " P"]  # at least
    weight: Int32[np.ndarray, " P"]  # moves on the way that nothing spoke for
    cell: Int32[np.ndarray, " P"]
    is_open: Bool[np.ndarray, " P"]  # not taken up yet
    rank: Int64[np.ndarray, "2 P"]  # least first
    first_child: Int32[np.ndarray, "2 P"]
    next_sibling: Int32[np.ndarray, "2 P"]
    slots: Int32[np.ndarray, " S"]  # the size is a power of two
    root: Int32[np.ndarray, " C+1"]  # of the heap of each cell, then of the heap of all
    cells: Int32[np.ndarray, " C"]  # those where a position ever was
    progress: Int64[np.ndarray, "13"]


# What has one entry for each position.
COLUMNS = (
    "boxes",
    "mixed_boxes",
    "player",
    "parent",
    "pushed_to",
    "num_pushes",
    "pushes_left",
    "weight",
    "cell",
    "is_open",
)
HEAP_COLUMNS = ("rank", "first_child", "next_sibling")


def empty_positions(capacity: int, num_floor: int, num_goals: int) -> Positions:
    """Room for positions; the capacity is a power of two."""
    num_cells = (num_goals + 1) * CELLS_PER_GOAL
    positions = Positions(
        boxes=np.empty((capacity, -(-num_floor // 64)), np.uint64),
        mixed_boxes=np.empty(capacity, np.uint64),
        player=np.empty(capacity, np.int16),
        parent=np.empty(capacity, np.int32),
        pushed_to=np.empty(capacity, np.int16),
        num_pushes=np.empty(capacity, np.int32),
        pushes_left=np.empty(capacity, np.int32),
        weight=np.empty(capacity, np.int32),
        cell=np.empty(capacity, np.int32),
        is_open=np.empty(capacity, np.bool_),
        rank=np.empty((2, capacity), np.int64),
        first_child=np.empty((2, capacity), np.int32),
        next_sibling=np.empty((2, capacity), np.int32),
        slots=np.full(2 * capacity, NONE, np.int32),
        root=np.full(num_cells + 1, NEVER, np.int32),
        cells=np.empty(num_cells, np.int32),
        progress=np.zeros(13, np.int64),
    )
    positions.root[num_cells] = NONE
    positions.progress[[EXPANDING, REACHED, MET]] = NONE
    return positions


def first_positions(
    tables: Tables, boxes: Int16[np.ndarray, " G"], players: list[int], capacity: int
) -> Positions:
    """Positions with the player in each region that one of ``players`` stands in; none is open."""
    num_floor = len(tables.side)
    positions = empty_positions(capacity, num_floor, len(boxes))
    is_blocked = np.zeros(num_floor + 1, np.bool_)
    is_blocked[[*boxes, num_floor]] = True
    marks = np.zeros(num_floor + 1, np.int64)
    waiting = np.empty(num_floor + 1, np.int32)
    count = 0
    for player in players:
        if is_blocked[player] or marks[player]:
            continue
        least = mark_area(tables.neighbours, is_blocked, player, marks, 1, waiting)
        positions.boxes[count] = packed_bits(is_blocked[:num_floor])
        positions.mixed_boxes[count] = np.bitwise_xor.reduce(tables.keys[0, boxes])
        positions.player[count] = least
        positions.parent[count] = NONE
        positions.num_pushes[count] = positions.weight[count] = positions.cell[count] = 0
        positions.pushes_left[count] = 0
        count += 1
    positions.progress[NUM_POSITIONS] = count
    refill_slots(positions, int(positions.progress[NUM_POSITIONS]), tables.keys[1])
    return positions


def grown(positions: Positions, tables: Tables) -> Positions:
    """The same positions with room for twice as many."""
    capacity, num_floor = len(positions.player), len(tables.side)
    larger = empty_positions(2 * capacity, num_floor, len(tables.goals))
    for name in COLUMNS:
        getattr(larger, name)[:capacity] = getattr(positions, name)
    for name in HEAP_COLUMNS:
        getattr(larger, name)[:, :capacity] = getattr(positions, name)
    for name in ("root", "cells", "progress"):
        getattr(larger, name)[:] = getattr(positions, name)
    refill_slots(larger, int(larger.progress[NUM_POSITIONS]), tables.keys[1])
    return larger


def packed_bits(is_in: Bool[np.ndarray, " F"]) -> UInt64[np.ndarray, " W"]:
    """The squares as bits of words."""
    padded = np.zeros(-(-len(is_in) // 64) * 64, np.bool_)
    padded[: len(is_in)] = is_in
    return np.packbits(padded, bitorder="little").view("<u8")


def unpacked_bits(words: UInt64[np.ndarray, " W"], num_floor: int) -> Bool[np.ndarray, " F"]:
    """The squares whose bits are set."""
    return np.unpackbits(words.astype("<u8").view(np.uint8), bitorder="little")[:num_floor] == 1
