"""The attention of a grid's cells during a game, for the attention page."""

from collections.abc import Sequence

from jaxtyping import Bool
from torch import Tensor

from tokoban.systems.life.attention_plot import attention_matrix
from tokoban.systems.life.model import LifeNet
from tokoban.viewing.attention_page import (
    MOST_PANELS,
    MOST_WEIGHTS,
    AttentionPanel,
    AttentionView,
    TokenGrid,
    spread,
)

_GUIDE = (
    "A trained network attends to the cell and its eight neighbours, and hardly to others; living "
    "neighbours (●) get more weight than dead ones, which encodes how many are alive."
)


def attention(model: LifeNet, grids: Sequence[Bool[Tensor, "H W"]]) -> AttentionView:
    """A panel for each of the ``grids``, which are the generations of a game from step 0.

    Of a long game or a large torus: the first, the last and evenly spaced ones between.
    """
    most = min(MOST_PANELS, MOST_WEIGHTS // model.side**4)
    panels = []
    for step in spread(len(grids), most):
        labels = ["●" * alive for alive in grids[step].flatten().tolist()]
        cells = TokenGrid(model.side, model.side, labels=labels)
        weights = attention_matrix(model, grids[step][None])[None, None]
        panels.append(AttentionPanel(f"step {step}", weights, cells, cells))
    return AttentionView(panels, _GUIDE)
