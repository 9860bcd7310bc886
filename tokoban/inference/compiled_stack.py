"""A stack of the core in compiled loops, over any number of rows at once.

A row is one position of a sequence: all positions of a prompt, or the newest of each sequence under
way. A row attends to positions by their places in the cache, wherever these are. So beams that
change places move nothing, rows may share a prompt, and nothing is padding.

Axes: L layers, R rows, S positions that a row attends to, P places of the cache, one position's key
and value each, D width, H hidden width, E head width, T positions, V outputs, N norms of all
layers; a weight is packed in panels of W outputs each.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple, no_type_check

import numpy as np
import torch
from jaxtyping import Float, Float32
from torch import Tensor, nn
from torch.nn import functional

from tokoban.inference.compiled_math import attend, exp, inner, norm
from tokoban.inference.compiled_products import TILE, affine, panels
from tokoban.inference.engine import Network
from tokoban.transformer import Decoder, DecoderBlock, Encoder, EncoderBlock, MultiHeadAttention

_NO_LEAST = np.float32(-np.inf)  # of a map without a ReLU
RELU, SQUARED_RELU, GELU, GELU_TANH = range(4)


class PackedStack(NamedTuple):
    """The weights of a stack; queries, keys and values of a self-attention are one map.

    An ``Encoder`` has no layers of cross-attention. A map without a bias has one of zeros.
    """

    queries_keys_values: Float32[np.ndarray, "L panels D W"]
    queries_keys_values_bias: Float32[np.ndarray, "L three_D"]
    output: Float32[np.ndarray, "L panels D W"]
    output_bias: Float32[np.ndarray, "L D"]
    up: Float32[np.ndarray, "L panels D W"]
    up_bias: Float32[np.ndarray, "L H"]
    down: Float32[np.ndarray, "L panels H W"]
    down_bias: Float32[np.ndarray, "L D"]
    cross_query: Float32[np.ndarray, "L panels D W"]
    cross_query_bias: Float32[np.ndarray, "L D"]
    cross_keys_values: Float32[np.ndarray, "L panels D W"]
    cross_keys_values_bias: Float32[np.ndarray, "L two_D"]
    cross_output: Float32[np.ndarray, "L panels D W"]
    cross_output_bias: Float32[np.ndarray, "L D"]
    gains: Float32[np.ndarray, "N D"]
    shifts: Float32[np.ndarray, "N D"]
    rotary: Float32[np.ndarray, "T E"]  # cosines, then sines; no rows where there is none
    num_heads: int
    is_pre_norm: bool
    activation: int


class PackedEnds(NamedTuple):
    """Embedding, positions and projection around a stack; arrays of missing parts have no rows."""

    embedding: Float32[np.ndarray, "V D"]
    scale: np.float32
    positions: Float32[np.ndarray, "T D"]
    projection: Float32[np.ndarray, "panels D W"]
    projection_bias: Float32[np.ndarray, "V"]


class Workspace(NamedTuple):
    """Workspace of the loops; in a post-norm stack ``normed`` is ``x``."""

    x: Float32[np.ndarray, "R D"]
    normed: Float32[np.ndarray, "R D"]
    queries_keys_values: Float32[np.ndarray, "R three_D"]
    mixed: Float32[np.ndarray, "R D"]
    output: Float32[np.ndarray, "R D"]
    hidden: Float32[np.ndarray, "R H"]
    weights: Float32[np.ndarray, "S_and_3"]
    tile: Float32[np.ndarray, "height W"]


def check(stack: Encoder | Decoder) -> None:
    """``ValueError`` if the loops cannot execute the stack."""
    _norms(stack)
    for block in stack.blocks:
        assert isinstance(block, EncoderBlock | DecoderBlock)
        _activation(block.feed_forward.activation)


def pack_stack(stack: Encoder | Decoder, *, max_length: int) -> PackedStack:
    """A copy of the weights; ``ValueError`` if the loops cannot execute the stack."""
    check(stack)
    blocks = [block for block in stack.blocks if isinstance(block, EncoderBlock | DecoderBlock)]
    crosses = [block.cross_attention for block in blocks if isinstance(block, DecoderBlock)]
    owns, feed_forwards = [b.attention for b in blocks], [b.feed_forward for b in blocks]
    norms = _norms(stack)
    width = owns[0].num_heads * _head_width(owns[0])
    return PackedStack(
        *_maps([[own.query, own.key, own.value] for own in owns], width),
        *_maps([[own.output] for own in owns], width),
        *_maps([[each.expand] for each in feed_forwards], width),
        *_maps([[each.contract] for each in feed_forwards], width),
        *_maps([[cross.query] for cross in crosses], width),
        *_maps([[cross.key, cross.value] for cross in crosses], width),
        *_maps([[cross.output] for cross in crosses], width),
        _array(torch.stack([norm.weight for norm in norms])),
        _array(torch.stack([_bias(norm, norm.weight) for norm in norms])),
        _rotary_table(owns[0], max_length),
        owns[0].num_heads,
        blocks[0].attention_residual.pre_norm,
        _activation(feed_forwards[0].activation),
    )


def pack_ends(network: Network) -> PackedEnds:
    """A copy of the weights."""
    empty = torch.zeros(0, len(_norms(network.stack)[0].weight))
    projection = network.projection
    if projection is not None and not isinstance(projection, nn.Linear):
        raise ValueError("the compiled loops need a linear projection")
    weight = empty if projection is None else projection.weight
    embedding = empty if network.embedding is None else network.embedding
    positions = empty if network.positions is None else network.positions
    return PackedEnds(
        _array(embedding).copy(),
        np.float32(network.embedding_scale),
        _array(positions).copy(),
        panels(_array(weight)),
        _array(_bias(projection, weight[:, 0])).copy(),
    )


def new_workspace(stack: PackedStack, num_rows: int, most_positions: int) -> Workspace:
    """For so many rows, each of which attends to at most so many positions."""
    width, hidden_width = stack.output_bias.shape[1], stack.up_bias.shape[1]
    x = np.empty((num_rows, width), np.float32)
    return Workspace(
        x,
        np.empty_like(x) if stack.is_pre_norm else x,
        np.empty((num_rows, 3 * width), np.float32),
        np.empty_like(x),
        np.empty_like(x),
        np.empty((num_rows, hidden_width), np.float32),
        np.empty(most_positions + 3, np.float32),
        np.empty(TILE, np.float32),
    )


def _norms(stack: Encoder | Decoder) -> list[nn.LayerNorm]:
    found: list[nn.Module] = []
    for block in stack.blocks:
        assert isinstance(block, EncoderBlock | DecoderBlock)
        residuals = [block.attention_residual, block.feed_forward_residual]
        if isinstance(block, DecoderBlock):
            residuals.insert(1, block.cross_attention_residual)
        found += [residual.norm for residual in residuals]
    if not isinstance(stack.last_norm, nn.Identity):
        found.append(stack.last_norm)
    norms = [norm for norm in found if isinstance(norm, nn.LayerNorm) and norm.eps == 1e-5]
    if len(norms) < len(found):
        raise ValueError("the compiled loops need layer norms with an epsilon of 1e-5")
    return norms


def _maps(layers: Sequence[Sequence[nn.Linear]], width: int) -> tuple[np.ndarray, np.ndarray]:
    """Weights and biases of all layers, in each of which several maps become one."""
    if not layers:
        return np.zeros((0, 1, width, TILE[1]), np.float32), np.zeros((0, width), np.float32)
    weights = [panels(_array(torch.cat([part.weight for part in parts]))) for parts in layers]
    biases = [
        _array(torch.cat([_bias(part, part.weight[:, 0]) for part in parts])) for parts in layers
    ]
    return np.stack(weights), np.stack(biases)


def _bias(module: nn.Linear | nn.LayerNorm | None, like: Tensor) -> Tensor:
    if module is None or module.bias is None:
        return torch.zeros_like(like)
    return module.bias


def _head_width(attention: MultiHeadAttention) -> int:
    return len(attention.query.weight) // attention.num_heads


def _rotary_table(attention: MultiHeadAttention, max_length: int) -> Float32[np.ndarray, "T E"]:
    head_width = _head_width(attention)
    if attention.rotary is None:
        return np.zeros((0, head_width), np.float32)
    # Turning (1, 0) by an angle gives its cosine and its sine.
    pairs = torch.zeros(1, 1, max_length, head_width)
    pairs[..., 0::2] = 1
    turned = attention.rotary(pairs, pairs)[0][0, 0]
    return _array(torch.cat([turned[:, 0::2], turned[:, 1::2]], dim=1))


def _activation(function: Callable[[Tensor], Tensor]) -> int:
    """The number of the activation, found by what it does; ``ValueError`` for any other."""
    probe = torch.linspace(-4, 4, 33, dtype=torch.float64)
    answer = function(probe)
    candidates = {
        RELU: functional.relu(probe),
        SQUARED_RELU: functional.relu(probe).square(),
        GELU: functional.gelu(probe),
        GELU_TANH: functional.gelu(probe, approximate="tanh"),
    }
    for number, candidate in candidates.items():
        if torch.allclose(answer, candidate, rtol=0, atol=1e-9):
            return number
    raise ValueError("the compiled loops need ReLU, its square or GELU as the activation")


def _array(tensor: Float[Tensor, "..."]) -> Float32[np.ndarray, "..."]:
    return tensor.detach().float().contiguous().numpy()


@inner
@no_type_check
def embed(w, ends, tokens, positions):
    """Vectors of the tokens, if there are any, with those of the positions added."""
    if len(tokens):
        for row in range(len(w.x)):
            token = ends.embedding[tokens[row]]
            for i in range(w.x.shape[1]):
                w.x[row, i] = token[i] * ends.scale
    if len(ends.positions):
        for row in range(len(w.x)):
            position = ends.positions[positions[row]]
            for i in range(w.x.shape[1]):
                w.x[row, i] += position[i]


@inner
@no_type_check
def _norm_before(w, stack, number):
    if stack.is_pre_norm:
        norm(w.normed, w.x, stack.gains[number], stack.shifts[number])


@inner
@no_type_check
def _add_output(w, stack, number):
    """Adds the sublayer's output to the residual stream."""
    for row in range(len(w.x)):
        for i in range(w.x.shape[1]):
            w.x[row, i] += w.output[row, i]
    if not stack.is_pre_norm:
        norm(w.x, w.x, stack.gains[number], stack.shifts[number])


