from pathlib import Path

import numpy as np
import pytest
from matplotlib.image import imread

from benchmarks.learning_curves import plot_runs

RUNS = [([0, 10], [0.0, 1.0]), ([0, 20], [0.0, 1.0])]


@pytest.mark.parametrize("suffix", ["png", "svg"])
def test_a_plot_shows_every_kind(suffix: str, tmp_path: Path) -> None:
    picture = tmp_path / f"curves.{suffix}"
    kinds = {"seven words": RUNS, "one run": RUNS[:1]}
    plot_runs(kinds, x_name="steps", y_name="return", picture=picture, bar=0.97)
    if suffix == "png":
        assert len(np.unique(imread(picture).reshape(-1, 4), axis=0)) > 5
    else:
        assert all(name in picture.read_text() for name in ("seven words (2 seeds)", "(1 seed)"))
