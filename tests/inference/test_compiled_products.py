"""A product in tiles is the product, whatever does not fill a tile."""

from typing import no_type_check

import numpy as np
import pytest

from tokoban.compiling import entry
from tokoban.inference.compiled_products import TILE, add_rows, affine, panels, product

ROWS, PANEL = TILE


@entry
@no_type_check
def affine_map(out, weights, bias, x, least, tile):
    affine(out, weights, bias, x, least, tile)


@pytest.mark.parametrize("num_rows", [1, 2, ROWS, ROWS + 1, 3 * ROWS - 1])
@pytest.mark.parametrize("num_outputs", [1, PANEL - 1, PANEL, 2 * PANEL + 3])
@pytest.mark.parametrize("least", [-np.inf, 0.0])
def test_tiles_make_up_the_product(num_rows: int, num_outputs: int, least: float) -> None:
    draw = np.random.default_rng(num_rows + num_outputs)
    weight = draw.standard_normal((num_outputs, 11), np.float32)
    bias = draw.standard_normal(num_outputs, np.float32)
    x = draw.standard_normal((num_rows, 11), np.float32)
    out = np.full((num_rows + 1, num_outputs), np.nan, np.float32)
    tile = np.empty(TILE, np.float32)
    affine_map(out[:num_rows], panels(weight), bias, x, np.float32(least), tile)
    np.testing.assert_allclose(out[:num_rows], np.maximum(x @ weight.T + bias, least), atol=1e-5)
    assert np.isnan(out[num_rows]).all()


@entry
@no_type_check
def product_of_panel(out, panel, x):
    product(out, panel, x)


@pytest.mark.parametrize("num_rows", [1, ROWS - 1, ROWS, 2 * ROWS + 1])
def test_a_product_with_one_panel_fills_whole_tiles(num_rows: int) -> None:
    draw = np.random.default_rng(num_rows)
    panel, x = draw.standard_normal((11, PANEL), np.float32), draw.standard_normal((num_rows, 13))
    out, x = np.empty((num_rows + ROWS, PANEL), np.float32), x.astype(np.float32)
    product_of_panel(out, panel, x)  # rows of x are longer than the panel is deep
    np.testing.assert_allclose(out[:num_rows], x[:, :11] @ panel, atol=1e-5)


@entry
@no_type_check
def add_products(out, targets, x, sources, count, start, panel, first):
    add_rows(out, targets, x, sources, count, start, panel, first)


@pytest.mark.parametrize("count", [1, ROWS - 1, ROWS, ROWS + 2])
def test_products_of_chosen_rows_are_added_to_chosen_rows(count: int) -> None:
    draw = np.random.default_rng(count)
    weight, x = draw.standard_normal((PANEL, 11), np.float32), draw.standard_normal((9, 14))
    before = draw.standard_normal((9, 2 * PANEL)).astype(np.float32)
    sources, targets = draw.permutation(9)[:count], draw.permutation(9)[:count]
    after, x = before.copy(), x.astype(np.float32)  # rows of x are longer than the panel is deep
    start = min(ROWS, count - 1)
    add_products(after, targets, x, sources, count, start, panels(weight)[0], PANEL)
    expected = before.copy()
    for source, target in zip(sources[start:], targets[start:], strict=True):
        expected[target, PANEL:] += weight @ x[source, :11]
    np.testing.assert_allclose(after, expected, atol=1e-5)
