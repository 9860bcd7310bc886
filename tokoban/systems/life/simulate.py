"""Rollouts of the model: each generation is predicted from the one predicted before.

Axes: B batch, H rows, W columns.
"""

from collections.abc import Iterator
from typing import NamedTuple

import torch
from jaxtyping import Bool
from torch import Tensor

from tokoban.systems.life.model import LifeNet
from tokoban.systems.life.rules import Rule, step


class Generation(NamedTuple):
    """One generation of the predicted and of the true game."""

    grids: Bool[Tensor, "B H W"]  # the model's
    true_grids: Bool[Tensor, "B H W"]  # the rules'

    @property
    def num_wrong(self) -> int:
        """Cells in which they differ."""
        return int((self.grids != self.true_grids).sum())


def play(model: LifeNet, start: Bool[Tensor, "B H W"], rule: Rule) -> Iterator[Generation]:
    """The generations after ``start``, without end."""
    grids = true_grids = start
    while True:
        with torch.inference_mode():
            grids = model(grids) > 0
        true_grids = step(true_grids, rule)
        yield Generation(grids, true_grids)
