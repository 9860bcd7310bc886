"""Positions of any levels as arrays that every network reads, padded to the largest board.

Axes: B positions, T tokens (floor squares), P positions of one level, D width.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from jaxtyping import Bool, Float32, Int16, Int32, UInt8

from tokoban.sokoban.board import OFFSETS, Direction
from tokoban.sokoban.encoding.features import (
    BOUND_FALLS,
    CAN_PUSH,
    DIRECTIONS,
    HAS_BOX,
    HAS_PLAYER,
    IS_FLOOR,
    IS_GOAL,
    IS_REACHED,
    IS_UNBOUNDED,
    NEIGHBOURHOOD,
    NUM_FEATURES,
    Inputs,
)
from tokoban.sokoban.encoding.tokens import Tokens

_ALWAYS_READ = (IS_FLOOR, IS_GOAL, HAS_BOX)
_AUGMENTED = (*_ALWAYS_READ, IS_REACHED, *range(CAN_PUSH, BOUND_FALLS))
_READ: dict[Inputs, tuple[int, ...]] = {
    "raw": (*_ALWAYS_READ, HAS_PLAYER),
    "augmented": _AUGMENTED,
    "bounds": (*_AUGMENTED, *range(BOUND_FALLS, NUM_FEATURES)),
}


class Encoded(NamedTuple):
    """Positions of T tokens each, padded with zeros and walls."""

    features: UInt8[np.ndarray, "B T 17"]
    neighbours: Int32[np.ndarray, "B T 9"]  # tokens of the same position; T for a wall
    coordinates: Int16[np.ndarray, "B T 2"]  # row and column


def collated(
    tokens: Sequence[Tokens],
    features: Sequence[UInt8[np.ndarray, "_ _ 17"]],
    *,
    num_tokens: int | None = None,
) -> Encoded:
    """Positions of several levels as one batch, padded to ``num_tokens`` or the largest level."""
    most = num_tokens or max(part.shape[1] for part in features)
    count = sum(len(part) for part in features)
    boards = Encoded(
        np.zeros((count, most, NUM_FEATURES), np.uint8),
        np.full((count, most, len(NEIGHBOURHOOD)), most, np.int32),
        np.zeros((count, most, 2), np.int16),
    )
    first = 0
    for level, part in zip(tokens, features, strict=True):
        own, num_squares = slice(first, first + len(part)), part.shape[1]
        is_wall = level.neighbours == num_squares
        boards.features[own, :num_squares] = part
        boards.neighbours[own, :num_squares] = np.where(is_wall, most, level.neighbours)
        boards.coordinates[own, :num_squares] = level.coordinates
        first = own.stop
    return boards


def seen(boards: Encoded, view: int) -> Encoded:
    """The same positions under a symmetry, a row of ``DIRECTIONS``; the tokens keep their order."""
    if view == 0:
        return boards
    directions = DIRECTIONS[view].tolist()
    groups = [
        first + direction
        for first in (CAN_PUSH, BOUND_FALLS, IS_UNBOUNDED)
        for direction in inverse(directions)
    ]
    # Each step to a neighbour, and the coordinates, go where the directions go.
    steps = [_turned(step, directions) for step in NEIGHBOURHOOD]
    order = [steps.index(step) for step in NEIGHBOURHOOD]
    down, right = (np.array(_turned(step, directions), np.int16) for step in ((1, 0), (0, 1)))
    rows, columns = boards.coordinates[..., :1], boards.coordinates[..., 1:]
    turned = rows * down + columns * right
    return Encoded(
        boards.features[:, :, [*range(CAN_PUSH), *groups]],
        boards.neighbours[:, :, order],
        turned - turned.min(axis=1, keepdims=True),
    )


def _turned(step: tuple[int, int], directions: list[int]) -> tuple[int, int]:
    """A step down and right under a symmetry, which takes direction d to ``directions[d]``."""
    down, right = OFFSETS[directions[Direction.DOWN]], OFFSETS[directions[Direction.RIGHT]]
    return step[0] * down[0] + step[1] * right[0], step[0] * down[1] + step[1] * right[1]


def inverse(directions: list[int]) -> list[int]:
    """The direction that comes to be each direction."""
    return [directions.index(direction) for direction in range(4)]


def frequencies(width: int) -> Float32[np.ndarray, " _"]:
    """Of the sines and cosines of a row or column: wavelengths from 4 to 64 squares."""
    return (2 * np.pi / 4 * (4 / 64) ** np.linspace(0, 1, width // 4)).astype(np.float32)


def read_features(inputs: Inputs) -> Bool[np.ndarray, "17"]:
    """Which features a network with these inputs reads."""
    return np.isin(np.arange(NUM_FEATURES), _READ[inputs])
