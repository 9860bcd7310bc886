"""Figures of attention by pencil, and the film of a run."""

from dataclasses import replace
from pathlib import Path

import pytest
import torch
from PIL import Image

from tokoban.systems.life.attention_plot import (
    attention_figures,
    attention_matrix,
    film_of_run,
    neighbour_mean,
)
from tokoban.systems.life.config import tiny
from tokoban.systems.life.model import GridAttention
from tokoban.systems.life.train import build_model
from tokoban.training.snapshots import Snapshots


def test_the_neighbours_mean_by_pencil() -> None:
    matrix = neighbour_mean(5)
    # The neighbours of the upper left cell lie around all four corners.
    assert matrix[0].nonzero().flatten().tolist() == [1, 4, 5, 6, 9, 20, 21, 24]
    assert torch.equal(matrix, matrix.T)
    assert torch.equal(matrix.sum(1), torch.ones(25))


def test_figures_of_three_known_matrices() -> None:
    found = attention_figures(neighbour_mean(5))
    assert found["least_neighbour_mass"] == found["neighbour_mass"] == 1
    assert found["distance_to_mean"] == found["own_mass"] == found["far_mass"] == 0
    found = attention_figures(torch.eye(25))
    assert (found["own_mass"], found["distance_to_mean"], found["neighbour_mass"]) == (1, 1, 0)
    found = attention_figures(torch.full((25, 25), 1 / 25))
    assert found["neighbour_mass"] == pytest.approx(8 / 25)
    assert found["far_mass"] == pytest.approx(16 / 25)
    assert found["distance_to_mean"] == pytest.approx(17 / 25)


def test_the_matrix_is_the_softmax_of_the_scores() -> None:
    model = build_model(tiny()).eval()
    grid = torch.rand(1, 5, 5, generator=torch.manual_seed(1)) < 0.5
    x = model.tokens(grid).flatten(1, 2)[0]
    assert isinstance(model.mixing, GridAttention)
    attention = model.mixing.attention
    scores = attention.query(x) @ attention.key(x).T / 4
    torch.testing.assert_close(attention_matrix(model, grid), scores.softmax(-1).detach())


def test_a_film_has_a_frame_for_each_of_the_kept_weights(tmp_path: Path) -> None:
    model = build_model(replace(tiny(), side=7))
    kept = Snapshots(tmp_path / "kept", num_kept=None)
    for step in (10, 5, 20):
        kept.take(model.state_dict(), step=step)
    grids = torch.zeros(1, 7, 7, dtype=torch.bool)
    assert film_of_run(model, kept.folder, grids=grids, film=tmp_path / "x.gif") == 2
    with Image.open(tmp_path / "x.gif") as film:
        assert film.size[0] == 49 + 7 + 49
    with pytest.raises(ValueError, match="no kept weights to make a film of; train with --keep"):
        film_of_run(model, tmp_path, grids=grids, film=tmp_path / "x.gif")
