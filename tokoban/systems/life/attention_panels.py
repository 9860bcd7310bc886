"""Where each cell of a grid looks, in the course of a game."""

from collections.abc import Sequence

import torch
from jaxtyping import Bool
from torch import Tensor

from tokoban.systems.life.attention_plot import attention_matrix
from tokoban.systems.life.model import LifeNet
from tokoban.training.attention_page import MOST_WEIGHTS, AttentionPanel, TokenGrid

# A second's load for a browser on a torus of 16 x 16.
MOST_PANELS = 12


def attention_panels(model: LifeNet, grids: Sequence[Bool[Tensor, "H W"]]) -> list[AttentionPanel]:
    """A panel for each of the ``grids``, which are those of the steps of a game from 0.

    Of a long game, or a large torus, for the first, the last and some between, as far apart.
    """
    most = max(1, min(len(grids), MOST_PANELS, MOST_WEIGHTS // model.side**4))
    steps = torch.linspace(0, len(grids) - 1, most).round().int().tolist()
    panels = []
    for step in steps:
        cells = TokenGrid(
            *grids[step].shape, labels=["●" * alive for alive in grids[step].flatten()]
        )
        weights = attention_matrix(model, grids[step][None])[None, None]
        panels.append(AttentionPanel(f"step {step}", weights, cells, cells))
    return panels
