"""The objectives of a search, its progress reports, and its answer."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple, get_args

from tokoban.sokoban.formats.level import Solution

# A solution with the fewest moves, with the fewest pushes, or the first one found.
Objective = Literal["moves", "pushes", "any"]
OBJECTIVES: tuple[Objective, ...] = get_args(Objective)


def check_objective(minimise: object, among: Sequence[object] = OBJECTIVES) -> None:
    """Raises ``ValueError`` unless ``minimise`` is one of these."""
    if minimise not in among:
        raise ValueError(f"minimise is {minimise!r}; expected one of {[*among]}")


# The outcomes of a search for a solution.
Status = Literal["solved", "unsolvable", "gave up"]
# ``Answer.solver`` where no search was needed: the board is solved, or its boxes and goals show
# that it cannot be.
BY_RULES = "rules"
# The search for the fewest pushes of a solution that obeys a sentence.
BY_INSTRUCTION = "instruction"

# What a solution has provably the fewest of.
Optimum = Literal["moves", "pushes"]

# Solutions of this many moves or pushes, or more, are not searched for.
MAX_PRICE = 1 << 16

# With "any", the weight of the lower bound of the pushes left.
HASTE = 3


class Progress(NamedTuple):
    """The progress of the search for one level, or of a part of it."""

    working: str | None = None  # the name of the search that has its turn; None while it is set up
    expansions: int = 0
    # Held in memory; sets of boxes where a search on words counts moves.
    positions: int = 0
    at_least: int | None = None  # lower bound proved so far, in the unit that is minimised
    evaluated: int = 0  # positions that a guide judged
    # So far; a unit takes about as long as a flood of the board. A pause for a spent budget does
    # not change what the search does next.
    work: int = 0
    num_bytes: int = 0  # of its arrays
    growing_bytes: int = 0  # the peak while it grows, if growing is its next step; else 0
    elapsed_s: float = 0.0  # of the whole
    best: Solution | None = None  # that ``anytime`` has found so far

    @property
    def needed_bytes(self) -> int:
        """The most bytes that it may hold until the next pause."""
        return self.growing_bytes or self.num_bytes

    def growing_with(self, part: "Progress") -> "Progress":
        """The same progress, with the growth of one of its parts."""
        more = part.growing_bytes - part.num_bytes
        return self._replace(growing_bytes=part.growing_bytes and self.num_bytes + more)

    def beside(self, other: "Progress") -> "Progress":
        """The sums of both; the other fields are those of this one."""
        return self._replace(
            expansions=self.expansions + other.expansions,
            positions=self.positions + other.positions,
            work=self.work + other.work,
            num_bytes=self.num_bytes + other.num_bytes,
        )


Report = Callable[[Progress], None]


@dataclass(frozen=True, kw_only=True)
class Answer:
    """The result of a search: solved, proved unsolvable, or given up.

    ``solver`` names the search that found the solution or the proof, or the last one that ran if
    there is neither; it is "rules" if no search was needed.
    """

    status: Status
    solver: str
    solution: Solution | None = None  # with status "solved" only
    optimum: Optimum | None = None  # the solution is proved to have the fewest of these
    at_least_moves: int | None = None  # proved: no solution has fewer
    at_least_pushes: int | None = None
    num_expansions: int = 0
    num_evaluated: int = 0  # positions that a guide judged: the evaluations of a network
    elapsed_s: float = 0.0
    reason: str | None = None  # the limit that ended the search, such as "10 s"
