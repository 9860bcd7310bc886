"""What the tests of this folder compute with."""

import torch
from torch import Tensor


def draw(*shape: int, seed: int = 0) -> Tensor:
    """Numbers in double precision, so that what is equal is equal to 1e-12."""
    return torch.randn(shape, generator=torch.manual_seed(seed), dtype=torch.float64)


def padding(lengths: torch.Tensor, max_length: int) -> torch.Tensor:
    """The mask of padded rows: the first ``lengths[b]`` sources of row b, [B, 1, 1, S]."""
    return (torch.arange(max_length) < lengths[:, None])[:, None, None, :]
