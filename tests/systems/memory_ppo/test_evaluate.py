"""``tokoban evaluate ppo``: its metrics, film and attention, and each complaint."""

import json
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
import torch
from gymnasium import spaces
from PIL import Image
from torch import Tensor

from tests.systems.memory_ppo.corridor import Corridor
from tests.systems.memory_ppo.test_acting import player_for
from tests.viewing.attention_pages import read_attention_page
from tokoban import cli
from tokoban.systems.memory_ppo import play
from tokoban.systems.memory_ppo.evaluate import metrics_of, play_episodes
from tokoban.systems.memory_ppo.model import Player
from tokoban.systems.memory_ppo.play import attention_of, strongest_look
from tokoban.systems.memory_ppo.tensor_env import TensorEnv


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> str:
    return _trained(tmp_path_factory, "transformer")


@pytest.fixture(scope="module")
def forgetful(tmp_path_factory: pytest.TempPathFactory) -> str:
    return _trained(tmp_path_factory, "none")


def _trained(tmp_path_factory: pytest.TempPathFactory, memory: str) -> str:
    path = str(tmp_path_factory.mktemp("runs") / memory)
    words = ["--preset", "tiny", "--memory", memory, "--steps", "4", "--device", "cpu"]
    assert cli.main(["train", "ppo", *words, "--output", path]) == 0
    return path


def _evaluate(run: str, *words: str) -> int:
    return cli.main(["evaluate", "ppo", "--weights", run, "--device", "cpu", *words])


def test_an_episode_ends_at_its_own_end_and_counts_once() -> None:
    """By pencil: games begin 5, 4, ... steps from the end; walking costs 1, arriving brings 2."""
    task = Corridor(num_games=5, length=5, time=4)
    played = play_episodes(_always(1, task), task, most_steps=4)
    assert played.num_steps == [4, 4, 3, 2, 1]
    assert played.returns == [-4, -1, 0, 1, 2]
    metrics = metrics_of(played)
    assert metrics["mean_return"] == pytest.approx(-0.4)
    assert metrics["mean_episode_steps"] == pytest.approx(2.8)
    assert metrics["cut_off"] == 0


def _always(action: int, task: TensorEnv) -> Player:
    """A player that does the same at every step."""
    player = player_for(task, window=4)
    with torch.no_grad():
        last = player.policy_head[-1]
        assert isinstance(last, torch.nn.Linear)
        last.weight.zero_()
        last.bias.copy_(torch.tensor([0.0, 0.0]).index_fill(0, torch.tensor(action), 1.0))
    return player


@pytest.mark.parametrize("most_steps", [2, 131])  # within a segment, and in the one after
def test_an_episode_without_an_end_is_cut_off_with_the_return_it_has(most_steps: int) -> None:
    task = Corridor(num_games=5, length=1000, time=10_000)
    played = play_episodes(_always(0, task), task, most_steps=most_steps)
    assert played.num_steps == [most_steps] * 5
    assert played.returns == [-most_steps] * 5
    assert task.num_to_replay == 0  # no action is kept that nobody will save
    assert metrics_of(played)["cut_off"] == 5


def test_what_is_cut_off_is_counted_apart_from_what_ended() -> None:
    """By pencil: games begin 5, 4, ... steps from the end."""
    task = Corridor(num_games=5, length=5, time=97)
    played = play_episodes(_always(1, task), task, most_steps=3)
    assert played.num_steps == [3, 3, 3, 2, 1]
    assert played.num_cut_off == 2


def test_figures_film_and_page(run: str, tmp_path: Path) -> None:
    out, film, page = tmp_path / "metrics.json", tmp_path / "film.gif", tmp_path / "page.html"
    words = ["--episodes", "7", "--film", str(film), "--attention", str(page)]
    assert _evaluate(run, *words, "--json", str(out)) == 0
    metrics = json.loads(out.read_text())
    assert metrics["episodes"] == 7 and metrics["mean_episode_steps"] == 7
    with Image.open(film) as opened:
        assert getattr(opened, "n_frames", 1) == 8  # 7 steps and the end
    (weights,) = read_attention_page(page).values()
    assert weights.shape == (2, 2, 7, 7)
    assert torch.allclose(weights.sum(-1), torch.ones(2, 2, 7), atol=1e-5)


def test_equal_seeds_give_equal_figures_and_another_seed_others(run: str, tmp_path: Path) -> None:
    texts = []
    for seed in ("0", "0", "5"):
        out = tmp_path / "out.json"
        assert _evaluate(run, "--env", "t-maze:5", "--seed", seed, "--json", str(out)) == 0
        texts.append(out.read_text())
    assert texts[0] == texts[1] != texts[2]


