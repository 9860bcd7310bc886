"""The engine of compiled loops: one CPU thread, single precision, weights packed in panels.

Over one row a step is products of matrices with a vector, which take as long as the weights need to
come from memory; over many rows of a small model they are short, too. The hundred calls of torch
around them take as long again, and over one row ten times that.

Axes: P prompts, S their positions, R rows, T positions, D width, V outputs.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple, cast, no_type_check

import numpy as np
import torch
from jaxtyping import Bool, Float32, Int, Int64
from torch import Tensor, nn

from tokoban.inference import compiled_stack
from tokoban.inference.compiled_math import entry, inner, log_sum_exp
from tokoban.inference.compiled_stack import PackedStack, new_workspace
from tokoban.inference.embed import require_tokens
from tokoban.inference.engine import Engine, Inputs, Network, Prompts, Rows


def can_compile(network: Network) -> bool:
    """Whether the loops can execute the network, and execute it as exactly as torch."""
    weight = next(network.stack.parameters())
    if weight.device.type != "cpu" or weight.dtype != torch.float32:
        return False
    if not isinstance(network.projection, nn.Linear | None):
        return False
    try:
        compiled_stack.check(network.stack)
        if network.encoder is not None:
            compiled_stack.check(network.encoder)
    except ValueError:
        return False
    return True


class CompiledEngine(Engine):
    """Executes a copy of the weights; the first call of a process may take seconds to compile."""

    def __init__(self, network: Network) -> None:
        """``ValueError`` if the loops cannot execute the network."""
        self.network, max_length = network, network.max_length
        self.ends = compiled_stack.pack_ends(network)
        self.stack = compiled_stack.pack_stack(network.stack, max_length=max_length)
        self.encoder: PackedStack | None = None
        if network.encoder is not None:
            self.encoder = compiled_stack.pack_stack(network.encoder, max_length=max_length)
        self.attended: _Attended | None = None
        if network.may_attend is not None:
            self.attended = _attended(network.may_attend)

    def read(
        self, prompts: Prompts, *, width: int = 1, max_length: int | None = None
    ) -> "CompiledRows":
        return CompiledRows(self, prompts, width=width, max_length=max_length)

    def greedy(
        self,
        sources: Sequence[Sequence[int]],
        forced: Int64[Tensor, "P T"],
        *,
        may_follow: Bool[Tensor, "V"],
        end: int,
    ) -> tuple[list[list[int]], list[float]]:
        """Of a single source one compiled loop; the network has an encoder."""
        if len(sources) > 1:
            return super().greedy(sources, forced, may_follow=may_follow, end=end)
        (source,), wanted = sources, forced[0]
        self.network.require_length(len(wanted))
        if tokens_forced := wanted[wanted >= 0].tolist():
            require_tokens(self.network, [tokens_forced])
        read = _Sources(self, [source])
        num_layers, _, two_widths = read.memory.shape
        tokens = np.empty(len(wanted), np.int64)
        length, score_nats = _greedy(
            new_workspace(self.stack, 1, max(len(source), len(wanted))),
            self.stack,
            self.ends,
            read.memory,
            read.places,
            read.lengths,
            np.empty((num_layers, len(wanted), two_widths), np.float32),
            np.arange(len(wanted))[None],
            np.empty(1, np.int64),
            np.zeros(1, np.int64),
            wanted.numpy(),
            may_follow.numpy(),
            np.empty((1, len(may_follow)), np.float32),
            tokens,
            self.network.first_token,
            end,
        )
        return [tokens[:length].tolist()], [score_nats]


class _Attended(NamedTuple):
    """The positions that each position may attend to, and how many they are."""

    positions: Int64[np.ndarray, "T most"]
    counts: Int64[np.ndarray, "T"]


def _attended(may_attend: Bool[Tensor, "T T"]) -> _Attended | None:
    """None where each may attend to itself and all before it."""
    allowed = may_attend.numpy()
    if np.array_equal(allowed, np.tri(len(allowed), dtype=np.bool_)):
        return None
    # A stable sort by "not allowed" brings the allowed positions to the front, in order.
    order, counts = np.argsort(~allowed, axis=1, kind="stable"), allowed.sum(axis=1)
    return _Attended(np.ascontiguousarray(order[:, : counts.max()]), counts)


class _Sources:
    """The keys and values that a decoder's layers attend to, of all tokens of some sources."""

    def __init__(self, engine: CompiledEngine, sources: Sequence[Sequence[int]]) -> None:
        require_tokens(engine.network, sources)
        assert engine.encoder is not None
        tokens, lengths = np.concatenate(sources), np.array([len(source) for source in sources])
        longest, ends = int(lengths.max()), lengths.cumsum()
        engine.network.require_length(longest)
        # The places of each source's tokens; behind its end are those of others.
        self.lengths, self.places = lengths, (ends - lengths)[:, None] + np.arange(longest)
        num_layers, two_widths = engine.stack.cross_keys_values_bias.shape
        self.memory = np.empty((num_layers, len(tokens), two_widths), np.float32)
        _encode(
            new_workspace(engine.encoder, len(tokens), longest),
            engine.encoder,
            engine.stack,
            engine.ends,
            tokens,
            np.concatenate([np.arange(length) for length in lengths]),
            np.empty((1, len(tokens), two_widths), np.float32),
            self.places,
            lengths.repeat(lengths),
            np.arange(len(sources)).repeat(lengths),
            self.memory,
        )


