"""Dropout, and on a CPU with a quarter of the random numbers that torch's own asks for."""

import torch
from jaxtyping import Float
from torch import Tensor, nn

_LEVELS = 2**16  # chances that a draw of 16 bits can have


class Dropout(nn.Dropout):
    """Leaves out each number with probability p in training, and scales up the others.

    torch draws a double for each number on a CPU, one after the other: a sixth of the time that a
    small translator's step takes. Here a draw of 64 bits is for four of them, so that p is rounded
    to 1/65536; what is left is scaled by the rounded chance, and the expectation is exact.
    """

    def forward(self, inputs: Float[Tensor, "*shape"]) -> Float[Tensor, "*shape"]:
        """Of the same shape and type."""
        level = round(self.p * _LEVELS)
        is_alone = inputs.device.type == "cpu" and not torch.compiler.is_compiling()
        if not (self.training and is_alone and 0 < level < _LEVELS):
            return super().forward(inputs)
        size = inputs.numel()
        draws = torch.empty(-(-size // 4), dtype=torch.int64).random_(-(2**63), None)
        is_kept = draws.view(torch.int16)[:size] >= level - _LEVELS // 2
        scale = _LEVELS / (_LEVELS - level)
        return inputs * is_kept.to(inputs.dtype).mul_(scale).view(inputs.shape)
