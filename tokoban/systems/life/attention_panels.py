"""Where each cell of a grid looks, in the course of a game or of a training run."""

from collections.abc import Sequence
from pathlib import Path

import torch
from jaxtyping import Bool
from torch import Tensor

from tokoban.systems.life.attention_plot import attention_matrix, matrices_of_run
from tokoban.systems.life.model import LifeNet
from tokoban.viewing.attention_page import MOST_WEIGHTS, AttentionPanel, TokenGrid

# A second's load for a browser on a torus of 16 x 16.
MOST_PANELS = 12


GUIDE = (
    "A trained network attends to a cell and its eight neighbours, and to hardly any other; living "
    "neighbours (●) get more than dead ones, which tells it how many live."
)


def attention_panels(model: LifeNet, grids: Sequence[Bool[Tensor, "H W"]]) -> list[AttentionPanel]:
    """A panel for each of the ``grids``, which are those of the steps of a game from 0.

    Of a long game, or a large torus, for the first, the last and some between, as far apart.
    """
    most = min(MOST_PANELS, MOST_WEIGHTS // model.side**4)
    panels = []
    for step in _spread(len(grids), most):
        labels = ["●" * alive for alive in grids[step].flatten().tolist()]
        cells = TokenGrid(model.side, model.side, labels=labels)
        weights = attention_matrix(model, grids[step][None])[None, None]
        panels.append(AttentionPanel(f"step {step}", weights, cells, cells))
    return panels


def panels_of_run(
    model: LifeNet, kept: Path, *, grids: Bool[Tensor, "B H W"]
) -> list[AttentionPanel]:
    """A panel for each of the run's kept weights of ``model``: the mean over the grids.

    Of too many for a page, the first, the last and some between. Errors as of ``matrices_of_run``.
    """
    cells = TokenGrid(model.side, model.side)
    panels = [
        AttentionPanel(f"step {step}", matrix[None, None], cells, cells)
        for step, matrix in matrices_of_run(model, kept, grids=grids)
    ]
    return [panels[place] for place in _spread(len(panels), MOST_WEIGHTS // model.side**4)]


def _spread(number: int, most: int) -> list[int]:
    """Up to ``most`` of so many places, the first and the last among them, and as far apart."""
    num_places = max(1, min(number, most))
    places: list[int] = torch.linspace(0, number - 1, num_places).round().int().tolist()
    return places
