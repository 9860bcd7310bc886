"""A whole translator in compiled loops, on one CPU thread: greedily, or as the rows of a search.

Over one row a step is products of matrices with a vector, which take as long as the weights need to
come from memory, and in a small model they are short over many rows, too. The hundred calls of
torch around them take as long again, and over one row ten times that.

Axes: M sources, S their positions, R rows, T target positions, V vocabulary.
"""

import threading
from collections.abc import Sequence
from typing import no_type_check

import numpy as np
import torch
from jaxtyping import Float, Int, Int64
from torch import Tensor

from tokoban.systems.translation import compiled_halves
from tokoban.systems.translation.compiled import entry, inner, log_sum_exp
from tokoban.systems.translation.compiled_halves import Halves, halves, room
from tokoban.text.bpe import BOS, EOS, PAD
from tokoban.transformer import Decoder, Encoder

# The products of so few weights take less than torch's calls for them. Measured on one thread.
# Large weights stay with torch, which has more of them: not measured.
_FEW_BYTES = 16 * 2**20

_COPYING = threading.Lock()  # one for all: a translator that held its own could not be copied


class CompiledTranslator:
    """The ``Compiled`` of a translator, in single precision.

    The weights are copied at the first use; until then those of the modules must stay as they are.
    """

    def __init__(
        self,
        encoder: Encoder,
        decoder: Decoder,
        *,
        embedding: Float[Tensor, "V D"],
        positions: Float[Tensor, "longest D"],
        forbidden: Int64[Tensor, "tokens"],
    ) -> None:
        """No greedy translation contains a ``forbidden`` token."""
        self.may_follow = np.ones(len(embedding), dtype=np.bool_)
        self.may_follow[forbidden.numpy()] = False
        parameters = [embedding, *encoder.parameters(), *decoder.parameters()]
        self.num_bytes = 4 * sum(parameter.numel() for parameter in parameters)
        self._modules: tuple[Encoder, Decoder, Tensor, Tensor] | None
        self._modules = encoder, decoder, embedding, positions
        self._weights: Halves | None = None

    @property
    def weights(self) -> Halves:
        """The copy, which a model that is never translated with in this way does without."""
        with _COPYING:
            if self._weights is None:
                assert self._modules is not None
                encoder, decoder, embedding, positions = self._modules
                self._weights = halves(encoder, decoder, embedding=embedding, positions=positions)
                self._modules = None
            return self._weights

    def is_quicker(self) -> bool:
        """True where the weights are few: by what was measured on one thread."""
        return self.num_bytes <= _FEW_BYTES

    def greedy(self, source: Sequence[int], forced: Int64[Tensor, "T"]) -> tuple[list[int], float]:
        """As ``Compiled`` has it; the first call of all takes seconds, for it compiles."""
        weights = self.weights
        _require_room(weights, len(forced))
        _require_tokens(weights, forced[forced >= 0].numpy())
        read = _Sources(weights, [source])
        longest = max(len(source), len(forced))
        num_layers, _, two_widths = read.memory.shape
        tokens = np.empty(len(forced), np.int64)
        length, score_nats = _translate(
            weights,
            room(weights, 1, longest),
            read.memory,
            read.places,
            read.lengths,
            np.empty((num_layers, len(forced), two_widths), np.float32),
            np.arange(len(forced))[None],
            np.empty(1, np.int64),
            np.zeros(1, np.int64),
            forced.numpy(),
            self.may_follow,
            np.empty((1, len(self.may_follow)), np.float32),
            tokens,
        )
        return tokens[:length].tolist(), score_nats

    def begin(self, source: Int64[Tensor, "M S"], *, width: int, max_length: int) -> "CompiledRows":
        """As ``Compiled`` has it."""
        sources = [row[row != PAD].tolist() for row in source]
        return CompiledRows(self.weights, sources, width=width, max_length=max_length)


class _Sources:
    """What the encoder says of all tokens of some sources, as the decoder's keys and values."""

    def __init__(self, weights: Halves, sources: Sequence[Sequence[int]]) -> None:
        tokens, lengths = np.concatenate(sources), np.array([len(source) for source in sources])
        positions = [np.arange(length) for length in lengths]
        longest, ends = max(map(len, sources)), lengths.cumsum()
        _require_room(weights, longest)
        _require_tokens(weights, tokens)
        # Of each source the places of its tokens; behind its end are those of others.
        self.lengths, self.places = lengths, (ends - lengths)[:, None] + np.arange(longest)
        num_layers, width = len(weights.cross.query), weights.words.embedding.shape[1]
        self.memory = np.empty((num_layers, len(tokens), 2 * width), np.float32)
        _encode(
            room(weights, len(tokens), longest),
            weights,
            tokens,
            np.concatenate(positions),
            np.empty((len(tokens), 2 * width), np.float32),
            self.places,
            lengths,
            np.arange(len(sources)).repeat(lengths),
            self.memory,
        )


