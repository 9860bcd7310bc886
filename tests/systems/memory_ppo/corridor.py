"""A game for tests: walk right to the end, or run out of time; episodes are of unequal lengths."""

from typing import Any

import torch
from gymnasium.spaces import MultiDiscrete
from gymnasium.vector import AutoresetMode, VectorEnv
from torch import Tensor

from tokoban.systems.memory_ppo.tensor_env import TensorEnv


class CorridorVectorEnv(VectorEnv[Tensor, Tensor, Tensor]):
    """Terminated after ``length`` steps to the right, truncated after ``time`` steps; no chance.

    Game b starts at place b modulo ``length``. What is seen is the place.
    """

    def __init__(self, num_envs: int, *, length: int, time: int) -> None:
        self.metadata = {"autoreset_mode": AutoresetMode.NEXT_STEP}
        self.num_envs, self.length, self.time = num_envs, length, time
        self.single_observation_space = MultiDiscrete([length + 1])
        self.single_action_space = MultiDiscrete([2])
        self.places = self.times = torch.zeros(0)
        self.is_over = torch.zeros(num_envs, dtype=torch.bool)

    def reset(self, *, seed: Any = None, options: Any = None) -> tuple[Tensor, dict[str, Any]]:
        self.places = torch.arange(self.num_envs) % self.length
        self.times = torch.zeros(self.num_envs, dtype=torch.int64)
        self.is_over = self.times > 0
        return self.places[:, None], {}

    def step(self, actions: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor, dict[str, Any]]:
        begins = self.is_over
        walked = self.places + actions[:, 0]
        self.places = torch.where(begins, torch.arange(self.num_envs) % self.length, walked)
        self.times = (self.times + 1).masked_fill(begins, 0)
        is_terminated = (self.places == self.length) & ~begins
        is_truncated = (self.times == self.time) & ~is_terminated & ~begins
        self.is_over = is_terminated | is_truncated
        rewards = torch.where(begins, 0.0, -1.0) + 3.0 * is_terminated
        return self.places[:, None], rewards, is_terminated, is_truncated, {}


class Corridor(TensorEnv):
    """The same as a player sees it."""

    def __init__(self, num_games: int = 3, *, length: int = 5, time: int = 7) -> None:
        corridors = CorridorVectorEnv(num_games, length=length, time=time)
        super().__init__(corridors, seed=0, device=torch.device("cpu"), takes_tensors=True)
        self.corridors = corridors
