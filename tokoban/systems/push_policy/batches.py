"""Positions as tensors, padded to the largest board of a batch.

Axes: B positions, T tokens (floor squares), R = B * T tokens of all positions, P positions of one
level.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import torch
from jaxtyping import Bool, Int8, Int16, Int32, UInt8
from torch import Tensor

from tokoban.sokoban.board import OFFSETS, Direction
from tokoban.systems.push_policy.positions import (
    BOUND_FALLS,
    CAN_PUSH,
    DIRECTIONS,
    IS_UNBOUNDED,
    NEIGHBOURHOOD,
    NUM_FEATURES,
)
from tokoban.systems.push_policy.tokens import Tokens


class Boards(NamedTuple):
    """Positions as the network reads them; T tokens each, padded."""

    features: UInt8[Tensor, "B T 17"]
    neighbours: Int32[Tensor, "B T 9"]  # tokens of the same position; T for a wall
    coordinates: Int16[Tensor, "B T 2"]  # row and column

    @property
    def is_square(self) -> Bool[Tensor, "B T"]:
        """Whether a token is a square and no padding."""
        return self.features[:, :, 0] != 0

    def rows_of_neighbours(self) -> Int32[Tensor, "R 9"]:
        """Neighbours as numbers of the R = B * T tokens of all positions; R for a wall."""
        num_positions, num_tokens, _ = self.features.shape
        first = torch.arange(num_positions, dtype=torch.int32, device=self.features.device)
        rows = self.neighbours + num_tokens * first[:, None, None]
        is_wall = self.neighbours == num_tokens
        return rows.masked_fill(is_wall, num_positions * num_tokens).flatten(0, 1)


class Batch(NamedTuple):
    """Boards with their labels."""

    boards: Boards
    results: Int8[Tensor, "B T 4"]  # of each push, a ``Result``, ILLEGAL or UNKNOWN
    value: Int16[Tensor, " B"]  # the class of the pushes left, or NO_CLASS

    def to(self, device: torch.device) -> "Batch":
        """The batch on a device."""
        boards = Boards(*(tensor.to(device) for tensor in self.boards))
        return Batch(boards, self.results.to(device), self.value.to(device))


def collated(
    tokens: Sequence[Tokens],
    features: Sequence[UInt8[np.ndarray, "_ _ 17"]],
    *,
    num_tokens: int | None = None,
) -> Boards:
    """Positions of several levels as one batch, padded to ``num_tokens`` or the largest level."""
    most = num_tokens or max(part.shape[1] for part in features)
    count = sum(len(part) for part in features)
    all_features = np.zeros((count, most, NUM_FEATURES), np.uint8)
    neighbours = np.full((count, most, len(NEIGHBOURHOOD)), most, np.int32)
    coordinates = np.zeros((count, most, 2), np.int16)
    first = 0
    for level, part in zip(tokens, features, strict=True):
        last, num_squares = first + len(part), part.shape[1]
        all_features[first:last, :num_squares] = part
        is_wall = level.neighbours == num_squares
        neighbours[first:last, :num_squares] = np.where(is_wall, most, level.neighbours)
        coordinates[first:last, :num_squares] = level.coordinates
        first = last
    return Boards(*map(torch.from_numpy, (all_features, neighbours, coordinates)))


def seen(boards: Boards, view: int) -> Boards:
    """The same positions under a symmetry of ``positions``; the tokens keep their order."""
    if view == 0:
        return boards
    directions = DIRECTIONS[view].tolist()
    groups = [
        first + direction
        for first in (CAN_PUSH, BOUND_FALLS, IS_UNBOUNDED)
        for direction in inverse(directions)
    ]
    features = boards.features[:, :, [*range(CAN_PUSH), *groups]]
    # Each step to a neighbour, and the coordinates, go where the directions go.
    steps = [_turned(step, directions) for step in NEIGHBOURHOOD]
    order = [steps.index(step) for step in NEIGHBOURHOOD]
    rows, columns = boards.coordinates.long().unbind(-1)
    down, right = (torch.tensor(_turned(step, directions)) for step in ((1, 0), (0, 1)))
    turned = rows[..., None] * down.to(rows) + columns[..., None] * right.to(rows)
    turned = turned - turned.amin(1, keepdim=True)
    return Boards(features, boards.neighbours[:, :, order], turned.to(boards.coordinates))


def _turned(step: tuple[int, int], directions: list[int]) -> tuple[int, int]:
    """A step down and right under a symmetry, which takes direction d to ``directions[d]``."""
    down, right = OFFSETS[directions[Direction.DOWN]], OFFSETS[directions[Direction.RIGHT]]
    return step[0] * down[0] + step[1] * right[0], step[0] * down[1] + step[1] * right[1]


def inverse(directions: list[int]) -> list[int]:
    """The direction that comes to be each direction."""
    return [directions.index(direction) for direction in range(4)]
