"""Where a classifier looked: attention rollout (Abnar and Zuidema 2020), and its picture.

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
_MARK = (213, 94, 0)  # vermilion, which the colour-blind can tell from a picture's greys
_STRONGEST = 0.85  # of the mark, on the patch that counts most


class Looked(NamedTuple):
    """What a model says of pictures, how much of it came from each patch, and by what attention."""

    logits: Float[Tensor, "B A"]
    shares: Float[Tensor, "B H W"]  # of patches; those of a picture sum to 1
    weights: Float[Tensor, "L B N T T"]


def rollout(weights: Float[Tensor, "L B N T T"]) -> Float[Tensor, "B T T"]:
    """How much of each input token every output token is made of; each row sums to 1.

    A layer hands on half of what its heads mix, on average, and half of what it was given, for the
    way around the attention.
    """
    identity = torch.eye(weights.shape[-1], device=weights.device, dtype=weights.dtype)
    total = identity.expand(weights.shape[1], -1, -1)
    for layer in weights:
        total = (layer.mean(1) + identity) / 2 @ total
    return total


def look(model: VisionTransformer, pictures: UInt8[Tensor, "B C H W"]) -> Looked:
    """Classifies, and rolls the attention out from what the last layer reads to the patches."""
    with record_attention(model) as record, torch.inference_mode():
        logits = model(pictures)
    weights = record.stacked()
    total = rollout(weights)
    from_patches = total.mean(1) if model.class_token is None else total[:, 0, 1:]
    shares = from_patches / from_patches.sum(1, keepdim=True)
    return Looked(logits.float(), shares.unflatten(1, model.grid_size), weights)


def drawn(
    pictures: UInt8[Tensor, "B C H W"], shares: Float[Tensor, "B rows columns"]
) -> UInt8[np.ndarray, "height width 3"]:
    """Each picture in a row, and to its right the same with the patches that count marked.

    The one that counts most is marked most, and one of no account not at all.
    """
    height, width = pictures.shape[2:]
    plain = pictures.expand(-1, 3, -1, -1).permute(0, 2, 3, 1).float().cpu()
    patch = height // shares.shape[1]
    strength = (shares / shares.amax((1, 2), keepdim=True)).cpu() * _STRONGEST
    strength = strength.repeat_interleave(patch, 1).repeat_interleave(patch, 2)[..., None]
    grey = plain.mean(-1, keepdim=True)
    marked = grey * (1 - strength) + torch.tensor(_MARK) * strength
    scale = max(1, _SIDE_PX // max(height, width))
    rows = []
    for pair in zip(plain, marked, strict=True):
        large = [each.repeat_interleave(scale, 0).repeat_interleave(scale, 1) for each in pair]
        gap = torch.full((height * scale, _GAP_PX, 3), 255.0)
        rows += [torch.cat([large[0], gap, large[1]], dim=1)]
        rows += [torch.full((_GAP_PX, 2 * width * scale + _GAP_PX, 3), 255.0)]
    return torch.cat(rows[:-1]).round().byte().numpy()
