"""The output of ``--attention OUT``: an HTML page, or a picture of all maps."""

from pathlib import Path
from typing import TYPE_CHECKING

from tokoban.cli.output import check_destination

if TYPE_CHECKING:
    from tokoban.viewing.attention_page import AttentionView

_SUFFIXES = (".html", ".png", ".svg")


def check(destination: str | None) -> None:
    """``ValueError`` or ``OSError`` for a place that cannot be written or an unknown suffix."""
    check_destination(destination)
    if destination is not None and Path(destination).suffix.lower() not in _SUFFIXES:
        raise ValueError(f"{destination}: expected a name that ends in .html, .png or .svg")


def is_page(destination: str) -> bool:
    """Whether the output is an HTML page."""
    return Path(destination).suffix.lower() == ".html"


def write(destination: str, view: "AttentionView", *, title: str) -> None:
    """Writes the page, or the maps of all heads."""
    from tokoban.viewing.plots import write_attention

    write_attention(Path(destination), view, title=title)
