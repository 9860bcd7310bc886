"""Policies that no test has to train: few weights, drawn from a seed; and what a refusal says."""

import json
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path

import pytest
import torch

from tokoban.sokoban.board import UNDO
from tokoban.systems.push_policy import config as push_config
from tokoban.systems.push_policy.model import PushNet
from tokoban.systems.sokoban_policy import config
from tokoban.systems.sokoban_policy.train import build_model
from tokoban.training.checkpoint import save_weights


@pytest.fixture(scope="session")
def random_weights(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Weights that know nothing but to leave undo alone; room for 30 moves."""
    torch.manual_seed(7)
    chosen = config.tiny()
    model = build_model(chosen)
    with torch.no_grad():
        model.action_head.bias[UNDO] = -20.0
    path = tmp_path_factory.mktemp("weights") / "random.safetensors"
    metadata = {"system": "sokoban", "config": json.dumps(asdict(chosen))}
    save_weights(path, model.state_dict(), metadata)
    return path


@pytest.fixture(scope="session")
def random_push_weights(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Weights of a push policy that knows nothing."""
    torch.manual_seed(7)
    chosen = push_config.tiny()
    path = tmp_path_factory.mktemp("weights") / "random-push.safetensors"
    metadata = {"system": "push", "config": json.dumps(asdict(chosen))}
    save_weights(path, PushNet(chosen).state_dict(), metadata)
    return path


@pytest.fixture
def refusal(capsys: pytest.CaptureFixture[str]) -> Callable[[int], str]:
    """Gives what a command that ended with this status has said: one line, of bad input."""

    def told(status: int) -> str:
        error = capsys.readouterr().err
        assert (status, error.count("\n")) == (2, 1), error
        assert error.startswith("tokoban: ")
        return error.removeprefix("tokoban: ").removesuffix("\n")

    return told
