"""Runs that end before their time, and their folders: nothing is lost, and nothing comes twice."""

import json
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import nn

from tests.training.toy import Toy, read_lines, toy_directory
from tokoban.training import loop
from tokoban.training.checkpoint import load_newest_checkpoint, load_weights
from tokoban.training.loop import fit
from tokoban.training.run_config import RunConfig
from tokoban.training.run_directory import RunDirectory, read_metrics

PLAIN = RunConfig(
    steps=7,
    device="cpu",
    learning_rate=0.02,
    warmup_steps=3,
    log_every=3,
    evaluate_every=2,
    checkpoint_every_s=0.0,
)
RUNS = {
    "plain": PLAIN,
    "average": replace(PLAIN, ema_decay=0.7),
    "snapshots": replace(PLAIN, average_last=2, keep_every=2),
    "best": replace(PLAIN, monitor="hits", steps=9),
    "patience": replace(PLAIN, monitor="-hits", patience=2, steps=30),
}


class KilledError(Exception):
    """Stands for a kill: what is on the disk stays as it is."""


class Falling(Toy):
    """Falls before batch number ``falls_at``."""

    def __init__(self, falls_at: int | None = None) -> None:
        self.falls_at = falls_at

    def before_batch(self, model: nn.Module, step: int) -> None:
        if step == self.falls_at:
            raise KilledError


class Spoilt(Toy):
    """Its weights get a ``value`` before batch 4."""

    def __init__(self, value: float) -> None:
        self.value = value

    def before_batch(self, model: nn.Module, step: int) -> None:
        if step == 4:
            with torch.no_grad():
                next(model.parameters())[0, 0] = self.value


def outcome(path: Path) -> tuple[list[dict[str, Any]], dict[str, Any], bytes]:
    """Metrics and result without what the clock says, and the bytes of the weights."""
    result = json.loads((path / "result.json").read_text())
    del result["elapsed_s"]
    return read_lines(path / "metrics.jsonl"), result, (path / "weights.safetensors").read_bytes()


def contents(path: Path) -> dict[Path, bytes]:
    return {file: file.read_bytes() for file in path.rglob("*") if file.is_file()}


