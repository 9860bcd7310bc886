"""One board: what is known without a search, and a search in slices, so that limits hold."""

from collections.abc import Callable
from dataclasses import replace
from enum import IntEnum
from functools import partial
from typing import Protocol, runtime_checkable

from tokoban import compiling
from tokoban.sokoban.board import Board, Direction
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
from tokoban.sokoban.search.limits import STOPPED, Limits
from tokoban.sokoban.search.steps import Steps

MAX_SQUARES = 64 * 64

_SLICE_S = 0.01  # how long compiled code runs before limits and Ctrl-C are looked at
_MOST_WORK = 1 << 30  # asked for at once: a search that ends its turns earlier may never be slow


class Outcome(IntEnum):
    """Why a search came back."""

    BUDGET_SPENT = 0
    NO_ROOM = 1
    SOLVED = 2
    EXHAUSTED = 3  # no plan
    TOO_LONG = 4  # no plan for less than MAX_PRICE
    SETTING_UP = 5  # its tables are not complete yet


@runtime_checkable
class Search(Protocol):
    """A search for one board that can be left off and gone on with."""

    @property
    def name(self) -> str:
        """What answers call it, such as "astar"."""

    def go_on(self, budget: int, max_expansions: int | None) -> Outcome:
        """Searches for about so much work, in a unit of its own, and no more expansions in all."""

    def progress(self, elapsed_s: float) -> Progress:
        """How far it is."""

    def num_bytes(self) -> int:
        """The memory of its arrays."""

    def num_bytes_while_growing(self) -> int:
        """The same at its most, if it grows now."""

    def grow(self) -> None:
        """Makes room after it found that there was none."""

    def directions(self) -> tuple[Direction, ...]:
        """The plan that it found."""

    def optimum(self) -> Optimum | None:
        """What no plan has fewer of than that one, where that is proved."""


class InSteps:
    """A search that is set up in steps, between which limits and Ctrl-C are looked at."""

    def __init__(self, steps: Steps[Search]) -> None:
        self._steps = steps
        self._search: Search | None = None

    @property
    def _ready(self) -> Search:
        if self._search is None:
            raise RuntimeError("the search is not set up yet")
        return self._search

    @property
    def name(self) -> str:
        """As ``Search`` says; it is not known before the set-up is over."""
        return "set-up" if self._search is None else self._search.name

    def go_on(self, budget: int, max_expansions: int | None) -> Outcome:
        """As ``Search`` says; of the set-up, one step."""
        if self._search is not None:
            return self._search.go_on(budget, max_expansions)
        try:
            next(self._steps)
        except StopIteration as end:
            self._search = end.value
        return Outcome.SETTING_UP

    def progress(self, elapsed_s: float) -> Progress:
        """As ``Search`` says."""
        if self._search is None:
            return Progress(0, 0, elapsed_s)
        return self._search.progress(elapsed_s)

    def num_bytes(self) -> int:
        """As ``Search`` says; the tables count when they are complete."""
        return 0 if self._search is None else self._search.num_bytes()

    def num_bytes_while_growing(self) -> int:
        """As ``Search`` says."""
        return self._ready.num_bytes_while_growing()

    def grow(self) -> None:
        """As ``Search`` says."""
        self._ready.grow()

    def directions(self) -> tuple[Direction, ...]:
        """As ``Search`` says."""
        return self._ready.directions()

    def optimum(self) -> Optimum | None:
        """As ``Search`` says."""
        return self._ready.optimum()


def find_answer(
    board: Board,
    new_search: Callable[[], Search],
    limits: Limits,
    *,
    minimise: str = "any",
    report: Report | None = None,
    clock: Callable[[], float] = compiling.clock,
) -> Answer:
    """The answer to a board; ``new_search`` is called if there is one to be made.

    ``minimise`` is what that search minimises, and so what its lower bounds are about.

    Boxes on goals that the player can never reach are left alone; any other box or goal beyond the
    player's reach is a proof that there is no plan. A board that starts solved has the plan of no
    moves. Every plan is replayed by the plain rules. ``report`` is called every few hundredths of a
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
        raise ValueError(f"expected at most {MAX_SQUARES} squares of floor, got {len(inside)}")
    if not frozen_boxes(board) <= board.goals:
        return Answer(status="unsolvable", solver=BY_RULES, elapsed_s=clock() - started_s)
    if _table_bytes(len(inside), len(board.boxes & inside)) > limits.memory_limit_mb * 1e6:
        limit = f"{limits.memory_limit_mb:g} MB"
        return Answer(
            status="gave up", solver=BY_RULES, reason=limit, elapsed_s=clock() - started_s
        )
    search = new_search()
    find = partial(_find_in_slices, board, search, limits, started_s, minimise=minimise)
    return find(report=report, clock=clock)


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


def _find_in_slices(
    board: Board,
    search: Search,
    limits: Limits,
    started_s: float,
    *,
    minimise: str,
    report: Report | None,
    clock: Callable[[], float],
) -> Answer:
    budget = 1
    progress = search.progress(clock() - started_s)
    while True:
        if report is not None:
            report(progress)
        slice_started_s = clock() - started_s
        outcome = search.go_on(budget, limits.max_expansions)
        progress = search.progress(clock() - started_s)
        known = Answer(
            status="gave up",
            solver=search.name,
            at_least_moves=progress.at_least if minimise == "moves" else None,
            at_least_pushes=progress.at_least if minimise == "pushes" else None,
            num_expansions=progress.expansions,
            elapsed_s=progress.elapsed_s,
        )
        if outcome == Outcome.SOLVED:
            solved = _solved(board, search, known)
            return replace(solved, elapsed_s=clock() - started_s)
        if outcome == Outcome.EXHAUSTED:
            return replace(known, status="unsolvable", at_least_moves=None, at_least_pushes=None)
        limit = _limit_reached(outcome, search, progress, limits)
        if limit is not None:
            return replace(known, reason=limit)
        if outcome == Outcome.SETTING_UP:
            continue
        if outcome == Outcome.NO_ROOM:
            search.grow()
        # The smallest boards do a million units of work a second, the largest a few hundred.
        elif progress.elapsed_s - slice_started_s < _SLICE_S:
            budget = min(2 * budget, _MOST_WORK)
        else:
            budget = max(budget // 2, 1)


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
    outcome: Outcome, search: Search, progress: Progress, limits: Limits
) -> str | None:
    """The limit that ends the search, in words."""
    if limits.is_stopped:
        return STOPPED
    if outcome == Outcome.TOO_LONG:
        return f"a price of {MAX_PRICE}"
    if limits.max_expansions is not None and progress.expansions >= limits.max_expansions:
        return f"{limits.max_expansions} expansions"
    if limits.time_limit_s is not None and progress.elapsed_s >= limits.time_limit_s:
        return f"{limits.time_limit_s:g} s"
    is_full = outcome == Outcome.NO_ROOM
    num_bytes = search.num_bytes_while_growing() if is_full else search.num_bytes()
    if num_bytes > limits.memory_limit_mb * 1e6:
        return f"{limits.memory_limit_mb:g} MB"
    return None


def _table_bytes(num_floor: int, num_boxes: int) -> int:
    """What the largest tables take that any search makes before it begins.

    For each box and player the side of the box; for each box, side and goal the pushes, both ways.
    """
    return num_floor * num_floor + 2 * (num_floor * 4 * num_boxes * 4)