@inner
@no_type_check
def _rotate(w, stack, positions):
    """Turns queries and keys by their positions."""
    width, head_width = w.x.shape[1], stack.rotary.shape[1]
    half = head_width // 2
    for row in range(len(w.x)):
        angles, vectors = stack.rotary[positions[row]], w.queries_keys_values[row]
        for start in range(0, 2 * width, head_width):
            for pair in range(half):
                cos, sin = angles[pair], angles[half + pair]
                first, second = vectors[start + 2 * pair], vectors[start + 2 * pair + 1]
                vectors[start + 2 * pair] = first * cos - second * sin
                vectors[start + 2 * pair + 1] = first * sin + second * cos


@inner
@no_type_check
def _self_attention(w, stack, layer, number, positions, cache, first, places, lengths, owners):
    """Caches the rows' keys and values from place ``first`` on, and attends to ``places``."""
    width = w.x.shape[1]
    _norm_before(w, stack, number)
    affine(
        w.queries_keys_values, stack.queries_keys_values[layer],
        stack.queries_keys_values_bias[layer], w.normed, _NO_LEAST, w.tile,
    )  # fmt: skip
    if len(stack.rotary):
        _rotate(w, stack, positions)
    for row in range(len(w.x)):
        for i in range(2 * width):
            cache[first + row, i] = w.queries_keys_values[row, width + i]
    for row in range(len(w.x)):
        own = places[owners[row], : lengths[row]]
        query = w.queries_keys_values[row, :width]
        attend(w.mixed[row], query, cache, own, stack.num_heads, w.weights)
    affine(w.output, stack.output[layer], stack.output_bias[layer], w.mixed, _NO_LEAST, w.tile)
    _add_output(w, stack, number)


