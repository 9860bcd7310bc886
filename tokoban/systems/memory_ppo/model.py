"""The player: what is seen and what was done become a vector, a memory, a policy and a value.

Axes: B rows (games), T steps, P steps before them, D width, A numbers of the policy, K parts of a
recurrent state.
"""

from typing import NamedTuple

import torch
from gymnasium.spaces import Box, MultiDiscrete
from jaxtyping import Float, Int64
from torch import Tensor, nn

from tokoban.systems.memory_ppo.actions import policy_for
from tokoban.systems.memory_ppo.memories import Acting, Memory
from tokoban.systems.memory_ppo.spaces import Discrete, Space, counts_of, is_discrete, scaling_of

_EMBEDDING_STD = 0.1


class Inputs(NamedTuple):
    """The inputs of a player, for rows of steps or for one step of each row."""

    observations: Tensor  # [B, T, ...]
    previous: Tensor  # [B, T, ...]: the action before; ``no_action`` at an episode's beginning
    ages: Int64[Tensor, "B *T"]  # steps before this one in its episode


class Answer(NamedTuple):
    """The outputs of a player for them."""

    policy: Float[Tensor, "*B A"]  # parameters of the distribution over actions
    values: Float[Tensor, "*B"]  # the expected discounted rewards


class Player(nn.Module):
    """Observations and previous actions -> a policy and values, by way of a memory."""

    def __init__(
        self, observation_space: Space, action_space: Space, *, width: int, memory: Memory
    ) -> None:
        super().__init__()
        self.observe = _embedding_of(observation_space, width)
        self.recall = _embedding_of(with_no_action(action_space), width)
        self.memory = memory
        self.policy = policy_for(action_space)
        self.policy_head = _head(width, self.policy.num_parameters)
        self.value_head = _head(width, 1)
        # Nearly uniform at first: a policy that happens to be sure of itself explores nothing.
        last = self.policy_head[-1]
        assert isinstance(last, nn.Linear)
        with torch.no_grad():
            last.weight.mul_(0.01)

    def forward(self, inputs: Inputs, carried: Float[Tensor, "B K D"] | None = None) -> Answer:
        """The answer to whole rows of steps at once; for learning."""
        return self.answer(self.memory(self.embed(inputs), inputs.ages, carried))

    def begin(
        self, past: Inputs, *, carried: Float[Tensor, "B K D"] | None, num_steps: int
    ) -> Acting:
        """The memory at the end of ``past``, ready for so many steps; for acting."""
        return self.memory.begin(self.embed(past), past.ages, carried=carried, num_steps=num_steps)

    def embed(self, inputs: Inputs) -> Float[Tensor, "B *T D"]:
        """A vector for each step."""
        return self.observe(inputs.observations) + self.recall(inputs.previous)

    def answer(self, remembered: Float[Tensor, "B *T D"]) -> Answer:
        """Policy and value, given what the memory says."""
        return Answer(self.policy_head(remembered), self.value_head(remembered)[..., 0])


def with_no_action(space: Space) -> Space:
    """The action space with one more choice, of there having been no action; numbers use 0."""
    if is_discrete(space):
        return MultiDiscrete([count + 1 for count in counts_of(space)])
    return space


def no_action(space: Space, num_games: int, *, device: torch.device) -> Tensor:
    """The previous action at the beginning of an episode, [B, K]."""
    if is_discrete(space):
        return torch.tensor(counts_of(space), device=device).expand(num_games, -1)
    return torch.zeros(num_games, *(space.shape or ()), device=device)


class _ChoiceEmbedding(nn.Module):
    """The sum of a learned vector for each of the choices."""

    first: Tensor

    def __init__(self, space: Discrete, width: int) -> None:
        super().__init__()
        self.table = nn.Embedding(sum(counts_of(space)), width)
        # With torch's own 1.0 the present step drowns what attention says of the past: to repeat a
        # card takes twice the steps to learn.
        nn.init.normal_(self.table.weight, std=_EMBEDDING_STD)
        counts = torch.tensor(counts_of(space))
        self.register_buffer("first", counts.cumsum(0) - counts, persistent=False)

    def forward(self, choices: Int64[Tensor, "*B K"]) -> Float[Tensor, "*B D"]:
        return self.table(choices + self.first).sum(-2)


class _NumberEmbedding(nn.Module):
    """Numbers, scaled to -1 to 1 where they are bounded, through two layers."""

    centre: Tensor
    radius: Tensor

    def __init__(self, space: Box, width: int) -> None:
        super().__init__()
        centre, radius = scaling_of(space)
        self.register_buffer("centre", centre, persistent=False)
        self.register_buffer("radius", radius, persistent=False)
        self.num_axes = len(space.shape)
        self.net = nn.Sequential(nn.Linear(len(centre), width), nn.Tanh(), nn.Linear(width, width))

    def forward(self, numbers: Tensor) -> Float[Tensor, "*B D"]:
        flat = numbers.flatten(-self.num_axes) if self.num_axes else numbers[..., None]
        return self.net((flat.float() - self.centre) / self.radius)


def _embedding_of(space: Space, width: int) -> nn.Module:
    if is_discrete(space):
        return _ChoiceEmbedding(space, width)
    assert isinstance(space, Box)
    return _NumberEmbedding(space, width)


def _head(width: int, num_outputs: int) -> nn.Sequential:
    return nn.Sequential(nn.Linear(width, width), nn.Tanh(), nn.Linear(width, num_outputs))
