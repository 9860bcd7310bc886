"""Films as GIFs, of shades or in colour; Pillow is imported in the functions.

Axes: F frames, H rows, W columns, C red, green and blue.
"""

from collections.abc import Sequence
from io import BytesIO
from pathlib import Path

import numpy as np
from jaxtyping import Float, UInt8

from tokoban.files.atomic import atomically
from tokoban.files.endings import check_ending

_NUM_SHADES = 16  # the fewer there are, the smaller is the film
_CAPTION_HEIGHT = 14  # pixels below a frame
_LAST_FRAME_MS = 2000


def save_film(
    frames: Float[np.ndarray, "F H W"], film: Path, *, captions: Sequence[str], frame_ms: int
) -> None:
    """Writes a GIF of shades from 0 to 1, a pixel each, the rest as ``gif_of_pictures``."""
    from tokoban.viewing.plots import COLOURS

    white, full = np.array([255, 255, 255]), np.array(list(bytes.fromhex(COLOURS[0][1:])))
    mix = np.linspace(0, 1, _NUM_SHADES)[:, None]
    colours = (white * (1 - mix) + full * mix).round().astype(np.uint8)
    shades = (frames * (_NUM_SHADES - 1)).round().astype(np.uint8)
    save_pictures([*colours[shades]], film, captions=captions, frame_ms=frame_ms)


def save_pictures(
    frames: Sequence[UInt8[np.ndarray, "H W C"]],
    film: Path,
    *,
    captions: Sequence[str],
    frame_ms: int,
) -> None:
    """Writes ``gif_of_pictures`` to a file."""
    check_ending(film, (".gif",), is_required=True)
    with atomically(film) as temporary:
        temporary.write_bytes(gif_of_pictures(frames, captions=captions, frame_ms=frame_ms))


def captioned(frame: UInt8[np.ndarray, "H W C"], caption: str) -> UInt8[np.ndarray, "height W C"]:
    """The picture in colour with a caption below it."""
    from PIL import Image, ImageDraw

    height, width = frame.shape[:2]
    picture = Image.new("RGB", (width, height + _CAPTION_HEIGHT), "white")
    picture.paste(Image.fromarray(frame))
    ImageDraw.Draw(picture).text((2, height + 1), caption, fill=0)
    return np.asarray(picture)


def gif_of_pictures(
    frames: Sequence[UInt8[np.ndarray, "H W C"]], *, captions: Sequence[str], frame_ms: int
) -> bytes:
    """A GIF in colour with a caption below every frame, without end; frames are of one size."""
    from PIL import Image

    pictures = [Image.fromarray(captioned(*each)) for each in zip(frames, captions, strict=True)]
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
