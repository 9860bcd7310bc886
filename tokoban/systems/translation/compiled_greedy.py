"""One sentence at a time, greedily: the whole translator in compiled loops, on one CPU thread.

Over one row a step is products of matrices with a vector, which take as long as the weights need to
come from memory. The hundred calls of torch around them take ten times that in a small model.

Axes: L layers, S source positions, T positions that ask, D width, O width of an output, H hidden
width, V vocabulary, N norms of all layers.
"""

import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, no_type_check

import numba
import numpy as np
import torch
from jaxtyping import Float, Float32, Int32, Int64
from torch import Tensor, nn

from tokoban.text.bpe import BOS, EOS
from tokoban.transformer import Decoder, DecoderBlock, Encoder, EncoderBlock
from tokoban.transformer.attention import MultiHeadAttention

# Sums in any order, so that many terms are added at once. There are infinities, but no NaN.
_FAST = {"reassoc", "contract", "nsz", "arcp", "nnan"}


class _Stack(NamedTuple):
    """What both halves have, the weights of each kind of all layers behind one another."""

    query: Float32[np.ndarray, "L D D"]
    query_bias: Float32[np.ndarray, "L D"]
    key: Float32[np.ndarray, "L D D"]
    key_bias: Float32[np.ndarray, "L D"]
    value: Float32[np.ndarray, "L D D"]
    value_bias: Float32[np.ndarray, "L D"]
    output: Float32[np.ndarray, "L D D"]
    output_bias: Float32[np.ndarray, "L D"]
    expand: Float32[np.ndarray, "L H D"]
    expand_bias: Float32[np.ndarray, "L H"]
    contract: Float32[np.ndarray, "L D H"]
    contract_bias: Float32[np.ndarray, "L D"]
    gains: Float32[np.ndarray, "N D"]
    shifts: Float32[np.ndarray, "N D"]


class _Rest(NamedTuple):
    """The decoder's attention to the memory, and what both halves embed with."""

    query: Float32[np.ndarray, "L D D"]
    query_bias: Float32[np.ndarray, "L D"]
    key: Float32[np.ndarray, "L D D"]
    key_bias: Float32[np.ndarray, "L D"]
    value: Float32[np.ndarray, "L D D"]
    value_bias: Float32[np.ndarray, "L D"]
    output: Float32[np.ndarray, "L D D"]
    output_bias: Float32[np.ndarray, "L D"]
    embedding: Float32[np.ndarray, "V D"]
    positions: Float32[np.ndarray, "places D"]


class _Room(NamedTuple):
    """What the loops write into, for S source and T target positions."""

    x: Float32[np.ndarray, "S D"]
    heard: Float32[np.ndarray, "S D"]
    asked: Float32[np.ndarray, "S D"]
    mixed: Float32[np.ndarray, "S D"]
    said: Float32[np.ndarray, "S D"]
    hidden: Float32[np.ndarray, "S H"]
    source_keys: Float32[np.ndarray, "S D"]
    source_values: Float32[np.ndarray, "S D"]
    memory_keys: Float32[np.ndarray, "L S D"]
    memory_values: Float32[np.ndarray, "L S D"]
    keys: Float32[np.ndarray, "L T D"]
    values: Float32[np.ndarray, "L T D"]
    shares: Float32[np.ndarray, "longest"]
    logits: Float32[np.ndarray, "1 V"]
    mantissas: Float32[np.ndarray, "V"]
    scales: Float32[np.ndarray, "V"]
    scale_bits: Int32[np.ndarray, "V"]  # the same memory


# Of weights that the processor's cache holds, a batch saves no reading.
_CACHED_BYTES = 16 * 2**20