@pytest.mark.parametrize("kind", RUNS)
def test_resuming_a_finished_run_changes_no_file_and_names_what_is_ignored(
    kind: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    metrics = fit(Toy(), RUNS[kind], toy_directory(tmp_path))
    before = contents(tmp_path)
    other = replace(RUNS[kind], learning_rate=0.01, seed=5)
    for run, ending in (RUNS[kind], ""), (other, "; without effect: seed, learning_rate"):
        capsys.readouterr()
        assert fit(Falling(0), run, toy_directory(tmp_path), resume=True) == metrics
        said = f"{tmp_path} holds a finished run; nothing was changed{ending}\n"
        assert capsys.readouterr().err == said
        assert contents(tmp_path) == before


def _when_it_ends(monkeypatch: pytest.MonkeyPatch, moment: str) -> None:
    """Arranges a kill before or after the evaluation that closes a run, or at its result."""
    places: dict[str, tuple[type, str]] = {
        "result": (RunDirectory, "write_result"),
        "choice": (loop._Training, "choose_weights"),
        "finish": (loop._Training, "finish"),
    }

    def fall(*arguments: Any) -> None:
        raise KilledError

    monkeypatch.setattr(*places[moment], fall)


@pytest.mark.parametrize("moment", ["result", "choice", "finish"])
@pytest.mark.parametrize("kind", RUNS)
def test_a_run_killed_while_it_ends_comes_to_the_same_end(
    kind: str, moment: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fit(Toy(), RUNS[kind], toy_directory(tmp_path / "straight"))
    with monkeypatch.context() as patched:
        _when_it_ends(patched, moment)
        for resume in (False, True):  # twice, which must not add up
            with pytest.raises(KilledError):
                fit(Toy(), RUNS[kind], toy_directory(tmp_path / "killed"), resume=resume)
    fit(Toy(), RUNS[kind], toy_directory(tmp_path / "killed"), resume=True)
    assert outcome(tmp_path / "killed") == outcome(tmp_path / "straight")
    assert outcome(tmp_path / "killed")[1]["train_loss"] is not None


def test_a_run_killed_before_its_first_checkpoint_begins_again(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = replace(PLAIN, checkpoint_every_s=1e9)
    fit(Toy(), run, toy_directory(tmp_path / "straight"))
    path = tmp_path / "killed"
    with pytest.raises(KilledError):
        fit(Falling(5), run, toy_directory(path))
    assert len(read_metrics(path / "metrics.jsonl")) > 0
    fit(Toy(), run, toy_directory(path), resume=True)
    assert f"{path} has no checkpoint yet; the run begins again" in capsys.readouterr().err
    assert outcome(path) == outcome(tmp_path / "straight")


def test_an_extended_run_goes_on_from_its_end(tmp_path: Path) -> None:
    """What was evaluated there stays, and the result of the earlier end does not."""
    fit(Toy(), PLAIN, toy_directory(tmp_path))
    longer = replace(PLAIN, steps=12)
    with pytest.raises(KilledError):
        fit(Falling(10), longer, toy_directory(tmp_path), resume=True)
    assert not (tmp_path / "result.json").exists()
    assert fit(Toy(), longer, toy_directory(tmp_path), resume=True)["steps"] == 12
    lines = read_lines(tmp_path / "metrics.jsonl")
    steps = [line["step"] for line in lines if "evaluate/hits" in line]
    assert steps == [2, 4, 6, 7, 8, 10, 12]


@pytest.mark.parametrize(
    "damage", [b'{"step": 2, "train', b"\xff\xfe{}", b"[1, 2]", b'{"step": null}', b'{"x": 1}']
)
def test_a_damaged_line_of_metrics_is_left_out_and_all_others_stay(
    damage: bytes, tmp_path: Path
) -> None:
    with pytest.raises(KilledError):
        fit(Falling(6), PLAIN, toy_directory(tmp_path))
    lines = (tmp_path / "metrics.jsonl").read_bytes().splitlines(keepends=True)
    (tmp_path / "metrics.jsonl").write_bytes(b"".join([lines[0], damage + b"\n", *lines[2:]]))
    message = f"{tmp_path / 'metrics.jsonl'}, line 2: damaged, and left out"
    with pytest.warns(UserWarning, match=re.escape(message)):
        fit(Toy(), PLAIN, toy_directory(tmp_path), resume=True)
    after = (tmp_path / "metrics.jsonl").read_bytes().splitlines(keepends=True)
    assert after[: len(lines) - 1] == [lines[0], *lines[2:]]


@pytest.mark.parametrize(
    ("kind", "value"), [*((kind, float("nan")) for kind in RUNS), ("plain", float("inf"))]
)
def test_weights_that_are_no_numbers_are_never_saved(
    kind: str, value: float, tmp_path: Path
) -> None:
    run = replace(RUNS[kind], log_every=1000, keep_every=1)
    message = "weights are NaN or infinite at step 5; training ends without saving them"
    with pytest.raises(ValueError, match=message):
        fit(Spoilt(value), run, toy_directory(tmp_path))
    checkpoint = load_newest_checkpoint(tmp_path / "checkpoints")
    assert checkpoint["step"] == 4
    assert all(tensor.isfinite().all() for tensor in checkpoint["model"].values())
    for path in tmp_path.rglob("*.safetensors"):
        assert all(tensor.isfinite().all() for tensor in load_weights(path)[0].values()), path


@pytest.mark.parametrize("resume", [False, True])
def test_a_folder_in_which_a_run_is_under_way_is_refused(resume: bool, tmp_path: Path) -> None:
    path, refusals = tmp_path / "run", []

    class Busy(Toy):
        def before_batch(self, model: nn.Module, step: int) -> None:
            if step == 5:
                with pytest.raises((BlockingIOError, ValueError)) as refused:
                    fit(Toy(), PLAIN, toy_directory(path), resume=resume)
                refusals.append(refused.value)

    state = loop.random_state()
    fit(Toy(), PLAIN, toy_directory(tmp_path / "alone"))
    loop.set_random_state(state)
    fit(Busy(), PLAIN, toy_directory(path))
    [refusal] = refusals
    if resume:
        assert isinstance(refusal, BlockingIOError)
        assert refusal.filename == str(path)
        assert refusal.strerror == "another process is training in this folder"
    assert len(read_metrics(path / "metrics.jsonl")) == len(
        read_metrics(tmp_path / "alone" / "metrics.jsonl")
    )
    assert not (path / ".lock").exists()


def test_of_two_runs_that_start_at_once_in_one_folder_one_is_refused(tmp_path: Path) -> None:
    """The second comes when the first has looked at the folder and not yet written into it."""
    refusals: list[OSError] = []

    def meanwhile(action: Callable[..., Any]) -> Callable[..., Any]:
        def call(*arguments: Any, **options: Any) -> Any:
            if not refusals:
                with pytest.raises(BlockingIOError) as refused:
                    fit(Toy(), PLAIN, toy_directory(tmp_path / "run"))
                refusals.append(refused.value)
            return action(*arguments, **options)

        return call

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(RunDirectory, "start", meanwhile(RunDirectory.start))
        fit(Toy(), PLAIN, toy_directory(tmp_path / "run"))
    assert refusals and (tmp_path / "run" / "result.json").exists()
