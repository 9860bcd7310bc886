"""What attention has already computed for earlier positions, so that a step costs one position.

Axes: L layers, B batch, N heads, T new positions, S all positions so far, E head width; M rows of
a memory, each of which serves B / M neighbouring rows of the batch.
"""

from dataclasses import dataclass

import torch
from jaxtyping import Float, Int, Int64
from torch import Tensor

KeysAndValues = tuple[Float[Tensor, "B N S E"], Float[Tensor, "B N S E"]]


class KVCache:
    """Keys and values of every layer; storage, so unlike most values here it changes.

    Laws:

    * Feeding a sequence in chunks gives what feeding it whole gives under a causal mask.
    * After ``reorder(parents)`` row i is what it would be had row ``parents[i]``'s inputs been fed.
    * ``length`` is a plain int, the same for all rows, so nothing is ever fetched from the device.
    * A pass over one position with ``take_step()`` gives what one with the cache gives.

    Each layer appends once per pass, the last layer last. The keys and values of a decoder's memory
    are kept beside those of its targets. For inference: gradients through it are refused.
    """

    def __init__(
        self,
        num_layers: int,
        batch_size: int,
        num_heads: int,
        max_length: int,
        head_width: int,
        *,
        device: torch.device | str | None = None,
        dtype: torch.dtype = torch.float32,
        room: int | None = None,
    ) -> None:
        """There is room for ``room`` positions at first (all, if not given), which then doubles.

        Where most sequences end long before ``max_length``, what they keep lies closer together.
        """
        self.max_length = max_length
        # A tensor a layer: a compiler writes into one in place, and would copy a part of one.
        shape = batch_size, num_heads, min(room or max_length, max_length), head_width
        self._keys, self._values = (
            [torch.zeros(shape, device=device, dtype=dtype) for _ in range(num_layers)]
            for _ in range(2)
        )
        self._positions = torch.arange(max_length, device=device).unsqueeze(1)
        self._lengths = [0] * num_layers
        self._memories: list[KeysAndValues | None] = [None] * num_layers

    @property
    def length(self) -> int:
        """The number of positions that every layer holds: until a pass is over, those before it."""
        return min(self._lengths)

    def append(
        self, layer: int, k: Float[Tensor, "B N T E"], v: Float[Tensor, "B N T E"]
    ) -> KeysAndValues:
        """Adds T positions to one layer and gives all it then holds, as views of the storage."""
        batch_size, num_heads, room, head_width = self._keys[layer].shape
        start, end = self._lengths[layer], self._lengths[layer] + k.shape[2]
        if (*k.shape[:2], k.shape[3]) != (batch_size, num_heads, head_width):
            raise ValueError(
                f"expected keys of shape [{batch_size}, {num_heads}, T, {head_width}], "
                f"got {list(k.shape)}"
            )
        if end > self.max_length:
            raise ValueError(f"the cache holds {self.max_length} positions, asked to hold {end}")
        if end > room:
            self._grow(layer, min(max(end, 2 * room), self.max_length))
        _refuse_gradients(k, v)
        keys, values = self._keys[layer], self._values[layer]
        keys[:, :, start:end], values[:, :, start:end] = k, v
        self._lengths[layer] = end
        return keys[:, :, :end], values[:, :, :end]

    def _grow(self, layer: int, room: int) -> None:
        """Moves what one layer holds to where there is room for as many positions."""
        for storages in self._keys, self._values:
            old = storages[layer]
            shape = *old.shape[:2], room, old.shape[3]
            storages[layer] = old.new_zeros(shape)
            storages[layer][:, :, : old.shape[2]] = old

    def take_step(self) -> "CachedStep":
        """The next position, for one pass to fill in every layer; it counts as filled at once."""
        position, max_length = self.length, self.max_length
        for layer, storage in enumerate(self._keys):
            if storage.shape[2] < max_length:
                self._grow(layer, max_length)
        if position == max_length:
            raise ValueError(f"the cache holds {max_length} positions, asked to hold one more")
        self._lengths = [position + 1] * len(self._lengths)
        return CachedStep(self, self._positions[position])

    def put(
        self,
        layer: int,
        k: Float[Tensor, "B N 1 E"],
        v: Float[Tensor, "B N 1 E"],
        *,
        position: Int64[Tensor, "1"],
    ) -> KeysAndValues:
        """Fills one position of one layer and gives all that the layer has room for."""
        _refuse_gradients(k, v)
        keys, values = self._keys[layer], self._values[layer]
        keys.index_copy_(2, position, k.to(keys.dtype))
        values.index_copy_(2, position, v.to(values.dtype))
        return keys, values

    def reorder(self, parents: Int[Tensor, "parents"]) -> None:
        """Row i becomes what row ``parents[i]`` was, in every layer; only the filled part moves.

        With fewer parents than rows the batch is as small from then on. Rows that read one row of
        a memory must have parents that did so too.
        """
        batch_size, num_parents = len(self._keys[0]), len(parents)
        if not 0 < num_parents <= batch_size:
            raise ValueError(f"expected 1 to {batch_size} parents, one per row, got {num_parents}")
        for layer, kept in enumerate(self._memories):
            if kept is not None:
                group = batch_size // len(kept[0])  # the first of each speaks for all of it
                rows = parents[::group] // group
                if not _is_everyone_in_order(rows, len(kept[0])):
                    self._memories[layer] = kept[0][rows], kept[1][rows]
        for storages in self._keys, self._values:
            for layer, storage in enumerate(storages):
                moved = storage[:, :, : self.length].index_select(0, parents)
                if num_parents < batch_size:
                    storages[layer] = storage = storage[:num_parents]
                storage[:, :, : self.length] = moved

    def selected(self, rows: Int64[Tensor, "chosen"]) -> "KVCache":
        """A cache of its own whose row i is a copy of row ``rows[i]``, of as many rows as wanted.

        ``ValueError`` where a memory is kept: its rows are groups, which this would tear apart.
        """
        if any(kept is not None for kept in self._memories):
            raise ValueError("rows of a cache that keeps a memory cannot be selected")
        _, num_heads, max_length, head_width = self._keys[0].shape
        num_layers, like = len(self._keys), self._keys[0]
        chosen = KVCache(
            num_layers,
            len(rows),
            num_heads,
            max_length,
            head_width,
            device=like.device,
            dtype=like.dtype,
        )
        chosen._lengths = list(self._lengths)
        end = self.length
        for sources, copies in (self._keys, chosen._keys), (self._values, chosen._values):
            for source, copy in zip(sources, copies, strict=True):
                copy[:, :, :end] = source[:, :, :end].index_select(0, rows)
        return chosen

    def memory(self, layer: int) -> KeysAndValues | None:
        """The memory's keys and values as kept for one layer; None before ``keep_memory``."""
        return self._memories[layer]

    def keep_memory(
        self, layer: int, k: Float[Tensor, "M N S E"], v: Float[Tensor, "M N S E"]
    ) -> None:
        """Keeps the memory's keys and values of one layer, for the passes to come."""
        self._memories[layer] = k.contiguous(), v.contiguous()


