"""Levels and a network of random weights for every test of this folder."""

from dataclasses import replace

import pytest
import torch

from tokoban.sokoban.board import Board
from tokoban.systems.subgoals.config import tiny
from tokoban.systems.subgoals.model import SubgoalNet
from tokoban.systems.subgoals.train import held_out


@pytest.fixture(scope="session")
def boards() -> list[Board]:
    """Of 2, 3 and 4 boxes."""
    return held_out(replace(tiny(), levels=6, level_seed=4))


@pytest.fixture(scope="session")
def model() -> SubgoalNet:
    torch.manual_seed(0)
    return SubgoalNet(tiny()).eval().requires_grad_(False)
