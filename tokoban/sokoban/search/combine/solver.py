"""Chooses a search for a board: fewest moves, fewest pushes or any solution.

docs/decisions/0012-which-solver-when.md says which board goes to which search, and why.
"""

from tokoban.sokoban.board import Board
from tokoban.sokoban.search.answer import Answer, Optimum, Report, check_objective
from tokoban.sokoban.search.bitboard import batch
from tokoban.sokoban.search.bitboard.batch import OneWord
from tokoban.sokoban.search.bitboard.levels import from_board
from tokoban.sokoban.search.combine import portfolio
from tokoban.sokoban.search.limits import DEFAULT_LIMITS, Limits
from tokoban.sokoban.search.pauses import Budget, Search, set_up
from tokoban.sokoban.search.run import find_answer
from tokoban.sokoban.search.searches.astar import solver as astar_search
from tokoban.sokoban.search.searches.beam import pull_beam, push_beam
from tokoban.sokoban.search.searches.fess import solver as fess_solver


def solve(
    board: Board,
    *,
    minimise: str = "moves",
    limits: Limits = DEFAULT_LIMITS,
    report: Report | None = None,
) -> Answer:
    """Finds a solution with the fewest moves or pushes, or any; or proves that there is none.

    ``num_expansions`` counts positions whose pushes were all tried, and for the fewest moves also
    the sets of boxes looked at in each layer of the moves. For "any", several searches run in turn.
    Their work decides when a turn ends, not the clock, so that every machine finds the same
    solution. All else is as ``run.find_answer`` says.
    """
    check_objective(minimise)
    return find_answer(
        board,
        lambda budget: _search_for(board, minimise, limits, budget),
        limits,
        minimise=minimise,
        report=report,
    )


def prepare() -> None:
    """Compiles every search, or loads what was compiled before, as each first use of one does."""
    batch.prepare()
    astar_search.prepare()
    fess_solver.prepare()
    pull_beam.prepare()
    push_beam.prepare()


def _search_for(board: Board, minimise: str, limits: Limits, budget: Budget) -> Search:
    """Begins the search for a board; its code is compiled first."""
    level = from_board(board)
    if level is None:
        astar_search.prepare()
    else:
        batch.prepare()
    if minimise == "any":
        return portfolio.search(budget, board=board, limits=limits)
    if level is not None:
        return OneWord(level, minimise).search(budget)
    optimum: Optimum = "moves" if minimise == "moves" else "pushes"
    return set_up(astar_search.astar_in_steps(board, optimum), budget)
