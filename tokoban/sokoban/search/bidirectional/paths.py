"""From the positions of both sides of bidirectional FESS back to the moves of the player."""

from itertools import pairwise

import numpy as np

from tokoban.sokoban.board import Direction
from tokoban.sokoban.search.bidirectional.sides import Side
from tokoban.sokoban.search.ground import NONE, Ground
from tokoban.sokoban.search.one_box import Step, directions_of_steps
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
    first = is_box = unpacked_bits(forward.positions.boxes[ahead[0]], num_floor)
    one_box_steps = []
    for positions, position, around in steps:
        is_box_after = unpacked_bits(positions.boxes[position], num_floor)
        box, end = int(around), int(around)
        if (is_box != is_box_after).any():
            box = int(np.flatnonzero(is_box & ~is_box_after)[0])
            end = int(np.flatnonzero(is_box_after & ~is_box)[0])
        one_box_steps.append(Step(box, end, int(positions.player[position])))
        is_box = is_box_after
    return directions_of_steps(ground, first, player, one_box_steps)


def _chain(positions: Positions, position: int) -> list[int]:
    """The position, its parent and so on."""
    chain = [int(position)]
    while (parent := int(positions.parent[chain[-1]])) != NONE:
        chain.append(parent)
    return chain