def _is_everyone_in_order(rows: Int[Tensor, "rows"], num_rows: int) -> bool:
    """Whether taking these rows changes nothing; on a GPU nobody asks, for that would wait."""
    if rows.device.type != "cpu" or len(rows) != num_rows:
        return False
    return torch.equal(rows, torch.arange(num_rows, dtype=rows.dtype))


def _refuse_gradients(k: Tensor, v: Tensor) -> None:
    if k.requires_grad or v.requires_grad:
        raise ValueError("a cache is for inference: call the model under torch.no_grad()")


@dataclass(frozen=True)
class CachedStep:
    """A cache whose next position is to be filled; the position's number is on the device.

    Every step has the same shapes, so one compiled function serves them all: attention runs over
    the whole storage, and the mask must hide what is not filled yet.
    """

    cache: KVCache
    position: Int64[Tensor, "1"]

    @property
    def length(self) -> Int64[Tensor, "1"]:
        """The number of positions before this one."""
        return self.position

    def append(
        self, layer: int, k: Float[Tensor, "B N 1 E"], v: Float[Tensor, "B N 1 E"]
    ) -> KeysAndValues:
        """Fills the position in one layer and gives the layer's whole storage."""
        return self.cache.put(layer, k, v, position=self.position)

    def memory(self, layer: int) -> KeysAndValues | None:
        """The cache's own."""
        return self.cache.memory(layer)

    def keep_memory(
        self, layer: int, k: Float[Tensor, "M N S E"], v: Float[Tensor, "M N S E"]
    ) -> None:
        """Keeps it in the cache."""
        self.cache.keep_memory(layer, k, v)
