"""What is requested, what is told of it, and what cannot be done in one sentence."""

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from PIL import Image

from tests.systems.trajectory.models import random_model
from tests.viewing.attention_pages import read_attention_page
from tokoban import cli
from tokoban.cli.exit_codes import ExitCode
from tokoban.sokoban import rules
from tokoban.sokoban.render import render_rgb
from tokoban.systems.trajectory import acting, evaluate
from tokoban.systems.trajectory.attention import attention
from tokoban.systems.trajectory.config import TrajectoryConfig, tiny
from tokoban.systems.trajectory.graphs import seeded_graph
from tokoban.systems.trajectory.imitate import Imitator
from tokoban.systems.trajectory.levels import SokobanLevelsEnv
from tokoban.systems.trajectory.rollouts import play
from tokoban.systems.trajectory.train import make_system
from tokoban.systems.trajectory.trajectories import Trajectories
from tokoban.systems.trajectory.worlds import make_world
from tokoban.training.checkpoint import save_weights
from tokoban.training.config import to_dict


def saved(config: TrajectoryConfig, path: Path) -> str:
    """Random weights with bins for the config's data."""
    torch.manual_seed(0)
    model = make_system(config).initial_model()
    metadata = {"system": "trajectory", "config": json.dumps(to_dict(config))}
    save_weights(path, model.state_dict(), metadata)
    return str(path)


