"""A game for tests: walk right to the end, or run out of time; episodes are of unequal lengths."""

from typing import Any

import torch
from torch import Tensor

from tokoban.systems.memory_ppo.spaces import Choices
from tokoban.systems.memory_ppo.tasks import Step


class Corridor:
    """Terminated after ``length`` steps to the right, truncated after ``time`` steps; no chance.

    Game b starts at place b modulo ``length``. What is seen is the place.
    """

    episode_steps = None
    is_judged_at_once = False
    num_to_replay = 0
    action_space = Choices((2,))

    def __init__(self, num_games: int = 3, *, length: int = 5, time: int = 7) -> None:
        self.num_games, self.length, self.time = num_games, length, time
        self.observation_space = Choices((length + 1,))
        self.places = self.times = torch.zeros(0)
        self.is_over = torch.zeros(num_games, dtype=torch.bool)

    def reset(self) -> Tensor:
        self.places = torch.arange(self.num_games) % self.length
        self.times = torch.zeros(self.num_games, dtype=torch.int64)
        self.is_over = self.times > 0
        return self.places[:, None]

    def step(self, actions: Tensor) -> Step:
        begins = self.is_over
        walked = self.places + actions[:, 0]
        self.places = torch.where(begins, torch.arange(self.num_games) % self.length, walked)
        self.times = (self.times + 1).masked_fill(begins, 0)
        is_terminated = (self.places == self.length) & ~begins
        is_truncated = (self.times == self.time) & ~is_terminated & ~begins
        self.is_over = is_terminated | is_truncated
        rewards = torch.where(begins, 0.0, -1.0) + 3.0 * is_terminated
        return Step(self.places[:, None], rewards, is_terminated, is_truncated)

    def state_dict(self) -> dict[str, Any]:
        return {"places": self.places, "times": self.times, "is_over": self.is_over}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        vars(self).update(state)

    def picture(self) -> Tensor:
        raise ValueError("a corridor draws no pictures")
