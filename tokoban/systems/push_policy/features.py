"""What the network reads of a square and answers for a push: numbers that all encoders share."""

from enum import IntEnum

import numpy as np
from jaxtyping import Int8


class Result(IntEnum):
    """The result of a legal push, by the pushes left before and after it."""

    OPTIMAL = 0  # one fewer
    TWO_MORE = 1  # a solution two pushes longer: the parity of the number of pushes is fixed
    WORSE = 2  # a solution four or more pushes longer, or any push of a deadlocked position
    DEADLOCK = 3


ILLEGAL, UNKNOWN = -1, -2  # a push that is none, and one that was not judged
NUM_RESULTS = len(Result)
# Classes of the pushes left: half of what they exceed the lower bound by (both are even, or both
# are odd), as many or more in one class; and deadlocked.
MOST_EXCESS = 31
DEADLOCK_CLASS = MOST_EXCESS + 1
NO_CLASS = -1  # where only a bound of the pushes left is known
NUM_CLASSES = MOST_EXCESS + 2

# The features of a token.
IS_FLOOR, IS_GOAL, HAS_BOX, IS_REACHED, HAS_PLAYER = range(5)
CAN_PUSH, BOUND_FALLS, IS_UNBOUNDED = 5, 9, 13  # by direction
NUM_FEATURES = 17
NEIGHBOURHOOD = tuple((down, right) for down in (-1, 0, 1) for right in (-1, 0, 1))


def _symmetries() -> tuple[Int8[np.ndarray, "8 64"], Int8[np.ndarray, "8 4"]]:
    """For each symmetry: the new place of each cell, and what each direction becomes."""
    cells, directions = np.empty((8, 64), np.int8), np.empty((8, 4), np.int8)
    for symmetry in range(8):
        grid = np.arange(64).reshape(8, 8)
        arrows = [0, 1, 2, 3]
        if symmetry & 4:
            grid, arrows = grid[:, ::-1], [arrow ^ 2 if arrow % 2 else arrow for arrow in arrows]
        for _ in range(symmetry % 4):
            grid, arrows = np.rot90(grid), [(arrow + 1) % 4 for arrow in arrows]
        cells[symmetry, grid.ravel()] = np.arange(64)
        directions[symmetry] = arrows
    return cells, directions


CELLS, DIRECTIONS = _symmetries()
