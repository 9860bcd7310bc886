"""How numbers become actions: categorical choices, or a Gaussian whose actions are clipped.

Axes: ``*B`` any batch shape, A numbers that describe the distribution, K parts of an action.
"""

import math

import torch
from gymnasium.spaces import Box
from jaxtyping import Float
from torch import Tensor, nn

from tokoban.systems.memory_ppo.spaces import (
    Discrete,
    Space,
    bounds_of,
    counts_of,
    is_discrete,
    scaling_of,
)


class Categorical(nn.Module):
    """A softmax for each of the choices; they are independent given the step."""

    def __init__(self, space: Discrete) -> None:
        super().__init__()
        self.counts = counts_of(space)
        self.num_parameters = sum(self.counts)

    def noise(self, *shape: int, generator: torch.Generator) -> Float[Tensor, "*B A"]:
        """Gumbel noise for the Gumbel-max trick, of any shape: a whole rollout's at once."""
        uniform = torch.rand(
            *shape, self.num_parameters, generator=generator, device=generator.device
        )
        return -torch.log(-torch.log(uniform.clamp(1e-20, 1 - 1e-7)))

    def choose(self, logits: Float[Tensor, "*B A"], noise: Float[Tensor, "*B A"] | None) -> Tensor:
        """Sampled with ``noise``, or the most likely ones; int64 [*B, K]."""
        scores = logits if noise is None else logits + noise
        return torch.stack([each.argmax(-1) for each in scores.split(self.counts, -1)], dim=-1)

    def log_probs(self, logits: Float[Tensor, "*B A"], actions: Tensor) -> Float[Tensor, "*B"]:
        """The log-probabilities of actions [*B, K], in nats: the sum over the choices."""
        parts = zip(logits.split(self.counts, -1), actions.unbind(-1), strict=True)
        chosen = [each.log_softmax(-1).gather(-1, action[..., None]) for each, action in parts]
        return torch.cat(chosen, dim=-1).sum(-1)

    def entropy(self, logits: Float[Tensor, "*B A"]) -> Float[Tensor, "*B"]:
        """The entropy in nats: the sum over the choices."""
        each = [part.log_softmax(-1) for part in logits.split(self.counts, -1)]
        return -torch.stack([(x.exp() * x).sum(-1) for x in each], dim=-1).sum(-1)

    def to_game(self, actions: Tensor) -> Tensor:
        """The actions as they are."""
        return actions


class ClippedGaussian(nn.Module):
    """A diagonal Gaussian whose standard deviation does not depend on the step.

    In units in which the bounds are -1 and 1, by ``scaling_of``. The game gets the action
    clipped to its bounds; probabilities are those of the unclipped one.
    """

    low: Tensor
    high: Tensor
    centre: Tensor
    radius: Tensor

    def __init__(self, space: Box) -> None:
        super().__init__()
        if len(space.shape) != 1:
            raise ValueError(f"actions must be a vector of numbers, got the shape {space.shape}")
        self.num_parameters = space.shape[0]
        low, high = bounds_of(space)
        self.register_buffer("low", low, persistent=False)
        self.register_buffer("high", high, persistent=False)
        centre, radius = scaling_of(space)
        self.register_buffer("centre", centre, persistent=False)
        self.register_buffer("radius", radius, persistent=False)
        self.log_std = nn.Parameter(torch.zeros(self.num_parameters))

    def noise(self, *shape: int, generator: torch.Generator) -> Float[Tensor, "*B A"]:
        """Standard normal noise, of any shape: a whole rollout's at once."""
        return torch.randn(
            *shape, self.num_parameters, generator=generator, device=generator.device
        )

    def choose(self, means: Float[Tensor, "*B A"], noise: Float[Tensor, "*B A"] | None) -> Tensor:
        """Sampled with ``noise``, or the means; [*B, K], not clipped."""
        return means if noise is None else means + self.log_std.exp() * noise

    def log_probs(self, means: Float[Tensor, "*B A"], actions: Tensor) -> Float[Tensor, "*B"]:
        """The log-densities of actions [*B, K] as they were sampled, in nats."""
        scaled = (actions - means) / self.log_std.exp()
        each = -0.5 * scaled.square() - self.log_std - 0.5 * math.log(2 * math.pi)
        return each.sum(-1)

    def entropy(self, means: Float[Tensor, "*B A"]) -> Float[Tensor, "*B"]:
        """The entropy of the unclipped Gaussian, in nats; the same for every step."""
        each = self.log_std + 0.5 * math.log(2 * math.pi * math.e)
        return each.sum().expand(means.shape[:-1])

    def to_game(self, actions: Tensor) -> Tensor:
        """The actions in the game's units, within its bounds."""
        return (self.centre + self.radius * actions).clamp(self.low, self.high)


Policy = Categorical | ClippedGaussian


def policy_for(space: Space) -> Policy:
    """The distribution over the actions of ``space``."""
    if is_discrete(space):
        return Categorical(space)
    assert isinstance(space, Box)
    return ClippedGaussian(space)
