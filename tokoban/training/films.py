"""A film of pictures in colour; Pillow is imported in the function.

Axes: F frames, H rows, W columns, C red, green and blue.
"""

from collections.abc import Sequence
from pathlib import Path

from jaxtyping import UInt8
from torch import Tensor

from tokoban.training.atomic import atomically

_CAPTION_HEIGHT = 14  # pixels below a frame
_LAST_FRAME_MS = 2000


def save_pictures(
    frames: Sequence[UInt8[Tensor, "H W C"]], film: Path, *, captions: Sequence[str], frame_ms: int
) -> None:
    """A GIF with a caption below every frame, without end; frames are of one size."""
    from PIL import Image, ImageDraw

    pictures = []
    for frame, caption in zip(frames, captions, strict=True):
        height, width = frame.shape[:2]
        picture = Image.new("RGB", (width, height + _CAPTION_HEIGHT), "white")
        picture.paste(Image.fromarray(frame.numpy(force=True)))
        ImageDraw.Draw(picture).text((2, height + 1), caption, fill="black")
        pictures.append(picture)
    with atomically(film) as temporary:
        pictures[0].save(
            temporary,
            format="GIF",
            save_all=True,
            append_images=pictures[1:],
            duration=[frame_ms] * (len(pictures) - 1) + [_LAST_FRAME_MS],
            loop=0,
        )
