"""What the beams of pushes and of pulls share: rounds of layers, each of so many positions.

Beam search is from Lowerre, "The Harpy speech recognition system" (1976). All positions of a layer
have as many moves behind them, each any pushes (or pulls) of one box alone, so that none crowds out
the others merely because it is easy to go on from, as happens when a best-first search has come to
a region without a way out. What a layer drops is never taken up again, so nothing is proved. Later
rounds learn from the positions in which earlier ones got stuck (``rounds``).
"""

from abc import ABC, abstractmethod
from collections.abc import Iterator

import numpy as np
from jaxtyping import Bool, Int64, Integer

from tokoban.sokoban.board import Direction
from tokoban.sokoban.search.answer import Progress
from tokoban.sokoban.search.level.ground import Ground
from tokoban.sokoban.search.level.one_box import Step
from tokoban.sokoban.search.level.regions import empty_regions
from tokoban.sokoban.search.outcome import Outcome
from tokoban.sokoban.search.pauses import Budget, Found, Search, in_pauses
from tokoban.sokoban.search.searches.beam.rounds import Rounds, best_of
from tokoban.sokoban.search.state.workspace import workspace_for
from tokoban.sokoban.search.steps import Steps

PATIENCE = 20  # layers without a new least badness, after which the round ends


class Beam(ABC):
    """Rounds of layers. The unit of its work is one push or pull tried, or one lower bound."""

    is_over: bool  # whether the round is

    def __init__(self, ground: Ground, rounds: Rounds) -> None:
        num_floor = len(ground.zone)
        self.ground, self._rounds = ground, rounds
        self._scratch = workspace_for(
            num_floor, len(ground.goals), regions=empty_regions(num_floor)
        )
        self._earlier_expansions = 0  # of the rounds before
        self._begin_round()

    def _begin_round(self) -> None:
        self._least, self._patience = int(np.iinfo(np.int64).max), PATIENCE
        # The best positions of the round, and how bad they are.
        self._best, self._badness = np.empty((2, 0), np.int64)
        self.is_over = self._has_dropped = False
        self._begin()

    @abstractmethod
    def _begin(self) -> None:
        """Begins the first layer of a round."""

    @property
    @abstractmethod
    def num_expansions(self) -> int:
        """The expansions of all rounds."""

    @property
    @abstractmethod
    def _work(self) -> int:
        """The work of this round."""

    @abstractmethod
    def pause(self) -> Progress:
        """As ``Searcher`` says."""

    @abstractmethod
    def _expand(self, budget: Budget) -> Outcome:
        """Makes moves of this layer; EXHAUSTED once it has none left."""

    @abstractmethod
    def _bytes_to_grow(self) -> int:
        """The most bytes that it needs more while it grows."""

    @abstractmethod
    def _grow(self) -> Iterator[bool]:
        """Makes room, and yields while a hash table is filled anew."""

    @abstractmethod
    def _end_layer(self) -> Steps[Outcome]:
        """Begins the next layer with the positions that are kept, if the round goes on."""

    @abstractmethod
    def _boxes_of(self, positions: Integer[np.ndarray, " K"]) -> Bool[np.ndarray, "K F"]:
        """The boxes of each position."""

    @abstractmethod
    def _path_to(self, position: int) -> list[Step]:
        """The moves from where the round began, as ``Rounds.learn`` says."""

    @abstractmethod
    def directions(self) -> tuple[Direction, ...]:
        """The solution that it found."""

    def search(self, budget: Budget) -> Search:
        """As ``Searcher`` says.

        Between two rounds it pauses as if it had to grow, because it then frees the last one.
        """
        while True:
            if self.is_over:
                pause = self.pause()
                budget = yield pause._replace(growing_bytes=pause.num_bytes)
                self._earlier_expansions = self.num_expansions
                self._rounds.end(self._work)
                self._begin_round()
            outcome = self._expand(budget)
            if outcome == Outcome.STORE_FULL:
                pause = self.pause()
                growing_bytes = pause.num_bytes + self._bytes_to_grow()
                budget = yield pause._replace(growing_bytes=growing_bytes)
                for _ in self._grow():
                    budget = yield self.pause()
                continue
            if outcome == Outcome.EXHAUSTED:
                outcome, budget = yield from in_pauses(self._end_layer(), self.pause, budget)
            if outcome == Outcome.SOLVED:
                return Found(outcome, self.pause(), self.directions())
            if outcome == Outcome.EXHAUSTED:
                return Found(outcome, self.pause())
            budget = yield self.pause()

    def _judge_layer(
        self,
        positions: Int64[np.ndarray, " K"],
        badness: Int64[np.ndarray, " K"],
        *,
        is_last: bool,
    ) -> Outcome:
        """Decides whether a layer is the last of its round; if so, learns from the round.

        ``positions`` are those of the layer. ``is_last`` says that no position is left to
        go on from. EXHAUSTED if no later round could find more.
        """
        self._best = np.append(self._best, positions)
        self._badness = np.append(self._badness, badness)
        best = best_of(self._badness)
        self._best, self._badness = self._best[best], self._badness[best]
        least = int(badness.min(initial=self._least))
        self._patience = PATIENCE if least < self._least else self._patience - 1
        self._least = least
        # If nothing was dropped, a wider round would be the same.
        self.is_over = is_last or (self._patience <= 0 and self._has_dropped)
        if is_last and not self._has_dropped:
            if not self._rounds.current.prefix:
                return Outcome.EXHAUSTED
            self._rounds.forget_path()
            self._best = self._best[:0]
        if self.is_over:
            best = self._best
            self._rounds.learn(self._boxes_of(best), lambda i: self._path_to(int(best[i])))
        return Outcome.BUDGET_SPENT
