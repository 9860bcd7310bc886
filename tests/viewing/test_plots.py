import subprocess
import sys
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
import torch
from matplotlib.image import imread
from scipy.ndimage import label

from tokoban.viewing.attention_page import AttentionPanel, TokenRow
from tokoban.viewing.plots import (
    COLOURS,
    curves_of,
    plot_attention_maps,
    plot_curves,
    plot_returns,
    plot_weights,
)


def width_of(picture: Path) -> int:
    return imread(picture).shape[1]


@pytest.mark.parametrize("num_heads", [1, 3])
def test_every_layer_and_head_has_a_map_whose_greatest_weight_is_darkest(
    num_heads: int, tmp_path: Path
) -> None:
    tokens = TokenRow(["$x$", "b", "c", "d", "e"])
    weights = torch.full((2, num_heads, 5, 5), 0.1)
    weights[:, :, 2, 3] = 0.4
    small = AttentionPanel("small$", weights[:1, :1], tokens, tokens)
    panels = [AttentionPanel("a", weights, tokens, tokens), small]
    plot_attention_maps(panels, tmp_path / "x.png")
    shades = (imread(tmp_path / "x.png")[..., :3] * 255).round()
    full = shades == list(bytes.fromhex(COLOURS[0][1:]))
    assert label(full.all(-1))[1] == 2 * num_heads + 1


