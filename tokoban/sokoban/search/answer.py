"""What may be asked about a board, what is told meanwhile, and the three honest answers."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from tokoban.sokoban.board import Direction

# A plan with the fewest moves, with the fewest pushes, or any plan that is quickly found.
OBJECTIVES = ("moves", "pushes", "any")

# What a plan may be proved to have fewest of.
Optimum = Literal["moves", "pushes"]

# Of so many moves, or pushes, no plan is looked for.
MAX_PRICE = 1 << 16

# With "any" a push to go counts as much as this many that were made.
HASTE = 3


@dataclass(frozen=True)
class Progress:
    """How far the search for one level is."""

    expansions: int
    positions: (
        int  # that are held in memory; or, where moves are counted on one word, sets of boxes
    )
    elapsed_s: float
    at_least: int | None = None  # moves or pushes, what is minimised, of any plan: proved so far


Report = Callable[[Progress], None]


@dataclass(frozen=True)
class Solved:
    """A plan; ``directions`` are all the player's moves."""

    directions: tuple[Direction, ...]
    expansions: int
    elapsed_s: float
    optimum: Optimum | None = None  # what no plan has fewer of, where that is proved


@dataclass(frozen=True)
class Unsolvable:
    """Proved: no moves solve the board."""

    expansions: int
    elapsed_s: float


@dataclass(frozen=True)
class GaveUp:
    """Neither solved nor proved unsolvable when ``limit`` was reached, such as "10 s"."""

    limit: str
    expansions: int
    elapsed_s: float
    at_least: int | None = None  # as ``Progress.at_least``


Answer = Solved | Unsolvable | GaveUp
