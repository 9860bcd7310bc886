"""What a search never changes: a level in numbers, and what is to be small.

Axes in this folder: F floor squares, W words of 64 squares, M pushes of a plan, P room for
positions, S slots of the hash table, T totals that are searched.
A square is a number below F; number F is the wall around everything. Squares in words are bits, the
least first. A push is the square of its box times 4, plus its direction.
"""

from collections.abc import Callable
from typing import NamedTuple, no_type_check

import numpy as np
from jaxtyping import Bool, Int, Int16, Int32, UInt64

from tokoban.compiling import inner
from tokoban.sokoban.board import Board, Square
from tokoban.sokoban.search import astar
from tokoban.sokoban.search.bitboard.words import EMPTY, ONE, index, lowest
from tokoban.sokoban.search.by_squares import numbered
from tokoban.sokoban.search.lone_box import completed, pushes_in_steps, sides_in_steps

# A price is the figure that is to be small times this, plus the other one.
MAIN = 1 << 32


class Tables(NamedTuple):
    """A level without its boxes and player."""

    counts_moves: bool  # moves are to be few, and pushes where moves are equal; else the reverse
    neighbours: Int16[np.ndarray, "F+1 4"]  # the square in each direction; row F is never left
    is_goal: Bool[np.ndarray, "F+1"]
    # side[box, player]: for the lone box, the lowest direction from it whose square the player
    # can walk to. Equal sides are one and the same area.
    side: Int[np.ndarray, "F F"]
    is_lost: Bool[np.ndarray, "F*4"]  # no goal at all for a lone box, by box * 4 + side
    fewest_pushes: Int32[np.ndarray, " F"]  # of a lone box to any goal, from its best side
    keys: UInt64[np.ndarray, "2 F"]  # random words of a box and of the player on each square


def build_tables(
    board: Board,
    squares: list[Square],
    minimise: str,
    check: Callable[[], None] = lambda: None,
) -> Tables:
    """The level with ``squares`` as its floor, where boxes and goals must be equally many.

    ``check`` is called between steps and may raise to stop.
    """
    number, neighbours = numbered(squares)
    wall = len(squares)
    goals = np.array([number[goal] for goal in sorted(board.goals) if goal in number], np.int16)
    is_goal = np.zeros(wall + 1, np.bool_)
    is_goal[goals] = True
    side = completed(sides_in_steps(neighbours), check)
    pushes = completed(pushes_in_steps(neighbours, side, goals), check)
    fewest_pushes = pushes.min(axis=1).reshape(wall, 4)
    return Tables(
        counts_moves=minimise == "moves",
        neighbours=neighbours,
        is_goal=is_goal,
        side=side,
        is_lost=(fewest_pushes == astar.UNREACHABLE).ravel(),
        fewest_pushes=fewest_pushes.min(axis=1),
        keys=np.random.default_rng(0).integers(1 << 64, size=(2, wall), dtype=np.uint64),
    )


@inner
@no_type_check
def bit_of(square):
    """The bit of a square in its word."""
    return ONE << np.uint64(square & 63)


@inner
@no_type_check
def list_boxes(words, boxes):
    """Writes the squares of ``words`` into ``boxes``."""
    count = 0
    for word in range(len(words)):
        rest = words[word]
        while rest != EMPTY:
            boxes[count] = 64 * word + index(rest)
            count += 1
            rest ^= lowest(rest)


@inner
@no_type_check
def price_of_push(counts_moves, steps):
    """The price of a walk of so many steps and the push after it."""
    if counts_moves:
        return (steps + 1) * MAIN + 1
    return MAIN + steps + 1
