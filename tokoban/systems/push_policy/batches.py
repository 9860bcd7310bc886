"""Boards with their labels.

Axes: B positions, T tokens (floor squares).
"""

from typing import NamedTuple

from jaxtyping import Int8, Int16
from torch import Tensor

from tokoban.sokoban.encoding.boards import Boards


class Batch(NamedTuple):
    """Boards with their labels."""

    boards: Boards
    results: Int8[Tensor, "B T 4"]  # of each push, a ``Result``, ILLEGAL or UNKNOWN
    value: Int16[Tensor, " B"]  # the class of the pushes left, or NO_CLASS
