"""Random grids and their successors, an endless stream from a seed.

Axes: B batch, H rows, W columns.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import torch
from jaxtyping import Bool
from torch import Tensor

from tokoban.systems.life.rules import Rule, step
from tokoban.training.streams import Purpose, streams


class Examples(NamedTuple):
    """Grids, and the next generation of each."""

    grids: Bool[Tensor, "B H W"]
    successors: Bool[Tensor, "B H W"]


class RandomGames:
    """Batches of random grids and, in their second half, the successors of these grids.

    Grids after a step have structures that random grids rarely have, and games consist of them.
    """

    def __init__(
        self, rule: Rule, *, side: int, num_grids: int, density: float | None, seed: int
    ) -> None:
        """``num_grids`` of a batch; without a ``density`` each grid has its own, from 0 to 1."""
        self.rule, self.side, self.num_grids = rule, side, num_grids
        self.density, self.seed = density, seed

    def batches(
        self,
        device: torch.device,
        *,
        start_step: int = 0,
        rank: int = 0,
        purpose: Purpose = Purpose.EXAMPLES,
    ) -> Iterator[Examples]:
        """Batch n of a rank is the same whatever ``start_step`` is."""
        for random in streams(self.seed, purpose, rank, start_step=start_step):
            drawn = random_grids(
                self.num_grids // 2, side=self.side, density=self.density, random=random
            ).to(device)
            after = step(drawn, self.rule)
            yield Examples(torch.cat([drawn, after]), torch.cat([after, step(after, self.rule)]))


def random_grids(
    num_grids: int, *, side: int, density: float | None, random: np.random.Generator
) -> Bool[Tensor, "B H W"]:
    """Grids whose cells live with probability ``density``, or each grid's own from 0 to 1."""
    share = random.random((num_grids, 1, 1)) if density is None else density
    return torch.from_numpy(random.random((num_grids, side, side)) < share)
