"""A push policy that several tests of this folder play and judge with."""

import pytest
import torch

from tokoban.systems.push_policy.config import tiny
from tokoban.systems.push_policy.model import PushNet


@pytest.fixture(scope="session")
def random_net() -> PushNet:
    """A small network with random weights, which solves some levels only."""
    torch.manual_seed(3)
    return PushNet(tiny()).eval()
