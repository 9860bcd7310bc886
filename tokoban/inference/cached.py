"""The engine of torch's own operations with a KV cache, on any device.

Axes: P prompts, T positions, D width; a row R is prompt * width + copy.
"""

from collections.abc import Callable
from dataclasses import dataclass

import torch
from jaxtyping import Bool, Float, Int, Int64
from torch import Tensor

from tokoban.inference.embed import embed, padded, project, read_sources
from tokoban.inference.engine import Engine, Inputs, Network, Prompts, Rows
from tokoban.transformer import CachedStep, Decoder, empty_cache_for, masks

_INITIAL_CAPACITY = 64  # positions of a cache before it grows: compact for short sequences


class CachedEngine(Engine):
    """Executes the modules themselves; weights are read where they are now, and may change there.

    With ``fixed_shapes`` every step runs over the whole cache, so that all steps are one function
    to a compiler and one kind of kernel to a CUDA graph; the network needs ``may_attend`` then.
    """

    def __init__(self, network: Network, *, fixed_shapes: bool = False) -> None:
        if fixed_shapes and network.may_attend is None:
            raise ValueError("fixed shapes need a mask, to hide what is not filled yet")
        self.network, self.fixed_shapes = network, fixed_shapes

    @torch.no_grad()
    def read(
        self, prompts: Prompts, *, width: int = 1, max_length: int | None = None
    ) -> "CachedRows":
        return CachedRows(self, prompts, width=width, max_length=max_length)


class CachedRows(Rows):
    """The ``Rows`` of a ``CachedEngine``; when rows change places, what the cache holds moves."""

    def __init__(
        self, engine: CachedEngine, prompts: Prompts, *, width: int, max_length: int | None
    ) -> None:
        network = self.network = engine.network
        self.fixed_shapes, self.width = engine.fixed_shapes, width
        max_length = max_length or network.max_length
        network.require_length(max_length)
        self.memory: tuple[Tensor, Tensor] | None = None
        self.num_padding: Int64[Tensor, R] | None = None  # on the left, of each row
        if network.encoder is not None:
            self.memory = read_sources(network, prompts)
            inputs = torch.full(
                (len(prompts) * width, 1), network.first_token, device=network.device
            )
        else:
            inputs, lengths = padded(network, prompts, on_the_left=True)
            if not isinstance(prompts, Tensor) and len(set(map(len, prompts))) > 1:
                if network.may_attend is not None:  # as with fixed shapes, too
                    raise ValueError("prompts of different lengths need a network without a mask")
                self.num_padding = inputs.shape[1] - lengths
        self.cache = empty_cache_for(
            network.stack,
            len(inputs),
            max_length,
            initial_capacity=None if engine.fixed_shapes else _INITIAL_CAPACITY,
        )
        hidden = self._run(inputs)
        if len(inputs) < len(prompts) * width:
            rows = torch.arange(len(inputs), device=network.device).repeat_interleave(width)
            self.cache.reorder(rows)
            hidden = hidden[rows]
            if self.num_padding is not None:
                self.num_padding = self.num_padding[rows]
        self.output = project(network, hidden)

    def step(self, parents: Int[Tensor, "R"] | None) -> Callable[[Inputs], Tensor]:
        if parents is not None:
            self._take(parents)
        if self.fixed_shapes:
            return FixedStep(self.network, self.cache.take_step())
        return self._append

    def _take(self, parents: Int[Tensor, "R"]) -> None:
        self.cache.reorder(parents)
        if self.num_padding is not None:
            self.num_padding = self.num_padding[parents]
        if self.memory is not None and len(parents) < len(self.memory[0]) * self.width:
            kept = parents[:: self.width] // self.width
            self.memory = self.memory[0][kept], self.memory[1][kept]

    @torch.no_grad()
    def _append(self, inputs: Inputs) -> Tensor:
        return project(self.network, self._run(inputs.unsqueeze(1)))

    def _run(self, inputs: Tensor) -> Float[Tensor, "R D"]:
        """The stack's vectors at the last of the inputs [R, T] or [R, T, D]."""
        network, past, length = self.network, self.cache.length, inputs.shape[1]
        end = past + length
        network.require_length(end)
        positions = torch.arange(past, end, device=network.device)
        may_attend = None
        if network.may_attend is not None:
            may_attend = network.may_attend[past:end, :end]
        elif length > 1:  # a single position may attend to all that there is
            may_attend = masks.causal(length, num_keys=end, device=network.device)
        if self.num_padding is not None:
            places = torch.arange(end, device=network.device)
            is_text = (places >= self.num_padding[:, None])[:, None, None]  # [R, 1, 1, total]
            may_attend = is_text if may_attend is None else may_attend & is_text
            positions = (positions - self.num_padding[:, None]).clamp_min(0)
        vectors = embed(network, inputs, positions)
        if isinstance(network.stack, Decoder):
            assert self.memory is not None
            memory, is_source = self.memory
            return network.stack(
                vectors,
                memory,
                may_attend=may_attend,
                memory_may_attend=is_source,
                cache=self.cache,
            )[:, -1]
        return network.stack(vectors, may_attend=may_attend, cache=self.cache)[:, -1]


@dataclass(frozen=True)
class FixedStep:
    """The next position of all rows, for one call to fill; its number is on the device."""

    network: Network
    place: CachedStep

    def __call__(self, inputs: Inputs) -> Tensor:
        """The outputs after the inputs."""
        network, position = self.network, self.place.position
        assert network.may_attend is not None
        vectors = embed(network, inputs.unsqueeze(1), position)
        may_attend: Bool[Tensor, "1 T"] = network.may_attend[
            position, : self.place.cache.max_length
        ]
        hidden = network.stack(vectors, may_attend=may_attend, cache=self.place)
        return project(network, hidden[:, -1])
