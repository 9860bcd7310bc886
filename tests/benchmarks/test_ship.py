"""Weights as they ship are those of the run, rounded, and say nothing of where its text lay."""

import hashlib
import json
from pathlib import Path

import pytest
import torch

from benchmarks import ship
from tokoban import cli
from tokoban.training.checkpoint import load_weights


def test_what_ships_is_the_run_rounded_and_without_folders(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text, run, file = (
        tmp_path / "text.txt",
        tmp_path / "run",
        tmp_path / "new" / "shipped.safetensors",
    )
    text.write_text("to be, or not to be\n" * 40)
    small = ["--width", "32", "--num-layers", "1", "--context-length", "16"]
    command = "train gpt --preset shakespeare_small --vocabulary-size 20 --steps 1 --device cpu"
    assert cli.main([*command.split(), *small, "--text", str(text), "--output", str(run)]) == 0
    capsys.readouterr()
    assert ship.main([str(run), str(file)]) == 0
    assert hashlib.sha256(file.read_bytes()).hexdigest() in capsys.readouterr().out
    trained, shipped = load_weights(run / "weights.safetensors")[0], load_weights(file)
    assert json.loads(shipped[1]["config"])["text"] == ["text.txt"]
    for name, value in trained.items():
        expected = value.half() if value.is_floating_point() else value
        assert torch.equal(shipped[0][name], expected)
    other, mean = tmp_path / "other", tmp_path / "mean.safetensors"
    again = [*command.split(), *small, "--text", str(text), "--seed", "1", "--output", str(other)]
    assert cli.main(again) == 0
    assert ship.main([str(run), str(other), str(mean)]) == 0
    second, both = (load_weights(f)[0] for f in (other / "weights.safetensors", mean))
    for name, value in trained.items():
        if value.is_floating_point():
            assert torch.equal(both[name], ((value.double() + second[name]) / 2).float().half())
