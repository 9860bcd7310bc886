"""Flip-flop: what was written last? One bit to keep among many that are noise.

Axes: B games, S steps.
"""

import torch
from gymnasium.spaces import MultiDiscrete
from jaxtyping import Float, Int64
from torch import Tensor

_WRITE, _IGNORE, _READ = range(3)
_STEPS_PER_WRITE = _STEPS_PER_READ = 8


class FlipFlop:
    """Each step shows a bit, and whether to write it, ignore it, or say which was written last.

    An eighth of the steps, drawn anew in each episode, ask, and as many write; the first step
    writes too. Right and wrong answers are worth the same, plus or minus; the best return is 1.
    After arXiv 2306.00946: a recurrent net has one state to keep, attention must find the latest
    of several writes at whatever distance it is, and errs now and then.
    """

    is_judged_at_once = True
    observation_space = MultiDiscrete([3, 2])  # write, ignore or read; the bit
    action_space = MultiDiscrete([2])

    def __init__(self, num_steps: int) -> None:
        if num_steps < _STEPS_PER_READ:
            raise ValueError(f"flip-flop needs at least {_STEPS_PER_READ} steps, got {num_steps}")
        self.episode_steps, self.num_questions = num_steps, num_steps // _STEPS_PER_READ

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
        return {
            "seen": torch.stack([kinds, bits], dim=-1),
            "answers": bits.gather(1, latest),
            "is_asked": kinds == _READ,
        }

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
