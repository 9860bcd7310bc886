"""A comparison that was killed goes on."""

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from benchmarks import trajectories
from tokoban.systems.trajectory import train
from tokoban.systems.trajectory.config import tiny
from tokoban.systems.trajectory.dataset import Windows
from tokoban.systems.trajectory.model import TrajectoryTransformer

RUN = replace(trajectories.RUN, seed=3, steps=7, warmup_steps=3, log_every=1, evaluate_every=0)


@pytest.fixture
def killed_at(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[int]]:
    """Batches that have no more after so many, once; as when the process is killed."""
    steps: list[int] = []
    batches = train.TrajectorySystem.train_batches

    def until_killed(
        self: train.TrajectorySystem, model: TrajectoryTransformer, *, start_step: int
    ) -> Iterator[Windows]:
        for step, batch in enumerate(batches(self, model, start_step=start_step), start=start_step):
            if steps and step == steps[0]:
                steps.clear()
                raise SystemExit("killed")
            yield batch

    monkeypatch.setattr(train.TrajectorySystem, "train_batches", until_killed)
    yield steps


@pytest.mark.parametrize(("checkpoint_every_s", "num_resumed"), [(0.0, 1), (1e9, 0)])
def test_a_killed_training_goes_on_or_begins_anew_by_itself(
    checkpoint_every_s: float, num_resumed: int, killed_at: list[int], tmp_path: Path
) -> None:
    run = replace(RUN, checkpoint_every_s=checkpoint_every_s)
    whole, _ = trajectories._trained(tiny(), run, tmp_path / "whole")
    killed_at.append(4)
    with pytest.raises(SystemExit):
        trajectories._trained(tiny(), run, tmp_path / "killed")
    assert not (tmp_path / "killed" / "result.json").exists()
    again, _ = trajectories._trained(tiny(), run, tmp_path / "killed")
    for name, weight in whole.state_dict().items():
        assert again.state_dict()[name].equal(weight), name
    record = json.loads((tmp_path / "killed" / "config.json").read_text())
    assert [resumed["step"] for resumed in record["resumed"]] == [4] * num_resumed
