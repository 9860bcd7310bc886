"""The article's SingleAttentionNet: attention with one head, then a small net at each cell.

After https://github.com/sradc/life-transformer; SiLU: Elfwing et al. 2017 (arXiv:1702.03118).
Axes: B batch, H rows, W columns, T cells (H * W), D width.
"""

import torch
from jaxtyping import Bool, Float
from torch import Tensor, nn
from torch.nn import functional

from tokoban.systems.life.config import Positions
from tokoban.transformer import GridPositions, LearnedPositions, MultiHeadAttention


class LifeNet(nn.Module):
    """Grids -> the logit of each cell to be alive in the next generation."""

    def __init__(
        self,
        *,
        side: int,
        width: int,
        positions: Positions,
        embedding_scale: float,
    ) -> None:
        super().__init__()
        self.side = side
        self.states = nn.Parameter(torch.randn(2, width) * embedding_scale)  # dead, alive
        self.places: LearnedPositions | GridPositions = (
            LearnedPositions(side**2, width)
            if positions == "cells"
            else GridPositions(side, side, width)
        )
        for table in self.places.parameters():
            nn.init.normal_(table, std=embedding_scale)
        self.mixing = GridAttention(width)
        self.hidden = _matrix(width, width)
        self.answer = _matrix(width, 1)

    def forward(self, grids: Bool[Tensor, "B H W"]) -> Float[Tensor, "B H W"]:
        """Logits; above 0 the cell is predicted alive."""
        x = self.tokens(grids)
        return self.classify(x + self.mixing(x))

    def tokens(self, grids: Bool[Tensor, "B H W"]) -> Float[Tensor, "B H W D"]:
        """A vector for each cell: of its state and, for attention, of its position."""
        dead, alive = self.states
        x = torch.where(grids[..., None], alive, dead)
        if grids.shape[1:] != (self.side, self.side):
            rows, columns = grids.shape[1:]
            raise ValueError(f"expected grids of {self.side} x {self.side}, got {rows} x {columns}")
        return x + self.position_vectors()

    def position_vectors(self) -> Float[Tensor, "H W D"]:
        """The vector of each position."""
        if isinstance(self.places, GridPositions):
            return self.places(self.side, self.side)
        return self.places(self.side**2).unflatten(0, (self.side, self.side))

    def classify(self, mixed: Float[Tensor, "... D"]) -> Float[Tensor, "..."]:
        """The logit of a cell from the sum of its own vector and the mixing's output."""
        residual = mixed + functional.silu(self.hidden(mixed))
        return self.answer(residual).squeeze(-1)


class GridAttention(nn.Module):
    """The core's attention with one head, each cell to all; without biases, as in the article."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.attention = MultiHeadAttention(width, num_heads=1, bias=False, has_output=False)
        # As many draws as a whole attention takes: a seed gives the weights that it always gave.
        torch.empty(width * (width + 4)).uniform_()
        for projection in (self.attention.query, self.attention.key, self.attention.value):
            projection.reset_parameters()
            nn.init.normal_(projection.weight, std=width**-0.5)

    def forward(self, x: Float[Tensor, "B H W D"]) -> Float[Tensor, "B H W D"]:
        """Attention over all cells."""
        return self.attention(x.flatten(1, 2)).unflatten(1, x.shape[1:3])


def _matrix(num_inputs: int, num_outputs: int) -> nn.Linear:
    """A linear map without a bias, initialised to keep the variance of its inputs."""
    linear = nn.Linear(num_inputs, num_outputs, bias=False)
    nn.init.normal_(linear.weight, std=num_inputs**-0.5)
    return linear
