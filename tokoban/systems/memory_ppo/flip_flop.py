"""Flip-flop: what was written last? One bit to keep among many that are noise.

Axes: B games, S steps.
"""

import torch
from gymnasium.spaces import MultiDiscrete
from torch import Tensor

from tokoban.systems.memory_ppo.question_game import QuestionGame, Questions

_WRITE, _IGNORE, _READ = range(3)
_STEPS_PER_WRITE = _STEPS_PER_READ = 8


class FlipFlop(QuestionGame):
    """Each step shows a bit, and whether to write it, ignore it, or say which was written last.

    An eighth of the steps, drawn anew in each episode, ask, and as many write; the first step
    writes too. Right and wrong answers are worth the same, plus or minus; the best return is 1.
    After arXiv 2306.00946: a recurrent net has one state to keep, attention must find the latest
    of several writes at whatever distance it is, and errs now and then.
    """

    def __init__(self, num_steps: int) -> None:
        if num_steps < _STEPS_PER_READ:
            raise ValueError(f"flip-flop needs at least {_STEPS_PER_READ} steps, got {num_steps}")
        shown = MultiDiscrete([3, 2])  # write, ignore or read; the bit
        super().__init__(num_steps, num_questions=num_steps // _STEPS_PER_READ, shown=shown)

    def start(self, num_games: int, generator: torch.Generator) -> dict[str, Tensor]:
        """Instructions and bits; the last of both is what is seen after the last step."""
        shape, device = (num_games, self.episode_steps + 1), generator.device
        bits = torch.randint(2, shape, generator=generator, device=device)
        keys = torch.rand(num_games, self.episode_steps - 1, generator=generator, device=device)
        order = 1 + keys.argsort(dim=1)
        kinds = torch.full_like(bits, _IGNORE)
        kinds[:, 0] = _WRITE
        kinds.scatter_(1, order[:, : self.num_questions], _READ)
        num_writes = self.episode_steps // _STEPS_PER_WRITE
        written = order[:, self.num_questions : self.num_questions + num_writes]
        kinds.scatter_(1, written, _WRITE)
        steps = torch.arange(shape[1], device=device)
        latest = torch.where(kinds == _WRITE, steps, 0).cummax(1).values
        seen = torch.stack([kinds, bits], dim=-1)
        return Questions(seen, bits.gather(1, latest), kinds == _READ)._asdict()
