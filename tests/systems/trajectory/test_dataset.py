"""Returns-to-go by pencil, windows that keep to their episode, and what is not to be learned."""

import itertools

import pytest
import torch

from tokoban.systems.trajectory.dataset import WindowDataset, knows_return, returns_to_go, table
from tokoban.systems.trajectory.discretise import Bins
from tokoban.systems.trajectory.layout import Layout, LayoutKind
from tokoban.systems.trajectory.trajectories import Trajectories


def two_episodes() -> Trajectories:
    """Three transitions that end by themselves, and two that are cut off; states count on."""
    return Trajectories(
        "toy",
        observations=torch.tensor([[0.0], [1.0], [2.0], [3.0], [4.0]]),
        actions=torch.tensor([[1.0], [0.0], [1.0], [0.0], [1.0]]),
        rewards=torch.tensor([1.0, 2.0, 4.0, 8.0, 16.0]),
        lengths=torch.tensor([3, 2]),
        is_terminated=torch.tensor([True, False]),
        contexts=torch.zeros(2, 0),
        last_observations=torch.tensor([[3.0], [2.0]]),
    )


def dataset(kind: LayoutKind = "plan", *, window: int = 3, seed: int = 0) -> WindowDataset:
    trajectories = two_episodes()
    layout = Layout(kind, 1, 1)
    bins = Bins(layout.num_columns, 5)
    values = table(trajectories, discount=0.5)
    bins.fit(values, [5, 2, None, None, 2], binning="quantile")
    return WindowDataset(
        trajectories, layout, bins, window=window, discount=0.5, batch_windows=7, seed=seed
    )


def test_a_return_to_go_is_the_reward_and_what_follows_in_its_episode() -> None:
    assert returns_to_go(two_episodes(), discount=1.0).tolist() == [7, 6, 4, 24, 16]
    # 1 + 2/2 + 4/4, 2 + 4/2, 4 and 8 + 16/2, 16
    assert returns_to_go(two_episodes(), discount=0.5).tolist() == [3, 4, 4, 16, 16]


def test_an_end_is_distinguished_from_a_cut() -> None:
    ends = table(two_episodes(), discount=1.0)[:, Layout("plan", 1, 1).end]
    assert ends.tolist() == [0, 0, 1, 0, 0]


def test_with_a_discount_a_return_before_a_cut_is_not_known() -> None:
    # After 3 steps a half is less than 0.1 no more than 0.125: 3 steps before a cut lack too much.
    assert knows_return(two_episodes(), discount=0.5).tolist() == [True] * 3 + [False] * 2
    assert knows_return(two_episodes(), discount=0.2).tolist() == [True] * 4 + [False]
    assert knows_return(two_episodes(), discount=1.0).all()


def test_windows_end_with_their_episode_and_are_padded_on_the_right() -> None:
    windows = dataset().at(torch.arange(5), goal_shares=torch.zeros(5))
    assert windows.is_real.tolist() == [
        [True, True, True],
        [True, True, False],
        [True, False, False],
        [True, True, False],
        [True, False, False],
    ]
    states = [
        row[:length].tolist()
        for row, length in zip(windows.tokens[:, :, 0], [3, 2, 1, 2, 1], strict=True)
    ]
    assert states == [[0, 1, 2], [1, 2], [2], [3, 4], [4]]


def test_a_goal_is_a_state_that_came_of_the_same_episode_its_end_too() -> None:
    data, seen = dataset("goal"), set()
    for share in (0.0, 0.34, 0.67, 0.99):
        goals = data.at(torch.arange(5), goal_shares=torch.full((5,), share)).prefix[:, 0]
        seen |= set(enumerate(goals.tolist()))
    # The first episode leads through 1 and 2 to 3, the second through 4 to 2.
    assert seen == {(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3), (3, 4), (3, 2), (4, 2)}


def test_what_comes_after_a_goal_is_not_learned_as_a_way_to_it() -> None:
    # Episodes of 3 and 2 transitions: so many lead to the goal that is drawn.
    windows = dataset("goal").at(torch.arange(5), goal_shares=torch.tensor([0.4, 0.5, 0.9, 0, 0.5]))
    assert windows.is_real.sum(dim=1).tolist() == [2, 2, 1, 1, 1]


def test_batches_depend_on_seed_rank_and_number_alone() -> None:
    first = list(itertools.islice(dataset().batches(), 4))
    later = next(dataset().batches(start_step=3))
    assert later.tokens.equal(first[3].tokens)
    assert not next(dataset().batches(start_step=3, rank=1)).tokens.equal(later.tokens)
    assert not next(dataset(seed=1).batches(start_step=3)).tokens.equal(later.tokens)


def test_what_stays_the_same_in_an_episode_stands_before_it() -> None:
    plain = two_episodes()
    trajectories = Trajectories(
        **{**vars(plain), "contexts": torch.tensor([[2.0, 0.0], [1.0, 1.0]])}
    )
    layout = Layout("plan", 1, 1, num_contexts=2)
    bins = Bins(layout.num_columns, 5)
    bins.fit(table(trajectories, discount=1.0), [5, 2, None, None, 2, 3, 2], binning="quantile")
    data = WindowDataset(
        trajectories, layout, bins, window=2, discount=1.0, batch_windows=3, seed=0
    )
    prefix = data.at(torch.tensor([1, 4]), goal_shares=torch.zeros(2)).prefix
    assert prefix.tolist() == [[2, 0], [1, 1]]


@pytest.mark.parametrize(
    ("kind", "slots"), [("plan", (0, 1, 2, 3)), ("return", (4, 0, 1, 2)), ("goal", (0, 1, 2))]
)
def test_the_slots_of_a_transition(kind: LayoutKind, slots: tuple[int, ...]) -> None:
    layout = Layout(kind, num_states=2, num_actions=1)
    assert layout.slots == slots
    # Each slot is predicted once: from the one before it, the first from the last transition's.
    predicted = [target.column for target in layout.targets]
    assert sorted(predicted) == sorted((*slots, *((4, 5) if kind == "plan" else ())))
    for target in layout.targets:
        if target.column in slots and not target.is_next:
            assert slots[target.slot + 1] == target.column