class CompiledRows(Rows):
    """The ``Rows`` of a ``CompiledEngine``.

    A row knows the places of its positions; keys and values stay where they are. So the memory is
    that of ``max_length`` positions of all rows, and rows that are dropped free nothing.
    """

    def __init__(
        self, engine: CompiledEngine, prompts: Prompts, *, width: int, max_length: int | None
    ) -> None:
        self.engine = engine
        self.max_length = max_length or engine.network.max_length
        engine.network.require_length(self.max_length)
        self.workspace = new_workspace(engine.stack, 0, 0)
        self.num_cached = 0
        num_rows = len(prompts) * width
        num_layers, two_widths = len(engine.stack.output), 2 * engine.stack.output_bias.shape[1]
        self.memory = np.empty((0, 1, two_widths), np.float32)
        self.sources = np.empty((num_rows, 0), np.int64)
        self.source_lengths = np.zeros(num_rows, np.int64)

        def new_cache(num_places: int) -> Float32[np.ndarray, "L places two_D"]:
            return np.empty((num_layers, num_places, two_widths), np.float32)

        if engine.encoder is not None:
            read = _Sources(engine, cast(Sequence[Sequence[int]], prompts))
            self.memory, self.sources, self.source_lengths = read.memory, read.places, read.lengths
            self.cache = new_cache(self.max_length * num_rows)
            self.places = np.zeros((len(prompts), self.max_length), np.int64)
            self.lengths, self.longest = np.zeros(len(prompts), np.int64), 0
            self.output = self._new_output(len(prompts))
            self._append(torch.full((len(prompts),), engine.network.first_token))
            self.sources = self.sources.repeat(width, axis=0)
            self.source_lengths = self.source_lengths.repeat(width)
        else:
            inputs, lengths = _joined(engine.network, prompts)
            self.longest = int(lengths.max())
            if self.longest > self.max_length:
                raise ValueError(f"the rows are full: they have {self.max_length} positions")
            capacity = len(inputs) + (self.max_length - int(lengths.min())) * num_rows
            self.cache = new_cache(capacity)
            self.places = np.zeros((len(prompts), self.max_length), np.int64)
            self.output = self._new_output(len(prompts))
            starts = lengths.cumsum() - lengths
            self.places[:, : self.longest] = starts[:, None] + np.arange(self.longest)
            self._run(
                inputs,
                np.concatenate([np.arange(length) for length in lengths]),
                owners=np.arange(len(prompts)).repeat(lengths),
                wanted=starts + lengths - 1,
            )
            self.lengths = lengths
        # Until now the rows of a prompt are one.
        self.lengths, self.places = self.lengths.repeat(width), self.places.repeat(width, axis=0)
        self.output = self.output.repeat_interleave(width, dim=0)

    def _new_output(self, num_rows: int) -> Tensor:
        ends, stack = self.engine.ends, self.engine.stack
        outputs = ends.projection_bias if len(ends.projection) else stack.output_bias[0]
        return torch.empty(num_rows, len(outputs))

    def step(self, parents: Int[Tensor, "R"] | None) -> Callable[[Inputs], Tensor]:
        """Keys and values stay where they are."""
        if parents is not None:
            rows = parents.numpy()
            if len(rows) < len(self.places):
                self.output = self.output[: len(rows)]
                self.places = self.places[rows]
            else:
                self.places[:, : self.longest] = self.places[rows, : self.longest]
            self.lengths = self.lengths[rows]
            self.sources, self.source_lengths = self.sources[rows], self.source_lengths[rows]
        return self._append

    def log_probs(self) -> Float32[Tensor, "R V"]:
        """In one compiled loop."""
        _normalise(self.output.numpy())
        return self.output

    def best(
        self, wanted: Int64[Tensor, "R"], is_allowed: Bool[Tensor, "V"]
    ) -> tuple[Int64[Tensor, "R"], Float32[Tensor, "R"]]:
        """In one compiled loop."""
        chosen, gained = wanted.clone(), torch.empty(len(wanted))
        _best_of_rows(self.output.numpy(), is_allowed.numpy(), chosen.numpy(), gained.numpy())
        return chosen, gained

    def _append(self, inputs: Inputs) -> Tensor:
        """The outputs, in storage that the next call writes into."""
        num_rows = len(self.lengths)
        # The loops would write behind the end of what there is.
        if self.longest >= self.max_length:
            raise ValueError(f"the rows are full: they have {self.max_length} positions")
        if len(inputs) != num_rows:
            raise ValueError(f"got {len(inputs)} inputs; expected one for each of {num_rows} rows")
        newest = inputs.numpy()
        if newest.ndim == 1:
            # The loops would read beside the weights.
            require_tokens(self.engine.network, [newest.tolist()])
        rows, positions = np.arange(num_rows), self.lengths
        self.places[rows, positions] = np.arange(self.num_cached, self.num_cached + num_rows)
        self._run(newest, positions, owners=rows, wanted=rows)
        self.lengths = positions + 1
        self.longest += 1
        return self.output

    def _run(
        self,
        inputs: np.ndarray,
        positions: Int64[np.ndarray, "R"],
        *,
        owners: Int64[np.ndarray, "R"],
        wanted: Int64[np.ndarray, "wanted"],
    ) -> None:
        """Executes the stack over rows whose own places are filled in, and adds to the cache."""
        num_rows, engine = len(inputs), self.engine
        if num_rows != len(self.workspace.x):
            longest = max(self.max_length, self.sources.shape[1])
            self.workspace = new_workspace(engine.stack, num_rows, longest)
        tokens = inputs
        if inputs.ndim == 2:
            self.workspace.x[:], tokens = inputs, _NO_TOKENS
        places, lengths = self.places, positions + 1
        if engine.attended is not None:
            chosen = engine.attended.positions[positions]
            places = np.ascontiguousarray(places[owners[:, None], chosen])
            lengths = engine.attended.counts[positions]
            owners = np.arange(num_rows)
        _step(
            self.workspace,
            engine.stack,
            engine.ends,
            tokens,
            positions,
            self.cache,
            self.num_cached,
            places,
            lengths,
            owners,
            self.memory,
            self.sources,
            self.source_lengths,
            wanted,
            self.output.numpy(),
        )
        self.num_cached += num_rows


