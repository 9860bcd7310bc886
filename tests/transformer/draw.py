"""What the tests of this folder compute with."""

import torch
from torch import Tensor


def draw(*shape: int, seed: int = 0) -> Tensor:
    """Numbers in double precision, so that what is equal is equal to 1e-12."""
    return torch.randn(shape, generator=torch.manual_seed(seed), dtype=torch.float64)
