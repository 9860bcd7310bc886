"""The visited states of each search: hash tables of keys on the device.

Axes: B searches, N keys of each, P probes.
"""

import torch
from jaxtyping import Bool, Int, Int64
from torch import Tensor

# Places in which a key may lie; a key whose places are all taken by others is not remembered.
NUM_PROBES = 8
# Marks a free place; a state that happens to have this key is not remembered either.
EMPTY = torch.iinfo(torch.int64).min
_KEYS_A_PLACE = 1 / 4  # at most


class VisitedStates:
    """A set of keys for each search, without any word to the host.

    What it says it contains was added. What was added may be forgotten at once, by a key ``EMPTY``
    or if ``NUM_PROBES`` other keys hold its places: up to ``max_keys`` keys a search that is rarer
    than one in a hundred thousand. The same keys, added in the same steps, give the same answers on
    every device.
    """

    def __init__(self, num_searches: int, *, max_keys: int, device: torch.device) -> None:
        if max_keys < 1:
            raise ValueError(f"max_keys is {max_keys}; expected at least 1")
        shape = num_searches, num_places(max_keys)
        self._table = torch.full(shape, EMPTY, dtype=torch.int64, device=device)

    def contains(self, keys: Int64[Tensor, "B N"]) -> Bool[Tensor, "B N"]:
        """Which of the keys were added to the set of their own search."""
        held = self._table.gather(1, self._places(keys).flatten(1)).unflatten(
            1, (keys.shape[1], -1)
        )
        return (held == keys.unsqueeze(2)).any(2) & (keys != EMPTY)

    def add(self, keys: Int64[Tensor, "B N"], is_added: Bool[Tensor, "B N"]) -> None:
        """Adds those keys to the set of their own search of which ``is_added`` says so."""
        is_waiting = is_added & (keys != EMPTY)
        for place in self._places(keys).unbind(2):
            is_free = self._table.gather(1, place) == EMPTY
            # Of several keys that claim one free place the largest gets it, in whatever order they
            # come; who claims nothing writes the smallest number there is, which changes nothing.
            claims = keys.where(is_waiting & is_free, EMPTY)
            self._table.scatter_reduce_(1, place, claims, "amax")
            is_waiting = is_waiting & (self._table.gather(1, place) != keys)

    def _places(self, keys: Int64[Tensor, "B N"]) -> Int[Tensor, "B N P"]:
        """The places to probe for each key; its bits give the first place and the stride."""
        mixed = (keys ^ (keys >> 32)) * -7046029254386353131
        probes = torch.arange(NUM_PROBES, device=keys.device)
        # The high bits of a product depend on all bits; an odd stride comes past every place.
        home, stride = mixed >> 40, (mixed >> 20) | 1
        return (home.unsqueeze(2) + stride.unsqueeze(2) * probes) & (self._table.shape[1] - 1)


def num_places(max_keys: int) -> int:
    """The places of a search's table: a power of two."""
    return 1 << max(NUM_PROBES, int(max_keys / _KEYS_A_PLACE) - 1).bit_length()


def table_bytes(max_keys: int) -> int:
    """Bytes of the table of one search."""
    return num_places(max_keys) * torch.int64.itemsize
