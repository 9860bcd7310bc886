"""The benchmarks' learning curves."""

from pathlib import Path

from benchmarks.learning_curves import plot_runs

RUNS = [([0, 10], [0.0, 1.0]), ([0, 20], [0.0, 1.0])]


def test_a_plot_shows_every_kind(tmp_path: Path) -> None:
    picture = tmp_path / "curves.svg"
    kinds = {"seven words": RUNS, "one run": RUNS[:1]}
    plot_runs(kinds, x_name="steps", y_name="return", picture=picture)
    assert all(name in picture.read_text() for name in ("seven words (2 seeds)", "(1 seed)"))