@pytest.fixture(scope="module")
def walker(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A model of walks, conditioned on returns."""
    return saved(tiny(), tmp_path_factory.mktemp("walker") / "walker.safetensors")


@pytest.fixture(scope="module")
def pendulum(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A model of the pendulum that plans."""
    config = TrajectoryConfig(
        mix="random", episodes=2, max_steps=6, window=3, bins=11, width=8, num_layers=1, num_heads=2
    )
    return saved(config, tmp_path_factory.mktemp("pendulum") / "pendulum.safetensors")


def evaluated(weights: str, *words: str) -> int:
    return cli.main(["evaluate", "trajectory", "--weights", weights, "--device", "cpu", *words])


def test_the_returns_that_are_requested() -> None:
    model, world = random_model("graph:2", "return"), make_world("graph:2")
    model.best_return.fill_(-3.0)
    seeds = range(4)
    assert acting.requested(model, "best", world, seeds=seeds).tolist() == [-3] * 4
    assert acting.requested(model, "-7.5", world, seeds=seeds).tolist() == [-7.5] * 4
    graph = seeded_graph(2)
    starts = graph.starts(seeds)
    shortest = acting.requested(model, "shortest", world, seeds=seeds)
    assert shortest.tolist() == [-int(graph.distances[start]) for start in starts]
    drawn = acting.requested(model, "random", world, seeds=seeds)
    assert set(drawn.tolist()) <= set(model.bins.centres[model.layout.to_go].tolist())
    later = acting.requested(model, "random", world, seeds=range(4, 8))
    assert not torch.equal(drawn, later)


def test_the_likely_return_is_the_best_under_which_the_start_is_likely() -> None:
    model, world = random_model("graph:2", "return"), make_world("graph:2")
    layout, seeds = model.layout, range(5)
    starts = world.reset(seeds)[:, 0].long()
    found = acting.requested(model, "likely", world, seeds=seeds)
    num_returns = int(model.bins.num_used[layout.to_go])
    for start, answer in zip(starts.tolist(), found.tolist(), strict=True):
        likely = []
        for token in range(num_returns):
            tokens = torch.tensor([[[token, start, 0]]])
            with torch.no_grad():
                logits = model(torch.zeros(1, 0, dtype=torch.int64), tokens)[0, 0, 0]
            likely.append(float(logits.softmax(0)[start]) >= 0.02)
        if any(likely):
            best = max(token for token in range(num_returns) if likely[token])
            assert answer == pytest.approx(float(model.bins.centres[layout.to_go, best]))


def test_figures_are_flat_and_by_seed(
    walker: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out, plot = tmp_path / "out.json", tmp_path / "plot.png"
    words = ["--episodes", "3", "--seed", "4", "--target", "-3", "shortest"]
    assert evaluated(walker, *words, "--plot", str(plot), "--json", str(out)) == 0
    metrics = json.loads(out.read_text())
    assert (metrics["env"], metrics["mode"], metrics["episodes"]) == ("graph:0", "return", 3)
    assert metrics["requested_0"] == -3
    seeds = [metrics[f"return_of_seed_{seed}_0"] for seed in (4, 5, 6)]
    assert list(metrics)[-1] == "mean_return_high_1"  # the summaries stand last in a terminal
    assert metrics["mean_return_0"] == pytest.approx(sum(seeds) / 3)
    assert metrics["mean_return_low_0"] <= metrics["mean_return_0"] <= metrics["mean_return_high_0"]
    with Image.open(plot) as opened:
        assert opened.width > 100


@pytest.mark.parametrize("mode", ["plan", "imitate", "sample"])
def test_every_way_of_acting_plays_to_the_end(mode: str, pendulum: str, tmp_path: Path) -> None:
    out = tmp_path / "out.json"
    words = ["--mode", mode, "--episodes", "2"]
    narrow = ["--keep", "2", "--expansion", "2"] if mode == "plan" else []
    assert evaluated(pendulum, *words, *narrow, "--json", str(out)) == 0
    metrics = json.loads(out.read_text())
    assert metrics["mode"] == mode and -100 < metrics["mean_return"] < 0


def test_the_page_of_attention_has_a_row_for_each_transition(walker: str, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    words = ["--episodes", "1", "--target", "shortest", "--attention", str(page)]
    assert evaluated(walker, *words) == 0
    (weights,) = read_attention_page(page).values()
    assert weights.shape[2] == weights.shape[3]
    torch.testing.assert_close(weights, weights.tril())
    text = page.read_text()
    assert '"row_length": 3' in text
    assert re.search(r'"labels": \["return [-.\d]+", "state \d+", "action \d+", "ret', text)


@pytest.fixture(scope="module")
def seeker(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A model of walks after a goal."""
    config = replace(tiny(), layout="goal")
    return saved(config, tmp_path_factory.mktemp("seeker") / "seeker.safetensors")


def test_the_goal_on_the_page_is_the_last_state_of_an_episode_however_long() -> None:
    model, length = random_model("graph:0", "goal"), 2003
    walk = Trajectories(
        "graph:0",
        torch.zeros(length, 1),
        torch.zeros(length, 1),
        torch.zeros(length),
        torch.tensor([length]),
        torch.tensor([False]),
        torch.zeros(1, 0),
        torch.tensor([[7.0]]),
    )
    (panel,) = attention(model, walk, window=2, discount=1.0).panels
    assert panel.keys.labels is not None and panel.keys.labels[0] == "state 7"


def test_a_goal_that_is_reached_ends_the_episode() -> None:
    model, graph = random_model("graph:0", "goal"), seeded_graph(0)
    world, nodes = make_world("graph:0"), graph.starts(range(19))
    goals = graph.is_edge[nodes].int().argmax(dim=1)[:, None].double()  # a neighbour of each
    watch = acting.GoalWatch(model, goals)
    played = play(world, Imitator(model, 1, goals=goals), range(19), is_there=watch)
    walks = played.actions[:, 0].split(played.lengths.tolist())  # an action names its node
    assert watch.is_reached.any() and not watch.is_reached.all()
    for walk, goal, is_reached in zip(walks, goals[:, 0], watch.is_reached, strict=True):
        assert (goal in walk) == is_reached
        assert goal not in walk[:-1]


def test_the_share_that_came_to_the_goal_is_reported(seeker: str, tmp_path: Path) -> None:
    out = tmp_path / "out.json"
    assert evaluated(seeker, "--episodes", "19", "--json", str(out)) == 0
    metrics = json.loads(out.read_text())
    # Who is still under way when the time is up has -20.
    num_home = sum(metrics[f"return_of_seed_{seed}"] > -20 for seed in range(19))
    assert metrics["share_reached"] == pytest.approx(num_home / 19)
    assert metrics["share_reached_low"] <= num_home / 19 <= metrics["share_reached_high"]
    assert evaluated(seeker, "--episodes", "2", "--goal", "3") == 0


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (
            ["--mode", "plan"],
            "a model of the layout 'return' cannot act in the mode 'plan'; expected return",
        ),
        (["--target", "much"], "target 'much' is neither a number nor best, likely, random or"),
        (["--target", "nan"], "target 'nan' is neither a number nor"),
        (
            ["--seed", "999991"],
            "seed is 999991; expected at most 999990: beyond are seeds of training data",
        ),
        (["--keep", "2"], "--keep is for the mode plan; the mode here is return"),
        (["--goal", "2"], "--goal is for the mode goal; the mode here is return"),
        (["--film", "x.gif", "--episodes", "1"], "graph:0 has no pictures to make a film of"),
    ],
    ids=str,
)
def test_what_cannot_be_done_is_one_line(
    words: list[str],
    message: str,
    walker: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    assert evaluated(walker, *words) == ExitCode.INVALID_INPUT
    assert f"tokoban: {message}" in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


def test_more_is_not_planned_than_was_learned(
    pendulum: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert evaluated(pendulum, "--horizon", "3") == ExitCode.INVALID_INPUT
    told = "1 transitions read and 3 planned are more than the 3 that the model was trained on"
    assert told in capsys.readouterr().err
    assert evaluated(pendulum, "--target", "best") == ExitCode.INVALID_INPUT
    assert "--target is for the mode return; the mode here is plan" in capsys.readouterr().err
    assert evaluated(pendulum, "--plot", "x.png", "--mode", "plan") == ExitCode.INVALID_INPUT
    assert "--plot is for the mode return; the mode here is plan" in capsys.readouterr().err


@pytest.fixture(scope="module")
def mover(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A model of Sokoban that plans."""
    config = TrajectoryConfig(
        env="sokoban",
        mix="random",
        episodes=2,
        window=3,
        bins=20,
        width=8,
        num_layers=1,
        num_heads=2,
    )
    return saved(config, tmp_path_factory.mktemp("mover") / "mover.safetensors")


def test_the_film_is_of_the_first_episode_that_is_judged(
    mover: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    played: list[Trajectories] = []
    shown: list[Any] = []

    def recorded(*asked: Any, **how: Any) -> Trajectories:
        played.append(play(*asked, **how))
        return played[-1]

    monkeypatch.setattr(evaluate, "play", recorded)
    monkeypatch.setattr(
        evaluate, "save_pictures", lambda pictures, *_, **__: shown.extend(pictures)
    )
    words = ["--mode", "sample", "--episodes", "3", "--film", str(tmp_path / "x.gif")]
    assert evaluated(mover, *words) == 0
    environment = make_world("sokoban").environment
    environment.reset(seed=[0])  # type: ignore[arg-type]
    assert isinstance(environment, SokobanLevelsEnv)
    moves = played[0].actions[: int(played[0].lengths[0]), 0].int().tolist()
    boards = rules.play(environment.boards[0], moves)
    expected = np.stack([render_rgb(board) for board in boards])
    assert np.array_equal(np.stack(shown), expected)


def test_a_world_with_a_display_makes_a_film(mover: str, tmp_path: Path) -> None:
    film = tmp_path / "x.gif"
    out = tmp_path / "out.json"
    words = ["--mode", "sample", "--episodes", "5", "--film", str(film), "--json", str(out)]
    assert evaluated(mover, *words) == 0
    metrics = json.loads(out.read_text())
    num_solved = sum(metrics[f"return_of_seed_{seed}"] > -40 for seed in range(5))
    assert metrics["share_solved"] == pytest.approx(num_solved / 5)
    with Image.open(film) as opened:
        # A start and at most 20 moves, of five seconds together or 0.4 s each.
        num_frames = getattr(opened, "n_frames", 1)
        assert 2 <= num_frames <= 21
        assert opened.info["duration"] == pytest.approx(min(400, 5000 / num_frames), abs=10)


def test_without_a_preset_a_planner_is_trained(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = tmp_path / "run"
    words = ["--env", "graph:1", "--episodes", "20", "--width", "8", "--steps", "1"]
    train = ["train", "trajectory", *words, "--device", "cpu", "--output", str(run)]
    assert cli.main(train) == 0
    assert "graph:1: 20 episodes (random, 20 episodes, seed 0)" in capsys.readouterr().err
    assert json.loads((run / "config.json").read_text())["config"]["layout"] == "plan"
    assert evaluated(str(run), "--episodes", "2", "--horizon", "2", "--keep", "2") == 0
