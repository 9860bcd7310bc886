"""The engine without a cache: slow and obvious, what all others are held to.

Axes: P prompts, T positions, D width; a row R is prompt * width + copy.
"""

from collections.abc import Callable

import torch
from jaxtyping import Int
from torch import Tensor
from torch.nn.utils.rnn import pad_sequence

from tokoban.inference.embed import embed, padded, project, read_sources
from tokoban.inference.engine import Engine, Inputs, Network, Prompts, Rows
from tokoban.transformer import Decoder, masks


class PlainEngine(Engine):
    """Reads whole sequences again at every step; of an encoder's sources the output is kept."""

    def __init__(self, network: Network) -> None:
        self.network = network

    @torch.no_grad()
    def read(
        self, prompts: Prompts, *, width: int = 1, max_length: int | None = None
    ) -> "PlainRows":
        return PlainRows(self.network, prompts, width=width, max_length=max_length)


class PlainRows(Rows):
    """The ``Rows`` of a ``PlainEngine``: all inputs of each row so far."""

    def __init__(
        self, network: Network, prompts: Prompts, *, width: int, max_length: int | None
    ) -> None:
        self.network, self.width = network, width
        self.max_length = max_length or network.max_length
        self.memory: tuple[Tensor, Tensor] | None = None
        if network.encoder is not None:
            self.memory = read_sources(network, prompts)
            inputs = torch.full((len(prompts), 1), network.first_token, device=network.device)
            lengths = torch.ones(len(prompts), dtype=torch.int64, device=network.device)
        else:
            inputs, lengths = padded(network, prompts)
        self.inputs = list(inputs.repeat_interleave(width, dim=0))
        self.lengths = lengths.repeat_interleave(width)
        self.inputs = [
            row[:length] for row, length in zip(self.inputs, self.lengths.tolist(), strict=True)
        ]
        self.output = self._read()

    def step(self, parents: Int[Tensor, "R"] | None) -> Callable[[Inputs], Tensor]:
        if parents is not None:
            if self.memory is not None and len(parents) < len(self.inputs):
                kept = parents[:: self.width] // self.width
                self.memory = self.memory[0][kept], self.memory[1][kept]
            self.inputs = [self.inputs[parent] for parent in parents.tolist()]
            self.lengths = self.lengths[parents]
        return self._append

    @torch.no_grad()
    def _append(self, inputs: Inputs) -> Tensor:
        pairs = zip(self.inputs, inputs.unbind(), strict=True)
        self.inputs = [torch.cat([row, newest[None]]) for row, newest in pairs]
        self.lengths = self.lengths + 1
        return self._read()

    def _read(self) -> Tensor:
        network, length = self.network, max(map(len, self.inputs))
        if length > self.max_length:
            raise ValueError(f"the rows are full: they have {self.max_length} positions")
        network.require_length(length)
        rows = pad_sequence(self.inputs, batch_first=True)
        places = torch.arange(length, device=network.device)
        vectors = embed(network, rows, places)
        # Padding is on the right, where nothing before it can see it.
        may_attend = masks.causal(length, device=network.device)
        if network.may_attend is not None:
            may_attend = network.may_attend[:length, :length]
        if isinstance(network.stack, Decoder):
            assert self.memory is not None
            memory, is_source = self.memory
            hidden = network.stack(
                vectors, memory, may_attend=may_attend, memory_may_attend=is_source
            )
        else:
            hidden = network.stack(vectors, may_attend=may_attend)
        return project(network, hidden[torch.arange(len(rows)), self.lengths - 1])
