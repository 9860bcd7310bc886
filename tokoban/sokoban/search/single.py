"""One board: what is known without a search, and a search in slices, so that limits hold."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Protocol, runtime_checkable

from tokoban import compiling
from tokoban.sokoban.board import Board, Direction, Square
from tokoban.sokoban.deadlocks import frozen_boxes
from tokoban.sokoban.formats.level import Solution
from tokoban.sokoban.search.answer import (
    BY_RULES,
    MAX_PRICE,
    Answer,
    Optimum,
    Progress,
    Report,
)
from tokoban.sokoban.search.limits import (
    STOPPED,
    Limits,
    Reason,
    out_of_memory,
    out_of_time,
    too_large,
)
from tokoban.sokoban.search.outcome import Outcome

MAX_SQUARES = 64 * 64

_SLICE_S = 0.01  # how long compiled code runs before limits and Ctrl-C are looked at
_MOST_WORK = 1 << 30  # of one call: a search that ends its turns earlier never spends its budget


@runtime_checkable
class Search(Protocol):
    """A search for one board that can be left off and gone on with."""

    @property
    def name(self) -> str:
        """Its name in answers, such as "astar"."""

    def go_on(self, budget: int, max_expansions: int | None) -> Outcome:
        """Searches for about so much work, in a unit of its own, and no more expansions in all."""

    def progress(self, elapsed_s: float) -> Progress:
        """Its progress; ``elapsed_s`` is only passed on."""

    def num_bytes(self) -> int:
        """The bytes of its arrays."""

    def num_bytes_while_growing(self) -> int:
        """The most bytes of its arrays while it grows."""

    def grow(self) -> None:
        """Makes room after it found that there was none."""

    def directions(self) -> tuple[Direction, ...]:
        """The solution that it found."""

    def optimum(self) -> Optimum | None:
        """The measure by which that solution is proved the best; None if by none."""


@runtime_checkable
class SliceSearch(Search, Protocol):
    """A search that is given turns; ``go_on`` takes its budget in the unit of ``work``."""

    @property
    def is_complete(self) -> bool:
        """Whether nothing but sound rules dropped positions, so that EXHAUSTED is a proof."""

    @property
    def work(self) -> int:
        """The work so far, in floods of the board or what takes as long.

        Where ``go_on`` stops for its budget, the search goes on later as if it had not stopped.
        """


# A board of one push. A search of it compiles what searches call, so that no clock counts that.
ONE_PUSH = Board(
    1, 3, frozenset(), frozenset({Square(0, 2)}), frozenset({Square(0, 1)}), Square(0, 0)
)


def solve_in_slices(search: Search) -> None:
    """Goes on with the search of a board that has a solution until it is there."""
    while search.go_on(1, None) != Outcome.SOLVED:
        pass
    search.directions()


@dataclass(frozen=True)
class Stage:
    """A search, and after how many expansions of it the next stage follows; None if it is the last.

    What starts the search for a board is an iterator of stages. It yields None after each step of
    setting one up, so that limits and Ctrl-C are looked at between the steps.
    """

    search: Search
    max_expansions: int | None = None


Stages = Iterator[Stage | None]


def find_answer(
    board: Board,
    new_stages: Callable[[], Stages],
    limits: Limits,
    *,
    minimise: str = "any",
    report: Report | None = None,
    clock: Callable[[], float] = compiling.clock,
) -> Answer:
    """The answer to a board; ``new_stages`` is called if a search is needed.

    ``minimise`` is what the search minimises, and so what its lower bounds are about.

    Boxes on goals that the player can never reach are left alone; any other box or goal beyond the
    player's reach proves that there is no solution. The solution of a solved board is empty. Every
    solution is replayed by the reference rules. ``report`` is called every few hundredths of a
    second with the progress so far, and may end the search by raising an exception. Raises
    ``ValueError`` above ``MAX_SQUARES`` of floor.
    """
    started_s = clock()
    if board.is_solved:
        return solved_already(minimise, elapsed_s=clock() - started_s)
    inside = board.inside()
    if len(board.boxes) != len(board.goals) or (board.boxes ^ board.goals) - inside:
        return Answer(status="unsolvable", solver=BY_RULES, elapsed_s=clock() - started_s)
    if len(inside) > MAX_SQUARES:
        raise ValueError(too_large(len(inside), most=MAX_SQUARES))
    if not frozen_boxes(board) <= board.goals:
        return Answer(status="unsolvable", solver=BY_RULES, elapsed_s=clock() - started_s)
    if _table_bytes(len(inside), len(board.boxes & inside)) > limits.memory_limit_mb * 1e6:
        limit = out_of_memory(limits.memory_limit_mb)
        return Answer(
            status="gave up", solver=BY_RULES, reason=limit, elapsed_s=clock() - started_s
        )
    run = _Run(board, limits, minimise, report, lambda: clock() - started_s)
    return run.answer(new_stages())


def solved_already(minimise: str, *, elapsed_s: float = 0.0) -> Answer:
    """The answer to a board that starts solved: no moves, and none could be fewer."""
    return Answer(
        status="solved",
        solver=BY_RULES,
        solution=Solution(""),
        optimum="pushes" if minimise == "pushes" else "moves",
        at_least_moves=0,
        at_least_pushes=0,
        elapsed_s=elapsed_s,
    )


class _Run:
    """The stages of one board, in slices between which limits and Ctrl-C are looked at."""

    def __init__(
        self,
        board: Board,
        limits: Limits,
        minimise: str,
        report: Report | None,
        elapsed_s: Callable[[], float],
    ) -> None:
        self._board, self._limits, self._minimise = board, limits, minimise
        self._report, self._elapsed_s = report, elapsed_s
        self._earlier_expansions = 0  # of the stages that are over
        self._progress = Progress(0, 0, elapsed_s())

    def answer(self, stages: Stages) -> Answer:
        """Runs the stages in turn until one of them has an answer."""
        while True:
            self._report_progress()
            stage = next(stages)
            if stage is None:
                self._progress = replace(self._progress, elapsed_s=self._elapsed_s())
                limit = _limit_reached(self._progress, self._limits)
                answer = None if limit is None else self._known("set-up", limit)
            else:
                answer = self._run(stage)
            if answer is not None:
                return answer

    def _run(self, stage: Stage) -> Answer | None:
        """The answer of a stage; None if the next stage follows."""
        search, budget = stage.search, 1
        most = self._left(stage)
        while True:
            slice_started_s, name, before = self._elapsed_s(), search.name, search.progress(0.0)
            outcome = search.go_on(budget, most)
            found = search.progress(self._elapsed_s())
            expansions = self._earlier_expansions + found.expansions
            self._progress = replace(found, expansions=expansions, working=search.name)
            known = self._known(search.name)
            if outcome == Outcome.SOLVED:
                solved = _solved(self._board, search, known)
                return replace(solved, elapsed_s=self._elapsed_s())
            if outcome == Outcome.EXHAUSTED:
                return replace(
                    known, status="unsolvable", at_least_moves=None, at_least_pushes=None
                )
            limit = _limit_reached(self._progress, self._limits, outcome, search)
            if limit is not None:
                return replace(known, reason=limit)
            if outcome == Outcome.BUDGET_SPENT and found.expansions == stage.max_expansions:
                self._earlier_expansions += found.expansions
                return None
            if outcome == Outcome.STORE_FULL:
                search.grow()
            elif search.name != name:
                budget = 1  # another search has its turn
            elif replace(found, elapsed_s=0.0) == before:
                pass  # it made a table, which says nothing of how long its work takes
            # The smallest boards do a million units of work a second, the largest a few hundred.
            elif (slice_s := found.elapsed_s - slice_started_s) < _SLICE_S:
                # Each slice costs some 50 us besides, as much as several expansions.
                factor = 8 if slice_s < _SLICE_S / 8 else 2
                budget = min(factor * budget, _MOST_WORK)
            else:
                budget = max(budget // 2, 1)
            self._report_progress()

    def _left(self, stage: Stage) -> int | None:
        """The most expansions of the stage in all; None without a limit."""
        if self._limits.max_expansions is None:
            return stage.max_expansions
        left = self._limits.max_expansions - self._earlier_expansions
        return left if stage.max_expansions is None else min(left, stage.max_expansions)

    def _report_progress(self) -> None:
        if self._report is not None:
            self._report(self._progress)

    def _known(self, solver: str, reason: str | None = None) -> Answer:
        """The answer without a solution or a proof."""
        progress = self._progress
        return Answer(
            status="gave up",
            solver=solver,
            at_least_moves=progress.at_least if self._minimise == "moves" else None,
            at_least_pushes=progress.at_least if self._minimise == "pushes" else None,
            num_expansions=progress.expansions,
            num_evaluated=progress.evaluated,
            num_generated=progress.generated,
            elapsed_s=progress.elapsed_s,
            reason=reason,
        )


def _solved(board: Board, search: Search, known: Answer) -> Answer:
    """The answer with the solution that the search found, once the plain rules agree to it."""
    try:
        solution = Solution.of(board, search.directions())
    except ValueError as error:
        raise RuntimeError(f"the rules refuse the solution of {board}: {error}") from None
    optimum = search.optimum()
    solved = replace(known, status="solved", solution=solution, optimum=optimum)
    if optimum == "moves":
        return replace(solved, at_least_moves=solution.num_moves)
    if optimum == "pushes":
        return replace(solved, at_least_pushes=solution.num_pushes)
    return replace(solved, at_least_moves=None, at_least_pushes=None)


def _limit_reached(
    progress: Progress,
    limits: Limits,
    outcome: Outcome = Outcome.BUDGET_SPENT,
    search: Search | None = None,
) -> Reason | None:
    """The limit that ends the search, in words; ``search`` is None before it is set up."""
    if limits.is_stopped:
        return STOPPED
    if outcome == Outcome.TOO_LONG:
        return Reason(f"a price of {MAX_PRICE}", "price", most=MAX_PRICE)
    if outcome == Outcome.STUCK:
        return Reason("no push to a new position", "no-position")
    if outcome == Outcome.INCONCLUSIVE:
        return Reason("searches that may miss solutions", "incomplete")
    if limits.max_expansions is not None and progress.expansions >= limits.max_expansions:
        most = limits.max_expansions
        return Reason(f"{most} expansions", "expansions", most=most)
    if limits.max_evaluated is not None and progress.evaluated >= limits.max_evaluated:
        most = limits.max_evaluated
        return Reason(f"{most} evaluated positions", "evaluated", most=most)
    if limits.time_limit_s is not None and progress.elapsed_s >= limits.time_limit_s:
        return out_of_time(limits.time_limit_s)
    if search is None:
        return None
    is_full = outcome == Outcome.STORE_FULL
    num_bytes = search.num_bytes_while_growing() if is_full else search.num_bytes()
    if num_bytes > limits.memory_limit_mb * 1e6:
        return out_of_memory(limits.memory_limit_mb)
    return None


def _table_bytes(num_floor: int, num_boxes: int) -> int:
    """Bytes of the largest tables that a search builds before it starts.

    For each box and player the side of the box; for each box, side and goal the pushes, both ways.
    """
    return num_floor * num_floor + 2 * (num_floor * 4 * num_boxes * 4)