@inner
@no_type_check
def _cross_attention(w, stack, layer, number, memory, sources, source_lengths):
    _norm_before(w, stack, number)
    affine(
        w.output, stack.cross_query[layer], stack.cross_query_bias[layer], w.normed, _NO_LEAST,
        w.tile,
    )  # fmt: skip
    for row in range(len(w.x)):
        own = sources[row, : source_lengths[row]]
        attend(w.mixed[row], w.output[row], memory, own, stack.num_heads, w.weights)
    affine(
        w.output, stack.cross_output[layer], stack.cross_output_bias[layer], w.mixed, _NO_LEAST,
        w.tile,
    )  # fmt: skip
    _add_output(w, stack, number)


@inner
@no_type_check
def _feed_forward(w, stack, layer, number):
    is_relu = stack.activation == RELU or stack.activation == SQUARED_RELU
    _norm_before(w, stack, number)
    least = np.float32(0) if is_relu else _NO_LEAST
    affine(w.hidden, stack.up[layer], stack.up_bias[layer], w.normed, least, w.tile)
    if stack.activation != RELU:
        for row in range(len(w.hidden)):
            activate(w.hidden[row], stack.activation)
    affine(w.output, stack.down[layer], stack.down_bias[layer], w.hidden, _NO_LEAST, w.tile)
    _add_output(w, stack, number)


