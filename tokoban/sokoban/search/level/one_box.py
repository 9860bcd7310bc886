"""Moves of the player that push one box to a square, while all others stay where they are."""

from collections.abc import Iterable
from functools import partial
from typing import NamedTuple, no_type_check

import numpy as np
from jaxtyping import Bool

from tokoban.compiling import entry
from tokoban.sokoban.board import Direction
from tokoban.sokoban.search.level.flood import flood
from tokoban.sokoban.search.level.ground import NONE, Ground


class Step(NamedTuple):
    """Pushes of one box, after which the player walks to the region of ``player``."""

    box: int
    end: int  # where it ends, which may be where it was
    player: int


def directions_of_steps(
    ground: Ground, is_box: Bool[np.ndarray, " F"], player: int, steps: Iterable[Step]
) -> tuple[Direction, ...]:
    """All moves of the steps, one after the other, from boxes and player at the start."""
    num_floor = len(ground.zone)
    is_blocked = np.append(is_box, True)
    directions: list[Direction] = []
    for box, end, later_player in steps:
        is_blocked[box] = False
        is_blocked[end] = True
        marks, waiting = np.zeros(num_floor + 1, np.int64), np.empty(num_floor + 1, np.int32)
        flood(ground.neighbours, is_blocked, later_player, marks, 1, waiting)
        is_blocked[end] = False
        moves = one_box_moves(ground.neighbours, is_blocked, box, player, end, marks == 1)
        is_blocked[end] = True
        for move in moves[::-1].tolist():
            directions.append(Direction(move))
            player = int(ground.neighbours[player, move])
    return tuple(directions)


@partial(entry, makes_arrays=True)
@no_type_check
def one_box_moves(neighbours, is_blocked, box, player, box_end, is_player_end):
    """The fewest moves that push one box to ``box_end`` and bring the player to one of its ends.

    The last move comes first. ``is_blocked`` are the walls and all other boxes. There must be such
    moves.
    """
    num_floor = len(neighbours) - 1
    # State = box * F + player; each keeps the move that led to it, plus 4 if that was a push.
    came_by = np.full(num_floor * num_floor, NONE, np.int8)
    waiting = np.empty(num_floor * num_floor, np.int32)
    start = box * num_floor + player
    came_by[start] = 8
    waiting[0] = start
    first, count = 0, 1
    while True:
        state = waiting[first]
        first += 1
        box, player = state // num_floor, state % num_floor
        if box == box_end and is_player_end[player]:
            break
        for direction in range(4):
            ahead = neighbours[player, direction]
            if is_blocked[ahead]:
                continue
            later, by = box * num_floor + ahead, direction
            if ahead == box:
                beyond = neighbours[box, direction]
                if is_blocked[beyond]:
                    continue
                later, by = beyond * num_floor + ahead, direction + 4
            if came_by[later] == NONE:
                came_by[later] = by
                waiting[count] = later
                count += 1
    count = 0
    while state != start:
        box, player = state // num_floor, state % num_floor
        direction = came_by[state] % 4
        if came_by[state] >= 4:
            box = player  # the player stands where the box was
        state = box * num_floor + neighbours[player, direction ^ 2]
        waiting[count] = direction
        count += 1
    return waiting[:count]
