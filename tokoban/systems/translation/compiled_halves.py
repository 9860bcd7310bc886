"""Both halves of a translator in compiled loops, over any number of rows at once.

A row is a token: in the encoder those of all sources behind one another, in the decoder the newest
of each translation. What a row attends to may lie anywhere: it has the places. So beams that
change move nothing, and nothing is padding.

Axes: L layers, R rows, S positions that a row attends to, P places where the key and value of a
position may lie, D width, H hidden width, V vocabulary, N norms of all layers; a weight is panels
of W outputs each.
"""

import math
from collections.abc import Sequence
from typing import NamedTuple, no_type_check

import numpy as np
import torch
from jaxtyping import Float, Float32
from torch import Tensor, nn
from torch.nn import functional

from tokoban.systems.translation.compiled import attend, inner, norm
from tokoban.systems.translation.compiled_products import TILE, affine, panels
from tokoban.transformer import Decoder, DecoderBlock, Encoder, EncoderBlock

_LEAST = np.float32(-np.inf)  # of a map without a ReLU


class Stack(NamedTuple):
    """What both halves have; queries, keys and values are one map."""

    asking: Float32[np.ndarray, "L panels D W"]
    asking_bias: Float32[np.ndarray, "L three_D"]
    output: Float32[np.ndarray, "L panels D W"]
    output_bias: Float32[np.ndarray, "L D"]
    expand: Float32[np.ndarray, "L panels D W"]
    expand_bias: Float32[np.ndarray, "L H"]
    contract: Float32[np.ndarray, "L panels H W"]
    contract_bias: Float32[np.ndarray, "L D"]
    gains: Float32[np.ndarray, "N D"]
    shifts: Float32[np.ndarray, "N D"]


class Cross(NamedTuple):
    """The decoder's attention to the memory; its keys and values are one map."""

    query: Float32[np.ndarray, "L panels D W"]
    query_bias: Float32[np.ndarray, "L D"]
    keeping: Float32[np.ndarray, "L panels D W"]
    keeping_bias: Float32[np.ndarray, "L two_D"]
    output: Float32[np.ndarray, "L panels D W"]
    output_bias: Float32[np.ndarray, "L D"]


class Words(NamedTuple):
    """What tokens become, and what becomes tokens."""

    embedding: Float32[np.ndarray, "V D"]
    positions: Float32[np.ndarray, "longest D"]
    projection: Float32[np.ndarray, "panels D W"]
    no_bias: Float32[np.ndarray, "V"]


class Halves(NamedTuple):
    """All weights, and what the shapes do not say."""

    encoder: Stack
    decoder: Stack
    cross: Cross
    words: Words
    num_heads: int
    is_pre_norm: bool


class Room(NamedTuple):
    """What the loops write into; with norms behind the sublayers ``x`` is what they hear."""

    x: Float32[np.ndarray, "R D"]
    heard: Float32[np.ndarray, "R D"]
    asked: Float32[np.ndarray, "R three_D"]
    mixed: Float32[np.ndarray, "R D"]
    said: Float32[np.ndarray, "R D"]
    hidden: Float32[np.ndarray, "R H"]
    shares: Float32[np.ndarray, "S_and_3"]
    tile: Float32[np.ndarray, "height W"]


def halves(
    encoder: Encoder,
    decoder: Decoder,
    *,
    embedding: Float[Tensor, "V D"],
    positions: Float[Tensor, "longest D"],
) -> Halves:
    """A copy of the weights."""
    blocks = [block for block in decoder.blocks if isinstance(block, DecoderBlock)]
    crosses = [block.cross_attention for block in blocks]
    words = _array(embedding).copy()  # unlike panels, these would be the tensors' own memory
    return Halves(
        _stack(encoder),
        _stack(decoder),
        Cross(
            *_maps([[cross.query] for cross in crosses]),
            *_maps([[cross.key, cross.value] for cross in crosses]),
            *_maps([[cross.output] for cross in crosses]),
        ),
        Words(words, _array(positions).copy(), panels(words), np.zeros(len(words), np.float32)),
        blocks[0].attention.num_heads,
        blocks[0].attention_residual.pre_norm,
    )


