"""The choices of a network of subgoals and of its examples; presets are functions."""

from dataclasses import dataclass
from typing import Annotated

from tokoban.training.config import check_network_of_squares
from tokoban.training.limits import Between, Count, CountOrZero, NumLayers, Seed, Width


@dataclass(frozen=True, kw_only=True)
class SubgoalsConfig:
    """Generated levels of 2 to 4 boxes have floors within 6x6 squares."""

    # The network
    width: Annotated[int, Between(4, 2**12)] = 64  # of the vector of a square
    hidden_width: Annotated[int, Between(1, 2**14)] = 64  # inside each net that reads neighbours
    num_blocks: NumLayers = 6  # every second one attends to all squares
    num_heads: Count = 4  # of each attention

    # The examples
    levels: Annotated[int, Between(3, 10_000)] = 1500  # that are held out
    level_seed: Seed = 0  # of the levels
    level_files: tuple[str, ...] = ()  # whose levels of at most 4 boxes take turns with generated
    # ones, if their floors lie within 8x8 squares
    data_seed: Seed = 0  # of the positions
    batch_positions: Width = 64  # of a batch
    workers: CountOrZero = 0  # processes that draw positions ahead of the training, for a GPU; the
    # positions are the same

    def __post_init__(self) -> None:
        check_network_of_squares(self)


def article() -> SubgoalsConfig:
    """The sizes of ``sokoban-push``, to steer the article's policy of one box."""
    return SubgoalsConfig()


def tiny() -> SubgoalsConfig:
    """Trains within seconds, badly: for tests."""
    return SubgoalsConfig(
        width=16, hidden_width=16, num_blocks=2, num_heads=2, levels=3, batch_positions=16
    )