_NO_TOKENS = np.empty(0, np.int64)


def _joined(network: Network, prompts: Prompts) -> tuple[np.ndarray, Int64[np.ndarray, "P"]]:
    """The inputs of all prompts one behind the other, and the length of each."""
    if isinstance(prompts, Tensor):
        lengths = np.full(len(prompts), prompts.shape[1])
        return prompts.flatten(0, 1).numpy(), lengths
    require_tokens(network, prompts)
    return np.concatenate(prompts), np.array([len(prompt) for prompt in prompts])


@entry
@no_type_check
def _encode(w, encoder, decoder, ends, tokens, positions, cache, places, lengths, owners, memory):
    """Puts into ``memory`` [L, R, 2 D] the keys and values of the decoder's cross-attentions."""
    compiled_stack.embed(w, ends, tokens, positions)
    compiled_stack.run_stack(
        w, encoder, positions, cache, 0, places, lengths, owners, memory[:0], places, lengths
    )
    for layer in range(len(memory)):
        compiled_stack.keys_values(w, decoder, layer, memory[layer])


@entry
@no_type_check
def _step(
    w, stack, ends, tokens, positions, cache, first, places, lengths, owners, memory, sources,
    source_lengths, wanted, outputs,
):  # fmt: skip
    """The outputs of the wanted rows; arguments as ``run_stack`` has them."""
    compiled_stack.embed(w, ends, tokens, positions)
    compiled_stack.run_stack(
        w, stack, positions, cache, first, places, lengths, owners, memory, sources, source_lengths
    )
    compiled_stack.project(w, ends, wanted, outputs)


@entry
@no_type_check
def _greedy(
    w, stack, ends, memory, sources, source_lengths, cache, places, lengths, owners, forced,
    may_follow, logits, tokens, start, end,
):  # fmt: skip
    """Writes the tokens; answers how many, and the sum of their log-probabilities."""
    score_nats = 0.0
    tokens[0] = start
    for position in range(len(forced)):
        lengths[0] = position + 1
        positions = places[0, position:]
        compiled_stack.embed(w, ends, tokens[max(position - 1, 0) :], positions)
        compiled_stack.run_stack(
            w, stack, positions, cache, position, places, lengths, owners, memory, sources,
            source_lengths,
        )  # fmt: skip
        compiled_stack.project(w, ends, owners, logits)
        token = forced[position]
        if token < 0:
            token = _best(logits[0], may_follow, end if position == 0 else -1)
        score_nats += logits[0, token] - log_sum_exp(logits[0])
        tokens[position] = token
        if token == end:
            return position + 1, score_nats
    return len(forced), score_nats


@entry
@no_type_check
def _normalise(logits):
    """Subtracts from each row its log of summed exponentials."""
    for row in range(len(logits)):
        total = np.float32(log_sum_exp(logits[row]))
        for token in range(logits.shape[1]):
            logits[row, token] -= total


@entry
@no_type_check
def _best_of_rows(logits, is_allowed, chosen, gained):
    """The best token of each row, where ``chosen`` is negative, and log-probabilities."""
    for row in range(len(logits)):
        if chosen[row] < 0:
            chosen[row] = _best(logits[row], is_allowed, -1)
        gained[row] = logits[row, chosen[row]] - log_sum_exp(logits[row])


@inner
@no_type_check
def _best(logits, may_follow, first_end):
    """The first of the most probable tokens that may follow; ``first_end`` may not."""
    greatest = np.float32(-np.inf)
    for token in range(len(logits)):
        if may_follow[token] and token != first_end:
            greatest = max(greatest, logits[token])
    for token in range(len(logits)):
        if logits[token] == greatest and may_follow[token] and token != first_end:
            return token
    return 0
