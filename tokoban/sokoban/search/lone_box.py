"""Where a lone box can go on a board, in numbers; computed in steps, between which limits hold.

Axes as in ``astar``.
"""

from collections.abc import Callable, Generator
from typing import TypeVar

import numpy as np
from jaxtyping import Int8, Int16, Int32

from tokoban.sokoban.search import astar

_SQUARES_A_STEP = 1 << 20  # visited between two steps: some 10 ms

Result = TypeVar("Result")
Steps = Generator[None, None, Result]


def completed(steps: Steps[Result], check: Callable[[], None] = lambda: None) -> Result:
    """Runs all steps and returns the result; ``check`` is called after each and may raise."""
    while True:
        try:
            next(steps)
        except StopIteration as end:
            result: Result = end.value
            return result
        check()


def sides_in_steps(neighbours: Int16[np.ndarray, "_ A"]) -> Steps[Int8[np.ndarray, "F F"]]:
    """``astar.World.side`` of a board without boxes."""
    num_floor = len(neighbours) - 1
    side = np.full((num_floor, num_floor), astar.NONE, np.int8)
    at_once = max(_SQUARES_A_STEP // (2 * num_floor), 1)
    for first in range(0, num_floor, at_once):
        astar.fill_sides(neighbours, side, first, min(first + at_once, num_floor))
        yield
    return side


def pushes_in_steps(
    neighbours: Int16[np.ndarray, "_ A"],
    side: Int8[np.ndarray, "F F"],
    squares: Int16[np.ndarray, " G"],
    *,
    are_starts: bool = False,
) -> Steps[Int32[np.ndarray, "_ G"]]:
    """By box * 4 + side, the pushes of a lone box to each square, or from each if ``are_starts``.

    ``astar.UNREACHABLE`` where there are none.
    """
    num_floor = len(side)
    pushes = np.full((num_floor * 4, len(squares)), astar.UNREACHABLE, np.int32)
    at_once = max(_SQUARES_A_STEP // (16 * num_floor), 1)
    for first in range(0, len(squares), at_once):
        last = min(first + at_once, len(squares))
        astar.fill_pushes(neighbours, side, squares, are_starts, pushes, first, last)
        yield
    return pushes


def find_sides(neighbours: Int16[np.ndarray, "_ A"]) -> Int8[np.ndarray, "F F"]:
    """``sides_in_steps`` at once."""
    return completed(sides_in_steps(neighbours))


def find_pushes(
    neighbours: Int16[np.ndarray, "_ A"],
    side: Int8[np.ndarray, "F F"],
    squares: Int16[np.ndarray, " G"],
) -> Int32[np.ndarray, "_ G"]:
    """``pushes_in_steps`` at once."""
    return completed(pushes_in_steps(neighbours, side, squares))
