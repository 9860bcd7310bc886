"""Copies of environments: own seeds, own ends, and the graph's walks by hand."""

from functools import partial
from typing import Any

import numpy as np
import pytest
import torch

from tokoban.systems.trajectory.graphs import LATE, MAX_STEPS

pytest.importorskip("gymnasium")

import gymnasium

from tokoban.systems.trajectory.environments import World, gymnasium_world
from tokoban.systems.trajectory.graphs import (
    Graph,
    GraphEnv,
    distances,
    draw_graph,
)
from tokoban.systems.trajectory.worlds import make_world


@pytest.mark.parametrize("env", ["Pendulum-v1", "CartPole-v1", "graph:5", "sokoban"])
def test_every_world_is_a_vector_environment_of_gymnasium(env: str) -> None:
    world = make_world(env)
    states = world.reset(range(3))
    assert states.shape == (3, len(world.spec.state_sizes))
    assert world.contexts().shape == (3, len(world.spec.context_sizes))
    environment = world.environment
    assert isinstance(environment, gymnasium.vector.VectorEnv) and environment.num_envs == 3
    observations, _ = environment.reset(seed=[0, 1, 2])  # type: ignore[arg-type]
    assert np.asarray(observations) in environment.observation_space
    assert np.array_equal(np.asarray(observations, np.float32).reshape(3, -1), states.numpy())


@pytest.mark.parametrize("env", ["graph:5", "sokoban"])
def test_one_seed_is_that_of_the_first_copy(env: str) -> None:
    environment = make_world(env).environment
    alone, _ = environment.reset(seed=4)
    listed, _ = environment.reset(seed=[4])  # type: ignore[arg-type]
    other, _ = environment.reset(seed=5)
    assert torch.equal(alone, listed) and not torch.equal(alone, other)


def test_a_copy_plays_as_the_environment_alone_does() -> None:
    world = gymnasium_world("Pendulum-v1")
    alone = gymnasium.make("Pendulum-v1")
    seen = world.reset([7, 8])
    expected, _ = alone.reset(seed=8)
    np.testing.assert_allclose(seen[1].numpy(), expected)
    for torque in (0.5, -2.0, 1.25):
        step = world.step(torch.tensor([[0.0], [torque]]))
        expected, reward, *_ = alone.step(np.array([torque], dtype=np.float32))
        np.testing.assert_allclose(step.observations[1].numpy(), expected)
        assert float(step.rewards[1]) == pytest.approx(float(reward))


def test_a_copy_that_is_over_waits_and_gets_nothing() -> None:
    world = gymnasium_world("CartPole-v1", max_steps=13)
    world.reset([0, 1])
    ends = []
    for _ in range(13):
        # The first is always pushed to the right and falls; the second is balanced.
        before = world._last
        angle = before[1, 2] + before[1, 3]
        step = world.step(torch.tensor([[1.0], [float(angle > 0)]]))
        ends.append((step.is_terminated.tolist(), step.is_truncated.tolist()))
        is_first_over = any(terminated[0] for terminated, _ in ends[:-1])
        assert step.observations[0].equal(before[0]) == is_first_over
        assert step.rewards.tolist() == [0.0 if is_first_over else 1.0, 1.0]
    assert ends[-1] == ([False, False], [False, True])
    assert sum(terminated[0] for terminated, _ in ends) == 1


def test_who_ends_when_the_time_is_up_has_ended() -> None:
    world = gymnasium_world("OddEnding-v0")
    world.reset([0])
    step = world.step(torch.zeros(1, 1))
    assert (step.is_terminated.tolist(), step.is_truncated.tolist()) == ([True], [False])


def test_actions_repeated_bring_the_sum_of_their_rewards() -> None:
    once, thrice = gymnasium_world("Pendulum-v1"), gymnasium_world("Pendulum-v1", repeat=3)
    torque = torch.tensor([[1.5]])
    once.reset([4])
    thrice.reset([4])
    single = [once.step(torque) for _ in range(3)]
    together = thrice.step(torque)
    assert together.observations.equal(single[-1].observations)
    assert float(together.rewards) == pytest.approx(sum(float(step.rewards) for step in single))


class _Odd(gymnasium.Env[Any, Any]):
    observation_space: gymnasium.Space[Any] = gymnasium.spaces.Box(-1, 1, (3,))
    action_space: gymnasium.Space[Any] = gymnasium.spaces.Discrete(2)

    def reset(self, *, seed=None, options=None):
        return np.zeros(3, np.float32), {}

    def step(self, action):
        return np.zeros(3, np.float32), np.nan, False, False, {}


class _Pictures(_Odd):
    observation_space = gymnasium.spaces.Box(0, 255, (9, 9, 3), np.uint8)


class _Unbounded(_Odd):
    action_space = gymnasium.spaces.Box(-np.inf, np.inf, (2,))


class _Ending(_Odd):
    def step(self, action):
        return np.zeros(3, np.float32), 1.0, True, False, {}


class _Broken(_Odd):
    def __init__(self) -> None:
        raise AttributeError("no such attribute\nin line 2")


