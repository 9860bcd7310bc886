"""A board in numbers, for what is known of lone boxes and for the compiled search.

Axes in this folder: F floor squares, G goals, K boxes, P room for positions, T room for traps,
S slots of the hash table, D sums of distances.
A square is a number below F; number F is the wall around everything. A *place* is a lone box and an
area of the player beside it, ``box * 4 + side``, as in ``solving.astar``.
"""

from collections.abc import Callable, Iterable
from typing import NamedTuple

import numpy as np
from jaxtyping import Bool, Int, Int16, Int32

from tokoban.sokoban.board import Board, Square
from tokoban.sokoban.proofs.certificate import BoxState
from tokoban.sokoban.search import astar
from tokoban.sokoban.search.by_squares import numbered
from tokoban.sokoban.search.lone_box import completed, pushes_in_steps, sides_in_steps


class World(NamedTuple):
    """What compiled code has to know of a board without its boxes."""

    neighbours: Int16[np.ndarray, "F+1 4"]  # the square in each direction; row F is never left
    is_goal: Bool[np.ndarray, "F+1"]
    side: Int[np.ndarray, "F F"]  # as in ``astar.World``
    reaches: Bool[np.ndarray, "F*4 G"]  # whether a lone box can be pushed from a place to a goal
    fewest: Int32[np.ndarray, "F*4"]  # pushes of it to any goal; UNREACHABLE if there is none


class Ground:
    """The squares of a board that the player could walk to were there no boxes."""

    def __init__(self, board: Board, check: Callable[[], None] = lambda: None) -> None:
        """``check`` is called between steps and may raise to stop."""
        self.board = board
        self.squares = sorted(board.inside())
        self.number, neighbours = numbered(self.squares)
        goals = [self.number[goal] for goal in sorted(board.goals) if goal in self.number]
        self.goals = np.array(goals, np.int16)
        is_goal = np.zeros(len(self.squares) + 1, np.bool_)
        is_goal[self.goals] = True
        side = completed(sides_in_steps(neighbours), check)
        pushes = completed(pushes_in_steps(neighbours, side, self.goals), check)
        self.world = World(
            neighbours,
            is_goal,
            side,
            pushes < astar.UNREACHABLE,
            pushes.min(axis=1, initial=astar.UNREACHABLE),
        )

    def place(self, box: Square, player: Square) -> int:
        """The number of a place on these squares."""
        number = self.number[box]
        return number * 4 + int(self.world.side[number, self.number[player]])

    def numbers(self, squares: Iterable[Square]) -> list[int]:
        """The numbers of squares, ascending."""
        return sorted(self.number[square] for square in squares)

    def named(self, place: int) -> BoxState:
        """The box of a place, with the player on the square beside it that gives the side."""
        box = self.squares[place // 4]
        return BoxState(box, box.neighbour(place % 4))

    def closure(self, places: Iterable[int]) -> list[int]:
        """The places, and all that pushes of the lone boxes lead to; ascending."""
        neighbours, side = self.world.neighbours.tolist(), self.world.side
        wall = len(self.squares)
        found = set(places)
        waiting = list(found)
        while waiting:
            box, player_side = divmod(waiting.pop(), 4)
            for direction in range(4):
                ahead, behind = neighbours[box][direction], neighbours[box][direction ^ 2]
                if wall in (ahead, behind) or side[box, behind] != player_side:
                    continue
                after = ahead * 4 + int(side[ahead, box])
                if after not in found:
                    found.add(after)
                    waiting.append(after)
        return sorted(found)
