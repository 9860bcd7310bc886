"""Figures of attention by pencil, and the film of a run."""

from dataclasses import replace
from pathlib import Path

import pytest
import torch

from tokoban.systems.life import attention_plot
from tokoban.systems.life.attention_plot import (
    attention_matrix,
    attention_metrics,
    film_of_run,
    neighbour_mean,
)
from tokoban.systems.life.config import tiny
from tokoban.systems.life.model import LifeNet
from tokoban.systems.life.train import build_model
from tokoban.training.snapshots import Snapshots


def test_the_neighbours_mean_by_pencil() -> None:
    matrix = neighbour_mean(5)
    # The neighbours of the upper left cell lie around all four corners.
    assert matrix[0].nonzero().flatten().tolist() == [1, 4, 5, 6, 9, 20, 21, 24]
    assert torch.equal(matrix, matrix.T)
    assert torch.equal(matrix.sum(1), torch.ones(25))


def test_figures_of_four_known_matrices() -> None:
    matrix = neighbour_mean(5)
    matrix[7] = torch.eye(25)[7]  # one cell looks at itself
    found = attention_metrics(matrix)
    assert found["least_neighbour_mass"] == 0
    assert found["neighbour_mass"] == pytest.approx(24 / 25)
    found = attention_metrics(neighbour_mean(5))
    assert found["least_neighbour_mass"] == found["neighbour_mass"] == 1
    assert found["distance_to_mean"] == found["own_mass"] == found["far_mass"] == 0
    found = attention_metrics(torch.eye(25))
    assert (found["own_mass"], found["distance_to_mean"], found["neighbour_mass"]) == (1, 1, 0)
    found = attention_metrics(torch.full((25, 25), 1 / 25))
    assert found["neighbour_mass"] == pytest.approx(8 / 25)
    assert found["far_mass"] == pytest.approx(16 / 25)
    assert found["distance_to_mean"] == pytest.approx(17 / 25)


def test_the_matrix_is_the_mean_softmax_of_the_scores() -> None:
    model = build_model(tiny()).eval()
    grids = torch.rand(3, 5, 5, generator=torch.manual_seed(1)) < 0.5
    x = model.tokens(grids).flatten(1, 2)
    attention = model.mixing.attention
    scores = attention.query(x) @ attention.key(x).mT / 4
    expected = scores.softmax(-1).mean(0).detach()
    torch.testing.assert_close(attention_matrix(model, grids), expected)


@pytest.mark.filterwarnings("ignore")  # of weights that the device meta does not take
def test_a_run_is_gone_through_on_the_device_of_the_model(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = build_model(tiny())
    Snapshots(tmp_path, num_kept=None).take(model.state_dict(), step=5, metadata={})
    devices = []

    def matrix(model: LifeNet, grids: torch.Tensor) -> torch.Tensor:
        devices.extend([model.states.device.type, grids.device.type])
        return torch.zeros(25, 25)

    monkeypatch.setattr(attention_plot, "attention_matrix", matrix)
    grids = torch.zeros(1, 5, 5) > 0
    film_of_run(model.to("meta"), tmp_path, grids=grids, film=tmp_path / "x.gif")
    assert devices == ["meta", "meta"]


def test_a_frame_is_the_matrix_beside_what_the_middle_looks_at(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    torch.manual_seed(1)
    model = build_model(replace(tiny(), side=7, embedding_scale=1.0))
    kept = Snapshots(tmp_path, num_kept=None)
    grids = torch.rand(3, 7, 7) < 0.5
    with pytest.raises(ValueError, match="no snapshots of the weights; train with --keep-every"):
        film_of_run(model, tmp_path, grids=grids, film=tmp_path / "x.gif")
    matrices = []
    for step in (5, 10):
        kept.take(model.state_dict(), step=step, metadata={})
        matrices.append(attention_matrix(model, grids))
        model.states.data.mul_(0.1)  # what it is now must not matter
    shown: list[torch.Tensor] = []
    monkeypatch.setattr(attention_plot, "save_film", lambda frames, *_, **__: shown.append(frames))
    film_of_run(model, tmp_path, grids=grids, film=tmp_path / "x.gif")
    for frame, matrix in zip(torch.as_tensor(shown[0]), matrices, strict=True):
        # Full is an eighth or more.
        shades = (8 * matrix).clamp(max=1)
        torch.testing.assert_close(frame[:, :49], shades)
        assert not frame[:, 49:56].any()
        for row, column in ((0, 0), (2, 5), (6, 1)):
            square = frame[7 * row : 7 * row + 7, 56 + 7 * column : 63 + 7 * column]
            expected = shades[3 * 7 + 3, 7 * row + column].expand(7, 7)
            torch.testing.assert_close(square, expected)
    monkeypatch.setattr(attention_plot, "_MOST_WEIGHTS", 7**4)
    film_of_run(model, tmp_path, grids=grids, film=tmp_path / "x.gif")
    assert len(shown[1]) == 1
