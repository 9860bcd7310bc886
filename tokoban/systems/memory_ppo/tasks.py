"""Games to be played side by side: the seam between them and the player, and ours by their rules.

Axes: B games.
"""

from typing import Any, NamedTuple, Protocol, runtime_checkable

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from tokoban.systems.memory_ppo.spaces import Space


class Step(NamedTuple):
    """What an action led to; after an end these are the last observations of the episodes."""

    observations: Tensor  # [B, ...]
    rewards: Float[Tensor, "B"]
    is_terminated: Bool[Tensor, "B"]  # over by the rules: nothing is to be had any more
    is_truncated: Bool[Tensor, "B"]  # over by the clock alone


@runtime_checkable
class Task(Protocol):
    """B games of one kind on one device.

    As with Gymnasium's ``AutoresetMode.NEXT_STEP``, the step after an end ignores its action, has
    the reward 0, and shows the first observation of the next episode.
    """

    observation_space: Space
    action_space: Space
    num_games: int
    episode_steps: int | None  # of every episode, where all are equally long

    def reset(self) -> Tensor:
        """Starts every game; the first observations [B, ...]."""
        ...

    def step(self, actions: Tensor) -> Step:
        """Plays one action [B, ...] in every game."""
        ...

    def state_dict(self) -> dict[str, Any]:
        """Where all games stand, in plain numbers and tensors."""
        ...

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Goes on from there."""
        ...


@runtime_checkable
class Rules(Protocol):
    """A game whose episodes are equally long, on tensors of any device; it has no state itself."""

    observation_space: Space
    action_space: Space
    episode_steps: int

    def start(self, num_games: int, generator: torch.Generator) -> dict[str, Tensor]:
        """The beginnings of so many episodes, on the generator's device."""
        ...

    def observe(self, state: dict[str, Tensor], step: int) -> Tensor:
        """What is seen after ``step`` steps, [B, ...]."""
        ...

    def play(
        self, state: dict[str, Tensor], actions: Tensor, step: int
    ) -> tuple[dict[str, Tensor], Float[Tensor, "B"]]:
        """The state after the actions of ``step``, which is not changed in place, and rewards."""
        ...


class SideBySide:
    """Games by ``rules`` that begin and end together; storage, changed at every step."""

    def __init__(self, rules: Rules, num_games: int, generator: torch.Generator) -> None:
        """All chance comes from ``generator``, on whose device the games are."""
        self.rules = rules
        self.observation_space, self.action_space = rules.observation_space, rules.action_space
        self.num_games = num_games
        self.episode_steps: int | None = rules.episode_steps
        self._generator = generator
        self._state: dict[str, Tensor] = {}
        self._step = 0
        self._is_running = torch.zeros(num_games, dtype=torch.bool, device=generator.device)
        self._is_over = ~self._is_running
        self._no_rewards = torch.zeros(num_games, device=generator.device)

    def reset(self) -> Tensor:
        """Starts every game anew."""
        self._step = 0
        self._state = self.rules.start(self.num_games, self._generator)
        return self.rules.observe(self._state, 0)

    def step(self, actions: Tensor) -> Step:
        """Plays one action in every game, or begins the next episodes."""
        if self._step == self.rules.episode_steps:
            return Step(self.reset(), self._no_rewards, self._is_running, self._is_running)
        self._state, rewards = self.rules.play(self._state, actions, self._step)
        self._step += 1
        is_over = self._is_over if self._step == self.rules.episode_steps else self._is_running
        seen = self.rules.observe(self._state, self._step)
        return Step(seen, rewards, is_over, self._is_running)

    def state_dict(self) -> dict[str, Any]:
        """The games and the generator; the tensors are never changed in place."""
        chance = self._generator.get_state()
        return {"step": self._step, "games": self._state, "chance": chance}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Goes on from there, on this device."""
        device = self._generator.device
        self._step = state["step"]
        self._state = {name: tensor.to(device) for name, tensor in state["games"].items()}
        self._generator.set_state(state["chance"])
