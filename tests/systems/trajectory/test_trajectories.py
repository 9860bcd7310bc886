"""Episodes and who plays them: returns, shares, mixtures, and what is refused."""

from dataclasses import replace

import pytest
import torch

from tokoban.systems.trajectory.collect import collect, joined
from tokoban.systems.trajectory.environments import FIRST_TRAINING_SEED
from tokoban.systems.trajectory.policies import Part, by_hand, parse_mix, random_policy
from tokoban.systems.trajectory.rollouts import History, play
from tokoban.systems.trajectory.trajectories import TENSORS, Trajectories
from tokoban.systems.trajectory.worlds import make_world

GRAPH = "graph:3"


def walks(num_episodes: int = 11, *, seed: int = 0) -> Trajectories:
    return collect(make_world(GRAPH), "random", num_episodes=num_episodes, seed=seed)


def test_the_last_observation_is_what_came_of_the_last_action() -> None:
    data = walks()  # an action names the node it leads to
    assert len(set(data.lengths.tolist())) > 1
    assert data.last_observations.equal(data.actions[data.ends - 1])


@pytest.mark.parametrize("name", TENSORS)
def test_the_checksum_is_of_every_number(name: str) -> None:
    data = walks()
    changed = getattr(data, name).clone()
    if name == "lengths":
        changed[:2] = changed[:2] + torch.tensor([1, -1])
    elif name == "contexts":
        changed = torch.ones(len(changed), 1)
    else:
        changed[0] = ~changed[0] if name == "is_terminated" else changed[0] + 1
    assert replace(data, **{name: changed}).checksum() != data.checksum()
    assert replace(data, env="graph:4").checksum() != data.checksum()


def test_random_play_is_of_every_action_alike() -> None:
    policy = random_policy(generator=torch.Generator().manual_seed(0))
    for env, ends in (("CartPole-v1", {0.0, 1.0}), ("Pendulum-v1", {-2.0, 2.0})):
        world = make_world(env)
        seen = world.reset([0]).expand(1000, -1)
        over = torch.zeros(1000, dtype=torch.bool)
        drawn = policy(History(world.spec, torch.zeros(1000, 0), None, over, [seen]))
        assert drawn.min() == pytest.approx(min(ends), abs=0.02)
        assert drawn.max() == pytest.approx(max(ends), abs=0.02)
        assert drawn.mean() == pytest.approx(sum(ends) / 2, abs=0.1)
    assert set(drawn[:, 0].tolist()) != ends  # numbers that are no whole ones


def test_the_best_share_are_the_episodes_with_the_highest_returns() -> None:
    data = walks(30)
    best = data.best(0.1)
    assert sorted(best.returns()) == sorted(data.returns())[-3:]
    assert int(best.lengths.sum()) == len(best.rewards)
    assert data.best(1.0).checksum() == data.checksum()


def test_numbers_that_are_none_are_refused() -> None:
    data = walks()
    rewards = data.rewards.clone()
    rewards[5] = torch.nan
    with pytest.raises(ValueError, match=r"^graph:3: rewards \[5\] is not a finite number$"):
        Trajectories(**{**vars(data), "rewards": rewards})
    with pytest.raises(ValueError, match=r"episodes are to be at least 1 and 90 together; got 89"):
        fitting = Trajectories(**{**vars(data), **_cut_to(data, 90)})
        lengths = fitting.lengths.clone()
        lengths[0] -= 1
        Trajectories(**{**vars(fitting), "lengths": lengths})


def _cut_to(data: Trajectories, number: int) -> dict[str, torch.Tensor]:
    """One episode of so many transitions."""
    return {
        "observations": data.observations[:1].expand(number, -1),
        "actions": data.actions[:1].expand(number, -1),
        "rewards": data.rewards[:1].expand(number),
        "lengths": torch.tensor([number]),
        "is_terminated": torch.tensor([False]),
        "contexts": torch.zeros(1, 0),
        "last_observations": data.last_observations[:1],
    }


def test_a_mixture_has_its_parts_in_their_shares(monkeypatch: pytest.MonkeyPatch) -> None:
    assert parse_mix("random, expert+0.3:2") == (Part("random", 0.0, 1.0), Part("expert", 0.3, 2.0))

    def stay(history: History) -> torch.Tensor:
        assert history.is_legal is not None
        return history.is_legal.int().argmax(dim=1)[:, None].float()

    monkeypatch.setattr("tokoban.systems.trajectory.collect.by_hand", lambda env: {"stay": stay})
    world = make_world(GRAPH)
    first = collect(world, "stay:3", num_episodes=9, seed=0)
    mixed = collect(world, "stay:3,random", num_episodes=12, seed=0)
    assert len(mixed.lengths) == 12
    assert joined([mixed]).checksum() == mixed.checksum()
    # The first part of a mixture is what it would be alone, but for its starts.
    least = {int(node): int(a) for node, a in zip(first.observations, first.actions, strict=True)}
    number = int(mixed.lengths[:9].sum())
    for node, action in zip(mixed.observations[:number], mixed.actions[:number], strict=True):
        assert least.get(int(node), int(action)) == int(action)


def test_every_episode_of_every_part_begins_with_a_seed_of_its_own() -> None:
    world = make_world(GRAPH)
    data = collect(world, "random:1,random:3", num_episodes=4, seed=2)
    begun = data.observations[data.ends - data.lengths]
    # Seed 0 has the first four, seed 1 the next.
    assert begun.equal(world.reset(range(FIRST_TRAINING_SEED + 8, FIRST_TRAINING_SEED + 12)))


@pytest.mark.parametrize("mix", ["", "expert+2", "expert:0", "Expert", "a:b", "random,,random"])
def test_a_mixture_that_cannot_be_read_is_one_sentence(mix: str) -> None:
    with pytest.raises(ValueError, match=r"^mix: got '.*'; expected POLICY, POLICY\+NOISE"):
        parse_mix(mix)


def test_a_policy_that_an_environment_lacks_is_named_with_those_it_has() -> None:
    with pytest.raises(ValueError, match=r"^no policy 'expert' for graph:3; there is random$"):
        collect(make_world(GRAPH), "expert", num_episodes=3, seed=0)


@pytest.mark.parametrize(("env", "least"), [("Pendulum-v1", -400.0), ("CartPole-v1", 475.0)])
def test_the_experts_are_experts(env: str, least: float) -> None:
    returns = play(make_world(env), by_hand(env)["expert"], range(5)).returns()
    assert returns.mean() > least
