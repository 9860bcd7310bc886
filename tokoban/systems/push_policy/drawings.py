"""Which shards a drawing of batches reads."""

from collections.abc import Sequence
from pathlib import Path

from tokoban.training.streams import Purpose, stream

_SHARDS_A_DRAWING = 4


def shards_drawn(shards: Sequence[Path], drawing: int, *, seed: int) -> list[Path]:
    """The shards of one drawing: all come, in random order, before one comes again."""
    first = drawing * _SHARDS_A_DRAWING
    chosen = []
    for place in range(first, first + _SHARDS_A_DRAWING):
        epoch, place_in_epoch = divmod(place, len(shards))
        order = stream(seed, Purpose.ORDER, epoch).permutation(len(shards))
        chosen.append(shards[order[place_in_epoch]])
    return chosen
