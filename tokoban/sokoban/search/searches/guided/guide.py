"""The contract between a search and its guide: a policy over pushes, and estimates for positions.

Axes: P positions, F floor squares of ``ground.Squares``. A push is the square of the box before it
and its direction. A guide knows a level's walls and goals; it may be a network, a linear model or a
table.
"""

from collections.abc import Sequence
from typing import NamedTuple, Protocol, runtime_checkable

import numpy as np
from jaxtyping import Bool, Float32, Int16

from tokoban.sokoban.board import Board
from tokoban.sokoban.search.level.ground import Squares

# Greater probabilities of a deadlock count as this one: however certain the guide is, a search puts
# the position off and never drops it.
MOST_DEADLOCKED = 1 - 1e-6


class Guidance(NamedTuple):
    """A guide's judgements of positions.

    ``log_policy`` has the natural log-probability of each push, -inf where it is illegal; the
    probabilities of a position's legal pushes sum to 1. ``pushes_left`` are expected, provided that
    the position is solvable; ``deadlocked`` is the probability that it is not, ``push_deadlocks``
    the same of the position after each push. What is not known is 0.
    """

    log_policy: Float32[np.ndarray, "P F 4"]
    pushes_left: Float32[np.ndarray, " P"]
    deadlocked: Float32[np.ndarray, " P"]
    push_deadlocks: Float32[np.ndarray, "P F 4"]


@runtime_checkable
class Guide(Protocol):
    """A guide for one level."""

    def evaluate(self, boxes: Bool[np.ndarray, "P F"], zone: Bool[np.ndarray, "P F"]) -> Guidance:
        """Judges positions; ``zone`` is where the player can walk. Each row is one evaluation.

        The push ``[square, direction]`` of the ``Guidance`` moves the box on that square; the
        directions 0 to 3 are up, left, down, right. ``legal_pushes`` says which are legal.
        """


def boxes_and_zones(
    squares: Squares, boards: Sequence[Board]
) -> tuple[Bool[np.ndarray, "P F"], Bool[np.ndarray, "P F"]]:
    """Positions of one level as ``Guide.evaluate`` reads them."""
    boxes = [squares.is_among(board.boxes) for board in boards]
    zones = [squares.is_among(board.area()) for board in boards]
    return np.array(boxes), np.array(zones)


class UniformGuide:
    """Knows nothing: every legal push is as likely as any other."""

    def __init__(self, neighbours: Int16[np.ndarray, "_ 4"]) -> None:
        self._neighbours = neighbours

    def evaluate(self, boxes: Bool[np.ndarray, "P F"], zone: Bool[np.ndarray, "P F"]) -> Guidance:
        """The uniform policy, no pushes left and no deadlocks."""
        nothing = np.zeros(len(boxes), np.float32)
        is_legal = legal_pushes(self._neighbours, boxes, zone)
        num_legal = is_legal.sum(axis=(1, 2), keepdims=True)
        each = -np.log(np.maximum(num_legal, 1)).astype(np.float32)
        return Guidance(
            log_policy=np.where(is_legal, each, np.float32(-np.inf)),
            pushes_left=nothing,
            deadlocked=nothing,
            push_deadlocks=np.zeros((*boxes.shape, 4), np.float32),
        )


def legal_pushes(
    neighbours: Int16[np.ndarray, "_ 4"],
    boxes: Bool[np.ndarray, "P F"],
    zone: Bool[np.ndarray, "P F"],
) -> Bool[np.ndarray, "P F 4"]:
    """The pushes that the player can walk to; ``neighbours`` is the table of ``ground.Squares``."""
    around = neighbours[:-1]
    wall = np.ones((len(boxes), 1), np.bool_)
    is_free = ~np.concatenate([boxes, wall], axis=1)
    is_in_zone = np.concatenate([zone, ~wall], axis=1)
    opposite = around[:, [2, 3, 0, 1]]
    return boxes[:, :, None] & is_free[:, around] & is_in_zone[:, opposite]
