"""Pictures of a run and of attention; matplotlib is imported in the functions.

Axes: N heads, T targets (queries), S sources (keys).
"""

import math
import warnings
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from jaxtyping import Float
from torch import Tensor
from torch.nn import functional

from tokoban.files.atomic import atomically
from tokoban.files.endings import check_ending
from tokoban.viewing.attention_page import (
    MOST_PANELS,
    AttentionPanel,
    AttentionView,
    TokenRow,
    spread,
    write_attention_page,
)
from tokoban.viewing.xml_text import xml_text

# Okabe and Ito's colours, which the colour-blind can tell apart.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")

# Means are drawn over this many stretches of each decade of steps: the right end of a logarithmic
# axis would else be black with noise.
STRETCHES_PER_DECADE = 25

# Rows or columns of a heat map: with more, labels are unreadable and memory grows too large.
MOST_NAMES = 1000
_MOST_INCHES = 32.0  # 4,800 pixels, 92 MB of them
_MOST_EDGED = 100  # names on a side; the edges of more cells would be all that is seen
_MOST_NAMED = 20  # tokens of a row or column in the maps of heads
_MOST_DRAWN = 300  # cells on a side of such a map; of more, each drawn cell is the largest of some
_DPI = 150
_LARGEST_DRAWN = 1e300  # what is larger, and NaN, is left out

Curve = tuple[list[int], list[float]]  # steps and values


def plot_curves(metrics: Iterable[Mapping[str, Any]], picture: Path) -> None:
    """Plots the losses of a run and its evaluations over a logarithmic step axis.

    ``metrics`` are the lines of a metrics.jsonl, as ``training.run_directory.read_metrics`` reads
    them.

    The right panel shows the figures evaluated more than once that always lie in [0, 1], without
    the ends of their intervals; it is left out where there are none. Writes nothing where no loss
    was logged three times: one point or two are no curve.
    """
    from matplotlib.figure import Figure

    measured = curves_of(metrics)
    losses = {name: curve for name, curve in measured.items() if name.endswith("loss")}
    shares = {
        name: curve
        for name, curve in measured.items()
        if name.startswith("evaluate/")
        and name not in losses
        and not name.endswith(("_low", "_high"))
        and _are_shares(curve[1])
    }
    if all(len(steps) < 3 for steps, _ in losses.values()):
        return
    panels = [("loss", losses)] + ([("evaluation", shares)] if shares else [])
    figure = Figure(figsize=(5.6 * len(panels), 3.8), layout="constrained")
    all_axes = figure.subplots(1, len(panels), squeeze=False)[0]
    for axes, (title, panel) in zip(all_axes, panels, strict=True):
        _draw(axes, title, panel)
    if all(min(values) > 0 for _, values in losses.values()):
        _make_logarithmic(all_axes[0], "y")
    if shares:
        all_axes[1].set_ylim(top=1.0)
    picture.parent.mkdir(parents=True, exist_ok=True)
    _save(figure, picture)


def plot_weights(
    weights: Sequence[Sequence[float]],
    *,
    row_names: Sequence[str],
    column_names: Sequence[str],
    picture: Path,
) -> None:
    """Weights from 0 to 1 as a table of shades, the columns' names above; PNG or SVG by suffix.

    ``ValueError`` for more than ``MOST_NAMES`` rows or columns.
    """
    from matplotlib.figure import Figure

    num_rows, num_columns = len(row_names), len(column_names)
    if max(num_rows, num_columns) > MOST_NAMES:
        raise ValueError(
            f"{picture}: a table of {num_rows:,} x {num_columns:,} names is too large for a "
            f"picture, which holds {MOST_NAMES:,} on a side"
        )
    width = min(0.4, _MOST_INCHES / num_columns)  # inches of a cell
    height = min(0.35, _MOST_INCHES / num_rows)
    size = max(3.0, 1.5 + width * num_columns), max(2.5, 1.2 + height * num_rows)
    figure = Figure(figsize=size, layout="constrained")
    axes = figure.subplots()
    is_edged = max(num_rows, num_columns) <= _MOST_EDGED
    # White to the first of the colours, the darker the more. Many cells are one picture in an SVG.
    axes.pcolormesh(
        weights,
        cmap=_shades(),
        vmin=0.0,
        vmax=1.0,
        edgecolors="#e6e6e6" if is_edged else "none",
        linewidth=0.5 if is_edged else 0.0,
        rasterized=not is_edged,
    )
    points = min(10.0, 0.8 * 72 * min(width, height))
    _name_tokens(axes, row_names, column_names, first=0.5, fontsize=points)
    axes.invert_yaxis()
    axes.set_aspect("equal")
    axes.spines[:].set_visible(False)
    _save(figure, picture)


