from pathlib import Path

import numpy as np
import pytest
from matplotlib.image import imread

from benchmarks import learning_curves
from benchmarks.learning_curves import on_a_grid, plot_runs

RUNS = [([0, 10], [0.0, 1.0]), ([0, 20], [0.0, 1.0])]


def test_runs_are_compared_at_equal_steps_and_stand_where_they_ended() -> None:
    found = on_a_grid(RUNS, np.array([0.0, 5.0, 10.0, 20.0]))
    assert found.tolist() == [[0.0, 0.5, 1.0, 1.0], [0.0, 0.25, 0.5, 1.0]]


def test_a_mean_begins_where_all_its_runs_have(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    first = []

    def watched(runs, grid):
        first.append(float(grid[0]))
        return on_a_grid(runs, grid)

    monkeypatch.setattr(learning_curves, "on_a_grid", watched)
    late = [([7, 20], [0.0, 1.0]), ([5, 20], [0.0, 1.0])]
    plot_runs({"late": late, "a": RUNS}, x_name="", y_name="", picture=tmp_path / "x.png")
    assert first == [7.0, 0.0]


@pytest.mark.parametrize("suffix", ["png", "svg"])
def test_a_plot_shows_every_kind(suffix: str, tmp_path: Path) -> None:
    picture = tmp_path / f"curves.{suffix}"
    kinds = {"seven words": RUNS, "one run": RUNS[:1]}
    plot_runs(kinds, x_name="steps", y_name="return", picture=picture, bar=0.97)
    if suffix == "png":
        assert len(np.unique(imread(picture).reshape(-1, 4), axis=0)) > 5
    else:
        assert all(name in picture.read_text() for name in ("seven words (2 seeds)", "(1 seed)"))


@pytest.mark.parametrize(
    ("kinds", "name", "message"),
    [
        ({"a": RUNS}, "x.gif", "expected a name that ends in .png or .svg"),
        ({}, "x.png", "expected runs to draw, and at least one of every kind"),
        ({"a": []}, "x.png", "expected runs to draw, and at least one of every kind"),
    ],
)
def test_what_cannot_be_drawn_is_refused(kinds, name: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        plot_runs(kinds, x_name="steps", y_name="return", picture=Path(name))
