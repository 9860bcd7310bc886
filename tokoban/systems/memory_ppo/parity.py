"""Parity: was the number of ones so far even or odd? A state to keep up, and nothing to look up.

Axes: B games, S steps.
"""

import torch
from gymnasium.spaces import MultiDiscrete
from torch import Tensor

from tokoban.systems.memory_ppo.question_game import QuestionGame, Questions

_STEPS_PER_QUESTION = 4


class Parity(QuestionGame):
    """Each step shows a bit; at a fourth of them, drawn anew in each episode, the answer counts.

    Right and wrong answers are worth the same, plus or minus; the best return is 1. After arXiv
    2405.17358: attention, which has no state to pass on from step to step, must add up all bits at
    once; to a recurrent net each is one more turn. (The previous action tells the last answer.)
    """

    def __init__(self, num_steps: int) -> None:
        if num_steps < _STEPS_PER_QUESTION:
            raise ValueError(f"parity needs at least {_STEPS_PER_QUESTION} steps, got {num_steps}")
        shown = MultiDiscrete([2, 2])  # the bit, and whether it is asked
        super().__init__(num_steps, num_questions=num_steps // _STEPS_PER_QUESTION, shown=shown)

    def start(self, num_games: int, generator: torch.Generator) -> dict[str, Tensor]:
        """Questions and questions; the last of both is what is seen after the last step."""
        shape, device = (num_games, self.episode_steps + 1), generator.device
        bits = torch.randint(2, shape, generator=generator, device=device)
        keys = torch.rand(num_games, self.episode_steps, generator=generator, device=device)
        is_asked = torch.zeros_like(bits)
        is_asked.scatter_(1, keys.argsort(dim=1)[:, : self.num_questions], 1)
        seen = torch.stack([bits, is_asked], dim=-1)
        return Questions(seen, bits.cumsum(1) % 2, is_asked.bool())._asdict()
