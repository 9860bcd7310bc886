"""Boards with their labels, and which shards they are drawn from.

Axes: B positions, T tokens (floor squares).
"""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from jaxtyping import Int8, Int16
from torch import Tensor

from tokoban.sokoban.encoding.boards import Boards
from tokoban.training.streams import Purpose, stream

_SHARDS_A_DRAWING = 4


class Batch(NamedTuple):
    """Boards with their labels."""

    boards: Boards
    results: Int8[Tensor, "B T 4"]  # of each push, a ``Result``, ILLEGAL or UNKNOWN
    value: Int16[Tensor, " B"]  # the class of the pushes left, or NO_CLASS


def shards_drawn(shards: Sequence[Path], drawing: int, *, seed: int) -> list[Path]:
    """The shards of one drawing: all come, in random order, before one comes again."""
    first = drawing * _SHARDS_A_DRAWING
    chosen = []
    for place in range(first, first + _SHARDS_A_DRAWING):
        epoch, place_in_epoch = divmod(place, len(shards))
        order = stream(seed, Purpose.ORDER, epoch).permutation(len(shards))
        chosen.append(shards[order[place_in_epoch]])
    return chosen
