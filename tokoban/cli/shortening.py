"""Shortens the best known solution of a level, and reports the outcome."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import tokoban
from tokoban.sokoban.formats import Level, Solution
from tokoban.sokoban.search.answer import Answer, Optimum
from tokoban.sokoban.search.combine.anytime import InterruptedSearch

Status = Literal["shorter", "not shorter", "no solution", "gave up"]


@dataclass(frozen=True)
class Outcome:
    """``before`` is the solution that was to be made shorter, None if there is none."""

    status: Status
    remark: str  # what is proved, or what ended the search
    before: Solution | None = None
    answer: Answer | None = None

    @property
    def best(self) -> Solution | None:
        """The shortest solution that is known now."""
        return None if self.answer is None else self.answer.solution

    @property
    def elapsed_s(self) -> float:
        """The time that it took."""
        return 0.0 if self.answer is None else self.answer.elapsed_s

    @property
    def is_proved_optimal(self) -> bool:
        """Whether no solution is shorter."""
        return self.answer is not None and self.answer.optimum is not None


def shorten(
    level: Level,
    *,
    minimise: Optimum,
    time_limit_s: float,
    memory_limit_mb: float,
    report: Callable[[Answer], None],
) -> Outcome:
    """Shortens the best solution that the level has; gives up a level that is too large.

    Ctrl-C raises ``InterruptedSearch`` with the outcome by then, if there is one.
    """
    before = _best_known(level, minimise)
    if before is None:
        return Outcome("no solution", "there is none in the file")
    try:
        answer = tokoban.optimise(
            level.board,
            before,
            minimise=minimise,
            time_limit_s=time_limit_s,
            memory_limit_mb=memory_limit_mb,
            report=report,
        )
    except ValueError as error:
        return Outcome("gave up", str(error))
    except InterruptedSearch as interrupt:
        if interrupt.answer is None:
            raise
        outcome = _outcome(before, interrupt.answer, minimise, ended_by="Ctrl-C")
        raise InterruptedSearch(outcome) from None
    return _outcome(before, answer, minimise, ended_by=answer.reason)


def _outcome(
    before: Solution, answer: Answer, minimise: Optimum, *, ended_by: str | None
) -> Outcome:
    """The outcome of a search that came to an answer, or was ended with one."""
    assert answer.solution is not None
    is_shorter = _in_order(answer.solution, minimise) < _in_order(before, minimise)
    remark = f"stopped at {ended_by}"
    if answer.optimum is not None:
        remark = f"proved: no solution has fewer {minimise}"
    return Outcome("shorter" if is_shorter else "not shorter", remark, before, answer)


def _best_known(level: Level, minimise: Optimum) -> Solution | None:
    """The best solution of a level; a level that starts solved has that of no moves."""
    if level.board.is_solved:
        return Solution("")
    return min(level.solutions, key=lambda one: _in_order(one, minimise), default=None)


def _in_order(solution: Solution, minimise: Optimum) -> tuple[int, int]:
    """Moves and pushes, the objective first."""
    figures = solution.num_moves, solution.num_pushes
    return figures if minimise == "moves" else figures[::-1]
