"""Proximal policy optimisation (PPO), with generalised advantage estimation (GAE).

PPO: Schulman et al. 2017 (arXiv:1707.06347). GAE: Schulman et al. 2015 (arXiv:1506.02438).

An iteration of the algorithm: the player acts for T steps in B games (``acting``), the advantages
of its actions are estimated (``advantages``), and a few epochs of minibatches descend the clipped
objective (``ppo_loss``), each minibatch some of the B rows with all of their steps. The learning
rate falls to 0 in a straight line; that, the clipping of the gradient and Adam are the training
loop's.

Axes: B rows (games), T steps, P steps before them that the memory still reaches, A numbers of the
policy, K parts of a recurrent state, D width.
"""

from typing import NamedTuple

import torch
from jaxtyping import Bool, Float, Int64
from torch import Tensor

from tokoban.systems.memory_ppo.actions import Policy
from tokoban.systems.memory_ppo.model import Answer, Inputs


class Rollout(NamedTuple):
    """T steps of B games as they were played; row b is game b, one episode after another.

    The step after an end only begins the next episode: its action is ignored, and it counts neither
    in the loss nor in the advantages. What is seen there is the end of the old episode, so its
    value is the one that a truncated episode goes on with.
    """

    inputs: Inputs  # of P + T steps
    carried: Float[Tensor, "B K D"] | None  # a recurrent memory's state before the first step
    actions: Tensor  # [B, T, ...] as sampled
    log_probs: Float[Tensor, "B T"]
    values: Float[Tensor, "B T1"]  # of the T steps and of the one that follows them
    rewards: Float[Tensor, "B T"]
    is_terminated: Bool[Tensor, "B T"]
    is_last: Bool[Tensor, "B T"]  # terminated or truncated
    counts: Bool[Tensor, "B T"]


class Minibatch(NamedTuple):
    """Some rows of a rollout with their training targets."""

    inputs: Inputs
    carried: Float[Tensor, "B K D"] | None
    actions: Tensor
    log_probs: Float[Tensor, "B T"]  # under the policy that played
    advantages: Float[Tensor, "B T"]  # normalised
    returns: Float[Tensor, "B T"]
    counts: Bool[Tensor, "B T"]


def advantages(rollout: Rollout, *, discount: float, gae_lambda: float) -> Float[Tensor, "B T"]:
    """How much better each action was than expected: generalised advantage estimation.

    A_t is the sum over l of (discount * gae_lambda)^l * delta_{t+l}, up to the end of the episode
    or of the rollout, with delta_t = r_t + discount * V_{t+1} - V_t. After termination V is 0;
    after a truncation, and after the rollout, it is what the player expected.
    """
    goes_on = (~rollout.is_terminated).float()
    is_inside = (~rollout.is_last).float()
    now, then = rollout.values[:, :-1], rollout.values[:, 1:]
    deltas = rollout.rewards + discount * then * goes_on - now
    found = torch.zeros_like(deltas)
    tail = torch.zeros_like(deltas[:, 0])
    for t in reversed(range(deltas.shape[1])):
        tail = deltas[:, t] + discount * gae_lambda * is_inside[:, t] * tail
        found[:, t] = tail
    return found


def minibatch(
    rollout: Rollout, advantages_t: Float[Tensor, "B T"], rows: Int64[Tensor, "rows"]
) -> Minibatch:
    """The ``rows`` of a rollout; returns are what the values should have been.

    The advantages are normalised over the rows.
    """
    returns = advantages_t + rollout.values[:, :-1]
    counts = rollout.counts[rows]
    return Minibatch(
        inputs=Inputs(*(tensor[rows] for tensor in rollout.inputs)),
        carried=None if rollout.carried is None else rollout.carried[rows],
        actions=rollout.actions[rows],
        log_probs=rollout.log_probs[rows],
        advantages=normalised(advantages_t[rows], counts),
        returns=returns[rows],
        counts=counts,
    )


def normalised(
    advantages_t: Float[Tensor, "B T"], counts: Bool[Tensor, "B T"]
) -> Float[Tensor, "B T"]:
    """The advantages with mean 0 and standard deviation 1 over the steps that count.

    Done for each minibatch as it is made: its loss is then a mean over steps, and the gradients of
    its parts add up to its own.
    """
    share = counts / counts.sum().clamp(min=1)  # of each step in a mean
    centred = advantages_t - (advantages_t * share).sum()
    spread = (centred.square() * share).sum().sqrt()
    return centred / (spread + 1e-8)


def ppo_loss(
    answer: Answer,
    policy: Policy,
    batch: Minibatch,
    *,
    clip_range: float,
    value_coef: float,
    entropy_coef: float,
) -> tuple[Float[Tensor, ""], dict[str, Tensor]]:
    """The clipped objective, negated, plus the values' error, minus the entropy; and metrics.

    All are means over the steps that count. ``answer`` is to all P + T steps, of which the last T
    are learned from.
    """
    num_steps = batch.actions.shape[1]
    described, values = answer.policy[:, -num_steps:], answer.values[:, -num_steps:]
    share = batch.counts / batch.counts.sum().clamp(min=1)  # of each step in a mean

    log_ratio = policy.log_probs(described, batch.actions) - batch.log_probs
    ratio = log_ratio.exp()
    clipped = ratio.clamp(1 - clip_range, 1 + clip_range)
    objective = torch.minimum(ratio * batch.advantages, clipped * batch.advantages)
    objective = (objective * share).sum()

    value_loss = (0.5 * (values - batch.returns).square() * share).sum()
    entropy = (policy.entropy(described) * share).sum()
    total = -objective + value_coef * value_loss - entropy_coef * entropy
    with torch.no_grad():
        metrics = {
            "policy_loss": -objective.detach(),
            "value_loss": value_loss.detach(),
            "entropy_nats": entropy.detach(),
            "clip_fraction": (((ratio - 1).abs() > clip_range) * share).sum(),
            # Schulman's estimator k3 (http://joschu.net/blog/kl-approx.html), never negative.
            "approx_kl": ((ratio - 1 - log_ratio) * share).sum(),
        }
    return total, metrics
