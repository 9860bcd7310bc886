"""The one entry to the solvers: fewest moves, fewest pushes or any plan, with three honest answers.

Which search a board goes to, and why, is told in docs/decisions/0012-which-solver-when.md.
"""

from collections.abc import Callable
from dataclasses import replace
from functools import partial

from tokoban import compiling
from tokoban.sokoban.board import Board, Direction
from tokoban.sokoban.large_solver import solver as large_solver
from tokoban.sokoban.solving import batch, by_squares
from tokoban.sokoban.solving.answer import (
    OBJECTIVES,
    Answer,
    GaveUp,
    Limits,
    Progress,
    Report,
    Solved,
    Unsolvable,
)
from tokoban.sokoban.solving.batch import OneWord
from tokoban.sokoban.solving.by_squares import BySquares
from tokoban.sokoban.solving.levels import Levels, from_board
from tokoban.sokoban.solving.single import Outcome, Search, find_answer

__all__ = ["Answer", "GaveUp", "Progress", "Solved", "Unsolvable", "solve"]

# With "any", expansions on one word before the search from both ends: it is the better one for the
# few boards of that size that take more.
_FEW_EXPANSIONS = 10_000


def solve(
    board: Board,
    *,
    minimise: str = "moves",
    max_expansions: int | None = None,
    time_limit_s: float | None = None,
    memory_limit_mb: float = 2000.0,
    report: Report | None = None,
    clock: Callable[[], float] = compiling.clock,
) -> Answer:
    """Finds a plan with the fewest moves, the fewest pushes, or any; or proves that there is none.

    ``expansions`` counts positions whose pushes were all tried, and for the fewest moves also the
    sets of boxes looked at in each layer of the moves. All else is as ``single.find_answer`` says.
    """
    if minimise not in OBJECTIVES:
        raise ValueError(f"minimise is 'moves', 'pushes' or 'any', not {minimise!r}")
    limits = Limits(
        max_expansions=max_expansions, time_limit_s=time_limit_s, memory_limit_mb=memory_limit_mb
    )
    return find_answer(board, _search_for(board, minimise), limits, report=report, clock=clock)


def prepare() -> None:
    """Compiles every search, or loads what was compiled before, as each first use of one does."""
    batch.prepare()
    by_squares.prepare()
    large_solver.prepare()


def _search_for(board: Board, minimise: str) -> Callable[[], Search]:
    """What begins the search for a board, already compiled."""
    level = from_board(board)
    if level is None and minimise != "any":
        by_squares.prepare()
        return partial(BySquares, board, minimise)
    if minimise == "any":
        large_solver.prepare()
    if level is None:
        return partial(large_solver.new_search, board)
    batch.prepare()
    return (
        partial(_InTurn, board, level) if minimise == "any" else partial(OneWord, level, minimise)
    )


class _InTurn:
    """A search for any plan on one word and, after a few expansions, another from both ends."""

    def __init__(self, board: Board, level: Levels) -> None:
        self._board = board
        self._search: Search = OneWord(level, "any")
        self._expansions_before = 0  # of the first search, once the second goes on

    def go_on(self, budget: int, max_expansions: int | None) -> Outcome:
        """As ``single.Search`` says; the unit of its work is that of the search at hand."""
        left = None if max_expansions is None else max_expansions - self._expansions_before
        if self._expansions_before > 0:
            return self._search.go_on(budget, left)
        few = _FEW_EXPANSIONS if left is None else min(left, _FEW_EXPANSIONS)
        outcome = self._search.go_on(budget, few)
        is_over = self._search.progress(0.0).expansions == _FEW_EXPANSIONS
        if is_over and outcome == Outcome.BUDGET_SPENT:
            self._search = large_solver.new_search(self._board)
            self._expansions_before = _FEW_EXPANSIONS
        return outcome

    def progress(self, elapsed_s: float) -> Progress:
        """As ``single.Search`` says."""
        progress = self._search.progress(elapsed_s)
        return replace(progress, expansions=self._expansions_before + progress.expansions)

    def num_bytes(self) -> int:
        """As ``single.Search`` says."""
        return self._search.num_bytes()

    def num_bytes_while_growing(self) -> int:
        """As ``single.Search`` says."""
        return self._search.num_bytes_while_growing()

    def grow(self) -> None:
        """As ``single.Search`` says."""
        self._search.grow()

    def directions(self) -> tuple[Direction, ...]:
        """As ``single.Search`` says."""
        return self._search.directions()
