"""The same weights in torch's own modules give the same numbers."""

import pytest
import torch
from torch import nn

from tests.transformer.draw import draw, padding
from tokoban.transformer import (
    BlockOptions,
    Decoder,
    Encoder,
    EncoderDecoder,
    masks,
)

B, N, T, S, E, HIDDEN, LAYERS = 5, 3, 7, 11, 13, 17, 2
D = N * E
NORM_ORDERS = pytest.mark.parametrize("pre_norm", [True, False], ids=["pre-norm", "post-norm"])


def with_drawn_weights(module):
    """Biases and norms too, which would otherwise be zeros and ones and hide a swap."""
    for seed, parameter in enumerate(module.parameters()):
        parameter.data = draw(*parameter.shape, seed=seed) / 3
    return module.double().eval()


def take_attention(ours, theirs):
    projections = ours.query, ours.key, ours.value
    weights, biases = theirs.in_proj_weight.chunk(3), theirs.in_proj_bias.chunk(3)
    for projection, weight, bias in zip(projections, weights, biases, strict=True):
        projection.weight.data, projection.bias.data = weight.data, bias.data
    ours.output.load_state_dict(theirs.out_proj.state_dict())


def take_feed_forward(ours, theirs):
    ours.expand.load_state_dict(theirs.linear1.state_dict())
    ours.contract.load_state_dict(theirs.linear2.state_dict())


def take_norm(ours, theirs):
    ours.norm.load_state_dict(theirs.state_dict())


def take_encoder(ours, theirs):
    for block, layer in zip(ours.blocks, theirs.layers, strict=True):
        take_attention(block.attention, layer.self_attn)
        take_feed_forward(block.feed_forward, layer)
        take_norm(block.attention_residual, layer.norm1)
        take_norm(block.feed_forward_residual, layer.norm2)
    if theirs.norm is not None:
        ours.last_norm.load_state_dict(theirs.norm.state_dict())


def take_decoder(ours, theirs):
    for block, layer in zip(ours.blocks, theirs.layers, strict=True):
        take_attention(block.attention, layer.self_attn)
        take_attention(block.cross_attention, layer.multihead_attn)
        take_feed_forward(block.feed_forward, layer)
        take_norm(block.attention_residual, layer.norm1)
        take_norm(block.cross_attention_residual, layer.norm2)
        take_norm(block.feed_forward_residual, layer.norm3)
    if theirs.norm is not None:
        ours.last_norm.load_state_dict(theirs.norm.state_dict())


def encoders(pre_norm: bool) -> tuple[Encoder, nn.TransformerEncoder]:
    layer = nn.TransformerEncoderLayer(
        D, N, HIDDEN, dropout=0.0, batch_first=True, norm_first=pre_norm
    )
    last_norm = nn.LayerNorm(D) if pre_norm else None
    theirs = nn.TransformerEncoder(layer, LAYERS, last_norm, enable_nested_tensor=False)
    ours = Encoder(
        LAYERS, D, N, options=BlockOptions(hidden_width=HIDDEN, pre_norm=pre_norm)
    ).double()
    take_encoder(ours, with_drawn_weights(theirs))
    return ours, theirs


def decoders(pre_norm: bool) -> tuple[Decoder, nn.TransformerDecoder]:
    layer = nn.TransformerDecoderLayer(
        D, N, HIDDEN, dropout=0.0, batch_first=True, norm_first=pre_norm
    )
    theirs = nn.TransformerDecoder(layer, LAYERS, nn.LayerNorm(D) if pre_norm else None)
    ours = Decoder(
        LAYERS, D, N, options=BlockOptions(hidden_width=HIDDEN, pre_norm=pre_norm)
    ).double()
    take_decoder(ours, with_drawn_weights(theirs))
    return ours, theirs


@NORM_ORDERS
def test_encoder(pre_norm: bool) -> None:
    ours, theirs = encoders(pre_norm)
    inputs, lengths = draw(B, T, D), torch.tensor([7, 1, 5, 2, 3])
    may_attend = masks.causal(T) & padding(lengths, T)
    expected = theirs(
        inputs, mask=~masks.causal(T), src_key_padding_mask=~padding(lengths, T)[:, 0, 0]
    )
    assert torch.allclose(ours(inputs, may_attend=may_attend), expected, rtol=0, atol=1e-12)


@NORM_ORDERS
def test_decoder(pre_norm: bool) -> None:
    ours, theirs = decoders(pre_norm)
    inputs, memory, lengths = draw(B, T, D), draw(B, S, D, seed=1), torch.tensor([11, 1, 5, 2, 7])
    memory_may_attend = padding(lengths, S)
    mine = ours(inputs, memory, may_attend=masks.causal(T), memory_may_attend=memory_may_attend)
    expected = theirs(
        inputs,
        memory,
        tgt_mask=~masks.causal(T),
        memory_key_padding_mask=~memory_may_attend[:, 0, 0],
    )
    assert torch.allclose(mine, expected, rtol=0, atol=1e-12)


@NORM_ORDERS
def test_encoder_decoder(pre_norm: bool) -> None:
    (encoder, their_encoder), (decoder, their_decoder) = encoders(pre_norm), decoders(pre_norm)
    sources, targets = draw(B, S, D), draw(B, T, D, seed=1)
    mine = EncoderDecoder(encoder, decoder)(sources, targets, target_may_attend=masks.causal(T))
    expected = their_decoder(targets, their_encoder(sources), tgt_mask=~masks.causal(T))
    assert torch.allclose(mine, expected, rtol=0, atol=1e-12)
