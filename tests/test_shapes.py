"""That shapes are checked, and again in every test."""

import sys

import jaxtyping
import pytest
import torch

from tokoban.transformer import masks


@pytest.mark.skipif(sys.flags.optimize > 0, reason="beartype checks nothing without assertions")
@pytest.mark.parametrize("test", range(2))
def test_a_wrong_shape_is_an_error(test: int) -> None:
    pytest.importorskip("beartype")
    with pytest.raises(jaxtyping.TypeCheckError, match="lengths"):
        masks.padding(torch.tensor([[3, 5]]), 7)
    for _ in range(100):
        masks.padding(torch.tensor([3, 5]), 7)
