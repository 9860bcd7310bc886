"""Attention rollout (Abnar and Zuidema 2020, arXiv:2005.00928): the share of each patch.

Axes: L layers, B pictures, N heads, T tokens (the class token first, if there is one), C channels,
H rows and W columns, of patches or of pixels; A classes.
"""

from typing import NamedTuple

import numpy as np
import torch
from jaxtyping import Float, UInt8
from torch import Tensor

from tokoban.systems.vit.model import VisionTransformer
from tokoban.transformer import record_attention

_SIDE_PX = 224  # a small picture is enlarged to about this
_GAP_PX = 8
_MARK = (213, 94, 0)  # vermilion, which colour-blind readers can tell from greys
_STRONGEST = 0.85  # opacity of the mark, on the patch with the greatest share


class Attribution(NamedTuple):
    """Logits, the share of each patch in them by rollout, and the attention weights."""

    logits: Float[Tensor, "B A"]
    shares: Float[Tensor, "B H W"]  # of patches; those of a picture sum to 1
    weights: Float[Tensor, "L B N T T"]


def rollout(weights: Float[Tensor, "L B N T T"]) -> Float[Tensor, "B T T"]:
    """The share of each input token in every output token; each row sums to 1.

    The output of a layer is taken as half the mean of its heads and half its input: the residual
    connection.
    """
    identity = torch.eye(weights.shape[-1], device=weights.device, dtype=weights.dtype)
    total = identity.expand(weights.shape[1], -1, -1)
    for layer in weights:
        total = (layer.mean(1) + identity) / 2 @ total
    return total


def attribute(model: VisionTransformer, pictures: UInt8[Tensor, "B C H W"]) -> Attribution:
    """Classifies pictures and attributes the pooled output to the patches."""
    with record_attention(model) as record, torch.inference_mode():
        logits = model(pictures)
    weights = record.stacked()
    total = rollout(weights)
    from_patches = total.mean(1) if model.class_token is None else total[:, 0, 1:]
    shares = from_patches / from_patches.sum(1, keepdim=True)
    return Attribution(logits.float(), shares.unflatten(1, model.grid_size), weights)


def overlay(
    picture: UInt8[Tensor, "C H W"], shares: Float[Tensor, "rows columns"]
) -> UInt8[np.ndarray, "height width 3"]:
    """The picture, and beside it the same with each patch marked by its share.

    The strongest mark is on the patch with the greatest share.
    """
    height, width = picture.shape[1:]
    plain = picture.expand(3, -1, -1).permute(1, 2, 0).float().cpu()
    patch = height // shares.shape[0]
    strength = (shares / shares.max()).cpu() * _STRONGEST
    strength = strength.repeat_interleave(patch, 0).repeat_interleave(patch, 1)[..., None]
    grey = plain.mean(-1, keepdim=True)
    marked = grey * (1 - strength) + torch.tensor(_MARK) * strength
    scale = max(1, _SIDE_PX // max(height, width))
    large = [x.repeat_interleave(scale, 0).repeat_interleave(scale, 1) for x in (plain, marked)]
    gap = torch.full((height * scale, _GAP_PX, 3), 255.0)
    return torch.cat([large[0], gap, large[1]], dim=1).round().byte().numpy()