class _Undrawn(_Odd):
    def __init__(self) -> None:
        """Takes no ``render_mode``."""


gymnasium.register("OddUndrawn-v0", f"{__name__}:_Undrawn", max_episode_steps=5)
for _name, _made, _limit in (
    ("OddEnding-v0", _Ending, 1),
    ("OddRewards-v0", _Odd, 5),
    ("OddPictures-v0", _Pictures, 5),
    ("OddActions-v0", _Unbounded, 5),
    ("OddEndless-v0", _Odd, None),
    ("OddBroken-v0", _Broken, 5),
):
    gymnasium.register(
        _name, lambda made=_made, **_: made(), max_episode_steps=_limit, disable_env_checker=True
    )


@pytest.mark.parametrize(
    ("env", "message"),
    [
        ("Pendulum-v2", r"^unknown environment 'Pendulum-v2'; did you mean .*Pendulum-v1"),
        (
            "OddPictures-v0",
            r"^OddPictures-v0: the observation space is Box \(9, 9, 3\); expected D",
        ),
        ("OddActions-v0", r"^OddActions-v0: unbounded actions: "),
        ("OddEndless-v0", r"^OddEndless-v0: episodes have no time limit; give max_steps$"),
        ("graph:x", r"^unknown environment 'graph:x'"),
        ("OddBroken-v0", r"^OddBroken-v0 cannot be made: no such attribute$"),
    ],
)
def test_what_cannot_be_played_is_one_sentence(env: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        make_world(env)


@pytest.mark.filterwarnings("ignore")  # of Gymnasium, about its metadata
def test_an_environment_need_not_know_how_it_is_drawn() -> None:
    assert gymnasium_world("OddUndrawn-v0").reset([0]).shape == (1, 3)
    with pytest.raises(ValueError, match=r"^OddUndrawn-v0 cannot be made: .*render_mode"):
        gymnasium_world("OddUndrawn-v0", is_drawn=True)


def test_a_reward_that_is_no_number_is_one_sentence() -> None:
    world = make_world("OddRewards-v0")
    world.reset([0])
    with pytest.raises(ValueError, match=r"^OddRewards-v0: got the reward nan, no finite number$"):
        world.step(torch.zeros(1, 1))


# Graphs


def square_graph() -> Graph:
    """0 - 1 - 2 - 3 - 0 and 3 - 4, home at 4."""
    is_edge = torch.zeros(5, 5, dtype=torch.bool)
    for one, other in ((0, 1), (1, 2), (2, 3), (3, 0), (3, 4)):
        is_edge[one, other] = is_edge[other, one] = True
    return Graph("square", is_edge, home=4)


def square() -> World:
    return World("square", partial(GraphEnv, square_graph()))


def test_distances_of_a_drawing() -> None:
    assert square_graph().distances.tolist() == [2, 3, 2, 1, 0]


def test_a_walk_pays_one_a_step_until_it_is_home() -> None:
    world = square()
    assert world.reset([0, 3]).tolist() == [[0.0], [3.0]]
    step = world.step(torch.tensor([[3.0], [4.0]]))
    assert (step.rewards.tolist(), step.is_terminated.tolist()) == ([-1, -1], [False, True])
    step = world.step(torch.tensor([[4.0], [4.0]]))
    assert (step.rewards.tolist(), step.is_terminated.tolist()) == ([-1, 0], [True, False])


def test_who_is_not_home_in_time_pays_once() -> None:
    world = square()
    world.reset([0])
    paid = [world.step(torch.tensor([[float(node)]])) for node in [1, 0] * (MAX_STEPS // 2)]
    assert [float(step.rewards) for step in paid] == [-1.0] * (MAX_STEPS - 1) + [-1.0 + LATE]
    assert bool(paid[-1].is_truncated) and not bool(paid[-1].is_terminated)
    assert not any(bool(step.is_truncated) for step in paid[:-1])


def test_who_comes_home_with_the_last_step_is_in_time() -> None:
    world = square()
    world.reset([0])
    for node in [3, 0] * 4 + [3]:
        world.step(torch.tensor([[float(node)]]))
    step = world.step(torch.tensor([[4.0]]))
    assert (float(step.rewards), bool(step.is_terminated), bool(step.is_truncated)) == (
        -1.0,
        True,
        False,
    )


def test_a_step_to_no_neighbour_is_refused() -> None:
    world = square()
    world.reset([0])
    is_legal = world.is_legal()
    assert is_legal is not None and is_legal.tolist() == [[False, True, False, True, False]]
    with pytest.raises(ValueError, match=r"^square: an action names a node that is no neighbour$"):
        world.step(torch.tensor([[2.0]]))


@pytest.mark.parametrize("num_edges", [10, 13, 55])
def test_a_drawn_graph_is_connected_and_has_its_edges(num_edges: int) -> None:
    for seed in range(7):
        generator = torch.Generator().manual_seed(seed)
        is_edge = draw_graph(11, num_edges, generator=generator)
        assert is_edge.equal(is_edge.T) and not is_edge.diagonal().any()
        assert int(is_edge.sum()) == 2 * num_edges
        assert (distances(is_edge, 0) < 11).all()
