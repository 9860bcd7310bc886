"""Measures of a level's difficulty: optimal lengths, branching, and the share of losing pushes.

Jarušek and Pelánek, "Difficulty rating of Sokoban puzzle" (STAIRS 2010), compare such measures with
the time that people need.
"""

from dataclasses import dataclass, replace

from tokoban.sokoban.board import Board
from tokoban.sokoban.figures import Figures, count_figures
from tokoban.sokoban.puzzles.choices import choices_along
from tokoban.sokoban.puzzles.state_space import Choices, Reachable, explore
from tokoban.sokoban.search.answer import Status
from tokoban.sokoban.search.combine.solver import solve
from tokoban.sokoban.search.limits import DEFAULT_LIMITS, MAX_SQUARES, Limits

# A larger state space is not explored; it takes some hundred megabytes at most.
MAX_POSITIONS = 1 << 20
# The time is shared by five: fewest pushes, fewest moves, any solution, the choices along a
# solution, and the state space.
_NUM_PARTS = 5


@dataclass(frozen=True)
class Best:
    """The smallest number known, and whether it is proved that there is none smaller."""

    value: int
    is_proved: bool


@dataclass(frozen=True)
class Rating:
    """The figures of one level; what the limits leave open is None, all else is exact."""

    status: Status
    floor: int  # squares that the player could walk to were there no boxes
    boxes: int  # on these squares
    pushes: Best | None = None
    moves: Best | None = None
    at_least_pushes: int | None = None  # proved: no solution has fewer
    at_least_moves: int | None = None
    figures: Figures | None = None  # of a solution with the fewest pushes, if those are proved
    along_solution: Choices | None = None  # of the same solution
    reachable: Reachable | None = None


def rate(
    board: Board,
    *,
    limits: Limits = DEFAULT_LIMITS,
) -> Rating:
    """Measures one level; the limits hold for each part of the work, their time for all of it.

    The compilation on first use does not count.
    """
    if limits.time_limit_s is not None:
        limits = replace(limits, time_limit_s=limits.time_limit_s / _NUM_PARTS)
    inside = board.inside()
    rating = Rating("gave up", len(inside), len(board.boxes & inside))
    if len(inside) > MAX_SQUARES:
        return rating
    by_pushes = solve(board, minimise="pushes", limits=limits)
    first = by_pushes
    if by_pushes.status == "gave up":
        first = solve(board, minimise="any", limits=limits)
    if first.status == "unsolvable":
        return replace(rating, status="unsolvable")
    exploration = explore(board, max_positions=MAX_POSITIONS, limits=limits)
    reachable = None if exploration is None else exploration.reachable
    if reachable is not None and reachable.fewest_pushes is None:
        return replace(rating, status="unsolvable")
    by_moves = solve(board, minimise="moves", limits=limits)
    if by_moves.status == "unsolvable":
        return replace(rating, status="unsolvable")
    rating = replace(
        rating,
        at_least_pushes=by_pushes.at_least_pushes,
        at_least_moves=by_moves.at_least_moves,
        reachable=reachable,
    )
    solutions = [one.solution for one in (first, by_moves) if one.solution is not None]
    if not solutions:
        return rating
    figures = [count_figures(board, solution.directions) for solution in solutions]
    is_optimal = by_pushes.status == "solved"
    along_solution = None
    if is_optimal:
        along_solution = choices_along(
            board, solutions[0].directions, limits=limits, exploration=exploration
        )
    return replace(
        rating,
        status="solved",
        pushes=Best(min(own.pushes for own in figures), is_optimal),
        moves=Best(min(own.moves for own in figures), by_moves.status == "solved"),
        figures=figures[0] if is_optimal else None,
        along_solution=along_solution,
    )
