"""What a level asks of its player, as measured: optimal length, branching, how much of it loses."""

from dataclasses import dataclass, replace
from typing import Literal

from tokoban.sokoban.board import Board
from tokoban.sokoban.figures import Figures, count_figures
from tokoban.sokoban.puzzles.choices import Choices, Explored, choices_along, explore
from tokoban.sokoban.search.limits import Limits
from tokoban.sokoban.search.single import MAX_SQUARES
from tokoban.sokoban.search.solver import solve

Status = Literal["solved", "unsolvable", "not known"]

# Positions that are explored before that is given up: some hundred megabytes at most.
MAX_POSITIONS = 1 << 20
# The time is shared by five: fewest pushes, fewest moves, any solution, the choices along a plan,
# and all positions.
_NUM_PARTS = 5


@dataclass(frozen=True)
class Best:
    """The smallest number known, and whether it is proved that there is none smaller."""

    value: int
    is_proved: bool


@dataclass(frozen=True)
class Rating:
    """The measures of one level; what is not known within the limits is None, all else is exact."""

    status: Status
    floor: int  # squares that the player could walk to were there no boxes
    boxes: int  # on these squares
    pushes: Best | None = None
    moves: Best | None = None
    figures: Figures | None = None  # of a solution with the fewest pushes, if those are proved
    along_plan: Choices | None = None  # of the same solution
    explored: Explored | None = None


def rate(
    board: Board, *, limits: Limits | None = None, max_positions: int = MAX_POSITIONS
) -> Rating:
    """Measures one level; ``limits`` hold for each part of the work, their time for all of it.

    Without any, ten seconds. The compilation on first use does not count.
    """
    limits = limits or Limits(time_limit_s=10.0)
    if limits.time_limit_s is not None:
        limits = replace(limits, time_limit_s=limits.time_limit_s / _NUM_PARTS)
    options = vars(limits)
    inside = board.inside()
    unknown = Rating("not known", len(inside), len(board.boxes & inside))

    if len(inside) > MAX_SQUARES:
        return unknown
    by_pushes = solve(board, minimise="pushes", **options)
    first = by_pushes
    if by_pushes.status == "gave up":
        first = solve(board, minimise="any", **options)
    if first.status == "unsolvable":
        return replace(unknown, status="unsolvable")
    exploration = explore(board, max_positions=max_positions, time_limit_s=limits.time_limit_s)
    explored = None if exploration is None else exploration.explored
    if explored is not None and explored.fewest_pushes is None:
        return replace(unknown, status="unsolvable")
    by_moves = solve(board, minimise="moves", **options)
    solutions = [one.solution for one in (first, by_moves) if one.solution is not None]
    if not solutions:
        return replace(unknown, explored=explored)
    figures = [count_figures(board, solution.directions) for solution in solutions]
    is_optimal = by_pushes.status == "solved"
    along_plan = None
    if is_optimal:
        plan = solutions[0].directions
        along_plan = choices_along(board, plan, limits=limits, exploration=exploration)
    return replace(
        unknown,
        status="solved",
        pushes=Best(min(own.pushes for own in figures), is_optimal),
        moves=Best(min(own.moves for own in figures), by_moves.status == "solved"),
        figures=figures[0] if is_optimal else None,
        along_plan=along_plan,
        explored=explored,
    )
