"""The policy: a convolutional head reads each board, a transformer the goal and the boards so far.

Axes: B games, T positions (goal, start, one board per action), A actions, C planes, H rows,
W columns, D width.
"""

from typing import NamedTuple

from jaxtyping import Bool, Float
from torch import Tensor, nn
from torch.nn import functional

from tokoban.sokoban import bitboards
from tokoban.sokoban.bitboards import SIDE, Bitboards
from tokoban.sokoban.tensor_boards import Plane
from tokoban.systems.sokoban_policy.episodes import NUM_ACTIONS, NUM_BINS
from tokoban.transformer import Encoder, KVCache, empty_cache_for, masks, sinusoidal


class Answers(NamedTuple):
    """What the policy says of each board; of the goal's position it means nothing."""

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
        self.last = nn.Linear(channels * (SIDE - 2) ** 2, width)

    def forward(self, planes: Float[Tensor, "M C H W"]) -> Float[Tensor, "M D"]:
        """The boards are 8x8, with walls around the edge."""
        hidden = functional.relu(self.first(planes))
        for convolution in self.others:
            hidden = hidden + functional.relu(convolution(hidden))
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
        self.transformer = Encoder(num_layers, width, num_heads, dropout=dropout, pre_norm=pre_norm)
        self.action_head = nn.Linear(width, NUM_ACTIONS)
        self.steps_left_head = nn.Linear(width, NUM_BINS)
        may_attend = masks.causal(max_positions)
        if not has_history:
            may_attend &= masks.goal_and_current(max_positions)
        self.register_buffer("mask", may_attend, persistent=False)
        vectors = sinusoidal(max_positions, width)
        self.register_buffer("position_vectors", vectors, persistent=False)

    @property
    def max_positions(self) -> int:
        """The longest sequence: the goal, the start and a board for each move."""
        return len(self.mask)

    def forward(
        self,
        boards: Bitboards,
        *,
        is_used: Bool[Tensor, "B T"] | None = None,
        cache: KVCache | None = None,
    ) -> Answers:
        """Answers to ``boards``, words [B, T]; with a cache they continue the games it holds.

        Where ``is_used`` is False nothing is read, and the answer means nothing.
        """
        start = 0 if cache is None else cache.length
        end = start + boards.boxes.shape[1]
        if end > self.max_positions:
            raise ValueError(f"{end} positions; this policy has room for {self.max_positions}")
        vectors = self._encode(boards, is_used) + self.position_vectors[start:end]
        mixed = self.transformer(vectors, may_attend=self.mask[start:end, :end], cache=cache)
        return Answers(self.action_head(mixed), self.steps_left_head(mixed))

    def new_cache(self, num_games: int) -> KVCache:
        """An empty cache for ``num_games`` games of the longest length, on the model's device."""
        return empty_cache_for(self.transformer, num_games, self.max_positions)

    def _encode(
        self, boards: Bitboards, is_used: Bool[Tensor, "B T"] | None
    ) -> Float[Tensor, "B T D"]:
        shape = boards.boxes.shape
        if is_used is None:
            flat = boards.map(lambda word: word.flatten())
            return self.board_encoder(bitboards.planes(flat)).unflatten(0, shape)
        # Convolutions are most of the work, so padding never reaches them.
        used = self.board_encoder(bitboards.planes(boards.at(is_used)))
        vectors = used.new_zeros(*shape, used.shape[-1])
        vectors[is_used] = used
        return vectors
