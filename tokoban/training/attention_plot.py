"""Attention as shades: a square for each head of each layer, who asks downward.

Axes: L layers, N heads, T target positions, S source positions.
"""

from pathlib import Path

from jaxtyping import Float
from torch import Tensor

from tokoban.training.atomic import atomically
from tokoban.training.plots import COLOURS


def plot_attention(weights: Float[Tensor, "L N T S"], *, title: str, picture: Path) -> None:
    """Layers below one another, heads side by side; PNG or SVG by the picture's suffix."""
    from matplotlib.colors import LinearSegmentedColormap
    from matplotlib.figure import Figure

    kind = picture.suffix.lower().removeprefix(".")
    if kind not in ("png", "svg"):
        raise ValueError(f"{picture}: expected a name that ends in .png or .svg")
    num_layers, num_heads = weights.shape[:2]
    figure = Figure(figsize=(2.2 * num_heads, 2.3 * num_layers + 0.4), layout="constrained")
    figure.suptitle(title, fontsize="medium")
    shades = LinearSegmentedColormap.from_list("shades", ["#ffffff", COLOURS[0]])
    all_axes = figure.subplots(num_layers, num_heads, squeeze=False, sharex=True, sharey=True)
    for layer, row in enumerate(all_axes):
        for head, axes in enumerate(row):
            square = weights[layer, head].numpy(force=True)
            axes.imshow(square, cmap=shades, vmin=0.0, vmax=1.0, interpolation="nearest")
            axes.set_title(f"layer {layer + 1}, head {head + 1}", fontsize="small")
            axes.tick_params(labelsize="x-small")
    figure.supxlabel("step looked at", fontsize="small")
    figure.supylabel("step that looks", fontsize="small")
    with atomically(picture) as temporary:
        figure.savefig(temporary, dpi=150, format=kind)
