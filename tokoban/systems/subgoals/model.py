"""The network: the push policy's blocks, and a pointer from a box to a square.

A pair is scored by the product of a vector of the box and one of the square, as pointer networks
do (Vinyals et al. 2015, arXiv:1506.03134); by another such product, whether it is to be refused.

Axes: B positions, T tokens (floor squares, padded), D width.
"""

import math
from typing import NamedTuple

import torch
from jaxtyping import Bool, Float
from torch import Tensor, nn

from tokoban.sokoban.encoding.boards import Boards
from tokoban.sokoban.encoding.encoded import frequencies, read_features
from tokoban.sokoban.encoding.features import HAS_BOX, NUM_FEATURES
from tokoban.systems.subgoals.config import SubgoalsConfig
from tokoban.transformer.neighbourhood import (
    NeighbourhoodBlock,
    NeighbourhoodLinear,
    pool,
    with_places,
)

_NEVER = -1e9  # the logit of what is no subgoal


class Output(NamedTuple):
    """Log-probabilities of what to do, and logits."""

    subgoal: Float[Tensor, "B T T"]  # by the box and its target
    stop: Float[Tensor, " B"]  # the position cannot be solved
    safe: Float[Tensor, "B T T"]  # logits: it can be done, and the level solved afterwards


def is_candidate(boards: Boards) -> Bool[Tensor, "B T T"]:
    """Which pairs of squares are possible subgoals: a square with a box, and one without."""
    is_box = boards.features[:, :, HAS_BOX] != 0
    return is_box[:, :, None] & (boards.is_square & ~is_box)[:, None]


class SubgoalNet(nn.Module):
    """The names of what it shares with the push policy are those of that."""

    is_read: Tensor  # which features
    waves: Tensor  # of the sinusoids

    def __init__(self, config: SubgoalsConfig) -> None:
        super().__init__()
        width = config.width
        self.register_buffer("is_read", torch.from_numpy(read_features("bounds")), persistent=False)
        self.register_buffer("waves", torch.from_numpy(frequencies(width)), persistent=False)
        self.stem = NeighbourhoodLinear(NUM_FEATURES, width)
        self.position_scale = nn.Parameter(torch.tensor(0.1))
        self.blocks = nn.ModuleList(
            NeighbourhoodBlock(
                width, config.hidden_width, num_heads=config.num_heads if number % 2 else 0
            )
            for number in range(config.num_blocks)
        )
        self.last_norm = nn.LayerNorm(width, bias=False)
        self.box = nn.Linear(width, width)
        self.target = nn.Linear(width, width)
        self.safe_box = nn.Linear(width, width)
        self.safe_target = nn.Linear(width, width)
        self.stop = nn.Linear(2 * width, 1)

    def forward(self, boards: Boards) -> Output:
        """What to do next in each position."""
        is_square, neighbours = boards.is_square, boards.rows_of_neighbours()
        features = boards.features.to(self.stem.weight.dtype)
        features = features * self.is_read.to(features)
        near = self.stem(features.flatten(0, 1), neighbours).unflatten(0, features.shape[:2])
        x = with_places(near, boards.coordinates, self.waves, self.position_scale)
        for block in self.blocks:
            x = block(x, neighbours, is_square[:, None, None])
        x = self.last_norm(x)
        scores, safe = (
            (box(x) @ target(x).transpose(1, 2)).float() / math.sqrt(x.shape[2])
            for box, target in ((self.box, self.target), (self.safe_box, self.safe_target))
        )
        scores = scores.masked_fill(~is_candidate(boards), _NEVER)
        stop = self.stop(pool(x, is_square)).float()
        joint = torch.cat([stop, scores.flatten(1)], 1).log_softmax(1)
        return Output(joint[:, 1:].view_as(scores), joint[:, 0], safe)
