"""Ever better solutions of one board, with lower bounds, until a limit is reached.

Any solution comes first: most often it is found at once, and it is all there is for hard levels.
The fewest moves follow and, if they are not found, the fewest pushes, which take less time.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from tokoban.sokoban.board import Board
from tokoban.sokoban.search.answer import BY_RULES, Answer, Objective, Progress
from tokoban.sokoban.search.combine import solver
from tokoban.sokoban.search.limits import STOPPED, Limits, Reason, Watch, out_of_time
from tokoban.sokoban.search.run import given_up
from tokoban.sokoban.wording import counted

OBJECTIVE_NAMES: Mapping[Objective, str] = {
    "any": "any solution",
    "moves": "fewest moves",
    "pushes": "fewest pushes",
}
# The searches one after the other, and the share of the time left that each may use.
_SHARES: Mapping[Objective, float] = {"any": 0.75, "moves": 0.5, "pushes": 1.0}

# Called with the objective of the search that runs, and its progress.
Report = Callable[[Objective, Progress], None]


class InterruptedSearch(KeyboardInterrupt):
    """Ctrl-C during a search; ``answer`` is what it would have returned had it been stopped."""

    def __init__(self, answer: Any) -> None:
        super().__init__()
        self.answer = answer


def solve_anytime(
    board: Board,
    *,
    minimise: Objective | None = None,
    limits: Limits,
    report: Report | None = None,
) -> Iterator[Answer]:
    """Yields an answer for each better solution, and a last one with all bounds.

    Looks for any solution, then for the fewest moves and, if those are not proved, for the fewest
    pushes; ``minimise`` asks for one of the three alone. The searches share the time limit; the
    other limits hold for each. Ctrl-C raises ``InterruptedSearch`` with what is known. Compilation
    on first use is not counted.
    """
    known = _Known(board, limits, report)
    yielded: Answer | None = None
    shares = _SHARES if minimise is None else {minimise: 1.0}
    for objective, share in shares.items():
        if objective == known.answer.optimum:
            continue
        if known.answer.optimum is not None:
            share = 1.0  # nothing else is left to look for
        found = known.search(objective, share)
        known.add(objective, found)
        if known.is_complete or found.reason == STOPPED:
            break
        if found.solution is not None:
            yielded = known.answer
            yield yielded
    if known.answer != yielded:
        yield known.answer


def best_answer(
    board: Board,
    *,
    minimise: Objective | None = None,
    limits: Limits,
    report: Report | None = None,
) -> Answer:
    """The last answer of ``solve_anytime``."""
    answers = solve_anytime(board, minimise=minimise, limits=limits, report=report)
    *_, last = answers
    return last


class _Known:
    """The knowledge about a board while searches follow each other; mutable."""

    def __init__(self, board: Board, limits: Limits, report: Report | None) -> None:
        self.answer = Answer(status="gave up", solver=BY_RULES)
        self.is_complete = False
        self._board, self._limits, self._report = board, limits, report
        self._reasons: dict[Objective, str] = {}  # why a search did not find what it looked for

    def search(self, objective: Objective, share: float) -> Answer:
        """One search; a board that no search takes is a reason to give up."""
        left_s = self._limits.time_limit_s
        if left_s is not None:
            left_s = max(0.0, round(share * (left_s - self.answer.elapsed_s), 3))
        reached = Progress()
        watch = Watch(self._limits)

        def follow(progress: Progress) -> None:
            nonlocal reached
            reached = progress
            if self._report is not None:
                self._report(objective, progress._replace(best=self.answer.solution))

        try:
            return solver.solve(
                self._board,
                minimise=objective,
                limits=replace(self._limits, time_limit_s=left_s),
                report=follow,
            )
        except ValueError as error:
            reason = next((one for one in error.args if isinstance(one, Reason)), None)
            if reason is None:  # an error of the report
                raise
            self.is_complete = True
            spent_s = watch.elapsed_s()
            return Answer(status="gave up", solver=BY_RULES, reason=reason, elapsed_s=spent_s)
        except KeyboardInterrupt:
            self.add(objective, replace(given_up(reached, objective), reason=STOPPED))
            raise InterruptedSearch(self.answer) from None

    def add(self, objective: Objective, found: Answer) -> None:
        """Adds what a search that ended has found."""
        before = self.answer
        self.answer = replace(
            before if found.status == "gave up" else found,
            at_least_moves=_larger(before.at_least_moves, found.at_least_moves),
            at_least_pushes=_larger(before.at_least_pushes, found.at_least_pushes),
            num_expansions=before.num_expansions + found.num_expansions,
            elapsed_s=before.elapsed_s + found.elapsed_s,
        )
        if found.status == "gave up":
            cause = str(found.reason) if self.is_complete else _why(objective, found)
            self._reasons[objective] = self._coded(cause, found.reason)
            if before.solution is None:
                self.answer = replace(self.answer, solver=found.solver)
        elif found.status == "unsolvable":
            self.is_complete = True
            self._reasons = {}
            self.answer = replace(self.answer, at_least_moves=None, at_least_pushes=None)
        else:
            self._reasons.pop("any", None)  # there is a solution, whichever search found it
            self.is_complete = found.optimum is not None and (
                objective != "any" or found.optimum == "moves"
            )
        self.answer = replace(self.answer, reason=None)
        if self._reasons:
            *_, last = self._reasons.values()
            told = self._coded("; ".join(self._reasons.values()), last)
            self.answer = replace(self.answer, reason=told)

    def _coded(self, sentence: str, reason: str | None) -> str:
        """A sentence with the code of a reason; the time is that of all searches together."""
        if not isinstance(reason, Reason):
            return sentence
        if reason.code == "time" and self._limits.time_limit_s is not None:
            reason = out_of_time(self._limits.time_limit_s)
        return reason.with_sentence(sentence)


def _larger(one: int | None, other: int | None) -> int | None:
    return max((bound for bound in (one, other) if bound is not None), default=None)


def _why(objective: Objective, found: Answer) -> str:
    """Why a search failed, with the bound that it proved."""
    bound = found.at_least_moves if objective == "moves" else found.at_least_pushes
    proved = f" (at least {bound:,})" if bound else ""
    name = OBJECTIVE_NAMES[objective]
    if found.reason == STOPPED:
        spent = f"{found.elapsed_s:.1f} s and {counted(found.num_expansions, 'expansion')}"
        return f"stopped after {spent} for {name}{proved}"
    missed = "no solution" if objective == "any" else f"{name} not"
    return f"{missed} found within {found.reason}{proved}"
