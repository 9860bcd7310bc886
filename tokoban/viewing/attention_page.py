"""Attention in one offline HTML file: for each layer, head and query, the weights of the keys.

The viewer is that of the page of ``tokoban web``, in ``web/static/js/attention``; here its modules
are put into one file, and its numbers are checked and written.

Axes: L layers, N heads, T target positions (queries), S source positions (keys), C channels,
H rows, W columns.
"""

import base64
import html
import json
import math
import posixpath
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor

from tokoban.files.atomic import atomically
from tokoban.viewing.xml_text import xml_text

# More than this is over 50 MB of page, which browsers are slow to open.
MOST_WEIGHTS = 10_000_000
MOST_PANELS = 12  # of a picture, and of a page that loads within a second on a torus of 16 x 16

# Of the viewer's modules, as far as they are put into one.
_COMMENT = re.compile(r"^ *(/\*\*.*?\*/|// [^\n]*)\n", re.DOTALL | re.MULTILINE)
_IMPORT = re.compile(r'^import [^;]*? from "(?P<path>[^"]+)";\n', re.MULTILINE)
_EXPORT = re.compile(r"^export ", re.MULTILINE)


@dataclass(frozen=True)
class TokenRow:
    """Tokens one behind the other, each with its label; long rows wrap.

    With a ``row_length`` they are broken into rows of so many, such as 3 for (return, state,
    action). ``pictures`` are shown above the labels: shades from 0 to 1, of 1 or 3 channels.
    """

    labels: Sequence[str]
    row_length: int | None = None
    pictures: Float[Tensor, "T C H W"] | None = None

    def __post_init__(self) -> None:
        if self.row_length is not None and self.row_length < 1:
            raise ValueError(f"row_length is {self.row_length}; expected at least 1")
        if self.pictures is not None:
            _check_picture(self.pictures)
            if len(self.pictures) != len(self.labels):
                raise ValueError(
                    f"{len(self.labels)} labels and {len(self.pictures)} pictures; "
                    "expected one each for every token"
                )

    def __len__(self) -> int:
        """The number of tokens."""
        return len(self.labels)

    def to_dict(self) -> dict[str, Any]:
        """What the page reads."""
        pictures = self.pictures
        return {
            "kind": "row",
            "labels": [xml_text(label) for label in self.labels],
            "row_length": self.row_length,
            "pictures": None if pictures is None else [_picture(each) for each in pictures],
        }


@dataclass(frozen=True)
class TokenGrid:
    """Tokens as the cells of a grid, row by row; the class token, if there is one, comes first.

    ``labels`` are the cells' own, without the class token's. The ``picture``, shades from 0 to 1 of
    1 or 3 channels, lies below the cells and may be of any size: a pixel a cell colours them.
    """

    height: int
    width: int
    labels: Sequence[str] | None = None
    picture: Float[Tensor, "C H W"] | None = None
    has_class_token: bool = False

    def __post_init__(self) -> None:
        if self.height < 1 or self.width < 1:
            raise ValueError(f"a grid of {self.height} x {self.width} has no cells")
        num_cells = self.height * self.width
        if self.labels is not None and len(self.labels) != num_cells:
            raise ValueError(f"{len(self.labels)} labels for a grid of {num_cells} cells")
        if self.picture is not None:
            _check_picture(self.picture)

    def __len__(self) -> int:
        """The number of tokens."""
        return self.height * self.width + self.has_class_token

    def to_dict(self) -> dict[str, Any]:
        """What the page reads."""
        return {
            "kind": "grid",
            "height": self.height,
            "width": self.width,
            "labels": None if self.labels is None else [xml_text(label) for label in self.labels],
            "has_class_token": self.has_class_token,
            "picture": None if self.picture is None else _picture(self.picture),
        }


@dataclass(frozen=True)
class AttentionPanel:
    """The weights of one attention, or of one step of a run, and what its queries and keys are.

    Equal layouts are taken for the same tokens, and shown once. ``aligned_head`` is the layer and
    head, from 0, that agrees best with an alignment of the words, where there is one.
    """

    name: str
    weights: Float[Tensor, "L N T S"]
    queries: TokenRow | TokenGrid
    keys: TokenRow | TokenGrid
    aligned_head: tuple[int, int] | None = None

    def __post_init__(self) -> None:
        num_queries, num_keys = self.weights.shape[2:]
        if (num_queries, num_keys) != (len(self.queries), len(self.keys)):
            raise ValueError(
                f"{self.name}: weights of {num_queries} queries and {num_keys} keys, "
                f"but {len(self.queries)} and {len(self.keys)} tokens"
            )
        if not self.weights.numel():
            raise ValueError(f"{self.name}: no weights, in the shape {list(self.weights.shape)}")
        # The comparisons are False for what is no number.
        if not ((self.weights >= 0) & (self.weights <= 1.001)).all():
            raise ValueError(f"{self.name}: expected weights from 0 to 1, got others")

    @cached_property
    def is_causal(self) -> bool:
        """Whether no query has a weight of a key behind it."""
        return self.weights.shape[-2] == self.weights.shape[-1] and not self.weights.triu(1).any()

    def start(self) -> tuple[int, int, int]:
        """The layer, head and query, from 0, that a page opens at.

        A query scores sum_k w_k log2(w_k / m_k) bits, with m_k the mean weight of key k over the
        head's queries that may attend to it: how far the query's weights differ from those of its
        head's other queries. The weight of a token for itself is left out. Queries of a head that
        attends evenly, or always to the same token, score almost nothing. The head is the one with
        the highest mean score, unless there is an ``aligned_head``; the query is the last one where
        attention is causal, the class token where there is one, else the one of that head with the
        highest score.
        """
        best_mean, best = -math.inf, (0, 0, 0)
        is_self = self.queries is self.keys or self.queries.to_dict() == self.keys.to_dict()
        num_queries, num_keys = self.weights.shape[2:]
        has_class = isinstance(self.queries, TokenGrid) and self.queries.has_class_token
        may_attend = torch.ones(num_queries, num_keys)
        if self.is_causal:
            may_attend = may_attend.tril()
        for layer, given in enumerate(self.weights):
            weights = given.detach().float().cpu()
            if is_self:
                weights = weights * (1 - torch.eye(num_queries))
            means = weights.sum(1, keepdim=True) / may_attend.sum(0)
            nats = (torch.xlogy(weights, weights) - torch.xlogy(weights, means)).sum(-1)  # [N, T]
            for head, mean in enumerate(nats.mean(1).tolist()):
                if mean > best_mean and self.aligned_head in (None, (layer, head)):
                    query = 0 if has_class else int(nats[head].argmax())
                    best_mean, best = mean, (layer, head, query)
        layer, head, query = best
        return layer, head, num_queries - 1 if self.is_causal else query

    def to_dict(self) -> dict[str, Any]:
        """The panel as the page reads it; the weights in single precision."""
        queries, keys = self.queries.to_dict(), self.keys.to_dict()
        layer, head, query = self.start()
        return {
            "name": xml_text(self.name),
            "start": {"layer": layer, "head": head, "query": query},
            "is_causal": self.is_causal,
            "shape": list(self.weights.shape),
            "weights": _base64(self.weights.detach().float().cpu().numpy().astype("<f4")),
            "queries": queries,
            "keys": None if keys == queries else keys,
        }