def _require_tokens(weights: Halves, tokens: Int64[np.ndarray, "tokens"]) -> None:
    """``ValueError`` unless all are of the vocabulary: the loops would read beside the weights."""
    num_tokens = len(weights.words.embedding)
    for worst in (tokens.max(initial=0), tokens.min(initial=0)):
        if not 0 <= worst < num_tokens:
            raise ValueError(f"token {worst}; this translator has {num_tokens}")


def _require_room(weights: Halves, length: int) -> None:
    """``ValueError`` unless there is a position for so many tokens."""
    limit = len(weights.words.positions)
    if length > limit:
        raise ValueError(f"{length} tokens; this translator has room for {limit}")


class CompiledRows:
    """The ``Rows`` of some translations; storage, which changes.

    A row knows the places of its tokens and of its source's: where keys and values lie they stay.
    So the memory is that of ``max_length`` tokens of all rows, from the beginning, and sources
    that are dropped free nothing before the end.
    """

    def __init__(
        self, weights: Halves, sources: Sequence[Sequence[int]], *, width: int, max_length: int
    ) -> None:
        _require_room(weights, max_length)
        read = _Sources(weights, sources)
        self.weights, self.memory = weights, read.memory
        self.sources = read.places.repeat(width, axis=0)
        self.source_lengths = read.lengths.repeat(width)
        num_layers, _, two_widths = read.memory.shape
        num_rows = len(sources) * width
        self.max_length = max_length
        self.longest = max(max_length, read.places.shape[1])
        self.room = room(weights, num_rows, self.longest)
        self.kept = np.empty((num_layers, max_length * num_rows, two_widths), np.float32)
        self.num_kept = 0
        self.places = np.empty((num_rows, 0), np.int64)
        self.logits = torch.empty(num_rows, len(weights.words.embedding))

    def take(self, parents: Int[Tensor, "R"]) -> None:
        """Nothing moves but the places."""
        rows = parents.numpy()
        if len(rows) < len(self.places):
            self.room = room(self.weights, len(rows), self.longest)
        self.places = self.places[rows]
        self.sources, self.source_lengths = self.sources[rows], self.source_lengths[rows]

    def read(self, tokens: Int64[Tensor, "R"]) -> Float[Tensor, "R V"]:
        """Logits in storage that the next call writes into."""
        num_rows, position = self.places.shape
        # The loops would write behind the end of what there is.
        if position >= self.max_length:
            raise ValueError(f"the rows are for {self.max_length} tokens, and full")
        if not len(tokens) == num_rows == len(self.room.x):
            raise ValueError(f"got {len(tokens)} tokens; expected one for each of {num_rows} rows")
        _require_tokens(self.weights, tokens.numpy())
        first, self.num_kept = self.num_kept, self.num_kept + num_rows
        own = np.arange(first, self.num_kept)
        self.places = np.concatenate([self.places, own[:, None]], axis=1)
        logits = self.logits[:num_rows]
        _step(
            self.room,
            self.weights,
            tokens.numpy(),
            np.full(num_rows, position),
            self.kept,
            first,
            self.places,
            np.full(num_rows, position + 1),
            np.arange(num_rows),
            self.memory,
            self.sources,
            self.source_lengths,
            logits.numpy(),
        )
        return logits


@entry
@no_type_check
def _encode(r, weights, tokens, positions, kept, places, lengths, owners, memory):
    compiled_halves.encode(r, weights, tokens, positions, kept, places, lengths, owners, memory)


@entry
@no_type_check
def _step(
    r, weights, tokens, positions, kept, first, places, lengths, owners, memory, sources,
    source_lengths, logits,
):  # fmt: skip
    compiled_halves.step(
        r, weights, tokens, positions, kept, first, places, lengths, owners, memory, sources,
        source_lengths, logits,
    )  # fmt: skip


@entry
@no_type_check
def _translate(
    weights, r, memory, sources, source_lengths, kept, places, lengths, owners, forced, may_follow,
    logits, tokens,
):  # fmt: skip
    """Writes the tokens; answers how many, and the sum of their log-probabilities."""
    score_nats = 0.0
    tokens[0] = BOS
    for position in range(len(forced)):
        lengths[0] = position + 1
        compiled_halves.step(
            r, weights, tokens[max(position - 1, 0) :], places[0, position:], kept, position,
            places, lengths, owners, memory, sources, source_lengths, logits,
        )  # fmt: skip
        token = forced[position]
        if token < 0:
            token = _best(logits[0], may_follow, position == 0)
        score_nats += logits[0, token] - log_sum_exp(logits[0])
        tokens[position] = token
        if token == EOS:
            return position + 1, score_nats
    return len(forced), score_nats


@inner
@no_type_check
def _best(logits, may_follow, is_first):
    """The first of the most probable tokens that may follow; the first of all is not the end."""
    greatest = np.float32(-np.inf)
    for token in range(len(logits)):
        if may_follow[token] and not (is_first and token == EOS):
            greatest = max(greatest, logits[token])
    for token in range(len(logits)):
        if logits[token] == greatest and may_follow[token] and not (is_first and token == EOS):
            return token
    return 0
