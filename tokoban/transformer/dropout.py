"""Dropout (Srivastava et al. 2014), with a quarter of torch's random draws on a CPU."""

import torch
from jaxtyping import Float
from torch import Tensor, nn

_LEVELS = 2**16  # values of a 16-bit draw


class Dropout(nn.Dropout):
    """In training, zeroes each number with probability p and scales the others by 1 / (1 - p).

    On a CPU torch draws a double for each number, which takes a sixth of a small translator's
    training step. Here one 64-bit draw serves four numbers: p is rounded to a multiple of 1/65536,
    also in the scale, so the expectation is exact.
    """

    def forward(self, inputs: Float[Tensor, "*shape"]) -> Float[Tensor, "*shape"]:
        """Keeps shape and dtype."""
        level = round(self.p * _LEVELS)
        is_on_cpu = inputs.device.type == "cpu"
        if not (self.training and is_on_cpu and 0 < level < _LEVELS):
            return super().forward(inputs)
        size = inputs.numel()
        num_draws = -(-size // 4)  # rounded up
        draws = torch.empty(num_draws, dtype=torch.int64).random_(-(2**63), None)
        # Signed: the draws begin at -_LEVELS / 2, and the lowest ``level`` of them drop.
        is_kept = draws.view(torch.int16)[:size] >= level - _LEVELS // 2
        scale = _LEVELS / (_LEVELS - level)
        return inputs * is_kept.to(inputs.dtype).mul_(scale).view(inputs.shape)
