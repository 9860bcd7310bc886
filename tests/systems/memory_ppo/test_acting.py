"""Games under way: what is learned from is what was done, and by whom."""

import copy

import pytest
import torch
from torch import Tensor

from tests.systems.memory_ppo.corridor import Corridor
from tokoban.systems.memory_ppo.acting import Games
from tokoban.systems.memory_ppo.config import MemoryKind, PpoConfig
from tokoban.systems.memory_ppo.model import Player
from tokoban.systems.memory_ppo.ppo import Rollout
from tokoban.systems.memory_ppo.tensor_env import Step, TensorEnv
from tokoban.systems.memory_ppo.train import build_memory

T = 11
TOLERANCE = 1e-5  # of log-probabilities in float32


def player_for(task: TensorEnv, memory: MemoryKind = "transformer", *, window: int = 4) -> Player:
    torch.manual_seed(0)
    config = PpoConfig(memory=memory, width=16, num_heads=2, window=window)
    return Player(
        task.observation_space,
        task.action_space,
        width=config.width,
        memory=build_memory(config, episode_steps=None),
    )


def chance(seed: int = 0) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


def log_probs_of_one_pass(player: Player, rollout: Rollout) -> Tensor:
    answer = player(rollout.inputs, rollout.carried)
    num_steps = rollout.actions.shape[1]
    return player.policy.log_probs(answer.policy[:, -num_steps:], rollout.actions)


@pytest.mark.parametrize("memory", ["transformer", "lstm", "gru", "none"])
@pytest.mark.parametrize("window", [4, 97])
def test_learning_sees_the_log_probabilities_that_acting_had(
    memory: MemoryKind, window: int
) -> None:
    """Over several rollouts, with ends amid them, and other weights after each."""
    task = Corridor()
    player = player_for(task, memory, window=window)
    games, generator = Games(task), chance()
    num_ends = 0
    for _ in range(4):
        rollout = games.play(player, T, generator=generator)
        again = log_probs_of_one_pass(player, rollout)
        assert torch.allclose(again, rollout.log_probs, rtol=0, atol=TOLERANCE)
        answer = player(rollout.inputs, rollout.carried)
        assert torch.allclose(answer.values[:, -T:], rollout.values[:, :-1], rtol=0, atol=TOLERANCE)
        num_ends += int(rollout.is_last[:, :-1].sum())
        with torch.no_grad():
            for parameter in player.parameters():
                parameter.add_(0.1 * torch.randn(parameter.shape, generator=generator))
    assert num_ends > 5


def test_a_short_rollout_twice_is_a_long_one() -> None:
    """The policy is the same throughout."""
    for memory in "transformer", "gru":
        task = Corridor()
        player = player_for(task, memory)
        whole = Games(Corridor()).play(player, 2 * T, generator=None)
        games = Games(task)
        parts = [games.play(player, T, generator=None) for _ in range(2)]
        for name in "actions", "rewards", "is_last", "counts":
            joined = torch.cat([getattr(part, name) for part in parts], dim=1)
            assert torch.equal(joined, getattr(whole, name)), (memory, name)
        values = torch.cat([parts[0].values[:, :-1], parts[1].values], dim=1)
        assert torch.allclose(values, whole.values, atol=TOLERANCE)


def test_ages_count_from_each_beginning_and_the_step_between_does_not_count() -> None:
    task = Corridor(num_games=1, length=97, time=3)
    rollout = Games(task).play(player_for(task), 9, generator=chance())
    assert rollout.inputs.ages[0].tolist() == [0, 1, 2, 3, 0, 1, 2, 3, 0]
    assert rollout.counts[0].tolist() == [True, True, True, False] * 2 + [True]
    assert rollout.is_last[0].tolist() == [False, False, True, False] * 2 + [False]
    assert not rollout.is_terminated.any()


def test_the_previous_action_is_an_input_and_an_episode_begins_without_one() -> None:
    task = Corridor(num_games=1, length=97, time=3)
    rollout = Games(task).play(player_for(task), 9, generator=chance())
    actions, previous = rollout.actions[0, :, 0].tolist(), rollout.inputs.previous[0, :, 0].tolist()
    nothing = 2  # one more than there are actions
    assert previous == [nothing, *actions[:3], nothing, *actions[4:7], nothing]


def test_games_go_on_where_their_state_was_saved() -> None:
    for memory in "transformer", "lstm":
        task = Corridor()
        player = player_for(task, memory)
        games = Games(task)
        games.play(player, T, generator=chance())
        saved = copy.deepcopy(games.state_dict())
        wanted = games.play(player, T, generator=chance(1))
        again = Games(Corridor())
        again.load_state_dict(saved)
        found = again.play(player, T, generator=chance(1))
        assert torch.equal(found.log_probs, wanted.log_probs)
        assert torch.equal(found.inputs.observations, wanted.inputs.observations)


def test_greedy_play_takes_the_most_likely_action() -> None:
    task = Corridor()
    player = player_for(task)
    rollout = Games(task).play(player, T, generator=None)
    likely = player(rollout.inputs).policy.argmax(-1)
    assert torch.equal(rollout.actions[..., 0], likely)


class Broken(Corridor):
    """Its third step is worth nothing that could be said."""

    def step(self, actions: Tensor) -> Step:
        found = super().step(actions)
        is_bad = self.corridors.times == 3
        return found._replace(rewards=found.rewards.masked_fill(is_bad, float("nan")))


def test_a_reward_that_is_no_number_is_refused() -> None:
    task = Broken(num_games=2, length=97)
    with pytest.raises(ValueError, match="game 0 gave the reward nan at step 2 of 11"):
        Games(task).play(player_for(task), T, generator=chance())
