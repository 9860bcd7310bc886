"""The output of ``--attention OUT``: an HTML page, or a picture of all maps."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from tokoban.cli.output import check_destination

if TYPE_CHECKING:
    from tokoban.viewing.attention_page import AttentionPanel

_SUFFIXES = (".html", ".png", ".svg")


def check(destination: str | None) -> None:
    """``ValueError`` or ``OSError`` for a place that cannot be written or an unknown suffix."""
    check_destination(destination)
    if destination is not None and Path(destination).suffix.lower() not in _SUFFIXES:
        raise ValueError(f"{destination}: expected a name that ends in .html, .png or .svg")


def is_page(destination: str) -> bool:
    """Whether the output is an HTML page."""
    return Path(destination).suffix.lower() == ".html"


def write(destination: str, panels: "Sequence[AttentionPanel]", *, title: str, guide: str) -> None:
    """Writes the page, whose ``guide`` says what to look for, or the maps of all heads."""
    from tokoban.viewing.attention_page import write_attention_page
    from tokoban.viewing.plots import plot_attention_maps

    if is_page(destination):
        write_attention_page(destination, panels, title=title, guide=guide)
    else:
        plot_attention_maps(panels, Path(destination))
