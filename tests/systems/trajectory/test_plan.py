"""Plans: with a cache the same as without, alone the same as beside others, and right by hand."""

from collections.abc import Sequence
from itertools import product
from typing import Any

import gymnasium
import numpy as np
import pytest
import torch

from tests.crossings import Crossings
from tests.systems.trajectory.models import random_model
from tokoban.decoding import RankingStepper, beam_search
from tokoban.systems.trajectory.model import TrajectoryTransformer
from tokoban.systems.trajectory.plan import Planner, generators
from tokoban.systems.trajectory.reading import PlainReader
from tokoban.systems.trajectory.rollouts import History, play
from tokoban.systems.trajectory.stepper import PlanConfig, PlanStepper
from tokoban.systems.trajectory.trajectories import Trajectories
from tokoban.systems.trajectory.worlds import make_world


class ThreeNumbers(gymnasium.Env[Any, Any]):
    """Its actions have three numbers."""

    observation_space = gymnasium.spaces.Box(-1, 1, (2,), np.float32)
    action_space = gymnasium.spaces.Box(-1, 1, (3,), np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.state = self.np_random.random(2, dtype=np.float32)
        return self.state, {}

    def step(self, action):
        self.state = np.tanh(self.state + action[:2] * action[2]).astype(np.float32)
        return self.state, float(self.state.sum()), False, False, {}


gymnasium.register(
    "ThreeNumbers-v0",
    lambda **_: ThreeNumbers(),
    max_episode_steps=50,
    disable_env_checker=True,
)

PLAN = PlanConfig(horizon=3, keep=3, expansion=2, num_past=2, top_p=0.9, discount=0.9)


@pytest.mark.parametrize(
    ("env", "plan", "num_seeds", "max_steps", "least"),
    [
        ("Pendulum-v1", PLAN, 5, 8, 40),
        ("ThreeNumbers-v0", PLAN, 2, 4, 8),
        ("graph:1", PLAN, 3, None, 11),  # whose plans keep to the edges
        # After what stays the same in an episode.
        ("sokoban", PlanConfig(horizon=2, keep=2, expansion=2, discount=0.9), 2, None, 3),
    ],
)
def test_plans_with_a_cache_are_those_without(
    env: str, plan: PlanConfig, num_seeds: int, max_steps: int | None, least: int
) -> None:
    model, seeds = random_model(env), range(num_seeds)
    planners = [
        Planner(model, plan, generators(seeds, seed=0), is_cached=is_cached)
        for is_cached in (True, False)
    ]
    num_same = 0

    def act(history: History) -> torch.Tensor:
        nonlocal num_same
        cached, plain = (planner(history) for planner in planners)
        assert cached.equal(plain)
        num_same += int((~history.is_over).sum())
        return cached

    play(make_world(env, max_steps=max_steps), act, seeds)
    assert num_same >= least


def test_a_plan_does_not_depend_on_the_episodes_beside_it() -> None:
    # Of twenty nodes the noise chooses some to try: a plan with another's noise is another plan.
    env, model = "graph:1", random_model("graph:1", seed=1)
    narrow = PlanConfig(horizon=3, keep=2, expansion=2, num_past=1, top_p=None, discount=0.9)

    def played(seeds: Sequence[int], at_once: int = 64) -> Trajectories:
        planner = Planner(model, narrow, generators(seeds, seed=0), at_once=at_once)
        return play(make_world(env), planner, seeds)

    together = played(range(8))
    assert len(set(together.lengths.tolist())) > 1  # so some waited for the others
    starts = together.ends - together.lengths
    for seed in (0, 3, 7):
        beside = together.actions[starts[seed] : together.ends[seed]]
        assert played([seed]).actions.equal(beside)
    assert played(range(8), at_once=3).checksum() == together.checksum()


def test_a_plan_asks_the_device_for_nothing_more_however_far_it_goes() -> None:
    model = random_model("Pendulum-v1")
    world = make_world("Pendulum-v1")
    states = world.reset(range(3))
    running = torch.zeros(3, dtype=torch.bool)
    history = History(world.spec, world.contexts(), world.is_legal(), running, [states])

    def crossings(horizon: int) -> list[str]:
        plan = PlanConfig(horizon=horizon, keep=2, expansion=2, num_past=1)
        with Crossings() as crossings:
            Planner(model, plan, generators(range(3), seed=0))(history)
        return crossings.names

    # Which episodes are not over is known on the host, and asked for once.
    assert crossings(1) == crossings(4) == ["nonzero"]


def stepper_of(model: TrajectoryTransformer, start: torch.Tensor, plan: PlanConfig) -> PlanStepper:
    """For one search, without noise."""
    noise = torch.zeros(1, plan.horizon, 1, plan.width, model.bins.num_bins).double()
    return PlanStepper(model, PlainReader(model, 1), start, plan=plan, noise=noise)


@pytest.mark.parametrize("seed", range(3))
def test_the_search_over_all_actions_finds_the_best_of_all_plans(seed: int) -> None:
    """A discrete action has two values: eight plans of three steps, each judged by itself."""
    env, model = "CartPole-v1", random_model("CartPole-v1", seed=seed)
    plan = PlanConfig(horizon=3, keep=4, expansion=2, num_past=0, top_p=None, discount=0.9)
    layout, bins = model.layout, model.bins
    # The pole's rewards are always 1; here some plans bring more at once than others.
    bins.num_used[layout.reward] = bins.num_bins
    bins.centres[layout.reward] = torch.linspace(-9.0, 9.0, bins.num_bins)
    observation = make_world(env).reset([5])
    states = bins.encode(observation, layout.states)
    start = model.embed(states, layout.states)

    def next_token(tokens: list[int], column: int) -> tuple[int, torch.Tensor]:
        """The most probable token and all probabilities after these of some transitions."""
        num_slots = len(layout.slots)
        columns = [layout.slots[place % num_slots] for place in range(len(tokens))]
        vectors = model.embed(torch.tensor([tokens]), columns)
        hidden = PlainReader(model, 1).read(vectors)
        logits = model.logits(hidden[:, None], torch.tensor([column]))[0, 0]
        return int(logits.argmax()), logits.softmax(0)

    def worth(actions: tuple[int, ...]) -> float:
        tokens, gained, weight = states[0].tolist(), 0.0, 1.0
        for depth, action in enumerate(actions):
            tokens.append(action)
            reward, chances = next_token(tokens, layout.reward)
            reward_mean = float(chances @ bins.centres[layout.reward])
            tokens.append(reward)
            to_go = float(next_token(tokens, layout.to_go)[1] @ bins.centres[layout.to_go])
            if depth == len(actions) - 1:
                return gained + weight * to_go
            gained += weight * reward_mean
            weight *= 0.9 * float(next_token(tokens, layout.end)[1][0])
            for column in layout.states:
                tokens.append(next_token(tokens, column)[0])
        raise AssertionError

    with torch.no_grad():
        expected = {actions: worth(actions) for actions in product((0, 1), repeat=3)}
        stepper = stepper_of(model, start, plan)
        assert isinstance(stepper, RankingStepper)
        beam_search(stepper, num_searches=1, width=8, keep=4, max_steps=3, rank=True)
    best = stepper.best_rows()
    assert float(stepper.ranks(torch.zeros(8))[best]) == pytest.approx(max(expected.values()))
    assert int(stepper.first_actions[best]) == max(expected, key=lambda plan: expected[plan])[0]


@pytest.mark.parametrize(("top_p", "expected"), [(None, 6), (1e-6, 1)])
def test_only_as_many_actions_as_the_filter_leaves_are_tried(
    top_p: float | None, expected: int
) -> None:
    model = random_model("Pendulum-v1")
    start = model.embed(torch.tensor([[3, 5, 7]]), model.layout.states)
    plan = PlanConfig(horizon=1, keep=3, expansion=2, num_past=0, top_p=top_p)
    with torch.no_grad():
        nats = stepper_of(model, start, plan).log_probs()
    assert nats.shape == (6, 6)
    assert (nats > -torch.inf).sum(1).tolist() == [expected] * 6


def test_every_number_of_an_action_is_drawn_by_its_own_noise() -> None:
    model = random_model("ThreeNumbers-v0")
    start = model.embed(torch.tensor([[3, 5]]), model.layout.states)
    plan = PlanConfig(horizon=1, keep=1, expansion=1, num_past=0, top_p=None)
    noise = torch.zeros(1, 1, 3, 1, 23).double()
    for number, token in enumerate((7, 5, 2)):
        noise[0, 0, number, 0, token] = 1e6
    with torch.no_grad():
        stepper = PlanStepper(model, PlainReader(model, 1), start, plan=plan, noise=noise)
        stepper.advance(None, torch.zeros(1, dtype=torch.int64))
    assert stepper.first_actions.tolist() == [[7, 5, 2]]


@pytest.mark.parametrize("name", ["horizon", "keep", "expansion", "num_past"])
def test_a_plan_of_nothing_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match=rf"^{name} is -1; expected at least [01]$"):
        PlanConfig(**{name: -1})


def test_a_plan_of_too_many_rows_is_refused() -> None:
    with pytest.raises(ValueError, match=r"^keep x expansion is 4160; expected at most 4096$"):
        PlanConfig(keep=65, expansion=64)
