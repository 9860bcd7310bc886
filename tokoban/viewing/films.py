"""Films as GIFs, of shades or in colour; Pillow is imported in the functions.

Axes: F frames, H rows, W columns, C red, green and blue.
"""

from collections.abc import Sequence
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from jaxtyping import Float, UInt8

from tokoban.files.atomic import atomically

if TYPE_CHECKING:
    from PIL.Image import Image

_NUM_SHADES = 16  # the fewer there are, the smaller is the film
_CAPTION_HEIGHT = 14  # pixels below a frame
_LAST_FRAME_MS = 2000


def save_film(
    frames: Float[np.ndarray, "F H W"], film: Path, *, captions: Sequence[str], frame_ms: int
) -> None:
    """A GIF of shades from 0 to 1, a pixel each, with a caption below every frame, without end."""
    from PIL import Image

    from tokoban.viewing.plots import COLOURS

    white, full = np.array([255, 255, 255]), np.array(list(bytes.fromhex(COLOURS[0][1:])))
    mix = np.linspace(0, 1, _NUM_SHADES)[:, None]
    palette = (white * (1 - mix) + full * mix).round().astype(np.uint8)
    palette = np.concatenate([palette, [[0, 0, 0]]])  # for the captions
    height, width = frames.shape[1:]
    pictures = []
    for frame in frames:
        picture = Image.new("P", (width, height + _CAPTION_HEIGHT))
        picture.putpalette(palette.astype(np.uint8).tobytes())
        shades = (frame * (_NUM_SHADES - 1)).round().astype(np.uint8)
        picture.paste(Image.fromarray(shades))
        pictures.append(picture)
    _write(film, _gif(pictures, captions=captions, ink=_NUM_SHADES, frame_ms=frame_ms))


def save_pictures(
    frames: Sequence[UInt8[np.ndarray, "H W C"]],
    film: Path,
    *,
    captions: Sequence[str],
    frame_ms: int,
) -> None:
    """Writes ``gif_of_pictures`` to a file."""
    _write(film, gif_of_pictures(frames, captions=captions, frame_ms=frame_ms))


def gif_of_pictures(
    frames: Sequence[UInt8[np.ndarray, "H W C"]], *, captions: Sequence[str], frame_ms: int
) -> bytes:
    """A GIF in colour with a caption below every frame, without end; frames are of one size."""
    from PIL import Image

    pictures = []
    for frame in frames:
        height, width = frame.shape[:2]
        picture = Image.new("RGB", (width, height + _CAPTION_HEIGHT), "white")
        picture.paste(Image.fromarray(frame))
        pictures.append(picture)
    return _gif(pictures, captions=captions, ink=0, frame_ms=frame_ms)


def _gif(pictures: "Sequence[Image]", *, captions: Sequence[str], ink: int, frame_ms: int) -> bytes:
    """The film, with captions below in the colour ``ink``."""
    from PIL import ImageDraw

    for picture, caption in zip(pictures, captions, strict=True):
        place = (2, picture.height - _CAPTION_HEIGHT + 1)
        ImageDraw.Draw(picture).text(place, caption, fill=ink)
    content = BytesIO()
    pictures[0].save(
        content,
        format="GIF",
        save_all=True,
        append_images=pictures[1:],
        duration=[frame_ms] * (len(pictures) - 1) + [_LAST_FRAME_MS],
        loop=0,
    )
    return content.getvalue()


def _write(film: Path, content: bytes) -> None:
    if film.suffix.lower() != ".gif":
        raise ValueError(f"{film}: expected a name that ends in .gif")
    with atomically(film) as temporary:
        temporary.write_bytes(content)
