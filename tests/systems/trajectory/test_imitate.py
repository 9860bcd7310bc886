"""Acting from the past: what is asked for falls by what is got, and padding is never seen."""

from dataclasses import replace

import pytest
import torch

from tests.systems.trajectory.models import random_model
from tokoban.systems.trajectory.dataset import WindowDataset
from tokoban.systems.trajectory.environments import Spec
from tokoban.systems.trajectory.imitate import Imitator, returns_asked, with_possible
from tokoban.systems.trajectory.layout import LayoutKind
from tokoban.systems.trajectory.reading import CachedReader, PlainReader, vectors_so_far
from tokoban.systems.trajectory.rollouts import History, play
from tokoban.systems.trajectory.worlds import make_world


def history(num_steps: int, *, num_rows: int = 2) -> History:
    """Of a pendulum, with numbers of a row that say which time it is."""
    generator = torch.Generator().manual_seed(0)
    states = [torch.randn(num_rows, 3, generator=generator) for _ in range(num_steps + 1)]
    actions = [torch.randn(num_rows, 1, generator=generator) for _ in range(num_steps)]
    rewards = [torch.full((num_rows,), -float(2**time)) for time in range(num_steps)]
    spec = Spec("Pendulum-v1", (None,) * 3, (None,))
    is_over = torch.zeros(num_rows, dtype=torch.bool)
    return History(spec, torch.zeros(num_rows, 0), None, is_over, states, actions, rewards)


def test_what_is_requested_falls_by_each_reward() -> None:
    asked = returns_asked(torch.tensor([-10.0, 5.0]), history(3))
    assert asked.tolist() == [[-10, -9, -7, -3], [5, 6, 8, 12]]
    assert returns_asked(torch.tensor([1.0, 2.0]), history(0)).tolist() == [[1], [2]]


@pytest.mark.parametrize("kind", ["plan", "return", "goal"])
def test_what_is_read_is_the_prefix_the_last_transitions_and_the_state(kind: LayoutKind) -> None:
    model, past = random_model("Pendulum-v1", kind), history(5)
    layout = model.layout
    to_go = returns_asked(torch.tensor([-1.0, -2.0]), past) if kind == "return" else None
    goals = past.observations[0] if kind == "goal" else None
    vectors = vectors_so_far(model, past, num_past=2, to_go=to_go, goals=goals)
    num_slots = len(layout.slots)
    assert vectors.shape[1] == len(layout.prefix) + 2 * num_slots + layout.slots.index(
        layout.actions[0]
    )
    # The last state's last number, and the action before it.
    state = model.bins.encode(past.observations[5], layout.states)
    assert vectors[:, -1].equal(model.embed(state, layout.states)[:, -1])
    action = model.bins.encode(past.actions[3], layout.actions)
    place = len(layout.prefix) + num_slots - len(layout.actions) - (kind == "plan")
    assert vectors[:, place].equal(model.embed(action, layout.actions)[:, 0])


@pytest.mark.parametrize("kind", ["plan", "return", "goal"])
def test_acting_reads_what_training_reads(kind: LayoutKind) -> None:
    model, pasts = random_model("Pendulum-v1", kind), []
    layout = model.layout

    def act(past: History) -> torch.Tensor:
        pasts.append(past)  # the same one at every step: it grows
        return torch.tensor([[1.7], [-0.4]])

    played = play(make_world("Pendulum-v1", max_steps=5), act, [3, 4])
    data = WindowDataset(
        played, layout, model.bins, window=5, discount=1.0, batch_windows=2, seed=0
    )
    windows = data.at(played.ends - 5, goal_shares=torch.full((2,), 0.99))
    tokens = windows.tokens[:, :, list(layout.slots)]
    whole = torch.cat(
        [model.embed_prefix(windows.prefix), model.embed(tokens, list(layout.slots)).flatten(1, 2)],
        dim=1,
    )
    for now in (0, 1, 4):
        past = replace(
            pasts[-1],
            observations=pasts[-1].observations[: now + 1],
            actions=pasts[-1].actions[:now],
            rewards=pasts[-1].rewards[:now],
        )
        to_go = returns_asked(played.returns(), past) if kind == "return" else None
        goals = pasts[-1].observations[5] if kind == "goal" else None
        vectors = vectors_so_far(model, past, num_past=4, to_go=to_go, goals=goals)
        assert vectors.equal(whole[:, : vectors.shape[1]])


@pytest.mark.parametrize("is_cached", [True, False])
def test_reading_in_parts_is_reading_at_once(is_cached: bool) -> None:
    model = random_model("Pendulum-v1")
    vectors = torch.randn(3, 7, 12, generator=torch.Generator().manual_seed(0)).double()
    with torch.no_grad():
        reader = CachedReader(model, 3, 7) if is_cached else PlainReader(model, 3)
        reader.read(vectors[:, :4])
        reader.reorder(torch.tensor([2, 0, 0, 1, 2]))
        hidden = reader.read(vectors[[2, 0, 0, 1, 2], 4:])
        whole = PlainReader(model, 3).read(vectors)
    torch.testing.assert_close(hidden, whole[[2, 0, 0, 1, 2]], rtol=0, atol=1e-12)


def test_an_action_is_the_most_probable_one_or_drawn_with_its_probability() -> None:
    model = random_model("CartPole-v1")
    model.heads.data.mul_(0.1)  # else one of the two would be all but certain
    world = make_world("CartPole-v1")
    start = world.reset([0]).expand(2000, -1)
    past = History(
        world.spec, torch.zeros(2000, 0), None, torch.zeros(2000, dtype=torch.bool), [start]
    )
    with torch.no_grad():
        hidden = PlainReader(model, 1).read(vectors_so_far(model, past, num_past=0)[:1])
        logits = model.logits(hidden[:, None], torch.tensor([model.layout.actions[0]]))[0, 0]
    right = float(logits.softmax(0)[1])
    assert 0.02 < right < 0.98
    drawn = Imitator(model, 0, generator=torch.Generator().manual_seed(0))(past)
    assert float(drawn.mean()) == pytest.approx(right, abs=0.04)
    assert Imitator(model, 0)(past).unique().tolist() == [float(right > 0.5)]


def test_only_possible_actions_are_chosen() -> None:
    model = random_model("graph:1", "return")
    returns = play(
        make_world("graph:1"), Imitator(model, 3, targets=torch.full((19,), -2.0)), range(19)
    )
    assert len(returns.lengths) == 19  # a step to no neighbour would have been refused
    logits = with_possible(torch.zeros(1, 5), torch.tensor([[True, False, True]]))
    assert logits.tolist() == [[0, -torch.inf, 0, -torch.inf, -torch.inf]]
