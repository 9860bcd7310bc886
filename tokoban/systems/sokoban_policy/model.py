"""The policy: a convolutional head reads each board, a transformer the goal and the boards so far.

The article "A Transformer Sokoban Policy". The number of moves left is predicted as classes:
Farebrother et al. 2024, "Stop Regressing" (arXiv:2403.03950).

Axes: B games, T positions (goal, start, one board per action), A actions, C planes, H rows,
W columns, D width.
"""

from typing import NamedTuple

import torch
from jaxtyping import Bool, Float, Int64
from torch import Tensor, nn
from torch.nn import functional

from tokoban.sokoban.simulation import bitboards
from tokoban.sokoban.simulation.bitboards import Bitboards
from tokoban.sokoban.simulation.tensor_boards import Plane
from tokoban.systems.sokoban_policy.episodes import FIRST_BOARD, NUM_ACTIONS, NUM_BINS
from tokoban.systems.sokoban_policy.fitting import INTERIOR
from tokoban.transformer import BlockOptions, Encoder, masks, sinusoidal


class PolicyOutput(NamedTuple):
    """The policy's output for each board; at the goal's position it means nothing."""

    action_logits: Float[Tensor, "B T A"]  # up, left, down, right, undo
    steps_left_logits: Float[Tensor, "B T 7"]  # the bins of ``episodes.steps_left_bin``


class BoardEncoder(nn.Module):
    """Boards -> vectors: a convolution that sheds the outer walls, residual ones, a linear map."""

    def __init__(self, width: int, *, channels: int, num_layers: int) -> None:
        super().__init__()
        self.first = nn.Conv2d(len(Plane), channels, 3)
        self.others = nn.ModuleList(
            nn.Conv2d(channels, channels, 3, padding=1) for _ in range(num_layers - 1)
        )
        self.last = nn.Linear(channels * INTERIOR**2, width)

    def forward(self, planes: Float[Tensor, "M C H W"]) -> Float[Tensor, "M D"]:
        """Each plane has 8x8 squares: the 6x6 interior and a ring of wall."""
        # Channels last: a third less time on the CPU, and what a GPU's matrix units read.
        hidden = functional.relu(self.first(planes.contiguous(memory_format=torch.channels_last)))
        for convolution in self.others:
            hidden = hidden + functional.relu(convolution(hidden), inplace=True)
        return self.last(hidden.flatten(1))


class SokobanPolicy(nn.Module):
    """Goal and boards so far -> the next action and the steps left, at every position at once."""

    mask: Bool[Tensor, "T T"]
    position_vectors: Float[Tensor, "T D"]

    def __init__(
        self,
        *,
        width: int,
        num_layers: int,
        num_heads: int,
        max_positions: int,
        dropout: float,
        has_history: bool,
        pre_norm: bool,
        encoder_channels: int,
        encoder_layers: int,
    ) -> None:
        super().__init__()
        self.board_encoder = BoardEncoder(
            width, channels=encoder_channels, num_layers=encoder_layers
        )
        options = BlockOptions(dropout=dropout, pre_norm=pre_norm)
        self.transformer = Encoder(num_layers, width, num_heads, options=options)
        self.action_head = nn.Linear(width, NUM_ACTIONS)
        self.steps_left_head = nn.Linear(width, NUM_BINS)
        may_attend = masks.causal(max_positions)
        if not has_history:
            may_attend &= masks.goal_and_current(max_positions)
        self.register_buffer("mask", may_attend, persistent=False)
        self.register_buffer("position_vectors", sinusoidal(max_positions, width), persistent=False)

    @property
    def max_positions(self) -> int:
        """The longest sequence: the goal, the start and a board for each move."""
        return len(self.mask)

    @property
    def max_moves(self) -> int:
        """The longest game: every position but the goal's and the start's."""
        return self.max_positions - FIRST_BOARD - 1

    def forward(
        self,
        boards: Bitboards,
        *,
        used: Int64[Tensor, "U"] | None = None,
    ) -> PolicyOutput:
        """The output for ``boards``, words [B, T].

        With ``used``, places b * T + t, the others are not read, and their output means nothing.
        """
        length = boards.boxes.shape[1]
        if length > self.max_positions:
            raise ValueError(f"{length} positions; this policy has room for {self.max_positions}")
        vectors = self.encode(boards, used) + self.position_vectors[:length]
        return self.heads(self.transformer(vectors, may_attend=self.mask[:length, :length]))

    def heads(self, hidden: Float[Tensor, "*B D"]) -> PolicyOutput:
        """The output of the transformer's vectors."""
        return PolicyOutput(self.action_head(hidden), self.steps_left_head(hidden))

    def encode(
        self, boards: Bitboards, used: Int64[Tensor, "U"] | None = None
    ) -> Float[Tensor, "B T D"]:
        """The vectors of boards [B, T], as ``forward`` has it; zeros where a board is not read."""
        shape = boards.boxes.shape
        flat = boards.map(lambda word: word.flatten())
        if used is None:
            return self.board_encoder(bitboards.planes(flat)).unflatten(0, shape)
        # Convolutions are most of the work, so padding never reaches them.
        read = self.board_encoder(bitboards.planes(flat.at(used)))
        vectors = read.new_zeros(shape.numel(), read.shape[-1]).index_copy(0, used, read)
        return vectors.unflatten(0, shape)
