"""A push policy that several tests of this folder play and judge with."""

import pytest
import torch

from tokoban.systems.push_policy.tiles import TilePolicy


@pytest.fixture(scope="session")
def random_tiles() -> TilePolicy:
    """Hashed tiles with random weights, which solve some levels only."""
    model = TilePolicy(table_bits=9)
    generator = torch.Generator().manual_seed(3)
    for parameter in model.parameters():
        parameter.copy_(torch.randn(parameter.shape, generator=generator) / 8)
    return model
