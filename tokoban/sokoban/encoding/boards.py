"""``Encoded`` positions as tensors.

Axes: B positions, T tokens (floor squares), R = B * T tokens of all positions.
"""

from typing import NamedTuple

import torch
from jaxtyping import Bool, Int16, Int32, UInt8
from torch import Tensor

from tokoban.sokoban.encoding.encoded import Encoded


class Boards(NamedTuple):
    """Positions as the network in torch reads them."""

    features: UInt8[Tensor, "B T 17"]
    neighbours: Int32[Tensor, "B T 9"]  # tokens of the same position; T for a wall
    coordinates: Int16[Tensor, "B T 2"]  # row and column

    @classmethod
    def of(cls, boards: Encoded) -> "Boards":
        """The same arrays as tensors, not copied."""
        return cls(*map(torch.from_numpy, boards))

    def to(self, device: torch.device) -> "Boards":
        """The boards on a device."""
        return Boards(*(tensor.to(device) for tensor in self))

    @property
    def is_square(self) -> Bool[Tensor, "B T"]:
        """Whether a token is a square and no padding."""
        return self.features[:, :, 0] != 0

    def rows_of_neighbours(self) -> Int32[Tensor, "R 9"]:
        """Neighbours as numbers of the R = B * T tokens of all positions; R for a wall."""
        num_positions, num_tokens, _ = self.features.shape
        first = torch.arange(num_positions, dtype=torch.int32, device=self.features.device)
        rows = self.neighbours + num_tokens * first[:, None, None]
        is_wall = self.neighbours == num_tokens
        return rows.masked_fill(is_wall, num_positions * num_tokens).flatten(0, 1)
