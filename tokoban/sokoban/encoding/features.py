"""What a network reads of a square: numbers that all encoders share."""

from typing import Literal

import numpy as np
from jaxtyping import Int8

Inputs = Literal["bounds", "augmented", "raw"]

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
