"""A product in tiles is the product, whatever does not fill a tile."""

from typing import no_type_check

import numpy as np
import pytest

from tokoban.compiling import entry
from tokoban.inference.compiled_products import TILE, affine, panels

ROWS, PANEL = TILE


@entry
@no_type_check
def product(out, weights, bias, x, least, tile):
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
    product(out[:num_rows], panels(weight), bias, x, np.float32(least), tile)
    np.testing.assert_allclose(out[:num_rows], np.maximum(x @ weight.T + bias, least), atol=1e-5)
    assert np.isnan(out[num_rows]).all()
