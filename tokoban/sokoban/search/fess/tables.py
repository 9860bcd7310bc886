"""What a search never changes: a level in numbers, to be played forwards or backwards.

Axes in this folder: F floor squares, G goals (as many as boxes), W words of 64 squares, X words of
64 goals, P room for positions.
A square is a number below F; number F is the wall around everything. Squares and goals in words
are bits, the least first.
"""

from typing import NamedTuple

import numpy as np
from jaxtyping import Bool, Int, Int16, Int32, UInt64

from tokoban.sokoban.board import Board, Square
from tokoban.sokoban.search import astar
from tokoban.sokoban.search.by_squares import numbered
from tokoban.sokoban.search.fess.packing import (
    find_doors,
    goal_rooms,
    packing_order_in_steps,
    squares_in_plan,
)
from tokoban.sokoban.search.lone_box import Steps, completed, pushes_in_steps, sides_in_steps

# With more boxes the cheapest matching of boxes and goals costs more time than it saves.
MAX_MATCHED = 48


class Tables(NamedTuple):
    """A level without its boxes and player.

    Backwards the goals are the squares where boxes start, and what is called a push is a pull.
    """

    is_backward: bool
    is_matched: bool  # whether pushes left are of a matching, or only of each box to its next goal
    neighbours: Int16[np.ndarray, "F+1 4"]  # the square in each direction; row F is never left
    goals: Int16[np.ndarray, " G"]
    goal_of: Int16[np.ndarray, "F+1"]  # the number of the goal on a square; NONE where is none
    # side[box, player]: for the lone box, the lowest direction from it whose square the player
    # can walk to; NONE where box and player cannot be. Equal sides are one and the same area.
    side: Int[np.ndarray, "F F"]
    pushes: Int32[np.ndarray, "F*4 G"]  # of a lone box, by box * 4 + side, to each goal
    fewest_pushes: Int32[np.ndarray, "F*4"]  # to any goal; UNREACHABLE if there is none
    is_dead: Bool[np.ndarray, "F+1"]  # no goal at all from any side, or wall
    keys: UInt64[np.ndarray, "2 F"]  # random words of a box and of the player on each square
    rank: Int16[np.ndarray, " G"]  # place of each goal in the packing order, from 0
    packing: Int16[np.ndarray, "2 G"]  # all goals room by room, in this order, and their rooms
    in_plan: UInt64[np.ndarray, "G+1 W"]  # squares that so many packed goals do not shut off
    doors: UInt64[np.ndarray, " W"]  # squares that part the floor when something stands there


# The level forwards and backwards, and the squares where its boxes start.
BothTables = tuple[Tables, Tables, Int16[np.ndarray, " G"]]


def build_tables(board: Board, squares: list[Square], *, seed: int) -> BothTables:
    """``tables_in_steps`` at once."""
    return completed(tables_in_steps(board, squares, seed=seed))


def tables_in_steps(board: Board, squares: list[Square], *, seed: int) -> Steps[BothTables]:
    """Numbers the level; ``squares`` are the floor inside, with equally many boxes and goals."""
    number, neighbours = numbered(squares)
    wall = len(squares)
    goals = np.array([number[goal] for goal in sorted(board.goals) if goal in number], np.int16)
    boxes = np.array([number[box] for box in sorted(board.boxes) if box in number], np.int16)
    side = yield from sides_in_steps(neighbours)
    rank = yield from packing_order_in_steps(neighbours, goals, boxes, number[board.player])
    keys = np.random.default_rng(seed).integers(1 << 64, size=(2, wall), dtype=np.uint64)
    doors = find_doors(neighbours)
    yield
    in_plan = squares_in_plan(neighbours, goals, rank)
    yield

    def one_way(is_backward: bool) -> Steps[Tables]:
        targets = boxes if is_backward else goals
        pushes = yield from pushes_in_steps(neighbours, side, targets, are_starts=is_backward)
        goal_of = np.full(wall + 1, astar.NONE, np.int16)
        goal_of[targets] = np.arange(len(targets))
        fewest_pushes = pushes.min(axis=1)
        is_dead = (fewest_pushes == astar.UNREACHABLE).reshape(wall, 4).all(axis=1)
        room = goal_rooms(neighbours, goals)
        if is_backward:  # nothing is packed: every square is in the plan, every goal a room
            room = np.arange(len(goals), dtype=np.int16)
        by_room = np.lexsort((rank, room)).astype(np.int16)
        return Tables(
            is_backward=is_backward,
            is_matched=len(targets) <= MAX_MATCHED,
            neighbours=neighbours,
            goals=targets,
            goal_of=goal_of,
            side=side,
            pushes=pushes,
            fewest_pushes=fewest_pushes,
            is_dead=np.append(is_dead, True),
            keys=keys,
            rank=rank,
            packing=np.stack([by_room, room[by_room]]),
            in_plan=np.full_like(in_plan, np.iinfo(np.uint64).max) if is_backward else in_plan,
            doors=doors,
        )

    forward = yield from one_way(False)
    backward = yield from one_way(True)
    return forward, backward, boxes
