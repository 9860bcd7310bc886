"""That shapes are checked, and again in every test."""

import sys

import jaxtyping
import pytest
import torch

from tokoban.transformer import attend


@pytest.mark.skipif(sys.flags.optimize > 0, reason="beartype checks nothing without assertions")
@pytest.mark.parametrize("test", range(2))
def test_a_wrong_shape_is_an_error(test: int) -> None:
    pytest.importorskip("beartype")
    q, k = torch.ones(2, 3, 5, 7), torch.ones(2, 3, 11, 7)
    with pytest.raises(jaxtyping.TypeCheckError, match="q"):
        attend(q[0], k, k)
    for _ in range(100):
        attend(q, k, k)