def write_attention(destination: Path, view: AttentionView, *, title: str) -> None:
    """A page where the name ends in .html, else the maps of all heads."""
    if destination.suffix.lower() == ".html":
        write_attention_page(destination, view, title=title)
    else:
        plot_attention_maps(view.panels, destination)


def plot_attention_maps(panels: Sequence[AttentionPanel], picture: Path) -> None:
    """The map of every layer (down) and head (across), each panel below the one before.

    Of more than ``MOST_PANELS`` the first, the last and evenly spaced ones between are drawn.
    The rows of a map are queries and its columns keys; up to 20 tokens are named, beside the first
    head and above the first layer. Its greatest weight has the darkest shade and stands below it.
    PNG or SVG by suffix.
    """
    from matplotlib.figure import Figure

    panels = [panels[index] for index in spread(len(panels), MOST_PANELS)]
    num_rows = sum(len(panel.weights) for panel in panels)
    num_columns = max(panel.weights.shape[1] for panel in panels)
    most_names = max(len(row) for panel in panels for row in [[], *_few_names(panel)])
    most_cells = max(max(panel.weights.shape[2:]) for panel in panels)
    # A pixel for each cell, else weights would vanish; two where there is room, to draw all alike.
    pixels = min(_MOST_DRAWN, 2 * most_cells)
    side = max(1.2, 0.7 + 0.18 * most_names, 0.4 + pixels / _DPI)  # inches of a map
    figure = Figure(figsize=(1.2 + side * num_columns, 0.3 + side * num_rows), layout="constrained")
    all_axes = figure.subplots(num_rows, num_columns, squeeze=False)
    layers = [(panel, layer) for panel in panels for layer in range(len(panel.weights))]
    for row, (panel, layer) in zip(all_axes, layers, strict=True):
        maps = _drawn(panel.weights[layer].detach().float().cpu()).numpy()
        name = _label(panel.name)
        row[0].set_ylabel(f"{name}\nlayer {layer + 1}", fontsize="small")
        for head, axes in enumerate(row):
            axes.set_xticks([])
            axes.set_yticks([])
            if head >= len(maps):
                axes.set_visible(False)
                continue
            # Also where nothing may be looked at the shades begin at 0.
            most = float(maps[head].max()) or 1.0
            axes.imshow(maps[head], cmap=_shades(), vmin=0, vmax=most, interpolation="none")
            axes.set_xlabel(f"0 to {most:.3g}", fontsize="x-small")
            if layer == 0:
                axes.set_title(f"head {head + 1}", fontsize="small")
            if names := _few_names(panel):
                # Once for each row and column of maps: most of the time of a picture is its text.
                queries, keys = names
                _name_tokens(axes, [] if head else queries, [] if layer else keys, fontsize=7)
    figure.supylabel("queries", fontsize="small")
    figure.supxlabel("keys", fontsize="small")
    _save(figure, picture)


