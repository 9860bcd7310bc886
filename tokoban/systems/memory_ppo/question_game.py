"""Games that ask questions which are known before the first step.

Axes: B games, S steps.
"""

from typing import NamedTuple

import torch
from gymnasium.spaces import MultiDiscrete
from jaxtyping import Bool, Float, Int64
from torch import Tensor


class Questions(NamedTuple):
    """The observations of all steps and of one more, and the right answers."""

    seen: Int64[Tensor, "B S 2"]
    answers: Int64[Tensor, "B S"]
    is_asked: Bool[Tensor, "B S"]


class QuestionGame:
    """The rules of such a game apart from its start; right and wrong answers bring plus and minus.

    They are worth the same, and the best return is 1.
    """

    is_judged_at_once = True
    action_space = MultiDiscrete([2])

    def __init__(self, num_steps: int, *, num_questions: int, shown: MultiDiscrete) -> None:
        self.episode_steps, self.num_questions = num_steps, num_questions
        self.observation_space = shown

    def observe(self, state: dict[str, Tensor], step: int) -> Int64[Tensor, "B 2"]:
        """The two numbers of the step."""
        return state["seen"][:, step]

    def play(
        self, state: dict[str, Tensor], actions: Int64[Tensor, "B 1"], step: int
    ) -> tuple[dict[str, Tensor], Float[Tensor, "B"]]:
        """Judges the answer, if there was a question; the state never changes."""
        is_right = actions[:, 0] == state["answers"][:, step]
        return state, state["is_asked"][:, step] * (2.0 * is_right - 1.0) / self.num_questions

    def draw(self, state: dict[str, Tensor], step: int) -> Int64[Tensor, "2 S"]:
        """What the first game has shown so far."""
        so_far = torch.arange(self.episode_steps + 1) <= step
        return torch.where(so_far[:, None], 1 + state["seen"][0].cpu(), 0).T.contiguous()
