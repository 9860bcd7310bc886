from pathlib import Path

import pytest
import torch
from matplotlib.image import imread

from tokoban.training.attention_plot import plot_attention


def test_every_head_has_a_square_and_what_is_dark_is_looked_at(tmp_path: Path) -> None:
    sizes = []
    for name, weights in ("dark", torch.ones(2, 3, 7, 7)), ("white", torch.zeros(2, 3, 7, 7)):
        plot_attention(weights, title="x", picture=tmp_path / f"{name}.png")
        difference = imread(tmp_path / f"{name}.png")[..., :3] - [0, 114 / 255, 178 / 255]
        sizes.append((abs(difference) < 0.01).all(-1).sum())
    assert sizes[0] > 1000 and sizes[1] == 0
    plot_attention(torch.ones(1, 3, 7, 7), title="x", picture=tmp_path / "one.svg")
    text = (tmp_path / "one.svg").read_text()
    assert "layer 1, head 3" in text and "layer 2" not in text


def test_another_kind_of_file_is_refused() -> None:
    with pytest.raises(ValueError, match=r"x.gif: expected a name that ends in .png or .svg"):
        plot_attention(torch.ones(1, 1, 2, 2), title="x", picture=Path("x.gif"))
