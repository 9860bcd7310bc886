"""Each script from its arguments to its file, at sizes that tell nothing about speed."""

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch

from benchmarks import (
    beam,
    generator,
    harness,
    rollouts,
    simulator,
    text_generation,
    training,
    translator_step,
)
from tokoban.systems.gpt.config import GptConfig
from tokoban.systems.sokoban_policy.config import tiny
from tokoban.systems.sokoban_policy.model import SokobanPolicy
from tokoban.systems.sokoban_policy.train import build_model

KEYS = {"name": str, "device": str, "batch": int, "per_second": float}


def check_file(path: Path) -> list[dict[str, Any]]:
    """The rows of a file that is as every benchmark's."""
    written = json.loads(path.read_text())
    assert isinstance(written["hardware"], str)
    assert isinstance(written["commit"], str | None)
    for row in written["rows"]:
        assert all(isinstance(row[key], kind) for key, kind in KEYS.items())
        assert row["per_second"] > 0
        assert isinstance(row["ratio_to_posted"], float | None)
    return written["rows"]


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """The smallest network and a few levels; nothing compiled or profiled, one call of each."""

    def load_policy(_: torch.device) -> SokobanPolicy:
        torch.manual_seed(1)
        return build_model(replace(tiny(), max_positions=5)).eval()

    for script in (rollouts, beam):
        monkeypatch.setattr(script, "load_policy", load_policy)
    monkeypatch.setattr(training, "blog", tiny)
    monkeypatch.setattr(simulator, "NUM_LEVELS", 11)
    gpt = GptConfig(num_layers=1, width=8, context_length=12)
    monkeypatch.setattr(text_generation, "sizes", lambda _: {"small": gpt})
    # Compiling takes a minute, and cannot look through the checks of shapes.
    monkeypatch.setattr(torch, "compile", lambda function, **_: function)
    monkeypatch.setattr(harness, "_once_s", lambda call, device: 1.0)
    monkeypatch.setattr(harness, "_profile", lambda call, device: {"operations": []})


@pytest.mark.parametrize(
    ("main", "argv", "least_rows"),
    [
        (rollouts.main, ("--batches", "2"), 3),
        (beam.main, ("--levels", "1", "--beam", "2"), 4),
        (training.main, ("--games", "2", "--steps", "8"), 4),
        (simulator.main, ("--batches", "5"), 7),
        (generator.main, ("--levels", "2"), 1),
        (translator_step.main, (), 4),
        (text_generation.main, ("--tokens", "5", "--texts", "2"), 2),
    ],
)
def test_a_script_writes_its_rows(
    main: Callable[[Sequence[str]], int],
    argv: Sequence[str],
    least_rows: int,
    small: None,
    tmp_path: Path,
) -> None:
    out = tmp_path / "rows.json"
    assert main([*argv, "--quick", "--device", "cpu", "--threads", "1", "--json", str(out)]) == 0
    rows = check_file(out)
    assert len(rows) >= least_rows
    if main not in (training.main, generator.main, text_generation.main):
        assert any(row["ratio_to_posted"] == 1.0 for row in rows)