class CompiledGreedy:
    """The ``Greedy`` of a translator on the CPU, in single precision."""

    def __init__(
        self,
        encoder: Encoder,
        decoder: Decoder,
        *,
        embedding: Float[Tensor, "V D"],
        positions: Float[Tensor, "places D"],
        forbidden: Int64[Tensor, "tokens"],
    ) -> None:
        """Copies the weights; no translation contains a ``forbidden`` token."""
        blocks = [block for block in decoder.blocks if isinstance(block, DecoderBlock)]
        self.num_heads = blocks[0].attention.num_heads
        self.is_pre_norm = blocks[0].attention_residual.pre_norm
        self.encoder, self.decoder = _stack(encoder), _stack(decoder)
        cross = _projections([block.cross_attention for block in blocks])
        self.rest = _Rest._make([*cross, _array(embedding), _array(positions)])
        self.no_bias = np.zeros(len(embedding), dtype=np.float32)
        self.may_follow = np.ones(len(embedding), dtype=np.bool_)
        self.may_follow[forbidden.numpy()] = False
        self.num_bytes = sum(
            array.nbytes for part in (self.encoder, self.decoder, self.rest) for array in part
        )

    def is_quicker(self, num_sources: int) -> bool:
        """True for one, and for any number where the weights are few."""
        return num_sources == 1 or self.num_bytes <= _CACHED_BYTES

    def __call__(
        self, source: Sequence[int], forced: Int64[Tensor, "T"]
    ) -> tuple[list[int], float]:
        """As ``Greedy`` has it; the first call of all takes seconds, for it compiles."""
        tokens = np.empty(len(forced), dtype=np.int64)
        length, score_nats = _translate(
            self.encoder,
            self.decoder,
            self.rest,
            self._room(len(source), len(forced)),
            np.array(source, dtype=np.int64),
            forced.numpy(),
            self.no_bias,
            self.may_follow,
            self.num_heads,
            self.is_pre_norm,
            tokens,
        )
        return tokens[:length].tolist(), score_nats

    def _room(self, source_length: int, target_length: int) -> _Room:
        num_layers, hidden_width, width = self.decoder.expand.shape
        vocabulary_size = len(self.no_bias)
        source = source_length, width
        scale_bits = np.empty(vocabulary_size, np.int32)
        shapes = [
            *[source] * 5,
            (source_length, hidden_width),
            *[source] * 2,
            *[(num_layers, *source)] * 2,
            *[(num_layers, target_length, width)] * 2,
            (max(source_length, target_length),),
            (1, vocabulary_size),
            (vocabulary_size,),
        ]
        arrays = [np.empty(shape, np.float32) for shape in shapes]
        return _Room._make([*arrays, scale_bits.view(np.float32), scale_bits])


def _stack(stack: Encoder | Decoder) -> _Stack:
    blocks = [block for block in stack.blocks if isinstance(block, EncoderBlock | DecoderBlock)]
    norms: list[nn.Module] = []
    for block in blocks:
        residuals = [block.attention_residual, block.feed_forward_residual]
        if isinstance(block, DecoderBlock):
            residuals.insert(1, block.cross_attention_residual)
        norms += [residual.norm for residual in residuals]
    if isinstance(stack.last_norm, nn.LayerNorm):
        norms.append(stack.last_norm)
    nets = [block.feed_forward for block in blocks]
    return _Stack(
        *_projections([block.attention for block in blocks]),
        *_stacked([net.expand for net in nets]),
        *_stacked([net.contract for net in nets]),
        *_stacked(norms),
    )


def _projections(layers: Sequence[MultiHeadAttention]) -> list[np.ndarray]:
    """Weight and bias of queries, keys, values and outputs."""
    names = "query", "key", "value", "output"
    return [array for name in names for array in _stacked([getattr(x, name) for x in layers])]


def _stacked(modules: Sequence[nn.Module]) -> list[np.ndarray]:
    """All weights behind one another, and all biases."""
    return [
        _array(torch.stack([getattr(module, name) for module in modules]))
        for name in ("weight", "bias")
    ]


def _array(tensor: Tensor) -> np.ndarray:
    return tensor.detach().float().contiguous().numpy()


def _inner(function: Callable) -> Callable:
    """For compiled functions alone: what Python would call it by takes half of the compilation."""
    options: dict[str, Any] = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True, "_nrt": False}
    return numba.njit(nogil=True, fastmath=_FAST, **options)(function)


def _entry(function: Callable) -> Callable:
    """Compiled at the first call, which takes seconds, and kept on disk where that can be."""
    # Nothing here makes an array, so nothing needs counted references.
    options: dict[str, Any] = {"nogil": True, "fastmath": _FAST, "_nrt": False}
    try:
        return numba.njit(cache=True, **options)(function)
    except RuntimeError:  # no folder for it can be written
        return numba.njit(**options)(function)


@_inner
@no_type_check
def _affine(out, weight, bias, x):
    """out [T, O] = x [T, D] @ weight.T + bias, four outputs at once: they read the same x."""
    whole = len(weight) // 4 * 4
    for row in range(0, whole, 4):
        for t in range(len(x)):
            first = second = third = fourth = np.float32(0)
            for i in range(x.shape[1]):
                first += weight[row, i] * x[t, i]
                second += weight[row + 1, i] * x[t, i]
                third += weight[row + 2, i] * x[t, i]
                fourth += weight[row + 3, i] * x[t, i]
            out[t, row] = first + bias[row]
            out[t, row + 1] = second + bias[row + 1]
            out[t, row + 2] = third + bias[row + 2]
            out[t, row + 3] = fourth + bias[row + 3]
    for row in range(whole, len(weight)):
        for t in range(len(x)):
            total = np.float32(0)
            for i in range(x.shape[1]):
                total += weight[row, i] * x[t, i]
            out[t, row] = total + bias[row]


