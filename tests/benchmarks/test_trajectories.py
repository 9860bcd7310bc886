"""A comparison that was killed goes on; its tables and its picture."""

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from PIL import Image

from benchmarks import trajectories
from tokoban.systems.trajectory import train
from tokoban.systems.trajectory.config import TrajectoryConfig, sokoban, tiny
from tokoban.systems.trajectory.dataset import Windows
from tokoban.systems.trajectory.graphs import pairs, seeded_graph
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


def test_what_is_there_is_kept_and_of_another_config_refused(tmp_path: Path) -> None:
    trajectories._trained(tiny(), RUN, tmp_path)
    written = (tmp_path / "weights.safetensors").stat().st_mtime_ns
    for checkpoint in (tmp_path / "checkpoints").iterdir():
        checkpoint.unlink()  # they are of no more use
    trajectories._trained(tiny(), RUN, tmp_path)
    assert (tmp_path / "weights.safetensors").stat().st_mtime_ns == written
    with pytest.raises(ValueError, match=r"was started with window = 10, and cannot go on with 5$"):
        trajectories._trained(replace(tiny(), window=5), RUN, tmp_path)


def test_goals_are_compared_and_drawn(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trajectories, "graph", tiny)
    monkeypatch.setattr(trajectories, "RUN", replace(RUN, steps=4, evaluate_every=2))
    out, picture = tmp_path / "out.json", tmp_path / "curves.png"
    words = ["--folder", str(tmp_path / "kept"), "--json", str(out), "--curves", str(picture)]
    assert trajectories.main(["goals", "--seeds", "0", "1", *words]) == 0
    told = json.loads(out.read_text())
    assert told["commits"] == [told["commit"]] * 2
    rows = told["rows"]
    for name in ("goal", "another_goal", "random"):
        for reached, shortest in zip(
            rows[f"{name}_reached"], rows[f"{name}_shortest"], strict=True
        ):
            assert 0 <= shortest <= reached <= 1
    with Image.open(picture) as opened:
        assert opened.width > 100
    monkeypatch.setattr(trajectories, "RUN", replace(RUN, steps=5))
    with pytest.raises(ValueError, match=r"rows.json: rows of another config; take another --fol"):
        trajectories.main(["goals", "--seeds", "0", *words])


def test_another_goal_is_neither_the_goal_nor_the_start() -> None:
    graph = seeded_graph(3)
    starts, goals, _ = pairs(graph)
    others = trajectories.other_goals(graph, starts, goals, seed=0)
    assert not (others == goals).any()
    assert not (others == graph.starts(starts.tolist())).any()
    assert set(others.tolist()) == set(range(len(graph.is_edge)))


def test_of_sokoban_the_solved_levels_are_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def small() -> TrajectoryConfig:
        return replace(sokoban(), episodes=6, window=3, width=8, num_layers=1, num_heads=2)

    monkeypatch.setattr(trajectories, "sokoban", small)
    monkeypatch.setattr(trajectories, "SOKOBAN_RUN", RUN)
    monkeypatch.setattr(trajectories, "NUM_LEVELS", 3)
    rows, _ = trajectories._kept_rows("sokoban", 0, tmp_path)
    for name in ("random", "bc", "bc_drawn", "filtered_bc", "filtered_bc_drawn", "plan"):
        assert rows[name] * 3 == pytest.approx(round(rows[name] * 3))
        assert rows[f"{name}_shortest"] <= rows[name]
