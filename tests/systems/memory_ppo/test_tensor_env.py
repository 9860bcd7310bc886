"""Environments of others as tasks: what is read, replayed and refused."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

pytest.importorskip("gymnasium")

import gymnasium
from gymnasium import spaces
from gymnasium.vector import AutoresetMode, SyncVectorEnv

from tokoban.systems.memory_ppo.actions import ClippedGaussian
from tokoban.systems.memory_ppo.environments import make_env
from tokoban.systems.memory_ppo.spaces import bounds_of, check_space, counts_of, is_discrete
from tokoban.systems.memory_ppo.tensor_env import TensorEnv

CPU = torch.device("cpu")


class Clock(gymnasium.Env[np.ndarray, Any]):
    """Truncated after three steps; shows its number and how late it is."""

    observation_space = spaces.Box(-1.0, 7.0, (2,), np.float64)
    action_space = spaces.Box(-2.0, 2.0, (2,), np.float32)

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[np.ndarray, Any]:
        super().reset(seed=seed)
        self.number, self.time = float(self.np_random.random()), 0
        return np.array([self.number, self.time]), {}

    def step(self, action: Any) -> tuple[np.ndarray, float, bool, bool, Any]:
        assert action.shape == (2,)
        self.time += 1
        seen = np.array([self.number, self.time])
        return seen, float(action.sum()), False, self.time == 3, {}


def clocks(num_games: int = 3, *, seed: int = 7) -> TensorEnv:
    environment = SyncVectorEnv([Clock] * num_games, autoreset_mode=AutoresetMode.NEXT_STEP)
    return TensorEnv(environment, seed=seed, device=CPU)


def test_an_environment_of_boxes_is_a_task() -> None:
    task = clocks()
    assert task.observation_space is Clock.observation_space
    seen = task.reset()
    assert seen.dtype == torch.float32 and seen.shape == (3, 2)
    found = task.step(torch.tensor([[0.5, 1.0]] * 3))
    assert found.rewards.tolist() == [1.5] * 3


def test_the_step_after_an_end_is_the_reset() -> None:
    task = clocks()
    task.reset()
    steps = [task.step(torch.ones(3, 2)) for _ in range(5)]
    assert [each.is_truncated.any().item() for each in steps] == [False, False, True, False, False]
    assert [each.observations[0, 1].item() for each in steps] == [1, 2, 3, 0, 1]
    assert [each.rewards[0].item() for each in steps] == [2, 2, 2, 0, 2]


def test_every_game_and_every_reset_has_a_seed_of_its_own() -> None:
    task = clocks()
    numbers = torch.cat([task.reset()[:, 0] for _ in range(2)])
    assert len(numbers.unique()) == 6
    later = clocks(seed=7 + 3)  # games 3 to 5
    assert torch.equal(later.reset()[:, 0], numbers[3:])


def test_an_environment_is_restored_by_playing_again() -> None:
    task = clocks()
    task.reset()
    task.reset()
    for step in range(5):
        task.step(torch.full((3, 2), 0.1 * step))
    assert task.num_to_replay == 5
    saved = task.state_dict()
    wanted = [task.step(torch.ones(3, 2)).observations for _ in range(5)]
    again = clocks()
    again.load_state_dict(saved)
    found = [again.step(torch.ones(3, 2)).observations for _ in range(5)]
    assert torch.equal(torch.stack(found), torch.stack(wanted))


def test_actions_are_scaled_where_their_bounds_are_of_use() -> None:
    most = np.finfo(np.float32).max
    low, high = np.array([-2, -most, 5], np.float32), np.array([6, most, 5], np.float32)
    policy = ClippedGaussian(spaces.Box(low, high, dtype=np.float32))
    assert policy.to_game(torch.tensor([0.5, 0.5, 0.5])).tolist() == [4, 0.5, 5]


def test_spaces_are_read_as_counts_or_as_bounds() -> None:
    assert counts_of(spaces.Discrete(5)) == (5,)
    assert counts_of(spaces.MultiDiscrete([2, 3])) == (2, 3)
    low, high = bounds_of(spaces.Box(0, 255, (2, 1), np.uint8))
    assert (low.tolist(), high.tolist()) == ([0, 0], [255, 255])


@pytest.mark.parametrize("space", [spaces.Discrete(5, start=1), spaces.Text(3), spaces.Dict()])
def test_a_space_that_cannot_be_read_is_named(space: Any) -> None:
    with pytest.raises(ValueError, match="expected a space Discrete or MultiDiscrete from 0"):
        check_space(space)


def test_an_environment_that_resets_otherwise_is_refused() -> None:
    environment = SyncVectorEnv([Clock], autoreset_mode=AutoresetMode.SAME_STEP)
    with pytest.raises(ValueError, match="expected an environment that resets on the next step"):
        TensorEnv(environment, seed=0, device=CPU)


def test_an_environment_that_draws_nothing_says_so() -> None:
    with pytest.raises(ValueError, match="draws no pictures"):
        clocks().picture()


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("repeat-previos:4", r"repeat-previos.*near are repeat-previous:LAG"),
        ("CartPol-v1", "CartPol.*near are CartPole-v"),
        ("t-maze", "environment 't-maze': expected a number, as in repeat-previous:LAG"),
        ("t-maze:3-", "'t-maze:3-': expected a number or two, as in t-maze:3-7$"),
        ("t-maze:3-5-7", "'t-maze:3-5-7': expected a number or two, as in t-maze:3-7$"),
        ("flip-flop:5-7", "environment 'flip-flop:5-7': expected a number"),
        ("t-maze:x", "environment 't-maze:x': expected a number"),
        ("nothing/Like-this", "Namespace nothing not found"),
        ("nothing:4", r"^unknown environment 'nothing:4' \(No module named 'nothing'\)$"),
    ],
)
def test_an_unknown_name_is_answered_with_those_that_are_near(name: str, message: str) -> None:
    with pytest.raises(ValueError, match=message) as refusal:
        make_env(name, 1, seed=0, device=CPU)
    assert "\n" not in str(refusal.value)


def test_a_range_of_corridors_is_named() -> None:
    task = make_env("t-maze:3-7", 97, seed=0, device=CPU)
    assert task.episode_steps == 7 + 1 + 1
    task.reset()
    lengths = task.state_dict()["own"]["games"]["length"]
    assert set(lengths.tolist()) == {3, 4, 5, 6, 7}


def test_a_package_that_is_missing_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "popgym", None)
    with pytest.raises(ValueError, match="needs the package popgym: pip install popgym"):
        make_env("popgym-RepeatPreviousEasy-v0", 1, seed=0, device=CPU)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("import not_there", "No module named 'not_there'"),
        ("from popgym import not_there", "cannot import name 'not_there' from .*popgym"),
    ],
)
def test_what_a_package_lacks_is_named(
    line: str, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "popgym.py").write_text(line)
    monkeypatch.delitem(__import__("sys").modules, "popgym", raising=False)
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(ValueError, match=f"needs the package popgym: {message}") as refusal:
        make_env("popgym-RepeatPreviousEasy-v0", 1, seed=0, device=CPU)
    assert "pip" not in str(refusal.value)


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (AttributeError("no such\nattribute"), r"^Broken-v0: no such$"),
        (ImportError(), r"^Broken-v0: ImportError$"),
    ],
    ids=str,
)
def test_what_an_environment_stumbles_over_is_one_sentence(error: Exception, message: str) -> None:
    def broken(**_: Any) -> Clock:
        raise error

    if "Broken-v0" in gymnasium.registry:
        del gymnasium.registry["Broken-v0"]
    gymnasium.register("Broken-v0", broken, disable_env_checker=True)
    with pytest.raises(ValueError, match=message):
        make_env("Broken-v0", 1, seed=0, device=CPU)


def test_minigrid_is_seen_as_names_of_things() -> None:
    pytest.importorskip("minigrid")
    task = make_env("MiniGrid-MemoryS7-v0", 2, seed=0, device=CPU)
    assert is_discrete(task.observation_space)
    seen = task.reset()
    assert seen.shape == (2, 147)
    assert (seen < torch.tensor(counts_of(task.observation_space))).all()


@pytest.mark.slow
def test_sokoban_levels_are_of_the_seed_and_its_tensors_are_played() -> None:
    one, same, other = (make_env("sokoban:8", 2, seed=seed, device=CPU) for seed in (3, 3, 4))
    seen = one.reset()
    assert seen.shape == (2, 5, 8, 8) and seen.dtype == torch.uint8
    assert torch.equal(seen, same.reset()) and not torch.equal(seen, other.reset())
    assert one.step(torch.tensor([[0], [3]])).rewards.tolist() == pytest.approx([-0.1, -0.1])
