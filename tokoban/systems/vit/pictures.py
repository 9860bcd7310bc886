"""Labelled pictures as tensors, and picture files brought to a size; Pillow is imported here alone.

Axes: N pictures, C channels, H rows, W columns.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from jaxtyping import Float, Int64, UInt8
from torch import Tensor

from tokoban.systems.vit.config import Fit

SUFFIXES = (".png", ".jpg", ".jpeg", ".bmp", ".gif", ".webp", ".ppm", ".pgm", ".tif", ".tiff")
_MOST_PIXELS = 100_000_000  # of a picture file: a file of some bytes can name any size


@dataclass(frozen=True)
class Pictures:
    """Pictures of one size, the class of each, and what the classes are called."""

    pixels: UInt8[Tensor, "N C H W"]
    labels: Int64[Tensor, "N"]
    class_names: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.labels)

    def at(self, places: Int64[Tensor, "M"]) -> "Pictures":
        """Some of the pictures, in the order asked for."""
        return Pictures(self.pixels[places], self.labels[places], self.class_names)

    def to(self, device: torch.device) -> "Pictures":
        """The same on a device."""
        return Pictures(self.pixels.to(device), self.labels.to(device), self.class_names)

    def drawn_apart(self, *, share: float, seed: int) -> tuple["Pictures", "Pictures"]:
        """So many of the pictures without preference, and the others; both in random order."""
        generator = torch.Generator().manual_seed(seed)
        order = torch.randperm(len(self), generator=generator)
        num_drawn = round(len(self) * share)
        return self.at(order[:num_drawn]), self.at(order[num_drawn:])

    def mean_and_deviation(self) -> tuple[Float[Tensor, "C"], Float[Tensor, "C"]]:
        """Of each channel over all pixels of all pictures."""
        levels = torch.arange(256, dtype=torch.float64)
        channels = self.pixels.transpose(0, 1).flatten(1)
        counts = torch.stack([torch.bincount(channel, minlength=256) for channel in channels])
        shares = counts.double() / channels.shape[1]
        mean = shares @ levels
        variance = shares @ levels**2 - mean**2
        return mean.float(), variance.clamp(min=1.0).sqrt().float()


class SizedPicture(NamedTuple):
    """A picture brought to a size, and the size that it was brought from."""

    pixels: UInt8[Tensor, "C H W"]
    original_width: int
    original_height: int


def read_picture(path: Path, *, height: int, width: int, channels: int, fit: Fit) -> SizedPicture:
    """A picture file in grey or colour, brought to a size as ``fit`` says.

    What is transparent is laid on white. Raises ``ValueError`` for what is no picture, and for
    another proportion of the sides where ``fit`` is "scale".
    """
    from PIL import Image, ImageOps, UnidentifiedImageError

    try:
        with Image.open(path) as opened:
            if opened.width * opened.height > _MOST_PIXELS:
                raise ValueError(
                    f"{path}: a picture of {opened.width} x {opened.height} is too large"
                )
            opened.load()
            picture = ImageOps.exif_transpose(opened)
    except UnidentifiedImageError:
        raise ValueError(f"{path}: not a picture, or of no known format") from None
    except (OSError, SyntaxError, EOFError, Image.DecompressionBombError) as error:
        if isinstance(error, OSError) and error.filename is not None:
            raise
        raise ValueError(f"{path}: a picture that is damaged ({error})") from None
    if picture.has_transparency_data:
        picture = picture.convert("RGBA")
        picture = Image.alpha_composite(Image.new("RGBA", picture.size, "white"), picture)
    fitted = _fitted(picture.convert("L" if channels == 1 else "RGB"), (width, height), fit, path)
    pixels = np.asarray(fitted).reshape(height, width, channels).transpose(2, 0, 1)
    return SizedPicture(torch.from_numpy(pixels.copy()), *picture.size)


def _fitted(picture: Any, size: tuple[int, int], fit: Fit, path: Path) -> Any:
    from PIL import Image, ImageOps

    if picture.size == size:
        return picture
    # Reduced, each pixel is the mean of those that it covers.
    is_smaller = picture.width * picture.height < size[0] * size[1]
    method = Image.Resampling.BICUBIC if is_smaller else Image.Resampling.BOX
    if fit == "crop":
        return ImageOps.fit(picture, size, method)
    if fit == "scale" and picture.width * size[1] != picture.height * size[0]:
        raise ValueError(
            f"{path}: a picture of {picture.width} x {picture.height}; expected "
            f"{size[0]} x {size[1]}, or larger or smaller in the same proportion"
        )
    return picture.resize(size, method)
