"""From positions one push apart back to the moves of the player. Axes as in ``ground``."""

from functools import partial
from typing import no_type_check

import numpy as np
from jaxtyping import Int16, UInt64

from tokoban.compiling import entry
from tokoban.sokoban.board import Direction
from tokoban.sokoban.search.level.flood import flood
from tokoban.sokoban.search.level.ground import NONE
from tokoban.sokoban.search.state.positions import Positions, bit_of


def chain(positions: Positions, position: int) -> list[int]:
    """The position, its parent and so on."""
    numbers = [int(position)]
    while (parent := int(positions.parent[numbers[-1]])) != NONE:
        numbers.append(parent)
    return numbers


def directions_through(
    neighbours: Int16[np.ndarray, "squares 4"],
    boxes: UInt64[np.ndarray, "P W"],
    player: int,
    *,
    most: int | None = None,
) -> tuple[Direction, ...]:
    """The shortest walks and pushes through P positions, each one push after the one before.

    ``neighbours`` are those of a ``Ground``, with the row of the wall. ``player`` stands on a
    square of the first. There are at most ``most`` moves, if that is known.
    """
    moves = np.empty(len(boxes) * len(neighbours) if most is None else most, np.int8)
    count = _list_moves(neighbours, boxes, player, moves)
    return tuple(map(Direction, moves[:count].tolist()))


@partial(entry, makes_arrays=True)
@no_type_check
def _list_moves(neighbours, boxes, player, moves):
    """Writes the moves of ``directions_through``; returns how many there are."""
    num_floor = len(neighbours) - 1
    is_blocked = np.ones(num_floor + 1, np.bool_)
    marks, steps, waiting = np.zeros((3, num_floor + 1), np.int32)
    count = 0
    for i in range(1, len(boxes)):
        before, after = boxes[i - 1], boxes[i]
        box, beyond = 0, 0
        for square in range(num_floor):
            word, bit = square >> 6, bit_of(square)
            is_blocked[square] = before[word] & bit != 0
            if before[word] & ~after[word] & bit:
                box = square
            if after[word] & ~before[word] & bit:
                beyond = square
        push = 0
        while neighbours[box, push] != beyond:
            push += 1
        behind = neighbours[box, push ^ 2]
        flood(neighbours, is_blocked, behind, marks, i, waiting, steps)
        while player != behind:
            move = 0
            ahead = neighbours[player, move]
            while marks[ahead] != i or steps[ahead] != steps[player] - 1:
                move += 1
                ahead = neighbours[player, move]
            moves[count] = move
            count += 1
            player = ahead
        moves[count] = push
        count += 1
        player = box
    return count
