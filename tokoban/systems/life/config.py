"""The choices of one player of Life: torus, network and examples; presets are functions."""

from dataclasses import dataclass, replace
from typing import Annotated, Literal

from tokoban.systems.life.rules import LEAST_SIDE, parse_rule
from tokoban.training.config import check_fields, check_limits
from tokoban.training.limits import Between, Positive, Seed, Width

# What tells attention where a cell is: a vector for each cell, or one for its row plus one for its
# column.
Positions = Literal["cells", "rows_and_columns"]


@dataclass(frozen=True, kw_only=True)
class LifeConfig:
    """The network is the article's SingleAttentionNet: no biases, no norms, no dropout."""

    side: Annotated[int, Between(LEAST_SIDE, 64)] = 16  # of the torus, in cells: attention has a
    # weight for each pair of them
    rule: str = "B3/S23"  # with how many living neighbours a cell is born (B), and with how many it
    # survives (S): Conway's Life is B3/S23, HighLife B36/S23

    # The network
    width: Width = 64  # of the vector that stands for a cell
    positions: Positions = "rows_and_columns"  # a vector for each cell, or one for its row plus one
    # for its column
    embedding_scale: Positive = 0.3  # standard deviation of states and positions at the start

    # The examples: half of a batch is drawn, the other half is what becomes of the first
    density: Annotated[float | None, Between(0, 1)] = None  # of living cells; none: from 0 to 1,
    # another for each grid
    batch_grids: Annotated[int, Between(2, 2**16)] = 16  # of a step: half are sampled, half are
    # what becomes of these
    has_hard_grids: bool = True  # half of a batch, once the network is mostly right: the grids that
    # mislead it most
    data_seed: Seed = 0  # of the grids

    def __post_init__(self) -> None:
        parse_rule(self.rule)
        check_limits(self)
        check_fields(
            self,
            (
                "batch_grids",
                self.batch_grids % 2 == 0,
                "an even number: each grid comes with its successor",
            ),
        )


def life16() -> LifeConfig:
    """16 x 16, one layer, one head, row and column positions: the shipped ``life-16``."""
    return LifeConfig()


def seed() -> LifeConfig:
    """The article's network to the letter: a position of its own for each cell."""
    return LifeConfig(positions="cells")


def density_half() -> LifeConfig:
    """``life16`` trained as is usual: on grids of which half the cells live, none chosen hard."""
    return LifeConfig(density=0.5, has_hard_grids=False)


def tiny() -> LifeConfig:
    """A torus of 5 x 5 that is learned within seconds, badly: for tests."""
    return replace(life16(), side=5, width=16, batch_grids=8)
