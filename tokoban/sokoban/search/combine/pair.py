"""One search that stays, and beside it short searches, one after another, as one search."""

from collections.abc import Callable
from typing import Generic, TypeVar

from tokoban.sokoban.search.answer import Progress
from tokoban.sokoban.search.pauses import (
    WITHOUT_END,
    Budget,
    Found,
    Searcher,
    Turn,
    Underway,
    go_on_until,
    underway,
)
from tokoban.sokoban.search.steps import Steps

_SETUP_WORK = 1 << 10  # of each step of setting a search up, which takes up to some 10 ms

Later = TypeVar("Later", bound=Searcher)


class Pair(Generic[Later]):
    """The first search and the later one of the moment, with the totals of all.

    Work and expansions are those of ended searches too, memory that of the two that exist. Setting
    one up counts as work, or one turn might go to hundreds of hopeless searches.
    """

    def __init__(self, first: Searcher, name: str) -> None:
        """``name`` is that of the pair in answers."""
        self.first = underway(first)
        self.later: Later | None = None  # while there is one
        self._later: Underway | None = None
        self._ended = Progress(name)

    def pause(self) -> Progress:
        """As ``Searcher`` says; positions are those that are held."""
        return self._ended.beside(self.first.pause).beside(self.later_pause)

    @property
    def later_pause(self) -> Progress:
        """The last pause of the later search."""
        return Progress() if self._later is None else self._later.pause

    def found(self, found: Found) -> Found:
        """What one of the two has found, with the totals."""
        return found._replace(last=self.pause())

    def go_on_with_first(
        self, budget: Budget, is_over: Callable[[Progress], bool], most: Budget = WITHOUT_END
    ) -> Turn[tuple[Found | None, Budget]]:
        """As ``go_on_until`` says."""
        return go_on_until(is_over, self.first, budget, most=most, whole=self.pause)

    def set_up(self, steps: Steps[Later], budget: Budget) -> Turn[Budget]:
        """Sets a later search up, and pauses after each step."""
        while self.later is None:
            self._ended = self._ended._replace(work=self._ended.work + _SETUP_WORK)
            try:
                next(steps)
            except StopIteration as end:
                self.later = later = end.value
                self._later = underway(later)
            budget = yield self.pause()
        return budget

    def go_on_with_later(self, budget: Budget, most: Budget) -> Turn[tuple[Found | None, Budget]]:
        """What the later search finds, or None if it has not by so much of its own."""
        assert self._later is not None

        def is_over(pause: Progress) -> bool:
            return pause.work >= most.work or pause.expansions >= most.expansions

        return go_on_until(is_over, self._later, budget, most=most, whole=self.pause)

    def end_later(self) -> None:
        """Drops the later search."""
        pause = self.later_pause
        self._ended = self._ended._replace(
            work=self._ended.work + pause.work, expansions=self._ended.expansions + pause.expansions
        )
        self.later = self._later = None
