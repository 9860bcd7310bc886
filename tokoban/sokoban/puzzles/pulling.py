"""Compiled: reverse play of a room, a layer of positions of equally many pulls after the other.

Axes: F floor squares, G goals (as many boxes), P room for positions, S slots of the hash table,
L positions of a layer. A square is a number below F; number F is the wall around everything.
"""

from typing import NamedTuple, no_type_check

import numpy as np
from jaxtyping import Bool, Int16, Int32, Int64

from tokoban.compiling import entry, inner
from tokoban.sokoban.search.astar import NONE, flood, slot_of
from tokoban.sokoban.search.matching import assign, matched_pushes


class Pulled(NamedTuple):
    """The positions that were kept, and behind them those of the newest layer."""

    boxes: Int16[np.ndarray, "P G"]  # ascending
    player: Int16[np.ndarray, " P"]  # the lowest square of its area
    slots: Int32[np.ndarray, " S"]  # hash table of positions; the size is a power of two
    progress: Int64[np.ndarray, "1"]  # how many positions there are


class Scratch(NamedTuple):
    """Room to work in."""

    is_blocked: Bool[np.ndarray, "F+1"]
    walk: Int32[np.ndarray, "2 F+1"]
    reached: Int16[np.ndarray, "2 F+1"]
    boxes: Int16[np.ndarray, " G"]
    places: Int32[np.ndarray, " G"]
    matching: Int64[np.ndarray, "3 G+1"]
    path: Int64[np.ndarray, "3 G+1"]


def empty_pulled(num_positions: int, num_boxes: int) -> Pulled:
    """Room for so many positions, a power of two."""
    return Pulled(
        boxes=np.empty((num_positions, num_boxes), np.int16),
        player=np.empty(num_positions, np.int16),
        slots=np.full(2 * num_positions, NONE, np.int32),
        progress=np.zeros(1, np.int64),
    )


def empty_scratch(num_floor: int, num_boxes: int) -> Scratch:
    """Room for rooms of so much floor; only the wall is blocked."""
    is_blocked = np.zeros(num_floor + 1, np.bool_)
    is_blocked[num_floor] = True
    return Scratch(
        is_blocked=is_blocked,
        walk=np.empty((2, num_floor + 1), np.int32),
        reached=np.empty((2, num_floor + 1), np.int16),
        boxes=np.empty(num_boxes, np.int16),
        places=np.empty(num_boxes, np.int32),
        matching=np.empty((3, num_boxes + 1), np.int64),
        path=np.empty((3, num_boxes + 1), np.int64),
    )


@entry
@no_type_check
def enter_goals(pulled, scratch, neighbours):
    """Makes the first layer: the scratch's boxes, ascending, and the player in any area."""
    num_floor = len(neighbours) - 1
    for goal in scratch.boxes:
        scratch.is_blocked[goal] = True
    for square in range(num_floor):
        if not scratch.is_blocked[square]:
            _enter(pulled, scratch, neighbours, square)
    for goal in scratch.boxes:
        scratch.is_blocked[goal] = False


@entry
@no_type_check
def pull_all(pulled, scratch, neighbours, first, last):
    """Enters what is new among the positions one pull from those from ``first`` on, before
    ``last``; there must be room for four times as many as boxes of each."""
    is_blocked, walk = scratch.is_blocked, scratch.walk[0]
    for position in range(first, last):
        boxes = pulled.boxes[position]
        for box in boxes:
            is_blocked[box] = True
        flood(neighbours, is_blocked, pulled.player[position], walk, scratch.reached[0])
        for row in range(len(boxes)):
            box = boxes[row]
            for direction in range(4):
                beside = neighbours[box, direction]
                beyond = neighbours[beside, direction]
                if walk[beside] == NONE or is_blocked[beyond]:
                    continue
                move_in_order(boxes, row, beside, scratch.boxes)
                is_blocked[box], is_blocked[beside] = False, True
                _enter(pulled, scratch, neighbours, beyond)
                is_blocked[beside], is_blocked[box] = False, True
        for box in boxes:
            is_blocked[box] = False


@entry
@no_type_check
def find_bounds(pulled, scratch, side, pushes, first, bounds):
    """Fills ``bounds`` with at least how many pushes each position from ``first`` on needs.

    ``side`` and ``pushes`` are those of ``astar.World``.
    """
    places, matching = scratch.places, scratch.matching
    for i in range(len(bounds)):
        boxes, player = pulled.boxes[first + i], pulled.player[first + i]
        matching[:] = 0
        for row in range(len(boxes)):
            places[row] = boxes[row] * 4 + side[boxes[row], player]
        for row in range(len(boxes)):
            assign(pushes, places, row, matching, scratch.path)
        bounds[i] = matched_pushes(pushes, places, matching)


@entry
@no_type_check
def keep(pulled, first, chosen):
    """Of the positions from ``first`` on keeps those ``chosen``, in ascending order."""
    for i in range(len(chosen)):
        for row in range(pulled.boxes.shape[1]):
            pulled.boxes[first + i, row] = pulled.boxes[chosen[i], row]
        pulled.player[first + i] = pulled.player[chosen[i]]
    pulled.progress[0] = first + len(chosen)
    pulled.slots[:] = NONE
    for position in range(pulled.progress[0]):
        slot = slot_of(pulled, pulled.boxes[position], pulled.player[position])
        pulled.slots[slot] = position


@inner
@no_type_check
def move_in_order(boxes, row, square, moved):
    """Fills ``moved`` with the boxes, ascending, after the one in ``row`` has gone to a square."""
    for i in range(len(boxes)):
        moved[i] = boxes[i]
    while row > 0 and moved[row - 1] > square:
        moved[row] = moved[row - 1]
        row -= 1
    while row + 1 < len(moved) and moved[row + 1] < square:
        moved[row] = moved[row + 1]
        row += 1
    moved[row] = square


@inner
@no_type_check
def _enter(pulled, scratch, neighbours, player):
    """Enters the position of the scratch's boxes, which are blocked, unless it is known."""
    reached = scratch.reached[1]
    count = flood(neighbours, scratch.is_blocked, player, scratch.walk[1], reached)
    for i in range(count):
        player = min(player, reached[i])
    slot = slot_of(pulled, scratch.boxes, player)
    if pulled.slots[slot] == NONE:
        position = pulled.progress[0]
        pulled.progress[0] += 1
        for i in range(len(scratch.boxes)):
            pulled.boxes[position, i] = scratch.boxes[i]
        pulled.player[position] = player
        pulled.slots[slot] = position
