"""Data augmentation on any device: shifts and flips.

Axes: B batch, C channels, H rows, W columns.
"""

import torch
from jaxtyping import UInt8
from torch import Tensor


def shifted_and_flipped(
    pictures: UInt8[Tensor, "B C H W"],
    *,
    shift: int,
    flips_horizontally: bool,
    flips_vertically: bool,
    generator: torch.Generator,
) -> UInt8[Tensor, "B C H W"]:
    """Each picture shifted by up to ``shift`` pixels on both axes, padded with black; half flipped.

    The result depends on the generator's state only.
    """
    num_pictures, _, height, width = pictures.shape
    rows = _sources(num_pictures, height, shift, flips_vertically, generator)
    columns = _sources(num_pictures, width, shift, flips_horizontally, generator)
    is_inside = (rows >= 0) & (rows < height), (columns >= 0) & (columns < width)
    picture = torch.arange(num_pictures, device=pictures.device)[:, None, None]
    moved = pictures[
        picture, :, rows.clamp(0, height - 1)[:, :, None], columns.clamp(0, width - 1)[:, None]
    ]
    is_seen = is_inside[0][:, :, None] & is_inside[1][:, None]
    return (moved * is_seen[..., None]).permute(0, 3, 1, 2)


def _sources(
    num_pictures: int, length: int, shift: int, flips: bool, generator: torch.Generator
) -> Tensor:
    """The source index of each row (or column) of each picture; it may lie outside."""
    device = generator.device
    sources = torch.arange(length, device=device).expand(num_pictures, -1)
    if flips:
        is_flipped = torch.rand(num_pictures, 1, generator=generator, device=device) < 0.5
        sources = torch.where(is_flipped, length - 1 - sources, sources)
    if shift:
        sources = sources + torch.randint(
            -shift, shift + 1, (num_pictures, 1), generator=generator, device=device
        )
    return sources
