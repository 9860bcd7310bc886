"""The system in its loop: iterations, seeds, resumption, and what the command refuses."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch

from tokoban.systems.memory_ppo import train as memory_train

pytest.importorskip("gymnasium")

import gymnasium
from gymnasium import spaces

from tokoban import cli
from tokoban.systems.memory_ppo.config import MemoryKind, PpoConfig, tiny
from tokoban.systems.memory_ppo.spec import SPEC
from tokoban.systems.memory_ppo.train import PpoSystem
from tokoban.training import loop
from tokoban.training.config import to_dict
from tokoban.training.run_directory import RunDirectory, read_metrics

TINY = replace(tiny(), num_games=6, minibatches=3, epochs=2)
RUN = replace(SPEC.presets["tiny"].run, device="cpu", steps=9, log_every=1, schedule="constant")
KINDS: tuple[MemoryKind, ...] = ("transformer", "lstm", "gru", "none")


def train(config: PpoConfig, path: Path, *, steps: int = 9, **changes: Any) -> list[Any]:
    """The run's lines, without what the clock says; goes on where the folder holds a run."""
    is_resumed = (path / "config.json").exists()
    run = replace(RUN, steps=steps, **changes)
    directory = RunDirectory(path, system="ppo", config=to_dict(config))
    loop.fit(PpoSystem(config), run, directory, resume=is_resumed)
    lines = read_metrics(path / "metrics.jsonl")
    clock = ("loop/elapsed_s", "loop/steps_per_s")
    return [{name: x for name, x in line.items() if name not in clock} for line in lines]


@pytest.mark.parametrize("memory", KINDS)
def test_the_first_minibatch_is_of_the_policy_that_played(memory: MemoryKind) -> None:
    system = PpoSystem(replace(TINY, memory=memory))
    torch.manual_seed(0)
    model = system.initial_model()
    batches = system.train_batches(model, start_step=0)
    metrics = system.loss(model, next(batches)).metrics
    assert metrics["clip_fraction"] == 0
    assert abs(metrics["approx_kl"]) < 1e-9
    # Advantages are normalised, and the ratio is 1 everywhere.
    assert abs(metrics["policy_loss"]) < 1e-5


def test_an_epoch_takes_every_game_once_and_an_iteration_its_epochs() -> None:
    system = PpoSystem(TINY)
    torch.manual_seed(0)
    model = system.initial_model()
    batches = system.train_batches(model, start_step=0)
    returns = [next(batches).returns for _ in range(2 * TINY.updates)]
    epochs = [torch.cat(returns[3 * n : 3 * n + 3]).sort(dim=0).values for n in range(4)]
    assert torch.equal(epochs[0], epochs[1])
    assert not torch.equal(epochs[1], epochs[2])
    assert system.env_steps == 2 * TINY.num_games * 7  # a maze of 5 has so many


@pytest.mark.parametrize(
    ("env", "memory"),
    [("t-maze:5", "lstm"), ("CartPole-v1", "transformer"), ("CartPole-v1", "gru")],
)
def test_a_run_that_was_stopped_amid_an_iteration_logs_what_a_whole_one_does(
    env: str, memory: MemoryKind, tmp_path: Path
) -> None:
    short = replace(TINY, evaluation_episodes=2)
    config = replace(short, env=env, memory=memory, num_steps=4, window=3)
    whole = train(config, tmp_path / "whole", evaluate_every=0)
    train(config, tmp_path / "parts", steps=5, evaluate_every=0, monitor="")
    parts = train(config, tmp_path / "parts", evaluate_every=0)
    losses = [[line for line in lines if "train/loss" in line] for lines in (whole, parts)]
    assert losses[0] == losses[1]
    assert len(losses[0]) == 9


def test_games_that_would_be_long_to_play_again_start_anew(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(memory_train, "_MOST_TO_REPLAY", 8)
    config = replace(TINY, env="Pendulum-v1", memory="none", num_steps=5, minibatches=1, epochs=1)
    system = PpoSystem(config)
    torch.manual_seed(0)
    batches = system.train_batches(system.initial_model(), start_step=0)
    ages = [next(batches).inputs.ages[0].tolist() for _ in range(3)]
    assert ages == [[0, 1, 2, 3, 4], [5, 6, 7, 8, 9], [0, 1, 2, 3, 4]]


def test_the_command_trains_and_says_what_came_of_it(tmp_path: Path) -> None:
    words = ["--preset", "tiny", "--env", "t-maze:4", "--memory", "gru", "--seed", "3"]
    limits = ["--steps", "4", "--device", "cpu", "--output", str(tmp_path)]
    assert cli.main(["train", "ppo", *words, *limits]) == 0
    result = json.loads((tmp_path / "result.json").read_text())
    assert result["env_steps"] == 8 * 6  # one iteration of 8 games
    assert result["episodes"] == 8
    assert result["mean_return"] <= 1


class Written(gymnasium.Env[Any, Any]):
    """It shows a text."""

    observation_space = spaces.Text(3)
    action_space = spaces.Discrete(2)


gymnasium.register("Written-v0", lambda **_: Written(), disable_env_checker=True)


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["--env", "Written-v0"], "expected a space Discrete or MultiDiscrete from 0, or a Box"),
        (["--num-games", "1"], "expected at most num_games = 1, got 2"),
        (["--num-heads", "3"], "num_heads is 3; expected a divisor of width 16"),
    ],
)
def test_what_cannot_be_is_one_sentence(
    words: list[str], complaint: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["--preset", "tiny", "--device", "cpu", "--output", str(tmp_path / "run"), *words]
    assert cli.main(["train", "ppo", *words]) == 2
    said = capsys.readouterr().err.splitlines()[-1]
    assert said.startswith("tokoban: ") and complaint in said


@pytest.mark.slow
def test_a_corridor_twelve_times_as_long_as_any_learned_in_is_walked_as_well(
    tmp_path: Path,
) -> None:
    run, out = str(tmp_path / "run"), tmp_path / "metrics.json"
    words = ["--preset", "maze", "--seed", "0", "--device", "cpu"]
    assert cli.main(["train", "ppo", *words, "--output", run]) == 0
    words = ["--env", "t-maze:500", "--device", "cpu", "--json", str(out)]
    assert cli.main(["evaluate", "ppo", "--weights", run, *words]) == 0
    assert json.loads(out.read_text())["mean_return"] >= 0.97


@pytest.mark.slow
def test_the_maze_is_learned_with_a_memory_and_not_without(tmp_path: Path) -> None:
    returns = {}
    kinds: tuple[MemoryKind, ...] = ("transformer", "none")
    for memory in kinds:
        config = PpoConfig(env="t-maze:10", num_games=32, memory=memory)
        path = tmp_path / memory
        directory = RunDirectory(path, system="ppo", config=to_dict(config))
        run = replace(SPEC.presets["memory"].run, device="cpu", steps=960, target=0.97)
        returns[memory] = loop.fit(PpoSystem(config), run, directory)["mean_return"]
    assert returns["transformer"] > 0.95
    assert returns["none"] < 0.75  # a guess at the far end is right half of the time
