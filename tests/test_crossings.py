"""The counter of waits notices each kind of them, and nothing else."""

from collections.abc import Callable

import pytest
import torch
from torch import Tensor

from tests.crossings import Crossings


@pytest.mark.parametrize(
    ("work", "names"),
    [
        (lambda x: bool(x.any()), ["_local_scalar_dense"]),
        (lambda x: x.sum().item(), ["_local_scalar_dense"]),
        (lambda x: x.nonzero(), ["nonzero"]),
        (lambda x: x[x > 2], ["index"]),
        (lambda x: x.clone().index_put_((x > 2,), torch.zeros(())), ["index_put_"]),
        (lambda x: x + torch.tensor([1, 2, 3, 4]), ["lift_fresh"]),
        (lambda x: x[x.argsort()].index_select(0, x.argsort()).masked_fill(x > 2, 0), []),
        (lambda x: x + torch.tensor(1), []),
    ],
)
def test_what_waits_is_named(work: Callable[[Tensor], object], names: list[str]) -> None:
    numbers = torch.arange(4)
    with Crossings() as crossings:
        work(numbers)
    assert crossings.names == names