@inner
@no_type_check
def activate(x, activation):
    """The activation of each number of x, in its place; the square of a ReLU has its ReLU already.

    GELU has the error function to 1.5e-7 (Abramowitz and Stegun 1964, 7.1.26).
    """
    half, one = np.float32(0.5), np.float32(1)
    if activation == SQUARED_RELU:
        for i in range(len(x)):
            x[i] = x[i] * x[i]
    elif activation == GELU:
        for i in range(len(x)):
            size = abs(x[i])
            z = size * np.float32(0.7071067811865476)
            t = one / (one + np.float32(0.3275911) * z)
            tail = np.float32(-1.453152027) + t * np.float32(1.061405429)
            tail = np.float32(1.421413741) + t * tail
            tail = np.float32(-0.284496736) + t * tail
            tail = t * (np.float32(0.254829592) + t * tail) * exp(-z * z)
            x[i] = max(x[i], np.float32(0)) - half * size * tail
    else:
        for i in range(len(x)):
            cubic = x[i] + np.float32(0.044715) * x[i] * x[i] * x[i]
            tail = exp(np.float32(-1.5957691216057308) * abs(cubic))  # 2 sqrt(2 / pi)
            x[i] = x[i] * (one if x[i] > 0 else tail) / (one + tail)


@inner
@no_type_check
def run_stack(
    w, stack, positions, cache, first, places, lengths, owners, memory, sources, source_lengths
):
    """From ``w.x`` to ``w.normed``, the stack's output.

    Row i is at ``positions[i]`` and attends to the first ``lengths[i]`` of ``places[owners[i]]``.
    ``cache`` [L, P, 2 D] gets its keys and values from place ``first`` on; of one layer alone, all
    layers use that. With a ``memory`` [L, P, 2 D] it attends to ``sources[i]`` there.
    """
    has_memory = len(memory) > 0
    norms_a_layer = 3 if has_memory else 2
    for layer in range(len(stack.output)):
        number = norms_a_layer * layer
        own_cache = cache[min(layer, len(cache) - 1)]
        _self_attention(
            w, stack, layer, number, positions, own_cache, first, places, lengths, owners
        )
        if has_memory:
            _cross_attention(w, stack, layer, number + 1, memory[layer], sources, source_lengths)
        _feed_forward(w, stack, layer, number + norms_a_layer - 1)
    _norm_before(w, stack, len(stack.gains) - 1)


@inner
@no_type_check
def keys_values(w, stack, layer, memory):
    """The keys and values of one cross-attention for each row."""
    weights, bias = stack.cross_keys_values[layer], stack.cross_keys_values_bias[layer]
    affine(memory, weights, bias, w.normed, _NO_LEAST, w.tile)


@inner
@no_type_check
def project(w, ends, wanted, outputs):
    """The outputs [R, V] or [R, D] of the wanted rows."""
    num_wanted = len(wanted)
    if num_wanted == len(w.x) and len(ends.projection):
        affine(outputs, ends.projection, ends.projection_bias, w.normed, _NO_LEAST, w.tile)
        return
    for i in range(num_wanted):
        into = w.mixed[i] if len(ends.projection) else outputs[i]
        for j in range(len(into)):
            into[j] = w.normed[wanted[i], j]
    if len(ends.projection):
        rows = w.mixed[:num_wanted]
        affine(outputs, ends.projection, ends.projection_bias, rows, _NO_LEAST, w.tile)
