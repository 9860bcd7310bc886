"""The algorithm against its definitions: sums that can be done by hand, or in the slow way."""

import math

import numpy as np
import pytest
import torch
from gymnasium import spaces
from torch import Tensor

from tokoban.systems.memory_ppo.actions import Categorical, ClippedGaussian
from tokoban.systems.memory_ppo.model import Answer, Inputs
from tokoban.systems.memory_ppo.ppo import (
    Minibatch,
    Rollout,
    advantages,
    minibatch,
    normalised,
    ppo_loss,
)

DISCOUNT, GAE_LAMBDA = 0.9, 0.7
B, T = 3, 7


def rollout_of(
    rewards: Tensor,
    values: Tensor,
    is_terminated: Tensor | None = None,
    is_truncated: Tensor | None = None,
    counts: Tensor | None = None,
) -> Rollout:
    never = torch.zeros_like(rewards, dtype=torch.bool)
    is_terminated = never if is_terminated is None else is_terminated
    is_truncated = never if is_truncated is None else is_truncated
    nothing = torch.zeros(*rewards.shape, 1, dtype=torch.int64)
    return Rollout(
        inputs=Inputs(nothing, nothing, nothing[..., 0]),
        carried=None,
        actions=nothing,
        log_probs=torch.zeros_like(rewards),
        values=values,
        rewards=rewards,
        is_terminated=is_terminated,
        is_last=is_terminated | is_truncated,
        counts=~never if counts is None else counts,
    )


def by_definition(rollout: Rollout) -> Tensor:
    """The double sum, one step and one game at a time."""
    found = torch.zeros_like(rollout.rewards)
    for b in range(found.shape[0]):
        for t in range(found.shape[1]):
            for later in range(t, found.shape[1]):
                then = 0.0 if rollout.is_terminated[b, later] else rollout.values[b, later + 1]
                delta = rollout.rewards[b, later] + DISCOUNT * then - rollout.values[b, later]
                found[b, t] += (DISCOUNT * GAE_LAMBDA) ** (later - t) * delta
                if rollout.is_last[b, later]:
                    break
    return found


def draw(*shape: int, seed: int = 0) -> Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed))


def at(*places: tuple[int, int]) -> Tensor:
    marked = torch.zeros(B, T, dtype=torch.bool)
    for place in places:
        marked[place] = True
    return marked


@pytest.mark.parametrize(
    ("is_terminated", "is_truncated"),
    [(at(), at()), (at((0, 2), (1, T - 1)), at()), (at((0, 0), (2, 4)), at((0, 3), (1, T - 1)))],
    ids=["no end", "terminated", "both kinds"],
)
def test_advantages_are_the_double_sum(is_terminated: Tensor, is_truncated: Tensor) -> None:
    rollout = rollout_of(draw(B, T), draw(B, T + 1, seed=1), is_terminated, is_truncated)
    found = advantages(rollout, discount=DISCOUNT, gae_lambda=GAE_LAMBDA)
    assert torch.allclose(found, by_definition(rollout), atol=1e-6)


def test_after_a_truncation_the_expected_value_counts_and_after_termination_nothing() -> None:
    """By pencil: reward 1 and value 0.5 at the last step, 3 expected of what would have come."""
    rewards, values = torch.tensor([[1.0]]), torch.tensor([[0.5, 3.0]])
    end = torch.tensor([[True]])
    terminated = rollout_of(rewards, values, is_terminated=end)
    truncated = rollout_of(rewards, values, is_truncated=end)
    assert advantages(terminated, discount=0.9, gae_lambda=0.7).item() == pytest.approx(1 - 0.5)
    assert advantages(truncated, discount=0.9, gae_lambda=0.7).item() == pytest.approx(
        1 + 2.7 - 0.5
    )


def test_the_step_between_two_episodes_tells_nothing_to_those_around_it() -> None:
    is_truncated = at((0, 2))
    counts = ~at((0, 3))
    values = draw(B, T + 1)
    one = rollout_of(draw(B, T, seed=1), values, None, is_truncated, counts)
    rewards = one.rewards.clone()
    rewards[0, 3] = 1e6
    other = one._replace(rewards=rewards)
    found, changed = (
        advantages(each, discount=DISCOUNT, gae_lambda=GAE_LAMBDA) for each in (one, other)
    )
    assert torch.equal(found[counts], changed[counts])


POLICY = Categorical(spaces.Discrete(5))
WEIGHTS = {"clip_range": 0.2, "value_coef": 0.5, "entropy_coef": 0.01}


def batch_of(log_probs: Tensor, advantages_t: Tensor, counts: Tensor | None = None) -> Minibatch:
    rows, steps = log_probs.shape
    nothing = torch.zeros(rows, steps, 1, dtype=torch.int64)
    return Minibatch(
        inputs=Inputs(nothing, nothing, nothing[..., 0]),
        carried=None,
        actions=nothing,
        log_probs=log_probs,
        advantages=advantages_t,
        returns=draw(rows, steps, seed=5),
        counts=torch.ones(rows, steps, dtype=torch.bool) if counts is None else counts,
    )


