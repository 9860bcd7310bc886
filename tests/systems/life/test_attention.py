"""Of a game, long or short, every panel has the cells and the weights of its step."""

from dataclasses import replace
from pathlib import Path

import pytest
import torch

from tokoban.systems.life import attention as attention_module
from tokoban.systems.life import attention_plot
from tokoban.systems.life.attention import attention, attention_of_run
from tokoban.systems.life.attention_plot import attention_matrix
from tokoban.systems.life.config import tiny
from tokoban.systems.life.model import LifeNet
from tokoban.systems.life.train import build_model
from tokoban.training.snapshots import Snapshots
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


def test_a_run_is_gone_through_by_its_kept_weights(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model, grids = game(2)
    kept, both = Snapshots(tmp_path, num_kept=None), torch.stack(grids[:2])
    expected, computed = {}, []
    for step in (5, 10, 15):
        torch.manual_seed(step)
        other = build_model(replace(tiny(), side=5)).eval()
        kept.take(other.state_dict(), step=step, metadata={})
        expected[f"step {step}"] = attention_matrix(other, both)
    panels = attention_of_run(model, tmp_path, grids=both).panels
    assert [panel.name for panel in panels] == list(expected)
    for panel in panels:
        assert torch.equal(panel.weights[0, 0], expected[panel.name])
    with pytest.raises(ValueError, match="no snapshots of the weights"):
        attention_of_run(model, tmp_path / "nothing", grids=both)

    def matrix(model: LifeNet, grids: torch.Tensor) -> torch.Tensor:
        computed.append(attention_matrix(model, grids))
        return computed[-1]

    monkeypatch.setattr(attention_plot, "attention_matrix", matrix)
    monkeypatch.setattr(attention_module, "MOST_WEIGHTS", 2 * 5**4)
    panels = attention_of_run(model, tmp_path, grids=both).panels
    assert [panel.name for panel in panels] == ["step 5", "step 15"]
    assert len(computed) == 2  # and not those that are left out
