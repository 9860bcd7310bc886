"""Any solution: bidirectional feature search and A* for the fewest pushes, which alternate.

Neither is better everywhere. A* is better on open boards: its lower bound is close there, and the
feature search expands all moves of one box at once, which lead to nearly every square.
"""

from tokoban.sokoban.board import Board, Direction
from tokoban.sokoban.search.answer import Optimum, Progress
from tokoban.sokoban.search.astar_search import AStar
from tokoban.sokoban.search.bitboard.batch import OneWord
from tokoban.sokoban.search.bitboard.levels import Levels
from tokoban.sokoban.search.fess.solver import BidirectionalFess, new_search_in_steps
from tokoban.sokoban.search.ground import Squares
from tokoban.sokoban.search.positions import num_bytes
from tokoban.sokoban.search.single import InSteps, Outcome, Search
from tokoban.sokoban.search.steps import Steps, completed

# On one word, expansions of A* alone before both searches: it solves all but few boards of that
# size in fewer.
_FEW_EXPANSIONS = 10_000
# Turns in which A* does as much as the other search; from then on it has every fourth of them, for
# it has solved by then most of what it ever will.
_EQUAL_TURNS = 16
_LATER_TURNS = 4
# A turn of the search by features is some four thousand floods. On one word an expansion of A*
# takes as long as one of these, on squares it floods after each push.
_EXPANSIONS_A_TURN = 4096
_MEMORY_SHARE = 0.25  # of the limit, for A*; when that is full the other search goes on alone


