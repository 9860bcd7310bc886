"""The transformer of "Attention Is All You Need": https://arxiv.org/abs/1706.03762, section 3.

Axes: B sentences, S source positions, T target positions, D width, V vocabulary; M rows of a
memory, each of which serves B / M rows of targets; R translations under way.
"""

import copy
import math
from collections.abc import Sequence
from typing import NamedTuple, Protocol, runtime_checkable

import torch
from jaxtyping import Bool, Float, Int, Int64, UInt8
from torch import Tensor, nn
from torch.nn import functional

from tokoban.inference.packed import (
    PackedLinear,
    QuantizedLinear,
    can_pack,
    pack_linears,
    packed_linear,
)
from tokoban.text.bpe import PAD, Tokenizer
from tokoban.text.kept import text_from_bytes, text_to_bytes
from tokoban.transformer import (
    BlockOptions,
    Decoder,
    Encoder,
    EncoderDecoder,
    KVCache,
    empty_cache_for,
    masks,
    sinusoidal,
)

_INITIAL_CAPACITY = 16  # positions of a cache before it grows: compact for short sentences
EXTRA_LENGTH = 50  # tokens by which a translation may be longer than its source, as in the paper


class Memory(NamedTuple):
    """What the encoder says of a batch of sources, and which of its positions are not padding."""

    vectors: Float[Tensor, "M S D"]
    may_attend: Bool[Tensor, "M 1 1 S"]


@runtime_checkable
class Rows(Protocol):
    """Translations under way, which grow by a token at a time; ``width`` neighbours a source."""

    def read(self, tokens: Int64[Tensor, "R"]) -> Float[Tensor, "R V"]:
        """The logits after one more token of each row; they hold until the next call."""
        ...

    def take(self, parents: Int[Tensor, "R"]) -> None:
        """Row i becomes what row ``parents[i]`` of its source was; fewer parents drop sources."""
        ...


@runtime_checkable
class Compiled(Protocol):
    """Quicker ways to translate than by the modules."""

    def is_quicker(self) -> bool:
        """Whether ``begin`` is to be preferred; ``greedy`` always is."""
        ...

    def begin(self, source: Int64[Tensor, "M S"], *, width: int, max_length: int) -> Rows:
        """``width`` rows of each source, for up to ``max_length`` tokens each.

        A source ends with EOS, padded on the right.
        """
        ...

    def greedy(self, source: Sequence[int], forced: Int64[Tensor, "T"]) -> tuple[list[int], float]:
        """The tokens with their end, and the sum of their log-probabilities in nats.

        ``source`` has its end too. ``forced`` says which token there must be at a position, and
        is negative where there is a choice; its last token is the end.
        """
        ...


