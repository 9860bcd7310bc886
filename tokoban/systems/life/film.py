"""A game of the network beside the true one, as a GIF.

Axes: H rows and W columns of cells, Y and X of pixels.
"""

import math
from collections.abc import Sequence
from pathlib import Path

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from tokoban.systems.life.simulate import Generation
from tokoban.viewing.films import save_film

_LEAST_CELL_PIXELS = 9
_LEAST_WIDTH = 306  # pixels of a film, for its caption
_LINE_SHADE = 0.1  # between cells
_GAP_CELLS = 2  # between the two games
_FRAME_MS = 100


def save_games(generations: Sequence[Generation], film: Path) -> None:
    """Writes the network's game on the left, with a spot in each wrong cell, the true one on the
    right."""
    num_columns = 2 * generations[0].grids.shape[2] + _GAP_CELLS
    size = max(_LEAST_CELL_PIXELS, math.ceil(_LEAST_WIDTH / num_columns))
    frames, captions = [], []
    for number, each in enumerate(generations):
        grid, true_grid = each.grids[0].cpu(), each.true_grids[0].cpu()
        is_wrong = grid != true_grid
        left = _squares(grid, is_wrong, size=size)
        right = _squares(true_grid, torch.zeros_like(is_wrong), size=size)
        gap = torch.full((len(left), _GAP_CELLS * size), 3 * _LINE_SHADE)
        frames.append(torch.cat([left, gap, right], dim=1))
        captions.append(f"network | rules   step {number}, {each.num_wrong} wrong")
    save_film(torch.stack(frames).numpy(), film, captions=captions, frame_ms=_FRAME_MS)


def _squares(
    cells: Bool[Tensor, "H W"], is_marked: Bool[Tensor, "H W"], *, size: int
) -> Float[Tensor, "Y X"]:
    """A square of ``size`` pixels for each cell; a spot of the other shade marks one."""

    def enlarged(grid: Tensor) -> Tensor:
        return grid.repeat_interleave(size, 0).repeat_interleave(size, 1)

    pixels = torch.arange(size) * 3 // size == 1
    spots = (pixels[:, None] & pixels).repeat(cells.shape)
    squares = (enlarged(cells) ^ (enlarged(is_marked) & spots)).float()
    squares[size - 1 :: size] = _LINE_SHADE
    squares[:, size - 1 :: size] = _LINE_SHADE
    return squares
