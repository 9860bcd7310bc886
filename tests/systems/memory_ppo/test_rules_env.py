"""Our own games by their rules, and POPGym's against POPGym where it is installed."""

import re

import pytest
import torch
from torch import Tensor

from tokoban.systems.memory_ppo.collection import Collection
from tokoban.systems.memory_ppo.flip_flop import FlipFlop
from tokoban.systems.memory_ppo.repeat_previous import RepeatPrevious
from tokoban.systems.memory_ppo.rules_env import Rules, RulesVectorEnv
from tokoban.systems.memory_ppo.t_maze import TMaze
from tokoban.systems.memory_ppo.tensor_env import TensorEnv

RULES: dict[str, Rules] = {
    "repeat-previous": RepeatPrevious(4),
    "flip-flop": FlipFlop(17),
    "t-maze": TMaze(7),
    "t-maze of a range": TMaze(3, 7),
    "collection": Collection(5),
}


@pytest.fixture(params=RULES)
def rules(request: pytest.FixtureRequest) -> Rules:
    return RULES[request.param]


def games_of(rules: Rules, num_games: int = 3, *, seed: int = 0) -> TensorEnv:
    device = torch.device("cpu")
    environment = RulesVectorEnv(rules, num_games, device=device)
    return TensorEnv(environment, seed=seed, device=device, takes_tensors=True)


def random_actions(rules: Rules, num_games: int, step: int) -> Tensor:
    [count] = rules.action_space.nvec
    return torch.randint(count, (num_games, 1), generator=torch.Generator().manual_seed(step))


def test_the_step_after_an_end_begins_the_next_episode(rules: Rules) -> None:
    task = games_of(rules)
    task.reset()
    for episode in range(2):
        for step in range(rules.episode_steps):
            found = task.step(random_actions(rules, 3, step))
            is_last = step == rules.episode_steps - 1
            assert found.is_terminated.tolist() == [is_last] * 3
            assert not found.is_truncated.any()
        if episode == 0:
            found = task.step(random_actions(rules, 3, 0))
            assert not found.rewards.any() and not found.is_terminated.any()


def test_equal_seeds_give_equal_games_and_other_seeds_others(rules: Rules) -> None:
    seen = [_observations(games_of(rules, 31, seed=seed)) for seed in (1, 1, 2)]
    assert torch.equal(seen[0], seen[1])
    assert not torch.equal(seen[0], seen[2])


def _observations(task: TensorEnv) -> Tensor:
    assert isinstance(task.environment, RulesVectorEnv)
    rules, seen = task.environment.rules, [task.reset()]
    for step in range(rules.episode_steps):
        seen.append(task.step(random_actions(rules, task.num_games, step)).observations)
    return torch.stack(seen)


def test_games_go_on_where_their_state_was_saved(rules: Rules) -> None:
    task = games_of(rules)
    task.reset()
    for step in range(3):
        task.step(random_actions(rules, 3, step))
    saved = task.state_dict()
    later = rules.episode_steps + 5

    def go_on(task: TensorEnv) -> Tensor:
        steps = [task.step(random_actions(rules, 3, step)) for step in range(3, later)]
        return torch.stack([each.observations for each in steps])

    wanted = go_on(task)
    again = games_of(rules, seed=97)
    again.load_state_dict(saved)
    assert torch.equal(go_on(again), wanted)


def test_where_games_are_judged_at_once_no_action_matters_later(rules: Rules) -> None:
    late_rewards = []
    for first_actions in 0, 1:
        task = games_of(rules, 31)
        task.reset()
        for _ in range(3):
            task.step(torch.full((31, 1), first_actions))
        still = torch.zeros(31, 1, dtype=torch.int64)
        rest = [task.step(still) for _ in range(3, rules.episode_steps)]
        late_rewards.append(torch.stack([each.rewards for each in rest]))
    assert torch.equal(*late_rewards) == rules.is_judged_at_once


