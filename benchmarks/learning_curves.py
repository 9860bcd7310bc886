"""Learning curves of several kinds of runs on one plot: the mean over seeds, with its interval.

Axes: R runs of one kind, P points of a curve.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from jaxtyping import Float

from tokoban.files.atomic import atomically
from tokoban.training.metrics import mean_interval
from tokoban.viewing.plots import COLOURS, Curve, picture_kind

_NUM_POINTS = 200


def plot_runs(
    kinds: Mapping[str, Sequence[Curve]],
    *,
    x_name: str,
    y_name: str,
    picture: Path,
) -> None:
    """A line for each kind, with a band where its mean lies with 95 %, and the runs in pale.

    A mean begins where all its runs have, and a run that ended before the others stands where it
    ended. A kind of one run has no band. PNG or SVG by the picture's
    suffix.
    """
    from matplotlib.figure import Figure

    kind_of_file = picture_kind(picture)
    if not kinds or not all(kinds.values()):
        raise ValueError("expected runs to draw, and at least one of every kind")
    figure = Figure(figsize=(6.4, 4.2), layout="constrained")
    axes = figure.subplots()
    last = max(steps[-1] for runs in kinds.values() for steps, _ in runs)
    for number, (name, runs) in enumerate(kinds.items()):
        colour, line = COLOURS[number % len(COLOURS)], "-" if number < len(COLOURS) else "--"
        for steps, values in runs:
            axes.plot(steps, values, line, color=colour, linewidth=0.6, alpha=0.35)
        # What was first measured later is not known before.
        grid = np.linspace(max(steps[0] for steps, _ in runs), last, _NUM_POINTS)
        curves = on_a_grid(runs, grid)
        label = f"{name} ({len(runs)} seed{'s' * (len(runs) != 1)})"
        axes.plot(grid, curves.mean(0), line, color=colour, linewidth=1.8, label=label)
        if len(runs) > 1:
            lows, highs = zip(*(mean_interval(values) for values in curves.T.tolist()), strict=True)
            axes.fill_between(grid, lows, highs, color=colour, alpha=0.15, linewidth=0)
    axes.set_xlabel(x_name)
    axes.set_ylabel(y_name)
    axes.grid(True, color="#e6e6e6", linewidth=0.8)
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(frameon=False, fontsize="small")
    with atomically(picture) as temporary:
        figure.savefig(temporary, dpi=150, format=kind_of_file)


def on_a_grid(runs: Sequence[Curve], grid: Float[np.ndarray, "P"]) -> Float[np.ndarray, "R P"]:
    """Each run's values at the same steps: straight lines between its own, flat beyond its ends."""
    return np.array([np.interp(grid, steps, values) for steps, values in runs])
