"""One search that stays, and beside it short searches, one after another."""

from typing import Generic, TypeVar

from tokoban.sokoban.search.answer import Progress
from tokoban.sokoban.search.outcome import Outcome
from tokoban.sokoban.search.single import SliceSearch
from tokoban.sokoban.search.steps import Steps

_SETUP_WORK = 1 << 10  # of each step of setting a search up, which takes up to some 10 ms

Later = TypeVar("Later", bound=SliceSearch)


class Relay(Generic[Later]):
    """The first search and the later one of the moment, with the totals of all.

    Work and expansions are those of ended searches too, memory that of the two that exist. Setting
    one up counts as work, or one turn might go to hundreds of hopeless searches.
    """

    def __init__(self, first: SliceSearch) -> None:
        self.first = first
        self.later: Later | None = None  # the search beside it, once it is set up
        self._steps: Steps[Later] | None = None  # of setting it up
        self._earlier_work = self._earlier_expansions = 0  # of searches that have ended

    @property
    def work(self) -> int:
        """As ``SliceSearch`` says."""
        now = 0 if self.later is None else self.later.work
        return self.first.work + self._earlier_work + now

    def progress(self, elapsed_s: float) -> Progress:
        """As ``single.Search`` says; positions are those that are held."""
        found = self.first.progress(elapsed_s)
        expansions, positions = found.expansions + self._earlier_expansions, found.positions
        if self.later is not None:
            now = self.later.progress(elapsed_s)
            expansions, positions = expansions + now.expansions, positions + now.positions
        return Progress(expansions, positions, elapsed_s)

    def num_bytes(self) -> int:
        """As ``single.Search`` says."""
        later = 0 if self.later is None else self.later.num_bytes()
        return self.first.num_bytes() + later

    def num_bytes_while_growing(self) -> int:
        """As ``single.Search`` says."""
        now = self._now()
        return self.num_bytes() - now.num_bytes() + now.num_bytes_while_growing()

    def grow(self) -> None:
        """As ``single.Search`` says: the later search is the one that works."""
        self._now().grow()

    def _now(self) -> SliceSearch:
        return self.first if self.later is None else self.later

    def go_on(
        self, now: SliceSearch, budget: int, most: int | None, max_expansions: int | None
    ) -> Outcome:
        """Goes on with one of the two, to ``most`` expansions of its own at most, if not None.

        ``max_expansions`` are of all searches together.
        """
        if max_expansions is not None:
            done = now.progress(0.0).expansions
            left = done + max_expansions - self.progress(0.0).expansions
            most = left if most is None else min(most, left)
        return now.go_on(budget, most)

    def begin(self, steps: Steps[Later]) -> None:
        """Has a later search set up, step by step."""
        self._steps = steps

    def set_up(self) -> bool:
        """Does one step of setting a later search up; returns False if none has begun."""
        if self._steps is None:
            return False
        self._earlier_work += _SETUP_WORK
        try:
            next(self._steps)
        except StopIteration as end:
            self.later, self._steps = end.value, None
        return True

    def end_later(self) -> None:
        """Drops the later search."""
        assert self.later is not None
        self._earlier_work += self.later.work
        self._earlier_expansions += self.later.progress(0.0).expansions
        self.later = None