@dataclass(frozen=True)
class AttentionView:
    """The attention of one input, and in a sentence or two what to look for."""

    panels: Sequence[AttentionPanel]
    guide: str


def spread(number: int, most: int) -> list[int]:
    """Up to ``most`` evenly spaced indices below ``number``, with the first and the last."""
    num_chosen = max(1, min(number, most))
    chosen: list[int] = torch.linspace(0, number - 1, num_chosen).round().int().tolist()
    return chosen


def write_attention_page(path: Path | str, view: AttentionView, *, title: str) -> None:
    """Writes one page that shows every panel, and needs no network and no other file.

    Each panel opens at its ``start``. ``ValueError`` for panels without names of their own, and for
    more weights than a page can hold.
    """
    _check(view.panels)
    page_files = resources.files("tokoban.viewing") / "attention_viewer"
    static = resources.files("tokoban") / "web" / "static"
    template, own_style = (
        (page_files / f"page.{suffix}").read_text(encoding="utf-8") for suffix in ("html", "css")
    )
    style = (static / "css" / "attention.css").read_text(encoding="utf-8")
    data = json.dumps({"panels": [panel.to_dict() for panel in view.panels]}, ensure_ascii=False)
    # No token can close the element that it stands in.
    words = {"title": title, "guide": view.guide}
    parts = {name: html.escape(xml_text(text)) for name, text in words.items()}
    parts |= {"css": own_style + style, "js": _in_one_script(static / "js", "attention/offline.js")}
    parts |= {"data": data.replace("<", r"\u003c")}
    page = re.sub(r"\{\{(\w+)\}\}", lambda found: parts[found[1]], template)
    with atomically(Path(path)) as temporary:
        temporary.write_text(page, encoding="utf-8")


def _in_one_script(folder: Traversable, entry: str) -> str:
    """A module and all that it imports as one script, each before those that import it.

    Their top-level names share one scope, so they must differ.
    """
    scripts: dict[str, str] = {}

    def add(path: str) -> None:
        text = _COMMENT.sub("", folder.joinpath(path).read_text(encoding="utf-8"))
        for found in _IMPORT.finditer(text):
            imported = posixpath.normpath(posixpath.join(posixpath.dirname(path), found["path"]))
            if imported not in scripts:
                add(imported)
        scripts[path] = _EXPORT.sub("", _IMPORT.sub("", text))

    add(entry)
    return "".join(scripts.values())


def _check(panels: Sequence[AttentionPanel]) -> None:
    if not panels:
        raise ValueError("a page of attention needs a panel to show")
    names = [panel.name for panel in panels]
    if len(set(names)) < len(names):
        raise ValueError(f"expected panels of different names, got {', '.join(names)}")
    total = sum(panel.weights.numel() for panel in panels)
    if total > MOST_WEIGHTS:
        largest = max(panels, key=lambda panel: panel.weights.numel())
        shape = " x ".join(str(size) for size in largest.weights.shape)
        raise ValueError(
            f"{total:,} weights are too many for a page, which holds {MOST_WEIGHTS:,}: expected "
            f"fewer panels or tokens ({largest.name} alone has {shape}: layers, "
            "heads, queries and keys)"
        )


def _check_picture(picture: Float[Tensor, "*tokens C H W"]) -> None:
    if picture.shape[-3] not in (1, 3) or not picture.numel():
        raise ValueError(
            f"expected a picture of 1 or 3 channels, rows and columns, got {list(picture.shape)}"
        )
    if not ((picture >= 0) & (picture <= 1)).all():
        raise ValueError("expected a picture of shades from 0 to 1, got others")


def _picture(picture: Float[Tensor, "C H W"]) -> dict[str, Any]:
    """Red, green and blue of every pixel, a byte each."""
    colours = picture.detach().float().cpu().expand(3, -1, -1).permute(1, 2, 0)
    return {
        "height": picture.shape[1],
        "width": picture.shape[2],
        "colours": _base64((colours * 255).round().to(torch.uint8).numpy()),
    }


def _base64(numbers: np.ndarray) -> str:
    return base64.b64encode(numbers.tobytes()).decode("ascii")