@_inner
@no_type_check
def _norm(out, x, gain, shift):
    """The layer norm of each row of x, which ``out`` may be."""
    width = np.float32(x.shape[1])
    for t in range(len(x)):
        mean, variance = np.float32(0), np.float32(0)
        for i in range(x.shape[1]):
            mean += x[t, i]
        mean /= width
        for i in range(x.shape[1]):
            variance += (x[t, i] - mean) * (x[t, i] - mean)
        scale = np.float32(1) / np.sqrt(variance / width + np.float32(1e-5))
        for i in range(x.shape[1]):
            out[t, i] = (x[t, i] - mean) * scale * gain[i] + shift[i]


@_inner
@no_type_check
def _embed(x, tokens, first, w):
    """Tokens from position ``first`` on as vectors."""
    scale = np.float32(math.sqrt(x.shape[1]))
    for t in range(len(x)):
        for i in range(x.shape[1]):
            x[t, i] = w.embedding[tokens[t], i] * scale + w.positions[first + t, i]


@_inner
@no_type_check
def _hear(heard, x, gain, shift, is_pre_norm):
    """What a sublayer hears of x."""
    if is_pre_norm:
        _norm(heard, x, gain, shift)
    else:
        # Loops: numba takes seconds to compile what assigns whole arrays.
        for t in range(len(x)):
            for i in range(x.shape[1]):
                heard[t, i] = x[t, i]


@_inner
@no_type_check
def _add(x, said, gain, shift, is_pre_norm):
    """What a sublayer has said, onto x."""
    for t in range(len(x)):
        for i in range(x.shape[1]):
            x[t, i] += said[t, i]
    if not is_pre_norm:
        _norm(x, x, gain, shift)


@_inner
@no_type_check
def _attend(out, queries, keys, values, num_heads, shares):
    """Each head of the queries [T, D] mixes all values [S, D]; ``shares`` has room for S."""
    head_width = out.shape[1] // num_heads
    scale = np.float32(1) / np.sqrt(np.float32(head_width))
    for t in range(len(out)):
        for head in range(num_heads):
            start, end = head * head_width, (head + 1) * head_width
            query, mixed = queries[t, start:end], out[t, start:end]
            greatest = np.float32(-np.inf)
            for s in range(len(keys)):
                key = keys[s, start:end]
                score = np.float32(0)
                for i in range(head_width):
                    score += query[i] * key[i]
                shares[s] = score * scale
                greatest = max(greatest, shares[s])
            total = np.float32(0)
            for s in range(len(keys)):
                shares[s] = math.exp(shares[s] - greatest)
                total += shares[s]
            for i in range(head_width):
                mixed[i] = np.float32(0)
            for s in range(len(keys)):
                share, value = shares[s] / total, values[s, start:end]
                for i in range(head_width):
                    mixed[i] += share * value[i]


@_inner
@no_type_check
def _think(x, heard, said, hidden, w, layer, norm, is_pre_norm):
    """The feed-forward net of a layer."""
    _hear(heard, x, w.gains[norm], w.shifts[norm], is_pre_norm)
    _affine(hidden, w.expand[layer], w.expand_bias[layer], heard)
    for t in range(len(hidden)):
        for i in range(hidden.shape[1]):
            hidden[t, i] = max(hidden[t, i], np.float32(0))
    _affine(said, w.contract[layer], w.contract_bias[layer], hidden)
    _add(x, said, w.gains[norm], w.shifts[norm], is_pre_norm)


@_inner
@no_type_check
def _ask(x, keys, values, r, w, layer, num_heads, gain, shift, is_pre_norm):
    """An attention of a layer, to keys and values that are there already."""
    heard, asked, mixed, said = (
        r.heard[: len(x)], r.asked[: len(x)], r.mixed[: len(x)], r.said[: len(x)]
    )  # fmt: skip
    _affine(asked, w.query[layer], w.query_bias[layer], heard)
    _attend(mixed, asked, keys, values, num_heads, r.shares)
    _affine(said, w.output[layer], w.output_bias[layer], mixed)
    _add(x, said, gain, shift, is_pre_norm)


