"""Minari's data sets, by a stand-in of the package: reading needs neither it nor the network."""

import sys
from types import ModuleType, SimpleNamespace

import numpy as np
import pytest

from tokoban.systems.trajectory.minari_data import load_minari


def _episode(length: int, *, is_terminated: bool) -> SimpleNamespace:
    ends = np.zeros(length, dtype=bool)
    ends[-1] = is_terminated
    return SimpleNamespace(
        observations=np.arange(2.0 * (length + 1)).reshape(-1, 2),
        actions=np.arange(length),
        rewards=np.full(length, 0.5),
        terminations=ends,
    )


@pytest.fixture
def episodes(monkeypatch: pytest.MonkeyPatch) -> list[SimpleNamespace]:
    """What the data set holds."""
    held = [_episode(3, is_terminated=True), _episode(2, is_terminated=False)]
    data = SimpleNamespace(
        spec=SimpleNamespace(env_spec=SimpleNamespace(id="CartPole-v1")),
        iterate_episodes=lambda: iter(held),
    )
    stand_in = ModuleType("minari")
    stand_in.load_dataset = lambda name: data  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "minari", stand_in)
    return held


def test_episodes_are_read_and_what_came_of_their_last_action(
    episodes: list[SimpleNamespace],
) -> None:
    read = load_minari("x", env="CartPole-v1")
    assert read.lengths.tolist() == [3, 2]
    assert read.observations[:, 0].tolist() == [0, 2, 4, 0, 2]
    assert read.last_observations.tolist() == [[6, 7], [4, 5]]
    assert read.actions[:, 0].tolist() == [0, 1, 2, 0, 1]
    assert (read.returns().tolist(), read.is_terminated.tolist()) == ([1.5, 1.0], [True, False])


def test_other_data_are_refused(episodes: list[SimpleNamespace]) -> None:
    with pytest.raises(ValueError, match=r"^minari:x: trajectories of CartPole-v1; expected those"):
        load_minari("x", env="Pendulum-v1")
    episodes[0].observations = {"image": np.zeros(4)}
    with pytest.raises(ValueError, match=r"^minari:x: expected plain arrays of numbers, got dict$"):
        load_minari("x", env="CartPole-v1")


def test_without_the_package_its_name_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "minari", None)
    with pytest.raises(ModuleNotFoundError):
        load_minari("x", env="CartPole-v1")
