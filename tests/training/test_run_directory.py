import json
import sys
from datetime import date
from pathlib import Path
from typing import Any

import pytest
import torch
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

from tests.training.toy import toy_directory
from tokoban.training.run_config import RunConfig
from tokoban.training.run_directory import RunDirectory, make_run_folder, read_metrics, read_record

RUN = RunConfig(steps=3)
CPU = torch.device("cpu")


def started(path: Path) -> RunDirectory:
    """With a record, and nobody at work in it."""
    directory = toy_directory(path / "run")
    directory.start(RUN, CPU)
    directory.close()
    return directory


def test_record_says_what_ran_where(tmp_path: Path) -> None:
    directory = started(tmp_path)
    record = read_record(directory.path)
    assert record["system"] == "toy" and record["config"] == {"width": 7}
    assert record["run"]["steps"] == 3 and record["run"]["betas"] == [0.9, 0.98]
    assert record["torch"] == torch.__version__ and record["num_processes"] == 1
    assert record.keys() >= {"command", "date", "commit", "hardware", "python"}
    assert " x " in record["hardware"] and record["resumed"] == []


@pytest.mark.parametrize("program", ["/opt/bin/tokoban", "/opt/tokoban/__main__.py"])
def test_the_command_is_recorded_as_it_may_be_typed(
    program: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "argv", [program, "train", "x y"])
    assert read_record(started(tmp_path).path)["command"] == "tokoban train 'x y'"


def test_a_second_start_is_refused(tmp_path: Path) -> None:
    started(tmp_path)
    message = r"run already holds a run: resume it, or choose another directory$"
    with pytest.raises(ValueError, match=message):
        toy_directory(tmp_path / "run").start(RUN, CPU)


def test_log_writes_a_line_and_an_event(tmp_path: Path) -> None:
    directory = toy_directory(tmp_path / "run")
    directory.start(RUN, CPU)
    directory.log(2, {"train/loss": 0.5, "train/ratio": float("inf")})
    directory.log(5, {"train/loss": 0.25})
    directory.close()
    assert directory.metrics.read_text().splitlines() == [
        '{"step": 2, "train/loss": 0.5, "train/ratio": null}',
        '{"step": 5, "train/loss": 0.25}',
    ]
    assert events(directory)["train/loss"] == [(2, 0.5), (5, 0.25)]


def events(directory: RunDirectory) -> dict[str, list[tuple[int, float]]]:
    accumulator = EventAccumulator(str(directory.path / "tensorboard"))
    accumulator.Reload()
    names = accumulator.Tags()["scalars"]
    return {name: [(e.step, e.value) for e in accumulator.Scalars(name)] for name in names}


def test_restart_cuts_back_to_the_checkpoint(tmp_path: Path) -> None:
    directory = toy_directory(tmp_path / "run")
    directory.start(RUN, CPU)
    for step in (2, 3, 5):
        directory.log(step, {"train/loss": 1 / step})
    directory.close()
    with directory.metrics.open("a") as lines:
        lines.write('{"step": 7, "train/lo')  # killed while it wrote
    directory.restart(RUN, CPU, step=3)
    directory.log(5, {"train/loss": 0.125})
    directory.close()
    assert [line["step"] for line in read_metrics(directory.metrics)] == [2, 3, 5]
    assert read_metrics(directory.metrics)[-1]["train/loss"] == 0.125
    assert [step for step, _ in events(directory)["train/loss"]] == [2, 3, 5]
    (resumed,) = read_record(directory.path)["resumed"]
    assert resumed["step"] == 3 and resumed["run"]["steps"] == 3


@pytest.mark.parametrize(
    ("system", "config", "message"),
    [
        ("other", {"width": 7}, "holds a run of 'toy', not of 'other'"),
        ("toy", {"width": 5}, "was started with width = 7, and cannot go on with 5"),
        ("toy", {"width": 7, "x": 1}, "was started with x = None, and cannot go on with 1"),
    ],
)
def test_another_run_is_not_resumed(
    tmp_path: Path, system: str, config: dict[str, Any], message: str
) -> None:
    directory = started(tmp_path)
    with pytest.raises(ValueError, match=rf"^{directory.path} {message}$"):
        RunDirectory(directory.path, system=system, config=config).restart(RUN, CPU, step=0)


def test_a_broken_record_is_named(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text("{")
    with pytest.raises(ValueError, match=r"config.json: not JSON \("):
        read_record(tmp_path)


def test_result_has_no_nan(tmp_path: Path) -> None:
    directory = started(tmp_path)
    directory.write_result({"accuracy": 1.0, "steps": 3, "mean_moves": float("nan")})
    result = json.loads(directory.result.read_text())
    assert result == {"accuracy": 1.0, "steps": 3, "mean_moves": None}


def test_new_paths_never_meet_an_old_one(tmp_path: Path) -> None:
    today = date(2026, 3, 5)
    for expected in ("2026-03-05-toy", "2026-03-05-toy-2", "2026-03-05-toy-3"):
        path = make_run_folder(tmp_path, "toy", today=today)
        assert path == tmp_path / expected and path.is_dir()