class Translator(nn.Module):
    """Source and target tokens -> logits of each next target token.

    One matrix embeds source and target and is the projection before the softmax. The tokenizer, if
    there is one, is kept with the weights: a model without it can translate no text.
    """

    position_vectors: Float[Tensor, "T D"]

    def __init__(
        self,
        *,
        vocabulary_size: int,
        width: int,
        num_layers: int,
        num_heads: int,
        hidden_width: int,
        dropout: float,
        pre_norm: bool,
        max_positions: int,
        tokenizer: Tokenizer | None = None,
    ) -> None:
        super().__init__()
        self.max_positions = max_positions
        self.tokenizer = tokenizer
        self.embedding = nn.Embedding(vocabulary_size, width)
        options = BlockOptions(hidden_width=hidden_width, dropout=dropout, pre_norm=pre_norm)
        self.transformer = EncoderDecoder(
            Encoder(num_layers, width, num_heads, options=options),
            Decoder(num_layers, width, num_heads, options=options),
        )
        vectors = sinusoidal(max_positions + EXTRA_LENGTH, width)
        self.register_buffer("position_vectors", vectors, persistent=False)
        self.packed_projection: PackedLinear | QuantizedLinear | None = None
        self.compiled: Compiled | None = None  # a quicker way, if there is one
        self._initialise()

    def _initialise(self) -> None:
        """As tensor2tensor, since the paper does not say: Xavier, and embeddings of length 1."""
        width = self.embedding.embedding_dim
        for module in self.modules():
            if isinstance(module, nn.Linear):
                nn.init.xavier_uniform_(module.weight)
                nn.init.zeros_(module.bias)
        nn.init.normal_(self.embedding.weight, std=width**-0.5)

    def forward(
        self, source: Int64[Tensor, "B S"], target: Int64[Tensor, "B T"]
    ) -> Float[Tensor, "B T V"]:
        """The logits after each target token, given it and those before; padding is on the right.

        Source padding is hidden. Target padding needs no mask: nothing before it can see it.
        """
        hidden = self.transformer(
            self._embed(source),
            self._embed(target),
            source_may_attend=_is_token(source),
            target_may_attend=masks.causal(target.shape[1], device=target.device),
        )
        return self._logits(hidden)

    def encode(self, source: Int64[Tensor, "M S"]) -> Memory:
        """What ``decode`` needs to know of the sources."""
        may_attend = _is_token(source)
        vectors = self.transformer.encoder(self._embed(source), may_attend=may_attend)
        return Memory(vectors, may_attend)

    def decode(
        self, target: Int64[Tensor, "B T"], memory: Memory, *, cache: KVCache | None = None
    ) -> Float[Tensor, "B V"]:
        """The logits after the last target token; with a cache, ``target`` continues what it holds.

        Row i reads the memory's row i * M // B: each serves as many rows of targets.
        """
        length, past = target.shape[1], 0 if cache is None else cache.length
        may_attend = None
        if length > 1:  # a single position may attend to all that there is
            may_attend = masks.causal(length, num_keys=past + length, device=target.device)
        hidden = self.transformer.decoder(
            self._embed(target, offset=past),
            memory.vectors,
            may_attend=may_attend,
            memory_may_attend=memory.may_attend,
            cache=cache,
        )
        return self._logits(hidden[:, -1])

    def new_cache(self, batch_size: int, max_length: int) -> KVCache:
        """An empty cache for targets of up to ``max_length`` tokens, on the model's device."""
        return empty_cache_for(
            self.transformer.decoder, batch_size, max_length, initial_capacity=_INITIAL_CAPACITY
        )

    def packed(self, *, dtype: torch.dtype = torch.float32) -> "Translator":
        """A copy that translates on the CPU in half the time, in bf16 in a third of it.

        With ``torch.int8`` products are of bytes. It can be neither trained nor saved nor moved.
        ``ValueError`` where torch lacks oneDNN.
        """
        if not can_pack():
            raise ValueError("this torch was built without oneDNN, by which weights are packed")
        packed = copy.deepcopy(self)
        packed.packed_projection = packed_linear(self.embedding.weight, dtype=dtype)
        pack_linears(packed.transformer, dtype=dtype)
        return packed

    def get_extra_state(self) -> UInt8[Tensor, "bytes"]:
        """The tokenizer as compressed JSON, so that it is saved with the weights."""
        return text_to_bytes("" if self.tokenizer is None else self.tokenizer.to_json())

    def set_extra_state(self, state: UInt8[Tensor, "bytes"]) -> None:
        """The inverse of ``get_extra_state``; ``ValueError`` if the bytes are something else."""
        text = text_from_bytes(state)
        tokenizer = Tokenizer.from_json(text) if text else None
        if tokenizer and tokenizer.vocabulary_size > self.embedding.num_embeddings:
            raise ValueError(
                f"a tokenizer of {tokenizer.vocabulary_size} tokens; the network knows "
                f"{self.embedding.num_embeddings}"
            )
        self.tokenizer = tokenizer

    def _embed(self, tokens: Int64[Tensor, "B T"], *, offset: int = 0) -> Float[Tensor, "B T D"]:
        end, limit = offset + tokens.shape[1], len(self.position_vectors)
        if end > limit:
            raise ValueError(f"{end} tokens; this translator has room for {limit}")
        scale = math.sqrt(self.embedding.embedding_dim)
        return self.embedding(tokens) * scale + self.position_vectors[offset:end]

    def _logits(self, hidden: Float[Tensor, "*B D"]) -> Float[Tensor, "*B V"]:
        if self.packed_projection is not None:
            return self.packed_projection(hidden)
        return functional.linear(hidden, self.embedding.weight)


def _is_token(tokens: Int64[Tensor, "B S"]) -> Bool[Tensor, "B 1 1 S"]:
    return (tokens != PAD)[:, None, None, :]