def test_the_strongest_look_is_a_diagonal() -> None:
    weights = torch.full((2, 3, 7, 7), 0.1)
    weights[1, 2] = 0.0
    for step in range(3, 7):
        weights[1, 2, step, step - 3] = 0.8
    look = strongest_look(weights)
    assert look == (2, 3, 3, pytest.approx(0.8))


def test_an_episode_alone_is_what_its_attention_is_of() -> None:
    task = Corridor(num_games=3, length=97, time=9)
    player = player_for(task, window=4)
    episode = play_episodes(player, task, most_steps=97).first
    weights = attention_of(player, episode)
    assert weights.shape == (2, 2, 9, 9) and len(episode.rewards) == 9
    steps = torch.arange(9)
    is_seen = (steps[:, None] >= steps) & (steps[:, None] - steps < 4)
    assert ((weights > 0) == is_seen).all()


class _Drawn(Corridor):
    """A corridor whose picture is the first game's place."""

    num_pictures = 0

    def picture(self) -> Tensor:
        self.num_pictures += 1
        return self.corridors.places[:1, None, None].to(torch.uint8)


@pytest.mark.parametrize(
    ("length", "num_steps"), [(131, 131), (5, 5), (147, 140)]
)  # in the second segment, amid the first, and longer than is shown
def test_the_film_is_of_the_first_episode_that_is_judged(
    length: int, num_steps: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its pictures are those before each step and at the end, whatever the other games do."""
    monkeypatch.setattr(play, "MOST_SHOWN", 140)
    task = _Drawn(num_games=2, length=length, time=length + 3)
    played = play_episodes(_always(1, task), task, most_steps=length + 3, is_drawn=True)
    first = played.first
    assert len(first.rewards) == first.actions.shape[1] == num_steps
    assert first.inputs.observations[0, :, 0].tolist() == list(range(num_steps))
    places = [picture.item() for picture in first.pictures]
    assert places == list(range(num_steps + 1))
    assert task.num_pictures == num_steps + 1  # and none of what comes after
    if num_steps == length:
        assert sum(first.rewards) == played.returns[0]


class _Bare(gymnasium.Env[np.ndarray, np.int64]):
    """Seen as a T-maze is; its action is one number, which POPGym has where we have a row of it."""

    observation_space = spaces.MultiDiscrete([2, 3])
    action_space = spaces.Discrete(4)

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[np.ndarray, Any]:
        return np.zeros(2, np.int64), {}

    def step(self, action: np.int64) -> tuple[np.ndarray, float, bool, bool, Any]:
        return np.zeros(2, np.int64), 0.5, True, False, {}


def test_an_action_of_one_number_is_the_same_in_a_row_or_bare(run: str, tmp_path: Path) -> None:
    gymnasium.register("Bare-v0", lambda **_: _Bare(), disable_env_checker=True)
    out = tmp_path / "out.json"
    assert _evaluate(run, "--env", "Bare-v0", "--episodes", "2", "--json", str(out)) == 0
    assert json.loads(out.read_text())["mean_return"] == 0.5


def test_a_player_is_judged_in_popgyms_own_environment(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("popgym")
    words = ["--preset", "tiny", "--env", "repeat-previous:4", "--steps", "1", "--device", "cpu"]
    assert cli.main(["train", "ppo", *words, "--output", str(tmp_path)]) == 0
    words = ["--env", "popgym-RepeatPreviousEasy-v0", "--episodes", "3"]
    assert _evaluate(str(tmp_path), *words) == 0
    assert "mean_episode_steps  51" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (
            ["--env", "repeat-previous:4"],
            "repeat-previous:4 has other observations or actions than t-maze:5, on which the "
            "player was trained",
        ),
        (
            ["--seed", "536870900"],
            "seed is 536870900; expected at most 536870812: beyond are seeds of validation and "
            "training",
        ),
    ],
)
def test_what_cannot_be_is_one_sentence(
    words: list[str], complaint: str, run: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert _evaluate(run, *words) == 2
    assert capsys.readouterr().err.splitlines()[-1] == f"tokoban: {complaint}"


def test_a_memory_without_attention_cannot_be_looked_at(
    forgetful: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert _evaluate(forgetful, "--attention", str(tmp_path / "x.html")) == 2
    assert "--attention: the memory 'none' has no attention" in capsys.readouterr().err
    assert _evaluate(forgetful, "--episodes", "2") == 0
    assert "look_layer" not in capsys.readouterr().out
