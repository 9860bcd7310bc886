"""The network: blocks that read each square's neighbours, with attention to all squares between.

The blocks are pre-norm residual ones (Xiong et al. 2020, arXiv:2002.04745). Convolutions below
attention: Wu et al. 2021 (arXiv:2103.15808).

Axes: B positions, T tokens (floor squares, padded), D width.
"""

from typing import NamedTuple

import torch
from jaxtyping import Bool, Float, Int32
from torch import Tensor, nn

from tokoban.sokoban.encoding.boards import Boards
from tokoban.sokoban.encoding.encoded import frequencies, read_features
from tokoban.sokoban.encoding.features import NUM_FEATURES
from tokoban.systems.push_policy.config import HIDDEN_VALUE, PushPolicyConfig
from tokoban.systems.push_policy.results import NUM_CLASSES, NUM_RESULTS
from tokoban.transformer.neighbourhood import (
    NeighbourhoodBlock,
    NeighbourhoodLinear,
    pool,
    with_places,
)

_DIRECTIONS = 4
_NEVER = -1e9  # the logit of what is not legal, where infinity would give a gradient of 0 * inf


class PushOutput(NamedTuple):
    """The answers of the network, in fp32."""

    push: Float[Tensor, "B T 4"]  # logits of the pushes, also of those that are not legal
    result: Float[Tensor, "B T 4 results"]  # logits of what each push leads to
    value: Float[Tensor, "B classes"]  # logits of the pushes left, the last of a deadlock

    def log_policy(self, is_legal: Bool[Tensor, "B T 4"]) -> Float[Tensor, "B T 4"]:
        """Log-probabilities of the legal pushes of each position."""
        logits = self.push.masked_fill(~is_legal, _NEVER).flatten(1)
        return logits.log_softmax(1).view_as(self.push)


class PushNet(nn.Module):
    """Reads positions of any boards."""

    is_read: Tensor  # which features
    waves: Tensor  # of the sinusoids

    def __init__(self, config: PushPolicyConfig) -> None:
        super().__init__()
        self.config = config
        is_read = torch.from_numpy(read_features(config.inputs))
        self.register_buffer("is_read", is_read, persistent=False)
        waves = torch.from_numpy(frequencies(config.width))
        self.register_buffer("waves", waves, persistent=False)
        self.stem = NeighbourhoodLinear(NUM_FEATURES, config.width)
        self.position_scale = nn.Parameter(torch.tensor(0.1))
        self.blocks = nn.ModuleList(
            NeighbourhoodBlock(
                config.width,
                config.hidden_width,
                num_heads=config.num_heads if config.attends(number) else 0,
            )
            for number in range(config.num_blocks)
        )
        self.last_norm = nn.LayerNorm(config.width, bias=False)
        self.push = nn.Linear(config.width, _DIRECTIONS)
        self.result = nn.Linear(config.width, _DIRECTIONS * NUM_RESULTS)
        self.value = nn.Sequential(
            nn.Linear(2 * config.width, HIDDEN_VALUE),
            nn.ReLU(),
            nn.Linear(HIDDEN_VALUE, NUM_CLASSES),
        )

    def forward(self, boards: Boards) -> PushOutput:
        """Logits for every square, padding included, and for every position."""
        is_square = boards.is_square
        neighbours = boards.rows_of_neighbours()
        x = self.embed(boards, neighbours)
        may_attend = is_square[:, None, None]
        for block in self.blocks:
            x = block(x, neighbours, may_attend)
        x = self.last_norm(x)
        push, result = self.push(x).float(), self.result(x).float()
        return PushOutput(
            push,
            result.unflatten(2, (_DIRECTIONS, NUM_RESULTS)),
            self.value(pool(x, is_square)).float(),
        )

    def embed(self, boards: Boards, neighbours: Int32[Tensor, "R K"]) -> Float[Tensor, "B T D"]:
        """The vectors of the squares before the first block."""
        features = boards.features.to(self.stem.weight.dtype)
        features = features * self.is_read.to(features)
        near = self.stem(features.flatten(0, 1), neighbours)
        near = near.unflatten(0, features.shape[:2])
        return with_places(near, boards.coordinates, self.waves, self.position_scale)
