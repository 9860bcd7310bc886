"""Data augmentation on any device: shifts, flips and random erasing.

Random erasing: Zhong et al. 2017 (arXiv:1708.04896).

Axes: B batch, C channels, H rows, W columns.
"""

import torch
from jaxtyping import Bool, Float, UInt8
from torch import Tensor

# Of the erased rectangle, as in the paper: its share of the picture, and its height over width.
_LEAST_ERASED, _MOST_ERASED = 0.02, 1 / 3
_FLATTEST, _STEEPEST = 0.3, 1 / 0.3


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


def erased(
    pictures: UInt8[Tensor, "B C H W"], *, share: float, generator: torch.Generator
) -> UInt8[Tensor, "B C H W"]:
    """Random erasing: noise in a rectangle of ``share`` of the pictures."""
    num_pictures, _, height, width = pictures.shape

    def uniform(low: float, high: float) -> Float[Tensor, "B"]:
        drawn = torch.rand(num_pictures, generator=generator, device=pictures.device)
        return low + (high - low) * drawn

    area = uniform(_LEAST_ERASED, _MOST_ERASED) * height * width
    aspect = uniform(_FLATTEST, _STEEPEST)
    is_in = (uniform(0.0, 1.0) < share)[:, None, None]
    is_in = is_in & _span(height, (area * aspect).sqrt(), uniform(0.0, 1.0))[:, :, None]
    is_in = is_in & _span(width, (area / aspect).sqrt(), uniform(0.0, 1.0))[:, None]
    noise = torch.randint(
        256, pictures.shape, generator=generator, device=pictures.device, dtype=torch.uint8
    )
    return torch.where(is_in[:, None], noise, pictures)


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


def _span(
    length: int, size: Float[Tensor, "B"], where: Float[Tensor, "B"]
) -> Bool[Tensor, "B length"]:
    """An interval of about ``size`` indices, all inside; ``where`` is its position, from 0 to 1."""
    size = size.round().clamp(1, length)
    start = (where * (length - size + 1)).floor()[:, None]
    index = torch.arange(length, device=size.device)
    return (index >= start) & (index < start + size[:, None])