@pytest.mark.parametrize("num_cells", [3, 127, 257, 1009])
def test_no_weight_vanishes_from_a_large_map(num_cells: int, tmp_path: Path) -> None:
    tokens = TokenRow([""] * num_cells)
    weights = torch.zeros(1, 1, num_cells, num_cells)
    places = torch.tensor([num_cells // 4, num_cells // 2, 3 * num_cells // 4])
    weights[0, 0, places[:, None], places] = 1.0
    plot_attention_maps([AttentionPanel("a", weights, tokens, tokens)], tmp_path / "x.png")
    shades = (imread(tmp_path / "x.png")[..., :3] * 255).round()
    full = shades == list(bytes.fromhex(COLOURS[0][1:]))
    apart = label(full.all(-1))[1]
    assert apart == (1 if num_cells == 3 else 9)  # of three cells all are full


def test_names_stand_once_for_each_row_and_column_of_maps(tmp_path: Path) -> None:
    tokens = TokenRow(["one", "two"])
    weights = torch.full((3, 5, 2, 2), 0.5)
    plot_attention_maps([AttentionPanel("a", weights, tokens, tokens)], tmp_path / "x.svg")
    drawn = (tmp_path / "x.svg").read_text()  # of each text a comment
    assert drawn.count("<!-- two -->") == 3 + 5
    assert drawn.count("<!-- queries -->") == drawn.count("<!-- keys -->") == 1


@pytest.mark.parametrize(("num_tokens", "are_named"), [(20, True), (21, False)])
def test_few_tokens_are_named_beside_a_map_and_its_greatest_weight_below(
    num_tokens: int, are_named: bool, tmp_path: Path
) -> None:
    tokens = TokenRow([f"token {n}" for n in range(num_tokens)])
    weights = torch.full((1, 1, num_tokens, num_tokens), 0.04)
    plot_attention_maps([AttentionPanel("a", weights, tokens, tokens)], tmp_path / "x.svg")
    drawn = (tmp_path / "x.svg").read_text()  # of each text a comment
    assert drawn.count("<!-- token 19 -->") == 2 * are_named
    assert "<!-- 0 to 0.04 -->" in drawn


def test_maps_are_drawn_of_the_kind_that_the_name_says(tmp_path: Path) -> None:
    tokens = TokenRow(["a"])
    panels = [AttentionPanel("a", torch.zeros(1, 1, 1, 1), tokens, tokens)]
    plot_attention_maps(panels, tmp_path / "x.SVG")
    assert (tmp_path / "x.SVG").read_bytes().startswith(b"<?xml")
    with pytest.raises(ValueError, match=r"x\.gif: expected a name that ends in \.png or \.svg"):
        plot_attention_maps(panels, tmp_path / "x.gif")


def test_words_of_a_script_that_the_font_lacks_are_drawn_without_a_warning(tmp_path: Path) -> None:
    picture = tmp_path / "x.png"  # a warning would be an error here
    plot_weights([[1.0]], row_names=["狗"], column_names=["𒀀"], picture=picture)
    assert picture.exists()
    tokens = TokenRow(["狗", "𒀀"])
    weights = torch.full((1, 1, 2, 2), 0.5)
    plot_attention_maps([AttentionPanel("a", weights, tokens, tokens)], picture)


ODD_NAMES = ["\x00\x1b[31m", "\ud800", "]]>", "--", "-->", "<&>", "$x", "a\nb", "\uffff", ""]


def test_a_picture_is_well_formed_whatever_the_names_are(tmp_path: Path) -> None:
    shades = [[0.5] * len(ODD_NAMES)] * len(ODD_NAMES)
    plot_weights(shades, row_names=ODD_NAMES, column_names=ODD_NAMES, picture=tmp_path / "w.svg")
    tokens = TokenRow(ODD_NAMES[:1])
    panels = [AttentionPanel(name, torch.zeros(1, 1, 1, 1), tokens, tokens) for name in ODD_NAMES]
    plot_attention_maps(panels, tmp_path / "m.svg")
    for name in ("w.svg", "m.svg"):
        assert ElementTree.parse(tmp_path / name).getroot().tag.endswith("svg")
    plot_returns([1.0], [2.0], title="".join(ODD_NAMES), picture=tmp_path / "r.svg")
    ElementTree.parse(tmp_path / "r.svg")


def test_a_picture_of_many_words_has_a_bounded_size(tmp_path: Path) -> None:
    names = ["w"] * 120
    plot_weights(
        [[0.5] * 120] * 2, row_names=["a", "b"], column_names=names, picture=tmp_path / "x.png"
    )
    assert width_of(tmp_path / "x.png") <= 150 * 34
    picture, names = tmp_path / "y.png", ["w"] * 1001
    with pytest.raises(
        ValueError, match="1 x 1,001 names is too large for a picture, which holds 1,000 on a side"
    ):
        plot_weights([[0.5] * 1001], row_names=["a"], column_names=names, picture=picture)
    assert not picture.exists()


@pytest.mark.slow
def test_a_picture_of_400_words_needs_little_memory(tmp_path: Path) -> None:
    code = (
        "import resource, sys, pathlib\n"
        "from matplotlib.backends import backend_agg\n"
        "from tokoban.viewing.plots import plot_weights\n"
        "peak = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss\n"
        "before, names = peak(), [f'word{n}' for n in range(400)]\n"
        "plot_weights([[0.5] * 400] * 400, row_names=names, column_names=names,\n"
        "             picture=pathlib.Path(sys.argv[1]))\n"
        "print(peak() - before)\n"
    )
    command = [sys.executable, "-c", code, str(tmp_path / "x.png")]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert int(done.stdout) < 300 * 1024  # KiB


def test_a_panel_of_shares_stands_beside_the_losses(tmp_path: Path) -> None:
    losses = [{"step": step, "train/loss": 1 / step} for step in (1, 2, 3, 100)]
    shares = [
        {"step": step, "evaluate/accuracy": 0.7, "evaluate/mean_moves": 7.0} for step in (50, 100)
    ]
    plot_curves(losses[:2], tmp_path / "plots" / "a.png")
    assert not (tmp_path / "plots").exists()  # two points are no curve
    plot_curves(losses, tmp_path / "plots" / "a.png")
    plot_curves(losses + shares, tmp_path / "plots" / "b.png")
    assert width_of(tmp_path / "plots" / "b.png") == 2 * width_of(tmp_path / "plots" / "a.png")


def test_curves_leave_out_what_was_not_finite() -> None:
    lines: list[dict[str, Any]] = [
        {"step": 1, "a": 2.0},
        {"step": 3, "a": None, "b": 5.0},
        {"step": 7, "a": 11.0},
    ]
    curves = curves_of(lines)
    assert curves == {"a": ([1, 7], [2.0, 11.0]), "b": ([3], [5.0])}