def test_loss_is_that_of_the_paper_term_by_term() -> None:
    logits, values = draw(B, T, 5), draw(B, T, seed=2)
    batch = batch_of(draw(B, T, seed=3) - 1.6, draw(B, T, seed=4))
    loss, metrics = ppo_loss(Answer(logits, values), POLICY, batch, **WEIGHTS)
    wanted = batch.advantages
    terms = []
    for b in range(B):
        for t in range(T):
            log_probs = logits[b, t].log_softmax(0)
            ratio = (log_probs[0] - batch.log_probs[b, t]).exp()
            clipped = ratio.clamp(0.8, 1.2)
            objective = min(ratio * wanted[b, t], clipped * wanted[b, t])
            error = 0.5 * (values[b, t] - batch.returns[b, t]) ** 2
            entropy = -(log_probs.exp() * log_probs).sum()
            terms.append(-objective + 0.5 * error - 0.01 * entropy)
    assert loss.item() == pytest.approx(torch.stack(terms).mean().item(), rel=1e-5)
    assert 0 < metrics["clip_fraction"] < 1 and metrics["approx_kl"] > 0


def test_steps_that_do_not_count_change_nothing() -> None:
    counts = ~at((0, 3), (2, 6))
    logits, values = draw(B, T, 5), draw(B, T, seed=2)
    batch = batch_of(draw(B, T, seed=3), draw(B, T, seed=4), counts)
    wild = batch._replace(
        advantages=batch.advantages.masked_fill(~counts, 1e4),
        returns=batch.returns.masked_fill(~counts, -1e4),
    )
    answer = Answer(logits, values)
    loss, other = (ppo_loss(answer, POLICY, each, **WEIGHTS)[0] for each in (batch, wild))
    assert loss == other


def test_a_minibatch_has_the_rows_requested_and_their_returns() -> None:
    rollout = rollout_of(draw(B, T), draw(B, T + 1, seed=1))
    found = advantages(rollout, discount=DISCOUNT, gae_lambda=GAE_LAMBDA)
    batch = minibatch(rollout, found, torch.tensor([2, 0]))
    wanted = (found[[2, 0]] - found[[2, 0]].mean()) / found[[2, 0]].std(correction=0)
    assert torch.allclose(batch.advantages, wanted, atol=1e-6)
    assert torch.allclose(batch.returns, (found + rollout.values[:, :-1])[[2, 0]])


def test_advantages_of_steps_that_do_not_count_change_no_others() -> None:
    counts = ~at((0, 3), (2, 6))
    found = draw(B, T)
    one, other = (normalised(each, counts) for each in (found, found.masked_fill(~counts, 1e4)))
    assert torch.equal(one[counts], other[counts])
    assert one[counts].mean().item() == pytest.approx(0, abs=1e-6)
    assert one[counts].std(correction=0).item() == pytest.approx(1)


def test_categorical_agrees_with_torch_over_several_choices() -> None:
    policy = Categorical(spaces.MultiDiscrete([2, 3]))
    logits, actions = draw(B, 5), torch.tensor([[0, 2], [1, 0], [1, 1]])
    parts = [torch.distributions.Categorical(logits=part) for part in logits.split((2, 3), -1)]
    log_probs = sum(part.log_prob(actions[:, n]) for n, part in enumerate(parts))
    assert torch.allclose(policy.log_probs(logits, actions), log_probs)
    assert torch.allclose(policy.entropy(logits), sum(part.entropy() for part in parts))
    assert torch.equal(policy.choose(logits, None)[:, 1], logits[:, 2:].argmax(-1))


def test_categorical_draws_as_often_as_it_says() -> None:
    logits = torch.tensor([0.1, 0.2, 0.7]).log()
    policy = Categorical(spaces.Discrete(3))
    noise = policy.noise(20_000, generator=torch.Generator().manual_seed(0))
    drawn = policy.choose(logits.expand(20_000, 3), noise)[:, 0]
    shares = drawn.bincount(minlength=3) / 20_000
    assert torch.allclose(shares, logits.exp(), atol=0.015)  # four deviations


def test_gaussian_agrees_with_torch_and_the_game_gets_its_actions_clipped() -> None:
    policy = ClippedGaussian(
        spaces.Box(np.array([-2, 0], np.float32), np.array([2, 6], np.float32))
    )
    torch.nn.init.constant_(policy.log_std, 0.3)
    means, actions = draw(B, 2), draw(B, 2, seed=1)
    normal = torch.distributions.Normal(means, math.exp(0.3))
    assert torch.allclose(policy.log_probs(means, actions), normal.log_prob(actions).sum(-1))
    assert torch.allclose(policy.entropy(means), normal.entropy().sum(-1))
    told = policy.to_game(torch.tensor([[0.5, 0.5], [7.0, -7.0]]))
    assert torch.allclose(told, torch.tensor([[1.0, 4.5], [2.0, 0.0]]))