def test_a_picture_has_a_colour_for_every_cell(rules: Rules) -> None:
    task = games_of(rules)
    task.reset()
    task.step(random_actions(rules, 3, 0))
    picture = task.picture()
    assert picture.dtype == torch.uint8 and picture.shape[-1] == 3
    assert len(picture.flatten(0, 1).unique(dim=0)) > 1


@pytest.mark.parametrize(("lag", "num_steps"), [(4, 51), (32, 103), (64, 155)])
def test_the_right_card_is_the_one_so_many_steps_ago(lag: int, num_steps: int) -> None:
    """POPGym counts the card in sight as the first of them."""
    task = games_of(RepeatPrevious(lag))
    seen, total = [task.reset()], torch.zeros(3)
    for step in range(num_steps):
        answer = seen[max(0, step + 1 - lag)]
        found = task.step(answer)
        total += found.rewards
        seen.append(found.observations)
    assert found.is_terminated.all()
    assert torch.allclose(total, torch.ones(3))
    cards = torch.cat(seen, dim=1)
    assert all(row.bincount().tolist() == [(num_steps + 1) // 4] * 4 for row in cards)


def test_a_wrong_card_costs_what_a_right_one_brings() -> None:
    rules = RepeatPrevious(1)
    state = {"suits": torch.tensor([[2, 3, *[0] * 50]])}
    worth = [rules.play(state, torch.tensor([[answer]]), 0)[1].item() for answer in (2, 1)]
    assert worth == pytest.approx([1 / 51, -1 / 51])
    late = RepeatPrevious(3)
    assert late.play(state, torch.tensor([[2]]), 1)[1].item() == 0


@pytest.mark.parametrize(("level", "lag"), [("Easy", 4), ("Medium", 32), ("Hard", 64)])
def test_repeat_previous_is_popgyms(level: str, lag: int) -> None:
    """Theirs is played first, and its cards dealt again."""
    popgym = pytest.importorskip("popgym")
    theirs = getattr(popgym.envs.repeat_previous, f"RepeatPrevious{level}")()
    ours = RepeatPrevious(lag)
    first, _ = theirs.reset(seed=3)
    cards, is_over = [first], False
    rewards: list[float] = []
    while not is_over:
        card, reward, is_over, _, _ = theirs.step(len(rewards) % 4)
        cards.append(card)
        rewards.append(reward)
    assert len(rewards) == ours.episode_steps
    state = {"suits": torch.tensor([cards])}
    found = [
        ours.play(state, torch.tensor([[step % 4]]), step)[1].item() for step in range(len(rewards))
    ]
    assert found == pytest.approx(rewards)


def test_a_flip_flop_asks_for_what_was_written_last() -> None:
    """A player with one bit of memory, which does as it is told, has all right answers."""
    task = games_of(FlipFlop(17), 5)
    seen, totals, kinds = task.reset(), torch.zeros(5), []
    assert seen[:, 0].tolist() == [0] * 5  # the first step writes
    kept = torch.full((5,), -1)
    for _ in range(17):
        kind, bit = seen.unbind(-1)
        kept = torch.where(kind == 0, bit, kept)
        kinds.append(kind)
        seen, rewards, *_ = task.step(kept[:, None])
        assert (rewards[kind == 2] == 0.5).all() and not rewards[kind != 2].any()
        totals += rewards
    assert totals.tolist() == [1] * 5
    counts = torch.stack(kinds, dim=1)
    assert [row.bincount(minlength=3).tolist() for row in counts] == [[3, 12, 2]] * 5


def test_a_wrong_bit_costs_only_where_it_is_asked() -> None:
    rules = FlipFlop(8)
    seen, is_asked = torch.tensor([[[1, 0], [2, 1]]]), torch.tensor([[False, True]])
    state = {"seen": seen, "answers": torch.tensor([[1, 0]]), "is_asked": is_asked}
    worth = [rules.play(state, torch.tensor([[1]]), step)[1].item() for step in (0, 1)]
    assert worth == [0, -1]


def walk(rules: TMaze, route: str) -> tuple[list[float], list[list[int]]]:
    """The rewards and observations of a route of r, u, l, d in a maze with its goal up."""
    numbers = {"goal": 1, "length": rules.shortest, "place": 0, "side": 0}
    state = {name: torch.tensor([number]) for name, number in numbers.items()}
    rewards, seen = [], [rules.observe(state, 0)[0].tolist()]
    for step, letter in enumerate(route):
        state, reward = rules.play(state, torch.tensor([["ruld".index(letter)]]), step)
        rewards.append(round(reward.item(), 6))
        seen.append(rules.observe(state, step + 1)[0].tolist())
    return rewards, seen


@pytest.mark.parametrize(
    ("route", "rewards"),
    [
        ("rrru", [0, 0, 0, 1]),
        ("rrrd", [0, 0, 0, 0]),
        ("rrrrl", [0, 0, 0, -1 / 3, -1 / 3]),
        ("lrrr", [-1 / 3, 0, 0, 0]),
        ("rulr", [0, -1 / 3, -1 / 3, 0]),
        ("rrruudlr", [0, 0, 0, 1, 0, 0, 0, 0]),  # once is enough
        ("rrrdudlr", [0, 0, 0, 0, 0, 0, 0, 0]),  # and too late is too late
    ],
)
def test_a_walk_through_the_maze(route: str, rewards: list[float]) -> None:
    assert walk(TMaze(3), route)[0] == pytest.approx(rewards, abs=1e-6)


def test_the_sign_is_seen_once_and_the_corridor_looks_the_same_everywhere() -> None:
    _, seen = walk(TMaze(3), "lrrr")
    assert seen == [[0, 2], [0, 1], [0, 1], [0, 1], [1, 1]]
    assert walk(TMaze(3), "rrru")[1][-1] == [1, 2]


def test_in_a_range_of_mazes_each_game_has_its_own_and_all_have_the_time_of_the_longest() -> None:
    rules = TMaze(3, 7)
    assert rules.episode_steps == TMaze(7).episode_steps
    lengths = rules.start(997, torch.Generator().manual_seed(0))["length"]
    assert lengths.unique().tolist() == [3, 4, 5, 6, 7]
    assert lengths.bincount().max() < 997 / 4
    assert walk(rules, "lrrrru")[0] == walk(TMaze(3), "lrrrru")[0]


def test_things_are_gathered_once_and_walls_stop() -> None:
    rules = Collection(3)
    room = torch.tensor(
        [[1, 1, 1, 1, 1], [1, 0, 2, 0, 1], [1, 0, 0, 2, 1], [1, 2, 0, 0, 1], [1, 1, 1, 1, 1]]
    )
    state = {"room": room[None], "row": torch.tensor([1]), "column": torch.tensor([1])}
    assert rules.observe(state, 0)[0].tolist() == [1, 1, 1, 1, 0, 2, 1, 0, 0]
    rewards = []
    for step, letter in enumerate("urlrrdlll"):  # up and left against the wall at first
        state, reward = rules.play(state, torch.tensor([["udlr".index(letter)]]), step)
        rewards.append(round(3 * reward.item()))
    assert rewards == [0, 1, 0, 0, 0, 1, 0, 0, 0]
    assert rules.observe(state, 9)[0].tolist() == [1, 0, 0, 1, 0, 0, 1, 2, 0]
    assert room[1, 2] == 2  # a state is not changed in place


@pytest.mark.parametrize(
    ("make", "number", "message"),
    [
        (RepeatPrevious, 0, "repeat-previous needs a lag of at least 1, got 0"),
        (FlipFlop, 7, "flip-flop needs at least 8 steps, got 7"),
        (TMaze, 0, "t-maze needs a corridor of at least 1 step, got 0"),
        (lambda length: TMaze(length, 3), 5, "t-maze:5-3: the longest corridor comes last"),
        (Collection, 2, "collection needs a room of side 3 or more, got 2"),
    ],
)
def test_impossible_sizes_are_refused(make, number: int, message: str) -> None:
    with pytest.raises(ValueError, match=re.escape(message)):
        make(number)
