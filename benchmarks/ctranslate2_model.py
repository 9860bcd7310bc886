"""Our translators as models of CTranslate2, an engine in C++ (github.com/OpenNMT/CTranslate2).

A development-only dependency: `pip install ctranslate2`.
"""

from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import nn

from tokoban.systems.translation.model import Translator
from tokoban.text.bpe import BOS, EOS, PAD, UNK
from tokoban.transformer import DecoderBlock, EncoderBlock
from tokoban.transformer.attention import MultiHeadAttention

_SPECIALS = {PAD: "<pad>", BOS: "<s>", EOS: "</s>", UNK: "<unk>"}


def token_names(model: Translator) -> list[str]:
    """A name for each token, as CTranslate2 wants them: its number, but for the specials."""
    return [_SPECIALS.get(token, str(token)) for token in range(model.embedding.num_embeddings)]


def convert(model: Translator, folder: Path) -> None:
    """Writes the model to a new folder, in single precision.

    The order of norms, sines and cosines side by side, scaled embeddings and one matrix for three
    uses are all things that CTranslate2 can be told, so nothing is left out.
    """
    specs = import_module("ctranslate2").specs
    encoder, decoder = model.transformer.encoder, model.transformer.decoder
    blocks = [*encoder.blocks, *decoder.blocks]
    first = blocks[0]
    assert isinstance(first, EncoderBlock)
    spec = specs.TransformerSpec.from_config(
        (len(encoder.blocks), len(decoder.blocks)),
        first.attention.num_heads,
        pre_norm=first.attention_residual.pre_norm,
    )
    embedding = _array(model.embedding.weight)
    spec.encoder.embeddings[0].weight = embedding
    spec.decoder.embeddings.weight = embedding
    spec.decoder.projection.weight = embedding
    for half, stack in ((spec.encoder, encoder), (spec.decoder, decoder)):
        half.position_encodings.encodings = _array(model.position_vectors)
        if isinstance(stack.last_norm, nn.LayerNorm):
            _norm(half.layer_norm, stack.last_norm)
    for layer, block in zip([*spec.encoder.layer, *spec.decoder.layer], blocks, strict=True):
        assert isinstance(block, EncoderBlock | DecoderBlock)
        _block(layer, block)
    names = token_names(model)
    spec.register_source_vocabulary(names)
    spec.register_target_vocabulary(names)
    spec.config.add_source_eos = True
    spec.config.decoder_start_token = _SPECIALS[BOS]
    spec.validate()
    spec.optimize(quantization=None)
    folder.mkdir()
    spec.save(str(folder))


def _block(spec: Any, block: EncoderBlock | DecoderBlock) -> None:
    own, net = block.attention, block.feed_forward
    _linear(spec.self_attention.linear[0], [own.query, own.key, own.value])
    _linear(spec.self_attention.linear[1], [own.output])
    _norm(spec.self_attention.layer_norm, block.attention_residual.norm)
    if isinstance(block, DecoderBlock):
        _cross(spec.attention, block.cross_attention)
        _norm(spec.attention.layer_norm, block.cross_attention_residual.norm)
    _linear(spec.ffn.linear_0, [net.expand])
    _linear(spec.ffn.linear_1, [net.contract])
    _norm(spec.ffn.layer_norm, block.feed_forward_residual.norm)


def _cross(spec: Any, attention: MultiHeadAttention) -> None:
    _linear(spec.linear[0], [attention.query])
    _linear(spec.linear[1], [attention.key, attention.value])
    _linear(spec.linear[2], [attention.output])


def _linear(spec: Any, parts: Sequence[nn.Linear]) -> None:
    spec.weight = _array(torch.cat([part.weight for part in parts]))
    spec.bias = _array(torch.cat([part.bias for part in parts]))


def _norm(spec: Any, norm: nn.LayerNorm) -> None:
    spec.gamma, spec.beta = _array(norm.weight), _array(norm.bias)


def _array(tensor: torch.Tensor) -> np.ndarray:
    return tensor.detach().float().contiguous().numpy()
