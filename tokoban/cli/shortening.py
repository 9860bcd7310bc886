"""What became of the best known solution of a level, once it was tried to make it shorter."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Literal

from tokoban.cli.output import counted
from tokoban.sokoban.board import Direction
from tokoban.sokoban.formats import Level, Solution, lurd
from tokoban.sokoban.search import optimiser
from tokoban.sokoban.search.answer import Answer
from tokoban.sokoban.search.limits import Limits

Status = Literal["shorter", "not shorter", "no solution", "gave up"]


@dataclass(frozen=True)
class Outcome:
    """``before`` are the moves and the pushes of the solution, which is None if there is none."""

    status: Status
    remark: str  # what is proved, or what ended the search
    before: tuple[int, int] | None = None
    best: Solution | None = None
    is_proved_optimal: bool = False
    elapsed_s: float = 0.0
    is_interrupted: bool = False  # by Ctrl-C


def shorten(
    level: Level,
    given: tuple[Direction, ...] | None,
    *,
    minimise: str,
    time_limit_s: float,
    memory_limit_mb: float,
    tell: Callable[[Solution], None],
) -> Outcome:
    """Makes the given solution shorter, or else the best that the level has.

    After Ctrl-C it is the best so far. Raises ``ValueError`` if what is given does not solve the
    level; a level that is too large is given up.
    """
    solution = _best_known(level, minimise) if given is None else given
    if solution is None:
        return Outcome("no solution", "there is none in the file")
    best: Answer | None = None

    def listen(so_far: Answer) -> None:
        nonlocal best
        best = so_far
        assert so_far.solution is not None
        tell(so_far.solution)

    is_interrupted = False
    try:
        best = optimiser.optimise(
            level.board,
            solution,
            minimise=minimise,
            limits=Limits(time_limit_s=time_limit_s, memory_limit_mb=memory_limit_mb),
            report=listen,
        )
    except ValueError as error:
        if given is not None:
            raise ValueError(f"--solution: {error}") from None
        return Outcome("gave up", str(error))
    except KeyboardInterrupt:
        if best is None:
            raise
        is_interrupted = True
    before = _count(level, solution)
    assert best.solution is not None
    after = best.solution.num_moves, best.solution.num_pushes
    is_shorter = _in_order(after, minimise) < _in_order(before, minimise)
    remark = f"stopped at {'Ctrl-C' if is_interrupted else best.reason}"
    if best.optimum is not None:
        remark = f"proved: no solution has fewer {minimise}"
    status: Status = "shorter" if is_shorter else "not shorter"
    return Outcome(
        status,
        remark,
        before,
        best.solution,
        is_proved_optimal=best.optimum is not None,
        elapsed_s=best.elapsed_s,
        is_interrupted=is_interrupted,
    )


def length(moves: int, pushes: int) -> str:
    """Both figures in words."""
    return f"{counted(moves, 'move')}, {counted(pushes, 'push')}"


def _best_known(level: Level, minimise: str) -> tuple[Direction, ...] | None:
    """The best solution of a level; a level that starts solved has that of no moves."""
    if level.board.is_solved:
        return ()
    return min(
        (solution.directions for solution in level.solutions),
        key=lambda directions: _in_order(_count(level, directions), minimise),
        default=None,
    )


def _count(level: Level, directions: Iterable[Direction]) -> tuple[int, int]:
    """Moves and pushes."""
    moves = lurd.format(level.board, directions)
    return len(moves), sum(map(str.isupper, moves))


def _in_order(figures: tuple[int, int], minimise: str) -> tuple[int, int]:
    """Moves and pushes, first what is to be small."""
    return figures if minimise == "moves" else figures[::-1]
