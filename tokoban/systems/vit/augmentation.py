"""Pictures changed at random in ways that leave their classes as they are, on any device.

Axes: B batch, C channels, H rows, W columns.
"""

import torch
from jaxtyping import Bool, Float, UInt8
from torch import Tensor

# What is erased, as Zhong et al. 2020 have it: its share of the picture, and height over width.
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
    """Each picture moved by up to ``shift`` pixels along both axes, black coming in; half flipped.

    The draws, and so the pictures, depend on the generator's state alone.
    """
    num_pictures, _, height, width = pictures.shape
    rows = _places(num_pictures, height, shift, flips_vertically, generator)
    columns = _places(num_pictures, width, shift, flips_horizontally, generator)
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
    """Noise in a rectangle of ``share`` of the pictures (random erasing, Zhong et al. 2020)."""
    num_pictures, _, height, width = pictures.shape

    def uniform(low: float, high: float) -> Float[Tensor, "B"]:
        drawn = torch.rand(num_pictures, generator=generator, device=pictures.device)
        return low + (high - low) * drawn

    area = uniform(_LEAST_ERASED, _MOST_ERASED) * height * width
    steepness = uniform(_FLATTEST, _STEEPEST)
    is_in = (uniform(0.0, 1.0) < share)[:, None, None]
    is_in = is_in & _span(height, (area * steepness).sqrt(), uniform(0.0, 1.0))[:, :, None]
    is_in = is_in & _span(width, (area / steepness).sqrt(), uniform(0.0, 1.0))[:, None]
    noise = torch.randint(
        256, pictures.shape, generator=generator, device=pictures.device, dtype=torch.uint8
    )
    return torch.where(is_in[:, None], noise, pictures)


def _places(
    num_pictures: int, length: int, shift: int, flips: bool, generator: torch.Generator
) -> Tensor:
    """Where each new row (or column) of each picture comes from; it may lie outside."""
    device = generator.device
    places = torch.arange(length, device=device).expand(num_pictures, -1)
    if flips:
        is_flipped = torch.rand(num_pictures, 1, generator=generator, device=device) < 0.5
        places = torch.where(is_flipped, length - 1 - places, places)
    if shift:
        places = places + torch.randint(
            -shift, shift + 1, (num_pictures, 1), generator=generator, device=device
        )
    return places


def _span(
    length: int, size: Float[Tensor, "B"], where: Float[Tensor, "B"]
) -> Bool[Tensor, "B length"]:
    """A run of about ``size`` places, all of them inside; ``where`` is from 0 to 1."""
    size = size.round().clamp(1, length)
    start = (where * (length - size + 1)).floor()[:, None]
    place = torch.arange(length, device=size.device)
    return (place >= start) & (place < start + size[:, None])
