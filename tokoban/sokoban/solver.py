"""The one entry to the solvers: fewest moves, fewest pushes or any plan, with three honest answers.

Boards whose floor fits one word are solved by ``solving.batch``, larger ones by
``solving.by_squares``. A plan is replayed by the plain rules before anybody sees it.
"""

from tokoban.sokoban import rules
from tokoban.sokoban.board import Board, Square
from tokoban.sokoban.deadlocks import frozen_boxes
from tokoban.sokoban.solving.answer import (
    OBJECTIVES,
    Answer,
    GaveUp,
    Limits,
    Solved,
    Unsolvable,
)
from tokoban.sokoban.solving.batch import solve_one
from tokoban.sokoban.solving.by_squares import solve_by_squares
from tokoban.sokoban.solving.levels import from_board

__all__ = ["Answer", "GaveUp", "Solved", "Unsolvable", "solve"]

MAX_SQUARES = 64 * 64


def solve(
    board: Board,
    *,
    minimise: str = "moves",
    max_expansions: int | None = None,
    time_limit_s: float | None = None,
    memory_limit_mb: float = 2000.0,
) -> Answer:
    """Finds a plan with the fewest moves, the fewest pushes, or any; or proves that there is none.

    ``expansions`` counts positions whose pushes were all tried, and for the fewest moves also the
    sets of boxes looked at in each layer of the moves. Boxes on goals that the player can never
    come near are left alone. A board that starts solved has the plan of no moves.
    """
    if minimise not in OBJECTIVES:
        raise ValueError(f"minimise is 'moves', 'pushes' or 'any', not {minimise!r}")
    if board.is_solved:
        return Solved((), expansions=0, elapsed_s=0.0)
    area = board.inside()
    if len(area) > MAX_SQUARES:
        raise ValueError(f"expected at most {MAX_SQUARES} squares of floor, got {len(area)}")
    if _is_hopeless(board, area):
        return Unsolvable(expansions=0, elapsed_s=0.0)
    limits = Limits(
        max_expansions=max_expansions, time_limit_s=time_limit_s, memory_limit_mb=memory_limit_mb
    )
    level = from_board(board)
    if level is not None:
        answer = solve_one(level, minimise, limits)
    else:
        answer = solve_by_squares(board, minimise, limits)
    if isinstance(answer, Solved) and not rules.play(board, answer.directions)[-1].is_solved:
        raise RuntimeError(f"the rules refuse the plan {answer.directions} of {board}")
    return answer


def _is_hopeless(board: Board, area: frozenset[Square]) -> bool:
    """Whether a box or a goal is left over without any search, or a box is frozen off its goal."""
    return (
        len(board.boxes) != len(board.goals)
        or board.boxes - area != board.goals - area
        or not frozen_boxes(board) <= board.goals
    )
