"""Of a game, long or short, every panel has the cells and the weights of its step."""

from dataclasses import replace

import torch

from tokoban.systems.life.attention import attention
from tokoban.systems.life.attention_plot import attention_matrix
from tokoban.systems.life.config import tiny
from tokoban.systems.life.model import LifeNet
from tokoban.systems.life.train import build_model
from tokoban.viewing.attention_page import TokenGrid


def game(num_steps: int) -> tuple[LifeNet, list[torch.Tensor]]:
    torch.manual_seed(3)
    model = build_model(replace(tiny(), side=5)).eval()
    draws = torch.rand(num_steps + 1, 5, 5, generator=torch.manual_seed(1))
    return model, list(draws < 0.5)


def test_each_step_has_its_cells_and_where_they_look() -> None:
    model, grids = game(2)
    panels = attention(model, grids).panels
    assert [panel.name for panel in panels] == ["step 0", "step 1", "step 2"]
    for panel, grid in zip(panels, grids, strict=True):
        assert isinstance(panel.queries, TokenGrid)
        assert [label == "●" for label in panel.queries.labels or ()] == grid.flatten().tolist()
        assert torch.equal(panel.weights[0, 0], attention_matrix(model, grid[None]))
