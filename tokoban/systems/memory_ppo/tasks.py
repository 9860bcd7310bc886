"""Games to be played side by side: the seam between them and the player, and ours by their rules.

Axes: B games, H rows, W columns.
"""

from typing import Any, NamedTuple, Protocol, runtime_checkable

import torch
from jaxtyping import Bool, Float, Int64, UInt8
from torch import Tensor

from tokoban.systems.memory_ppo.spaces import Space

PICTURE_PX = 240

# Nothing, a wall, and things.
PALETTE = torch.tensor(
    [
        (255, 255, 255), (190, 190, 190), (0, 114, 178), (213, 94, 0), (0, 158, 115),
        (204, 121, 167), (230, 159, 0), (86, 180, 233), (240, 228, 66), (0, 0, 0),
        (120, 80, 40), (100, 100, 100), (150, 0, 60), (60, 60, 160),
    ],
    dtype=torch.uint8,
)  # fmt: skip


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

    @property
    def observation_space(self) -> Space: ...
    @property
    def action_space(self) -> Space: ...
    @property
    def num_games(self) -> int: ...
    @property
    def episode_steps(self) -> int | None: ...  # of every episode, where all are equally long
    @property
    def is_judged_at_once(self) -> bool: ...  # no action matters to a later reward

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

    @property
    def num_to_replay(self) -> int:
        """Steps that ``load_state_dict`` would have to play again; 0 where it need not."""
        ...

    def picture(self) -> UInt8[Tensor, "H W 3"]:
        """The first game as it stands; ValueError where that cannot be drawn."""
        ...


@runtime_checkable
class Rules(Protocol):
    """A game whose episodes are equally long, on tensors of any device; it has no state itself."""

    @property
    def observation_space(self) -> Space: ...
    @property
    def action_space(self) -> Space: ...
    @property
    def episode_steps(self) -> int: ...
    @property
    def is_judged_at_once(self) -> bool: ...

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

    def draw(self, state: dict[str, Tensor], step: int) -> Int64[Tensor, "H W"]:
        """The first game as cells, whose numbers are colours of ``PALETTE``."""
        ...


class SideBySide:
    """Games by ``rules`` that begin and end together; storage, changed at every step."""

    num_to_replay = 0

    def __init__(self, rules: Rules, num_games: int, generator: torch.Generator) -> None:
        """All chance comes from ``generator``, on whose device the games are."""
        self.rules = rules
        self.observation_space, self.action_space = rules.observation_space, rules.action_space
        self.num_games = num_games
        self.episode_steps: int | None = rules.episode_steps
        self.is_judged_at_once = rules.is_judged_at_once
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
        self._generator.set_state(state["chance"].cpu())

    def picture(self) -> UInt8[Tensor, "H W 3"]:
        """The first game, its cells enlarged to fill about ``PICTURE_PX``."""
        cells = self.rules.draw(self._state, self._step)
        side = max(2, PICTURE_PX // max(cells.shape))
        return PALETTE[cells].repeat_interleave(side, 0).repeat_interleave(side, 1)
