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
from tokoban.sokoban.search.limits import DEFAULT_LIMITS, MAX_SQUARES, Limits, Watch

# A larger state space is not explored; it takes some hundred megabytes at most.
MAX_POSITIONS = 1 << 20


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
    # Each part gets a share of the time that is left: what one leaves, the next ones have.
    watch = Watch(limits)
    inside = board.inside()
    rating = Rating("gave up", len(inside), len(board.boxes & inside))
    if len(inside) > MAX_SQUARES:
        return rating
    by_pushes = solve(board, minimise="pushes", limits=watch.rest(1 / 5))
    first = by_pushes
    if by_pushes.status == "gave up":
        # Without a solution hardly anything can be said.
        first = solve(board, minimise="any", limits=watch.rest(1 / 2))
    if first.status == "unsolvable":
        return replace(rating, status="unsolvable")
    exploration = explore(board, max_positions=MAX_POSITIONS, limits=watch.rest(1 / 3))
    reachable = None if exploration is None else exploration.reachable
    if reachable is not None and reachable.fewest_pushes is None:
        return replace(rating, status="unsolvable")
    by_moves = solve(board, minimise="moves", limits=watch.rest(1 / 2))
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
    fewest = min(solutions, key=lambda solution: solution.num_pushes)
    num_moves = min(solution.num_moves for solution in solutions)
    # A bound may prove a solution of another search.
    is_optimal = fewest.num_pushes == by_pushes.at_least_pushes
    along_solution = None
    if is_optimal:
        along_solution = choices_along(
            board, fewest.directions, limits=watch.rest(), exploration=exploration
        )
    return replace(
        rating,
        status="solved",
        pushes=Best(fewest.num_pushes, is_optimal),
        moves=Best(num_moves, num_moves == by_moves.at_least_moves),
        figures=count_figures(board, fewest.directions) if is_optimal else None,
        along_solution=along_solution,
    )
