"""The tables of a level that FESS computes before it starts, forwards and backwards.

Axes as in ``ground``.
"""

from typing import NamedTuple

import numpy as np
from jaxtyping import Int16, UInt64

from tokoban.sokoban.board import Board
from tokoban.sokoban.search.level.ground import (
    Ground,
    Squares,
    articulation_squares,
    ground_in_steps,
    reversed_in_steps,
)
from tokoban.sokoban.search.measures.packing.order import (
    goal_rooms,
    packing_order_in_steps,
    squares_in_plan,
)
from tokoban.sokoban.search.steps import Steps

# With more boxes the cheapest matching of boxes and goals costs more time than it saves.
MAX_MATCHED = 48


class Tables(NamedTuple):
    """A level without its boxes and player, played forwards or backwards."""

    ground: Ground
    is_backward: bool
    is_matched: bool  # whether the lower bound is of a matching, or of each box to its next goal
    rank: Int16[np.ndarray, " G"]  # place of each goal in the packing order, from 0
    packing: Int16[np.ndarray, "2 G"]  # all goals room by room, in this order, and their rooms
    in_plan: UInt64[np.ndarray, "G+1 W"]  # squares that so many packed goals do not cut off
    articulation: UInt64[np.ndarray, " W"]  # squares that part the floor if a box is there


def tables_in_steps(
    board: Board, squares: Squares, ground: Ground | None = None
) -> Steps[tuple[Tables, Tables]]:
    """The level forwards and backwards; boxes and goals are equally many.

    ``ground`` is that of the board, if known.
    """
    if ground is None:
        ground = yield from ground_in_steps(board, squares)
    neighbours, goals, boxes = ground.neighbours, ground.goals, squares.numbers(board.boxes)
    player = squares.number[board.player]
    rank = yield from packing_order_in_steps(neighbours, goals, boxes, player)
    articulation = articulation_squares(neighbours)
    yield
    in_plan = squares_in_plan(neighbours, goals, rank)
    yield
    backward_ground = yield from reversed_in_steps(ground, boxes)

    def one_way(is_backward: bool) -> Tables:
        room = goal_rooms(neighbours, goals)
        if is_backward:  # nothing is packed: every square is in the plan, every goal a room
            room = np.arange(len(goals), dtype=np.int16)
        by_room = np.lexsort((rank, room)).astype(np.int16)
        return Tables(
            ground=backward_ground if is_backward else ground,
            is_backward=is_backward,
            is_matched=len(goals) <= MAX_MATCHED,
            rank=rank,
            packing=np.stack([by_room, room[by_room]]),
            in_plan=np.full_like(in_plan, np.iinfo(np.uint64).max) if is_backward else in_plan,
            articulation=articulation,
        )

    return one_way(False), one_way(True)
