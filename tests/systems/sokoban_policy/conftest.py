"""A small policy with random weights, in eval mode, for every test of this folder."""

from collections.abc import Callable

import pytest
import torch

from tokoban.systems.sokoban_policy.model import SokobanPolicy

MakePolicy = Callable[..., SokobanPolicy]


@pytest.fixture
def make_policy() -> MakePolicy:
    """``make_policy(max_positions=13, interior=6, …)``: the same weights every time."""

    def make(
        *, has_history: bool = True, max_positions: int = 13, interior: int = 6
    ) -> SokobanPolicy:
        torch.manual_seed(0)
        return SokobanPolicy(
            interior=interior,
            width=6,
            num_layers=2,
            num_heads=3,
            max_positions=max_positions,
            dropout=0.5,
            has_history=has_history,
            pre_norm=True,
            encoder_channels=5,
            encoder_layers=2,
        ).eval()

    return make


@pytest.fixture
def policy(make_policy: MakePolicy) -> SokobanPolicy:
    return make_policy()
