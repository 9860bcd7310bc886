"""From the positions of both sides of bidirectional FESS back to the moves of the player."""

from functools import partial
from itertools import pairwise
from typing import no_type_check

import numpy as np

from tokoban.compiling import entry
from tokoban.sokoban.board import Direction
from tokoban.sokoban.search.bidirectional.sides import Side
from tokoban.sokoban.search.flood import flood
from tokoban.sokoban.search.ground import NONE, Ground
from tokoban.sokoban.search.positions import Positions, unpacked_bits


def find_directions(
    ground: Ground, forward: Side, backward: Side, meeting: tuple[int, int], player: int
) -> tuple[Direction, ...]:
    """All moves from the start, with the player on square ``player``, to all boxes on goals.

    ``meeting`` is one position by its number forwards and its number backwards.
    """
    num_floor = len(ground.zone)
    ahead, back = (
        _chain(forward.positions, meeting[0])[::-1],
        _chain(backward.positions, meeting[1]),
    )
    # Each position, and the square of the box that is pushed on the way to it should that box only
    # be pushed around to where it was.
    steps = [(forward.positions, i, forward.pushed_to[i]) for i in ahead[1:]]
    steps += [(backward.positions, j, backward.pushed_to[i]) for i, j in pairwise(back)]
    is_box = unpacked_bits(forward.positions.boxes[ahead[0]], num_floor)
    directions: list[Direction] = []
    for positions, position, around in steps:
        is_box_after = unpacked_bits(positions.boxes[position], num_floor)
        box, end = int(around), int(around)
        if (is_box != is_box_after).any():
            box = int(np.flatnonzero(is_box & ~is_box_after)[0])
            end = int(np.flatnonzero(is_box_after & ~is_box)[0])
        is_blocked = np.append(is_box_after, True)
        marks, waiting = np.zeros(num_floor + 1, np.int64), np.empty(num_floor + 1, np.int32)
        flood(ground.neighbours, is_blocked, positions.player[position], marks, 1, waiting)
        is_blocked[end] = False
        moves = one_box_moves(ground.neighbours, is_blocked, box, player, end, marks == 1)
        for move in moves[::-1].tolist():
            directions.append(Direction(move))
            player = int(ground.neighbours[player, move])
        is_box = is_box_after
    return tuple(directions)


def _chain(positions: Positions, position: int) -> list[int]:
    """The position, its parent and so on."""
    chain = [int(position)]
    while (parent := int(positions.parent[chain[-1]])) != NONE:
        chain.append(parent)
    return chain


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
