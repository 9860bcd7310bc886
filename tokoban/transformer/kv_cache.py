"""Keys and values of earlier positions, cached so that a step of decoding costs one position.

Axes: L layers, B batch, N heads, T new positions, S all positions so far, E head width; M rows of
a memory, each of which serves B / M neighbouring rows of the batch.
"""

from dataclasses import dataclass

import torch
from jaxtyping import Float, Int, Int64
from torch import Tensor

KeysAndValues = tuple[Float[Tensor, "B N S E"], Float[Tensor, "B N S E"]]


class KVCache:
    """Keys and values of every layer; mutable storage, unlike most values here.

    Laws:

    * A sequence read in chunks, each with ``masks.causal(T, num_keys=S)``, gives the outputs of the
      whole sequence under a causal mask; a chunk of one position needs no mask.
    * After ``reorder(parents)`` row i holds what row ``parents[i]`` held.
    * ``length`` is a Python int, the same for all rows, so nothing is copied from the device.
    * A pass over one position with ``take_step()`` equals one with the cache itself.

    Each layer appends once per pass, the last layer last. A decoder's memory is cached beside its
    targets. For inference: gradients raise ``ValueError``.
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
        initial_capacity: int | None = None,
    ) -> None:
        """Storage for ``initial_capacity`` positions (default: ``max_length``), doubled when full.

        A small capacity keeps the storage compact where most sequences are short.
        """
        self.max_length = max_length
        # One tensor per layer: a compiler updates it in place, and would copy a slice of a larger.
        capacity = min(initial_capacity or max_length, max_length)
        shape = batch_size, num_heads, capacity, head_width
        self._keys = [torch.zeros(shape, device=device, dtype=dtype) for _ in range(num_layers)]
        self._values = [torch.zeros_like(keys) for keys in self._keys]
        self._positions = torch.arange(max_length, device=device).unsqueeze(1)
        self._lengths = [0] * num_layers
        self._memories: list[KeysAndValues | None] = [None] * num_layers

    @property
    def length(self) -> int:
        """The number of positions cached in every layer; during a pass, those before it."""
        return min(self._lengths)

    def append(
        self, layer: int, k: Float[Tensor, "B N T E"], v: Float[Tensor, "B N T E"]
    ) -> KeysAndValues:
        """Appends T positions to one layer; returns all its positions, as views of the storage."""
        batch_size, num_heads, capacity, head_width = self._keys[layer].shape
        start, end = self._lengths[layer], self._lengths[layer] + k.shape[2]
        if (*k.shape[:2], k.shape[3]) != (batch_size, num_heads, head_width):
            raise ValueError(
                f"expected keys of shape [{batch_size}, {num_heads}, T, {head_width}], "
                f"got {list(k.shape)}"
            )
        if end > self.max_length:
            raise ValueError(f"the cache holds {self.max_length} positions, asked to hold {end}")
        if end > capacity:
            self._grow(layer, min(max(end, 2 * capacity), self.max_length))
        _refuse_gradients(k, v)
        keys, values = self._keys[layer], self._values[layer]
        keys[:, :, start:end], values[:, :, start:end] = k, v
        self._lengths[layer] = end
        return keys[:, :, :end], values[:, :, :end]

    def _grow(self, layer: int, capacity: int) -> None:
        """Moves one layer into larger storage."""
        for storages in self._keys, self._values:
            old = storages[layer]
            shape = *old.shape[:2], capacity, old.shape[3]
            storages[layer] = old.new_zeros(shape)
            storages[layer][:, :, : old.shape[2]] = old

    def take_step(self) -> "CachedStep":
        """The next position, for one pass to fill in every layer; ``length`` counts it at once."""
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
        """Fills one position of one layer; returns the layer's whole storage."""
        _refuse_gradients(k, v)
        keys, values = self._keys[layer], self._values[layer]
        keys.index_copy_(2, position, k.to(keys.dtype))
        values.index_copy_(2, position, v.to(values.dtype))
        return keys, values

    def reorder(self, parents: Int[Tensor, "parents"]) -> None:
        """Row i becomes a copy of row ``parents[i]`` in every layer; only filled positions move.

        The number of rows may change, but not grow where a memory is cached. The parents of rows
        that share a row of the memory must share one, too.
        """
        batch_size, num_parents = len(self._keys[0]), len(parents)
        has_memory = any(memory is not None for memory in self._memories)
        if num_parents == 0 or (has_memory and num_parents > batch_size):
            most = f"1 to {batch_size}" if has_memory else "1 or more"
            raise ValueError(f"expected {most} parents, got {num_parents}")
        for layer, memory in enumerate(self._memories):
            if memory is not None:
                group = batch_size // len(memory[0])
                rows = parents[::group] // group  # the first parent stands for its group
                if not _is_identity(rows, len(memory[0])):
                    self._memories[layer] = memory[0][rows], memory[1][rows]
        for storages in self._keys, self._values:
            for layer, storage in enumerate(storages):
                moved = storage[:, :, : self.length].index_select(0, parents)
                if num_parents > batch_size:
                    storage = storage.new_zeros(num_parents, *storage.shape[1:])
                storages[layer] = storage = storage[:num_parents]
                storage[:, :, : self.length] = moved

    def memory(self, layer: int) -> KeysAndValues | None:
        """One layer's keys and values of the memory; None before ``put_memory``."""
        return self._memories[layer]

    def put_memory(
        self, layer: int, k: Float[Tensor, "M N S E"], v: Float[Tensor, "M N S E"]
    ) -> None:
        """Caches the memory's keys and values of one layer."""
        self._memories[layer] = k.contiguous(), v.contiguous()


def _is_identity(rows: Int[Tensor, "rows"], num_rows: int) -> bool:
    """Whether indexing by ``rows`` changes nothing; not looked at on a GPU, which would wait."""
    if rows.device.type != "cpu" or len(rows) != num_rows:
        return False
    return torch.equal(rows, torch.arange(num_rows, dtype=rows.dtype))


def _refuse_gradients(k: Tensor, v: Tensor) -> None:
    if k.requires_grad or v.requires_grad:
        raise ValueError("a cache is for inference: call the model under torch.no_grad()")


@dataclass(frozen=True)
class CachedStep:
    """A cache with the index, on the device, of the position to be filled next.

    All steps have the same shapes, so one compiled function serves them: attention runs over the
    whole storage, and the mask must hide what is not filled yet.
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
        """Fills the position in one layer; returns the layer's whole storage."""
        return self.cache.put(layer, k, v, position=self.position)

    def memory(self, layer: int) -> KeysAndValues | None:
        """The cached keys and values of the memory."""
        return self.cache.memory(layer)

    def put_memory(
        self, layer: int, k: Float[Tensor, "M N S E"], v: Float[Tensor, "M N S E"]
    ) -> None:
        """Caches the keys and values of the memory."""
        self.cache.put_memory(layer, k, v)
