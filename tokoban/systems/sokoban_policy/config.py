"""The choices of one policy: its network and its examples; presets are functions."""

from dataclasses import dataclass, replace
from typing import Annotated, Literal

from tokoban.training.config import check_fields, check_limits, heads_divide_width
from tokoban.training.limits import (
    Between,
    Count,
    NumLayers,
    Seed,
    ShareBelowOne,
    Width,
)

BEAM_WIDTH = 32  # where nobody says another
MAX_BEAM_WIDTH = 8192  # one level alone then takes some 100 MB
VALIDATION_SEED = 1  # of the levels to validate on


@dataclass(frozen=True, kw_only=True)
class SokobanPolicyConfig:
    """Boards have one box and fit 6 x 6 squares inside their walls."""

    # The network
    width: Width = 16  # of the vector that stands for a board
    num_layers: NumLayers = 3  # each attention and a feed-forward net
    num_heads: Count = 8  # of each attention
    max_positions: Annotated[int, Between(3, 4096)] = 32  # the goal, the start, and a board for
    # each of 30 moves
    dropout: ShareBelowOne = 0.01  # dropout rate in training
    has_history: bool = True  # false: the baseline that sees the goal and the current board only
    pre_norm: bool = True  # norms before the layers, not after them as in the post
    encoder_channels: Width = 32  # of each convolution
    encoder_layers: NumLayers = 5  # convolutions of a board; the first sheds the outer ring of
    # walls

    # The examples
    labels: Literal["astar", "exact"] = "exact"  # astar: one shortest solution of each level;
    # exact: all best moves of every position
    num_levels: Annotated[int, Between(2, 10**8)] = 8000  # astar: half of them solvable; exact:
    # generated without end
    num_validation_levels: Annotated[int, Between(2, 10**6)] = 4000  # half of them solvable;
    # training sees none of them, not even turned or mirrored
    data_seed: Seed = 0  # of the levels to train on
    batch_games: Width = 128  # of a step
    beam_width: Annotated[int, Between(1, MAX_BEAM_WIDTH)] = BEAM_WIDTH  # of the evaluation

    def __post_init__(self) -> None:
        check_limits(self)
        check_fields(
            self,
            ("width", self.width % 2 == 0, "an even number, for its sines and cosines"),
            heads_divide_width(self),
        )


def blog() -> SokobanPolicyConfig:
    """The post's network on exact labels: what the shipped ``sokoban-8x8`` is trained with."""
    return SokobanPolicyConfig()


def post() -> SokobanPolicyConfig:
    """The post's recipe and labels: one A* solution of each level, eight symmetries, batch 32."""
    return SokobanPolicyConfig(labels="astar", batch_games=32, pre_norm=False)


def post_memoryless() -> SokobanPolicyConfig:
    """The post's second network, which sees the goal and the current board only."""
    return replace(post(), has_history=False)


def tiny() -> SokobanPolicyConfig:
    """Trains within seconds, badly: for tests."""
    return SokobanPolicyConfig(
        num_layers=1, encoder_channels=8, encoder_layers=2, num_levels=64,
        num_validation_levels=32, batch_games=16, beam_width=4,
    )  # fmt: skip
