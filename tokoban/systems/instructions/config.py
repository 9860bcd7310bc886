"""The choices of a network of instructions and of its examples; presets are functions."""

from dataclasses import dataclass
from typing import Annotated

from tokoban.training.config import check_network_of_squares
from tokoban.training.limits import Between, Count, CountOrZero, NumLayers, Seed, Width


@dataclass(frozen=True, kw_only=True)
class InstructionsConfig:
    """Levels have floors within 8x8 squares."""

    # The network
    width: Annotated[int, Between(4, 2**12)] = 96  # of the vector of a square or a word
    hidden_width: Annotated[int, Between(1, 2**14)] = 48  # inside each net that reads neighbours
    num_blocks: NumLayers = 8  # each attends to all squares and words
    num_heads: Count = 8  # of each attention
    reads_pixels: bool = False  # squares as pixels of the drawn board, in place of features
    vocabulary_size: Annotated[int, Between(1, 2**16)] = 512  # words that it has room for

    # The examples
    levels: Annotated[int, Between(2, 10_000)] = 1000  # that are held out
    level_seed: Seed = 0  # of the levels
    data_seed: Seed = 0  # of the sentences and the positions
    batch_examples: Width = 64  # of a batch
    readings: CountOrZero = 24  # sentences of a level of which only the meaning of names is learned
    has_questions: bool = True  # whether questions are among the examples
    workers: CountOrZero = 0  # processes that draw examples ahead of the training, for a GPU; the
    # examples are the same

    def __post_init__(self) -> None:
        check_network_of_squares(self)


def base() -> InstructionsConfig:
    """1.4 million parameters, 2.8 MB in half precision."""
    return InstructionsConfig()


def picture() -> InstructionsConfig:
    """The same network, which reads the drawn board: 8x8 pixels of each square."""
    return InstructionsConfig(reads_pixels=True)


def tiny() -> InstructionsConfig:
    """Trains within seconds, badly: for tests."""
    return InstructionsConfig(
        width=16, hidden_width=16, num_blocks=2, num_heads=2, levels=2, batch_examples=16
    )