def room(weights: Halves, num_rows: int, most_positions: int) -> Room:
    """For so many rows, each of which attends to at most so many positions."""
    hidden_width, width = weights.encoder.expand_bias.shape[1], weights.words.embedding.shape[1]
    x = np.empty((num_rows, width), np.float32)
    return Room(
        x,
        np.empty_like(x) if weights.is_pre_norm else x,
        np.empty((num_rows, 3 * width), np.float32),
        np.empty_like(x),
        np.empty_like(x),
        np.empty((num_rows, hidden_width), np.float32),
        np.empty(most_positions + 3, np.float32),
        np.empty(TILE, np.float32),
    )


def _stack(stack: Encoder | Decoder) -> Stack:
    blocks = [block for block in stack.blocks if isinstance(block, EncoderBlock | DecoderBlock)]
    norms: list[nn.Module] = []
    for block in blocks:
        # What the loops take for granted.
        if block.feed_forward.activation is not functional.relu or block.attention.rotary:
            raise ValueError("the compiled loops need ReLU, and positions that are not rotary")
        residuals = [block.attention_residual, block.feed_forward_residual]
        if isinstance(block, DecoderBlock):
            residuals.insert(1, block.cross_attention_residual)
        norms += [residual.norm for residual in residuals]
    if isinstance(stack.last_norm, nn.LayerNorm):
        norms.append(stack.last_norm)
    if not all(isinstance(x, nn.LayerNorm) and x.eps == 1e-5 for x in norms):
        raise ValueError("the compiled loops need layer norms with an epsilon of 1e-5")
    owns = [block.attention for block in blocks]
    return Stack(
        *_maps([[own.query, own.key, own.value] for own in owns]),
        *_maps([[own.output] for own in owns]),
        *_maps([[block.feed_forward.expand] for block in blocks]),
        *_maps([[block.feed_forward.contract] for block in blocks]),
        *(_array(torch.stack([getattr(x, name) for x in norms])) for name in ("weight", "bias")),
    )


def _maps(layers: Sequence[Sequence[nn.Linear]]) -> tuple[np.ndarray, np.ndarray]:
    """Weights and biases of all layers, in each of which several maps become one."""
    weights = [panels(_array(torch.cat([part.weight for part in parts]))) for parts in layers]
    biases = [_array(torch.cat([part.bias for part in parts])) for parts in layers]
    return np.stack(weights), np.stack(biases)


def _array(tensor: Tensor) -> Float32[np.ndarray, "..."]:
    return tensor.detach().float().contiguous().numpy()


@inner
@no_type_check
def embed(r, words, tokens, positions):
    """The vector of each row's token at its position."""
    scale = np.float32(math.sqrt(r.x.shape[1]))
    for row in range(len(r.x)):
        word, position = words.embedding[tokens[row]], words.positions[positions[row]]
        for i in range(r.x.shape[1]):
            r.x[row, i] = word[i] * scale + position[i]


@inner
@no_type_check
def _hear(r, gain, shift, is_pre_norm):
    """What a sublayer hears."""
    if is_pre_norm:
        norm(r.heard, r.x, gain, shift)


@inner
@no_type_check
def _add(r, gain, shift, is_pre_norm):
    """What a sublayer has said."""
    for row in range(len(r.x)):
        for i in range(r.x.shape[1]):
            r.x[row, i] += r.said[row, i]
    if not is_pre_norm:
        norm(r.x, r.x, gain, shift)


