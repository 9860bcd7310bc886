"""Our own games by their rules, as Gymnasium's vector environments on tensors.

Axes: B games, H rows, W columns.
"""

from typing import Any, Protocol, runtime_checkable

import numpy as np
import torch
from gymnasium.spaces import MultiDiscrete
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from jaxtyping import Float, Int64, UInt8
from torch import Tensor

PICTURE_PX = 240

# Nothing, a wall, and things.
PALETTE = torch.tensor(
    [
        (255, 255, 255), (190, 190, 190), (0, 114, 178), (213, 94, 0), (0, 158, 115),
        (204, 121, 167),
    ],
    dtype=torch.uint8,
)  # fmt: skip


@runtime_checkable
class Rules(Protocol):
    """A game whose episodes are equally long, on tensors of any device; it has no state itself."""

    @property
    def observation_space(self) -> MultiDiscrete: ...
    @property
    def action_space(self) -> MultiDiscrete: ...
    @property
    def episode_steps(self) -> int: ...
    @property
    def is_judged_at_once(self) -> bool: ...

    def start(self, num_games: int, generator: torch.Generator) -> dict[str, Tensor]:
        """The beginnings of so many episodes, on the generator's device."""
        ...

    def observe(self, state: dict[str, Tensor], step: int) -> Tensor:
        """The observations after ``step`` steps, [B, ...]."""
        ...

    def play(
        self, state: dict[str, Tensor], actions: Tensor, step: int
    ) -> tuple[dict[str, Tensor], Float[Tensor, "B"]]:
        """The state after the actions of ``step``, which is not changed in place, and rewards."""
        ...

    def draw(self, state: dict[str, Tensor], step: int) -> Int64[Tensor, "H W"]:
        """The first game as cells, whose numbers are colours of ``PALETTE``."""
        ...


class RulesVectorEnv(VectorEnv[Tensor, Tensor, Tensor]):
    """Games by ``rules`` that begin and end together; storage, changed at every step.

    ``metadata`` says how many steps every episode has, and whether no action matters to a later
    reward.
    """

    def __init__(self, rules: Rules, num_envs: int, *, device: torch.device) -> None:
        """All chance comes from the seed of ``reset``."""
        self.rules = rules
        self.num_envs = num_envs
        self.metadata = {
            "autoreset_mode": AutoresetMode.NEXT_STEP,
            "render_modes": ["rgb_array"],
            "episode_steps": rules.episode_steps,
            "is_judged_at_once": rules.is_judged_at_once,
        }
        self.render_mode = "rgb_array"
        self.single_observation_space = rules.observation_space
        self.single_action_space = rules.action_space
        self.observation_space = batch_space(rules.observation_space, num_envs)
        self.action_space = batch_space(rules.action_space, num_envs)
        self._generator = torch.Generator(device=device)
        self._state: dict[str, Tensor] = {}
        self._step = 0
        self._is_running = torch.zeros(num_envs, dtype=torch.bool, device=device)
        self._is_over = ~self._is_running
        self._no_rewards = torch.zeros(num_envs, device=device)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Tensor, dict[str, Any]]:
        """Starts every game anew."""
        if seed is not None:
            self._generator.manual_seed(seed)
        return self._begin(), {}

    def step(self, actions: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor, dict[str, Any]]:
        """Plays one action in every game, or resets games that have ended."""
        if self._step == self.rules.episode_steps:
            return self._begin(), self._no_rewards, self._is_running, self._is_running, {}
        self._state, rewards = self.rules.play(self._state, actions, self._step)
        self._step += 1
        is_over = self._is_over if self._step == self.rules.episode_steps else self._is_running
        seen = self.rules.observe(self._state, self._step)
        return seen, rewards, is_over, self._is_running, {}

    def _begin(self) -> Tensor:
        self._step = 0
        self._state = self.rules.start(self.num_envs, self._generator)
        return self.rules.observe(self._state, 0)

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

    def render(self) -> tuple[UInt8[np.ndarray, "H W 3"], ...]:
        """The first game alone, its cells enlarged to fill about ``PICTURE_PX``."""
        cells = self.rules.draw(self._state, self._step)
        side = max(2, PICTURE_PX // max(cells.shape))
        frame = PALETTE[cells].repeat_interleave(side, 0).repeat_interleave(side, 1)
        return (frame.numpy(),)