@_inner
@no_type_check
def _log_sum_exp(x, r):
    """log(sum(exp(x))), to six digits, in steps that a processor makes many of at once.

    e^d = 2^n e^f with an integer n and |f| < 0.35: 2^n by its bits, e^f by seven terms.
    """
    greatest = np.float32(-np.inf)
    for i in range(len(x)):
        greatest = max(greatest, x[i])
    for i in range(len(x)):
        binary = max((x[i] - greatest) * np.float32(1.442695040888963), np.float32(-126))
        n = np.floor(binary + np.float32(0.5))
        f = (binary - n) * np.float32(0.6931471805599453)
        term = np.float32(1) + f * np.float32(1 / 6)
        term = np.float32(1) + f * np.float32(1 / 5) * term
        term = np.float32(1) + f * np.float32(1 / 4) * term
        term = np.float32(1) + f * np.float32(1 / 3) * term
        term = np.float32(1) + f * np.float32(1 / 2) * term
        r.mantissas[i] = np.float32(1) + f * term
        r.scale_bits[i] = (np.int32(n) + np.int32(127)) << np.int32(23)
    total = np.float32(0)
    for i in range(len(x)):
        total += r.mantissas[i] * r.scales[i]
    return greatest + math.log(total)


@_inner
@no_type_check
def _best(logits, may_follow):
    """The first of the most probable tokens that may follow."""
    greatest = np.float32(-np.inf)
    for token in range(len(logits)):
        if may_follow[token]:
            greatest = max(greatest, logits[token])
    for token in range(len(logits)):
        if logits[token] == greatest and may_follow[token]:
            return token
    return 0


@_inner
@no_type_check
def _encode(r, w, num_heads, is_pre_norm):
    """The encoder: what is in ``r.x`` becomes the memory."""
    for layer in range(len(w.output)):
        own, thought = 2 * layer, 2 * layer + 1
        _hear(r.heard, r.x, w.gains[own], w.shifts[own], is_pre_norm)
        _affine(r.source_keys, w.key[layer], w.key_bias[layer], r.heard)
        _affine(r.source_values, w.value[layer], w.value_bias[layer], r.heard)
        _ask(
            r.x, r.source_keys, r.source_values, r, w, layer, num_heads, w.gains[own],
            w.shifts[own], is_pre_norm,
        )  # fmt: skip
        _think(r.x, r.heard, r.said, r.hidden, w, layer, thought, is_pre_norm)
    if is_pre_norm:
        _norm(r.x, r.x, w.gains[-1], w.shifts[-1])


@_inner
@no_type_check
def _step(position, r, w, rest, num_heads, is_pre_norm):
    """The decoder on the token in the first row of ``r.x``, up to the logits of the next."""
    x, heard, said, hidden = r.x[:1], r.heard[:1], r.said[:1], r.hidden[:1]
    for layer in range(len(w.output)):
        own, cross, thought = 3 * layer, 3 * layer + 1, 3 * layer + 2
        _hear(heard, x, w.gains[own], w.shifts[own], is_pre_norm)
        keys, values = r.keys[layer, : position + 1], r.values[layer, : position + 1]
        _affine(keys[position:], w.key[layer], w.key_bias[layer], heard)
        _affine(values[position:], w.value[layer], w.value_bias[layer], heard)
        _ask(x, keys, values, r, w, layer, num_heads, w.gains[own], w.shifts[own], is_pre_norm)
        _hear(heard, x, w.gains[cross], w.shifts[cross], is_pre_norm)
        _ask(
            x, r.memory_keys[layer], r.memory_values[layer], r, rest, layer, num_heads,
            w.gains[cross], w.shifts[cross], is_pre_norm,
        )  # fmt: skip
        _think(x, heard, said, hidden, w, layer, thought, is_pre_norm)
    if is_pre_norm:
        _norm(x, x, w.gains[-1], w.shifts[-1])


@_entry
@no_type_check
def _translate(
    encoder, decoder, rest, r, source, forced, no_bias, may_follow, num_heads, is_pre_norm, tokens
):
    """Writes the tokens; answers how many, and the sum of their log-probabilities."""
    _embed(r.x, source, 0, rest)
    _encode(r, encoder, num_heads, is_pre_norm)
    for layer in range(len(rest.output)):
        _affine(r.memory_keys[layer], rest.key[layer], rest.key_bias[layer], r.x)
        _affine(r.memory_values[layer], rest.value[layer], rest.value_bias[layer], r.x)
    score_nats = 0.0
    tokens[0] = BOS
    for position in range(len(forced)):
        _embed(r.x[:1], tokens[max(position - 1, 0) :], position, rest)
        _step(position, r, decoder, rest, num_heads, is_pre_norm)
        _affine(r.logits, rest.embedding, no_bias, r.x[:1])
        token = forced[position]
        if token < 0:
            token = _best(r.logits[0], may_follow)
        score_nats += r.logits[0, token] - _log_sum_exp(r.logits[0], r)
        tokens[position] = token
        if token == EOS:
            return position + 1, score_nats
    return len(forced), score_nats