def on_squares(board: Board, memory_limit_mb: float) -> Search:
    """The search for a board of any size, which is neither solved nor hopeless."""

    def in_steps() -> Steps[Search]:
        squares = Squares(board)
        by_features = yield from new_search_in_steps(board, squares)
        ground = by_features.tables[0].ground
        return SideBySide(
            by_features,
            AStar(board, squares, ground, "pushes", by_features.pruning),
            expansions_a_turn=max(_EXPANSIONS_A_TURN // (2 * len(ground.goals)), 1),
            memory_limit_mb=memory_limit_mb,
            shared_bytes=num_bytes((ground, by_features.pruning)),
        )

    return InSteps(in_steps())


class SideBySide:
    """The two searches; the unit of the work is about that of the search by features, a flood."""

    def __init__(
        self,
        by_features: BidirectionalFess,
        by_pushes: Search,
        *,
        expansions_a_turn: int,
        memory_limit_mb: float,
        shared_bytes: int = 0,  # of arrays that both searches have
    ) -> None:
        self._shared_bytes = shared_bytes
        self._by_features = by_features
        self._by_pushes: Search | None = by_pushes
        self._expansions_a_turn = expansions_a_turn
        self._memory_limit_bytes = memory_limit_mb * 1e6
        self._turn_of_pushes_ends: int | None = None  # at so many of its expansions, in its turn
        self._dropped_expansions = 0
        self._now: Search = by_features

    @property
    def name(self) -> str:
        """As ``single.Search`` says: of the search that has its turn."""
        return self._now.name

    def go_on(self, budget: int, max_expansions: int | None) -> Outcome:
        """As ``single.Search`` says."""
        if self._by_pushes is not None and self._turn_of_pushes_ends is not None:
            return self._go_on_by_pushes(self._by_pushes, budget, max_expansions)
        self._now = self._by_features
        before = self._by_features.num_turns
        outcome = self._by_features.go_on(budget, self._left(max_expansions, self._now))
        if outcome == Outcome.NO_ROOM:
            self._drop_if_in_the_way()
        turns = self._by_features.num_turns
        is_next = turns <= _EQUAL_TURNS or turns % _LATER_TURNS == 0
        if self._by_pushes is not None and turns > before and is_next:
            self._turn_of_pushes_ends = _expansions(self._by_pushes) + self._expansions_a_turn
        return outcome

    def _go_on_by_pushes(
        self, by_pushes: Search, budget: int, max_expansions: int | None
    ) -> Outcome:
        self._now = by_pushes
        ends = self._turn_of_pushes_ends or 0
        budget = max(budget * self._expansions_a_turn // _EXPANSIONS_A_TURN, 1)
        budget = min(budget, ends - _expansions(by_pushes))
        outcome = by_pushes.go_on(budget, self._left(max_expansions, by_pushes))
        share = _MEMORY_SHARE * self._memory_limit_bytes
        is_full = outcome == Outcome.NO_ROOM and by_pushes.num_bytes_while_growing() > share
        if is_full or outcome == Outcome.TOO_LONG:
            self._drop()
            return Outcome.BUDGET_SPENT
        if outcome == Outcome.BUDGET_SPENT and _expansions(by_pushes) >= ends:
            self._turn_of_pushes_ends = None
        return outcome

    def _drop_if_in_the_way(self) -> None:
        """Gives up A* if the other search could not grow beside it."""
        if self._by_pushes and self.num_bytes_while_growing() > self._memory_limit_bytes:
            self._drop()

    def _drop(self) -> None:
        if self._by_pushes is not None:
            self._dropped_expansions = _expansions(self._by_pushes)
        self._by_pushes = self._turn_of_pushes_ends = None
        self._now = self._by_features

    def _left(self, max_expansions: int | None, search: Search) -> int | None:
        """How many expansions one search may have made, so that all have made no more in all."""
        if max_expansions is None:
            return None
        return max_expansions - self.progress(0.0).expansions + _expansions(search)

    def _searches(self) -> list[Search]:
        return [self._by_features, *([self._by_pushes] if self._by_pushes else [])]

    def progress(self, elapsed_s: float) -> Progress:
        """As ``single.Search`` says: sums over both searches."""
        found = [search.progress(elapsed_s) for search in self._searches()]
        expansions = self._dropped_expansions + sum(one.expansions for one in found)
        return Progress(expansions, sum(one.positions for one in found), elapsed_s)

    def num_bytes(self) -> int:
        """As ``single.Search`` says."""
        shared = self._shared_bytes if self._by_pushes else 0
        return sum(search.num_bytes() for search in self._searches()) - shared

    def num_bytes_while_growing(self) -> int:
        """As ``single.Search`` says."""
        now = self._now
        return self.num_bytes() - now.num_bytes() + now.num_bytes_while_growing()

    def grow(self) -> None:
        """As ``single.Search`` says."""
        self._now.grow()

    def directions(self) -> tuple[Direction, ...]:
        """As ``single.Search`` says."""
        return self._now.directions()

    def optimum(self) -> Optimum | None:
        """As ``single.Search`` says."""
        return self._now.optimum()


def _expansions(search: Search) -> int:
    return search.progress(0.0).expansions


class OneWordFirst:
    """Weighted A* on one 64-bit word; after ``_FEW_EXPANSIONS`` the two searches alternate."""

    def __init__(self, board: Board, level: Levels, memory_limit_mb: float) -> None:
        self._board, self._level = board, level
        self._memory_limit_mb = memory_limit_mb
        self._search: Search = OneWord(level, "any")
        self._expansions_before = 0  # of the first search, once the others go on

    @property
    def name(self) -> str:
        """As ``single.Search`` says."""
        return self._search.name

    def go_on(self, budget: int, max_expansions: int | None) -> Outcome:
        """As ``single.Search`` says; the unit of its work is that of the search at hand."""
        left = None if max_expansions is None else max_expansions - self._expansions_before
        if self._expansions_before > 0:
            return self._search.go_on(budget, left)
        few = _FEW_EXPANSIONS if left is None else min(left, _FEW_EXPANSIONS)
        outcome = self._search.go_on(budget, few)
        is_over = self._search.progress(0.0).expansions == _FEW_EXPANSIONS
        if is_over and outcome == Outcome.BUDGET_SPENT:
            self._expansions_before = _FEW_EXPANSIONS
            self._search = SideBySide(
                completed(new_search_in_steps(self._board, Squares(self._board))),
                OneWord(self._level, "pushes"),
                expansions_a_turn=_EXPANSIONS_A_TURN,
                memory_limit_mb=self._memory_limit_mb,
            )
        return outcome

    def progress(self, elapsed_s: float) -> Progress:
        """As ``single.Search`` says."""
        found = self._search.progress(elapsed_s)
        return Progress(self._expansions_before + found.expansions, found.positions, elapsed_s)

    def num_bytes(self) -> int:
        """As ``single.Search`` says."""
        return self._search.num_bytes()

    def num_bytes_while_growing(self) -> int:
        """As ``single.Search`` says."""
        return self._search.num_bytes_while_growing()

    def grow(self) -> None:
        """As ``single.Search`` says."""
        self._search.grow()

    def directions(self) -> tuple[Direction, ...]:
        """As ``single.Search`` says."""
        return self._search.directions()

    def optimum(self) -> Optimum | None:
        """As ``single.Search`` says."""
        return self._search.optimum()