@inner
@no_type_check
def _ask_each_other(
    r, w, layer, number, kept, first, places, lengths, owners, num_heads, is_pre_norm
):
    """Self attention, once the rows' own keys and values are kept from place ``first`` on."""
    gain, shift, width = w.gains[number], w.shifts[number], r.x.shape[1]
    _hear(r, gain, shift, is_pre_norm)
    affine(r.asked, w.asking[layer], w.asking_bias[layer], r.heard, _LEAST, r.tile)
    for row in range(len(r.x)):
        for i in range(2 * width):
            kept[first + row, i] = r.asked[row, width + i]
    for row in range(len(r.x)):
        own = places[owners[row], : lengths[owners[row]]]
        attend(r.mixed[row], r.asked[row, :width], kept, own, num_heads, r.shares)
    affine(r.said, w.output[layer], w.output_bias[layer], r.mixed, _LEAST, r.tile)
    _add(r, gain, shift, is_pre_norm)


@inner
@no_type_check
def _ask_memory(r, cross, layer, gain, shift, kept, places, lengths, num_heads, is_pre_norm):
    """Cross attention."""
    _hear(r, gain, shift, is_pre_norm)
    affine(r.said, cross.query[layer], cross.query_bias[layer], r.heard, _LEAST, r.tile)
    for row in range(len(r.x)):
        attend(r.mixed[row], r.said[row], kept, places[row, : lengths[row]], num_heads, r.shares)
    affine(r.said, cross.output[layer], cross.output_bias[layer], r.mixed, _LEAST, r.tile)
    _add(r, gain, shift, is_pre_norm)


@inner
@no_type_check
def _think(r, w, layer, number, is_pre_norm):
    """The feed-forward net."""
    gain, shift = w.gains[number], w.shifts[number]
    _hear(r, gain, shift, is_pre_norm)
    affine(r.hidden, w.expand[layer], w.expand_bias[layer], r.heard, np.float32(0), r.tile)
    affine(r.said, w.contract[layer], w.contract_bias[layer], r.hidden, _LEAST, r.tile)
    _add(r, gain, shift, is_pre_norm)


@inner
@no_type_check
def encode(r, weights, tokens, positions, kept, places, lengths, owners, memory):
    """Keeps in ``memory`` [L, R, 2 D] what the decoder's layers ask of each source token.

    ``kept`` [R, 2 D] is room; ``owners`` [R] are the rows of ``places`` and ``lengths``.
    """
    w, cross = weights.encoder, weights.cross
    num_heads, is_pre_norm = weights.num_heads, weights.is_pre_norm
    embed(r, weights.words, tokens, positions)
    for layer in range(len(w.output)):
        number = 2 * layer
        _ask_each_other(
            r, w, layer, number, kept, 0, places, lengths, owners, num_heads, is_pre_norm
        )
        _think(r, w, layer, number + 1, is_pre_norm)
    _hear(r, w.gains[-1], w.shifts[-1], is_pre_norm)
    for layer in range(len(memory)):
        bias = cross.keeping_bias[layer]
        affine(memory[layer], cross.keeping[layer], bias, r.heard, _LEAST, r.tile)


@inner
@no_type_check
def step(
    r, weights, tokens, positions, kept, first, places, lengths, owners, memory, sources,
    source_lengths, logits,
):  # fmt: skip
    """The logits after one more token of each row.

    ``kept`` [L, P, 2 D] gets its keys and values from place ``first`` on. ``places`` and
    ``sources`` are where the rows' tokens and their sources lie in it and in the memory; row i
    has row ``owners[i]`` of the places.
    """
    w, num_heads, is_pre_norm = weights.decoder, weights.num_heads, weights.is_pre_norm
    embed(r, weights.words, tokens, positions)
    for layer in range(len(w.output)):
        number = 3 * layer
        _ask_each_other(
            r, w, layer, number, kept[layer], first, places, lengths, owners, num_heads, is_pre_norm
        )
        _ask_memory(
            r, weights.cross, layer, w.gains[number + 1], w.shifts[number + 1], memory[layer],
            sources, source_lengths, num_heads, is_pre_norm,
        )  # fmt: skip
        _think(r, w, layer, number + 2, is_pre_norm)
    _hear(r, w.gains[-1], w.shifts[-1], is_pre_norm)
    affine(logits, weights.words.projection, weights.words.no_bias, r.heard, _LEAST, r.tile)
