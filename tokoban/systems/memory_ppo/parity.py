"""Parity: was the number of ones so far even or odd? A state to keep up, and nothing to look up.

Axes: B games, S steps.
"""

import torch
from jaxtyping import Float, Int64
from torch import Tensor

from tokoban.systems.memory_ppo.spaces import Choices

_STEPS_PER_QUESTION = 4


class Parity:
    """Each step shows a bit; at a fourth of them, drawn anew in each episode, the answer counts.

    Right and wrong answers are worth the same, plus or minus; the best return is 1. After arXiv
    2405.17358: attention, which has no state to pass on from step to step, must add up all bits at
    once; to a recurrent net each is one more turn. (The previous action tells the last answer.)
    """

    is_judged_at_once = True

    def __init__(self, num_steps: int) -> None:
        if num_steps < _STEPS_PER_QUESTION:
            raise ValueError(f"parity needs at least {_STEPS_PER_QUESTION} steps, got {num_steps}")
        self.episode_steps = num_steps
        self.num_questions = num_steps // _STEPS_PER_QUESTION
        self.observation_space = Choices((2, 2))  # the bit, and whether it is asked
        self.action_space = Choices((2,))

    def start(self, num_games: int, generator: torch.Generator) -> dict[str, Tensor]:
        """Bits and questions; the last of both is what is seen after the last step."""
        shape, device = (num_games, self.episode_steps + 1), generator.device
        bits = torch.randint(2, shape, generator=generator, device=device)
        keys = torch.rand(num_games, self.episode_steps, generator=generator, device=device)
        is_asked = torch.zeros_like(bits)
        is_asked.scatter_(1, keys.argsort(dim=1)[:, : self.num_questions], 1)
        return {"seen": torch.stack([bits, is_asked], dim=-1), "answers": bits.cumsum(1) % 2}

    def observe(self, state: dict[str, Tensor], step: int) -> Int64[Tensor, "B 2"]:
        """The bit, and whether the answer counts."""
        return state["seen"][:, step]

    def play(
        self, state: dict[str, Tensor], actions: Int64[Tensor, "B 1"], step: int
    ) -> tuple[dict[str, Tensor], Float[Tensor, "B"]]:
        """Judges the answer, if there was a question; the bits are what they are."""
        is_right = actions[:, 0] == state["answers"][:, step]
        is_asked = state["seen"][:, step, 1]
        return state, is_asked * (2.0 * is_right - 1.0) / self.num_questions

    def draw(self, state: dict[str, Tensor], step: int) -> Int64[Tensor, "2 S"]:
        """The bits and the questions so far, of the first game."""
        so_far = torch.arange(self.episode_steps + 1) <= step
        return torch.where(so_far[:, None], 1 + state["seen"][0].cpu(), 0).T.contiguous()
