"""Labelled pictures as tensors, and reading of picture files; only this module imports Pillow.

Axes: N pictures, C channels, H rows, W columns.
"""

import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from jaxtyping import Float, Int64, UInt8
from torch import Tensor

from tokoban.systems.vit.config import Fit

SUFFIXES = (".png", ".jpg", ".jpeg", ".bmp", ".gif", ".webp", ".ppm", ".pgm", ".tif", ".tiff")
# Only these are read, whatever a file is called: of others Pillow passes some to other programs,
# PostScript to Ghostscript, which runs it.
_FORMATS = ("PNG", "JPEG", "BMP", "GIF", "WEBP", "PPM", "TIFF")
_MOST_PIXELS = 40_000_000  # of a picture file: a file of some bytes can name any size


@dataclass(frozen=True)
class Pictures:
    """Pictures of one size, their classes and the names of the classes."""

    pixels: UInt8[Tensor, "N C H W"]
    labels: Int64[Tensor, "N"]
    class_names: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.labels)

    def at(self, indices: Int64[Tensor, "M"]) -> "Pictures":
        """The pictures at these indices."""
        return Pictures(self.pixels[indices], self.labels[indices], self.class_names)

    def to(self, device: torch.device) -> "Pictures":
        """The same pictures on a device."""
        return Pictures(self.pixels.to(device), self.labels.to(device), self.class_names)

    def split(self, *, share: float, seed: int) -> tuple["Pictures", "Pictures"]:
        """A random ``share`` of the pictures, and the others; both in random order."""
        generator = torch.Generator().manual_seed(seed)
        order = torch.randperm(len(self), generator=generator)
        num_drawn = round(len(self) * share)
        return self.at(order[:num_drawn]), self.at(order[num_drawn:])

    def mean_and_deviation(self) -> tuple[Float[Tensor, "C"], Float[Tensor, "C"]]:
        """The mean and standard deviation of each channel over all pixels of all pictures."""
        levels = torch.arange(256, dtype=torch.float64)
        channels = self.pixels.transpose(0, 1).flatten(1)
        counts = torch.stack([torch.bincount(channel, minlength=256) for channel in channels])
        shares = counts.double() / channels.shape[1]
        mean = shares @ levels
        variance = shares @ levels**2 - mean**2
        return mean.float(), variance.clamp(min=1.0).sqrt().float()


class SizedPicture(NamedTuple):
    """A resized picture and its original size."""

    pixels: UInt8[Tensor, "C H W"]
    original_width: int
    original_height: int


def read_picture(path: Path, *, height: int, width: int, channels: int, fit: Fit) -> SizedPicture:
    """A picture file in grey or colour, resized as ``fit`` says; transparency becomes white.

    ``ValueError`` for a file that is no picture, of another format than those of ``SUFFIXES`` or
    too large, and for another aspect ratio if ``fit`` is "scale".
    """
    from PIL import Image, ImageOps, UnidentifiedImageError

    _check_canvas(path)
    try:
        with warnings.catch_warnings():
            # Pillow's own limits are higher; what it finds odd and can read is no news to a user.
            warnings.simplefilter("ignore")
            with Image.open(path, formats=_FORMATS) as opened:
                is_too_large = opened.width * opened.height > _MOST_PIXELS
                if not is_too_large:
                    opened.load()
                    ImageOps.exif_transpose(opened, in_place=True)
    except UnidentifiedImageError:
        kinds = ", ".join(_FORMATS)
        raise ValueError(f"{path}: not a picture, or of no known format ({kinds})") from None
    except Image.DecompressionBombError:
        raise ValueError(f"{path}: a picture that is too large ({_limit()})") from None
    except Exception as error:  # Pillow's readers raise whatever they stumble over
        if isinstance(error, OSError) and error.filename is not None:
            raise
        raise ValueError(f"{path}: a picture that is damaged ({error})") from None
    if is_too_large:
        raise _too_large(path, opened.width, opened.height)
    picture: Image.Image = opened
    if picture.mode.startswith("I;16"):
        picture = Image.fromarray((np.asarray(picture) >> 8).astype(np.uint8))
    if picture.mode in ("I", "F"):  # of any range: Pillow would cut them off at 255
        raise ValueError(f"{path}: shades of 32 bits; expected 8 or 16")
    if picture.has_transparency_data:
        picture = picture.convert("RGBA")
        picture = Image.alpha_composite(Image.new("RGBA", picture.size, "white"), picture)
    fitted = _fitted(picture.convert("L" if channels == 1 else "RGB"), (width, height), fit, path)
    pixels = np.asarray(fitted).reshape(height, width, channels).transpose(2, 0, 1)
    return SizedPicture(torch.from_numpy(pixels.copy()), *picture.size)


def _check_canvas(path: Path) -> None:
    """``ValueError`` for a WebP file that is too large: Pillow makes its canvas as it opens it.

    https://developers.google.com/speed/webp/docs/riff_container
    """
    with path.open("rb") as file:
        start = file.read(30)
    if start[:4] != b"RIFF" or start[8:12] != b"WEBP" or len(start) < 30:
        return
    kind, width, height = start[12:16], 0, 0
    if kind == b"VP8X":
        width, height = (1 + int.from_bytes(start[at : at + 3], "little") for at in (24, 27))
    elif kind == b"VP8L":
        sizes = int.from_bytes(start[21:25], "little")
        width, height = 1 + sizes % 2**14, 1 + (sizes >> 14) % 2**14
    elif kind == b"VP8 ":
        width, height = (int.from_bytes(start[at : at + 2], "little") % 2**14 for at in (26, 28))
    if width * height > _MOST_PIXELS:
        raise _too_large(path, width, height)


def _too_large(path: Path, width: int, height: int) -> ValueError:
    return ValueError(f"{path}: a picture of {width} x {height} is too large ({_limit()})")


def _limit() -> str:
    return f"expected at most {_MOST_PIXELS:,} pixels"


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
