"""Pictures as sequences of patches.

Axes: B batch, C channels, H rows and W columns of pixels, T patches in reading order, P the numbers
of one patch: C * side * side of them, by channel, row and column.
"""

from jaxtyping import Shaped
from torch import Tensor


def to_patches(pictures: Shaped[Tensor, "B C H W"], *, side: int) -> Shaped[Tensor, "B T P"]:
    """The patches of ``side`` x ``side`` pixels; the picture's sides must be multiples of it."""
    height, width = pictures.shape[2:]
    if height % side or width % side:
        raise ValueError(
            f"a picture of {width} x {height} pixels cannot be cut into patches of {side} x {side}"
        )
    # [B, C, rows, side, columns, side]
    cells = pictures.unflatten(3, (-1, side)).unflatten(2, (-1, side))
    return cells.permute(0, 2, 4, 1, 3, 5).flatten(3).flatten(1, 2)
