"""How a search talks to its caller: budgets go in, pauses come out, and in the end what was found.

A search is a generator, so that limits hold and several searches can take turns. Its caller sends a
budget to go on with, or closes it. The first budget is an argument, for nothing can be sent to a
generator that has not begun.
"""

from collections.abc import Callable, Generator, Iterator
from typing import NamedTuple, Protocol, TypeVar, runtime_checkable

from tokoban.sokoban.board import Board, Direction, Square
from tokoban.sokoban.search.answer import Optimum, Progress
from tokoban.sokoban.search.limits import UNLIMITED
from tokoban.sokoban.search.outcome import Outcome
from tokoban.sokoban.search.steps import Steps

Result = TypeVar("Result")

# A board of one push. A search of it compiles what searches call, so that no clock counts that.
ONE_PUSH = Board(
    1, 3, frozenset(), frozenset({Square(0, 2)}), frozenset({Square(0, 1)}), Square(0, 0)
)


class Budget(NamedTuple):
    """How far a search may go until it pauses."""

    work: int  # about this much more, in the search's own unit
    expansions: int = UNLIMITED  # at most this many in all


WITHOUT_END = Budget(UNLIMITED)


class Found(NamedTuple):
    """The end of a search."""

    outcome: Outcome  # why it ended; STORE_FULL if it was for want of memory
    last: Progress
    directions: tuple[Direction, ...] = ()  # the solution, if there is one
    optimum: Optimum | None = None  # what the solution is proved to have fewest of


Search = Generator[Progress, Budget, Found]
Turn = Generator[Progress, Budget, Result]  # a part of a search


@runtime_checkable
class Searcher(Protocol):
    """A search that is set up; it holds the state, so that others can look at it."""

    def pause(self) -> Progress:
        """The present state."""

    def search(self, budget: Budget) -> Search:
        """Searches on from there."""


class Compiled(Searcher, Protocol):
    """A searcher with one compiled loop, whose store grows."""

    def advance(self, budget: Budget) -> Outcome:
        """Runs the loop until the budget is spent, the store is full, or it has ended."""

    def bytes_to_grow(self) -> int:
        """The most bytes that it needs more while it grows."""

    def grow(self) -> Iterator[object]:
        """Makes room, and yields while its hash table is filled anew."""

    def directions(self) -> tuple[Direction, ...]:
        """The solution that it found."""

    @property
    def optimum(self) -> Optimum | None:
        """As ``Found`` says."""


def run_compiled(search: Compiled, budget: Budget) -> Search:
    """The search by a compiled loop."""
    while True:
        outcome = search.advance(budget)
        pause = search.pause()
        if outcome == Outcome.BUDGET_SPENT:
            budget = yield pause
        elif outcome == Outcome.STORE_FULL:
            budget = yield pause._replace(growing_bytes=pause.num_bytes + search.bytes_to_grow())
            for _ in search.grow():
                budget = yield search.pause()
        elif outcome == Outcome.SOLVED:
            return Found(outcome, pause, search.directions(), search.optimum)
        else:
            return Found(outcome, pause)


class Underway:
    """A search that has begun, and its last pause."""

    def __init__(self, search: Callable[[Budget], Search], pause: Progress | None = None) -> None:
        self.pause = pause or Progress()
        self._start = search
        self._search: Search | None = None

    def go_on(self, budget: Budget) -> Found | None:
        """What it found, or None if it pauses."""
        try:
            if self._search is None:
                self._search = self._start(budget)
                self.pause = next(self._search)
            else:
                self.pause = self._search.send(budget)
        except StopIteration as end:
            found: Found = end.value
            self.pause, self._search = found.last, None
            return found
        return None


def underway(searcher: Searcher) -> Underway:
    """A search that begins."""
    return Underway(searcher.search, searcher.pause())


def found_by(searcher: Searcher, work: int = 1) -> Found:
    """What a search finds when it runs to its end."""
    search = underway(searcher)
    while (found := search.go_on(Budget(work))) is None:
        pass
    return found


def in_pauses(
    steps: Steps[Result], pause: Callable[[], Progress], budget: Budget
) -> Turn[tuple[Result, Budget]]:
    """Pauses after each step; the result, and the budget to go on with."""
    while True:
        try:
            next(steps)
        except StopIteration as end:
            return end.value, budget
        budget = yield pause()


def set_up(steps: Steps[Searcher], budget: Budget) -> Search:
    """The search that is set up in steps."""
    searcher, budget = yield from in_pauses(steps, Progress, budget)
    return (yield from searcher.search(budget))


def go_on_until(
    is_over: Callable[[Progress], bool],
    search: Underway,
    budget: Budget,
    *,
    most: Budget = WITHOUT_END,
    whole: Callable[[], Progress] | None = None,
) -> Turn[tuple[Found | None, Budget]]:
    """Goes on with a search, at least once, until it has ended or ``is_over`` accepts its pause.

    ``most`` is the work and the expansions that it may have in all. It may be a part of a search
    that pauses as ``whole`` says.
    """
    whole = whole or (lambda: search.pause)
    while True:
        others = whole().expansions - search.pause.expansions
        work = min(budget.work, most.work - search.pause.work)
        found = search.go_on(Budget(work, min(budget.expansions - others, most.expansions)))
        if found is not None:
            return found, budget
        if is_over(search.pause):
            return None, (yield whole()._replace(growing_bytes=0))
        budget = yield whole().growing_with(search.pause)