def _drawn(weights: Float[Tensor, "N T S"]) -> Float[Tensor, "N rows columns"]:
    """The weights, or the largest of each square of neighbouring ones where there are too many."""
    size = -(-max(weights.shape[1:]) // _MOST_DRAWN)  # rounded up
    return weights if size == 1 else functional.max_pool2d(weights, size, ceil_mode=True)


def _few_names(panel: AttentionPanel) -> list[Sequence[str]]:
    """The names of queries and keys, if all are in rows and not too many."""
    rows = [row.labels for row in (panel.queries, panel.keys) if isinstance(row, TokenRow)]
    return rows if len(rows) == 2 and max(map(len, rows)) <= _MOST_NAMED else []


def _name_tokens(
    axes: Any, rows: Sequence[str], columns: Sequence[str], *, first: float = 0, fontsize: float
) -> None:
    """Names beside the rows and above the columns of a map; ``first`` is the first one's place."""
    turned: dict[str, Any] = {"rotation": 60, "ha": "left", "rotation_mode": "anchor"}
    for set_ticks, names in ((axes.set_xticks, columns), (axes.set_yticks, rows)):
        places = [first + place for place in range(len(names))]
        set_ticks(places, [_label(name) for name in names], fontsize=fontsize, **turned)
        turned = {}
    axes.tick_params(length=0, top=False, labeltop=True, bottom=False, labelbottom=False)


def plot_returns(
    requested: Sequence[float], achieved: Sequence[float], *, title: str, picture: Path
) -> None:
    """A dot for each episode, what was asked for against what came; on the line they are the same.

    PNG or SVG by suffix.
    """
    from matplotlib.figure import Figure

    figure = Figure(figsize=(4.6, 4.0), layout="constrained")
    axes = figure.subplots()
    ends = [min(*requested, *achieved), max(*requested, *achieved)]
    axes.plot(ends, ends, color="#bbbbbb", linewidth=1.0)
    axes.plot(requested, achieved, "o", color=COLOURS[0], markersize=4, alpha=0.5)
    axes.set_title(_label(title), loc="left")
    axes.set_xlabel("return requested")
    axes.set_ylabel("return achieved")
    axes.grid(True, color="#e6e6e6", linewidth=0.8)
    axes.spines[["top", "right"]].set_visible(False)
    _save(figure, picture)


def curves_of(metrics: Iterable[Mapping[str, Any]]) -> dict[str, Curve]:
    """Steps and values by name, without values that are not finite numbers (null in the file).

    Steps below 1 are left out too: the axis is logarithmic.
    """
    found: dict[str, Curve] = {}
    for line in metrics:
        for name, value in line.items():
            is_number = type(value) in (int, float) and abs(value) < _LARGEST_DRAWN
            if name != "step" and line["step"] > 0 and is_number:
                steps, values = found.setdefault(name, ([], []))
                steps.append(line["step"])
                values.append(value)
    return found


def smoothed(curve: Curve) -> Curve:
    """The mean step and mean value of each stretch of the logarithmic axis."""
    stretches: dict[int, list[tuple[int, float]]] = {}
    for step, value in zip(*curve, strict=True):
        stretch = math.floor(math.log10(step) * STRETCHES_PER_DECADE)
        stretches.setdefault(stretch, []).append((step, value))
    means = [
        (round(sum(steps) / len(steps)), sum(values) / len(values))
        for steps, values in (zip(*points, strict=True) for points in stretches.values())
    ]
    return [step for step, _ in means], [value for _, value in means]


def _save(figure: Any, picture: Path) -> None:
    check_ending(picture, (".png", ".svg"), is_required=True)
    kind = picture.suffix.lower().removeprefix(".")
    with atomically(picture) as temporary, warnings.catch_warnings():
        # Of a script that the font lacks boxes are drawn: nothing that a user could mend.
        warnings.filterwarnings("ignore", message="Glyph .* missing")
        figure.savefig(temporary, dpi=_DPI, format=kind)


def _label(text: str) -> str:
    """Text as matplotlib takes it: of characters that SVG allows, and without formulas."""
    return xml_text(text).replace("$", r"\$")


def _shades() -> Any:
    from matplotlib.colors import LinearSegmentedColormap

    return LinearSegmentedColormap.from_list("shades", ["#ffffff", COLOURS[0]])


def _are_shares(values: Sequence[float]) -> bool:
    return len(values) > 1 and all(0 <= value <= 1 for value in values)


def _draw(axes: Any, title: str, panel: Mapping[str, Curve]) -> None:
    """Training as a smooth line over a pale one, evaluation with dots, one colour per quantity."""
    quantities = list(dict.fromkeys(name.partition("/")[2] for name in panel))
    for name, curve in panel.items():
        origin, _, quantity = name.partition("/")
        label = quantity.replace("_", " ")
        number = quantities.index(quantity)
        colour = COLOURS[number % len(COLOURS)]
        line = "-" if number < len(COLOURS) else "--"
        if origin == "evaluate":
            axes.plot(*curve, line, color=colour, marker="o", markersize=2.5, linewidth=1.2)
            axes.lines[-1].set_label(f"{label}, evaluated" if title == "loss" else label)
        else:
            axes.plot(*curve, line, color=colour, linewidth=0.6, alpha=0.3)
            axes.plot(*smoothed(curve), line, color=colour, linewidth=1.6, label=label)
    axes.set_title(title, loc="left")
    axes.set_xlabel("step")
    _make_logarithmic(axes, "x")
    axes.grid(True, color="#e6e6e6", linewidth=0.8)
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(frameon=False, fontsize="small", ncols=1 + (len(panel) > 6))


def _make_logarithmic(axes: Any, direction: str) -> None:
    """A logarithmic axis whose numbers are written out: 0.05, 2, 1000, 200k."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    getattr(axes, f"set_{direction}scale")("log")
    axis = getattr(axes, f"{direction}axis")
    low, high = axis.get_view_interval()
    subs = (1, 2, 3, 5, 7) if high < 3 * low else (1, 2, 5) if high < 30 * low else (1,)
    axis.set_major_locator(LogLocator(subs=subs))
    axis.set_major_formatter(FuncFormatter(lambda value, _: _written_out(value)))
    axis.set_minor_locator(LogLocator(subs=range(2, 10)))
    axis.set_minor_formatter(NullFormatter())


def _written_out(value: float) -> str:
    return f"{value / 1000:g}k" if value >= 10_000 else f"{value:g}"
