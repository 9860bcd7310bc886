"""From the positions of both sides of bidirectional FESS back to the moves of the player."""

from itertools import pairwise

import numpy as np

from tokoban.sokoban.board import Direction
from tokoban.sokoban.search.level.ground import Ground
from tokoban.sokoban.search.level.one_box import Step, directions_of_steps
from tokoban.sokoban.search.searches.bidirectional.sides import Side
from tokoban.sokoban.search.state.positions import Positions, unpacked_bits
from tokoban.sokoban.search.state.walks import chain


def find_directions(
    ground: Ground, forward: Side, backward: Side, meeting: tuple[int, int], player: int
) -> tuple[Direction, ...]:
    """All moves from the start, with the player on square ``player``, to all boxes on goals.

    ``meeting`` is one position by its number forwards and its number backwards.
    """
    num_floor = len(ground.zone)
    positions = forward.positions
    ahead = chain(positions, meeting[0])[::-1]
    steps = [
        step_between(positions, i, j, int(forward.pushed_to[j]), num_floor)
        for i, j in pairwise(ahead)
    ]
    steps += steps_to_end(backward, meeting[1], num_floor)
    is_box = unpacked_bits(positions.boxes[ahead[0]], num_floor)
    return directions_of_steps(ground, is_box, player, steps)


def steps_to_end(backward: Side, position: int, num_floor: int) -> list[Step]:
    """From a position that was found by pulls to the end they began at, in the order of play."""
    positions = backward.positions
    return [
        step_between(positions, i, j, int(backward.pushed_to[i]), num_floor)
        for i, j in pairwise(chain(positions, position))
    ]


def step_between(
    positions: Positions, before: int, after: int, around: int, num_floor: int
) -> Step:
    """The pushes from one position to the next.

    ``around`` is the square of the box should it only be pushed around to where it was.
    """
    is_box, is_box_after = (unpacked_bits(positions.boxes[i], num_floor) for i in (before, after))
    box = end = around
    if (is_box != is_box_after).any():
        box = int(np.flatnonzero(is_box & ~is_box_after)[0])
        end = int(np.flatnonzero(is_box_after & ~is_box)[0])
    return Step(box, end, int(positions.player[after]))
