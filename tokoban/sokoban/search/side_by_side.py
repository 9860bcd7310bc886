"""Any solution: bidirectional FESS and weighted A*, which alternate after a few expansions of A*.

Neither is better everywhere. A* is better on open boards: its lower bound is close there, and the
FESS expands all moves of one box at once, which lead to nearly every square. There A* has solved a
board in less time than the tables of the other take.
"""

from tokoban.sokoban.board import Board, Direction
from tokoban.sokoban.search.answer import Optimum, Progress
from tokoban.sokoban.search.astar_search import AStar
from tokoban.sokoban.search.bidirectional.solver import BidirectionalFess, fess_in_steps
from tokoban.sokoban.search.bitboard.batch import OneWord
from tokoban.sokoban.search.bitboard.levels import Levels
from tokoban.sokoban.search.ground import Squares, ground_in_steps
from tokoban.sokoban.search.positions import num_bytes
from tokoban.sokoban.search.single import Outcome, Search, Stage, Stages

# On one word, expansions of A* alone before both searches: it solves all but few boards of that
# size in fewer.
_FEW_EXPANSIONS = 10_000
# The same on larger boards, where one takes longer. Open boards need about as many as pushes.
_FEW_EXPANSIONS_OF_SQUARES = 1_000
# Turns in which A* does as much as the other search; from then on it has every fourth of them, for
# it has solved by then most of what it ever will.
_EQUAL_TURNS = 16
_LATER_TURNS = 4
# A turn of FESS is some four thousand floods. On one word an expansion of A*
# takes as long as one of these, on squares it floods after each push.
_EXPANSIONS_A_TURN = 4096
_MEMORY_SHARE = 0.25  # of the limit, for A*; when that is full the other search goes on alone


def stages(board: Board, memory_limit_mb: float) -> Stages:
    """The search for a board of any size, which is neither solved nor hopeless."""
    squares = Squares(board)
    ground = yield from ground_in_steps(board, squares)
    yield Stage(AStar(board, squares, ground, "any"), _FEW_EXPANSIONS_OF_SQUARES)
    fess = yield from fess_in_steps(board, squares, ground)
    search = SideBySide(
        fess,
        AStar(board, squares, ground, "any", fess.pruning),
        expansions_a_turn=max(_EXPANSIONS_A_TURN // (2 * len(ground.goals)), 1),
        memory_limit_mb=memory_limit_mb,
        shared_bytes=num_bytes((ground, fess.pruning)),
    )
    yield Stage(search)


def stages_on_one_word(board: Board, level: Levels, memory_limit_mb: float) -> Stages:
    """Weighted A* on one 64-bit word; after ``_FEW_EXPANSIONS`` two searches alternate."""
    yield Stage(OneWord(level, "any"), _FEW_EXPANSIONS)
    fess = yield from fess_in_steps(board, Squares(board))
    search = SideBySide(
        fess,
        OneWord(level, "pushes"),
        expansions_a_turn=_EXPANSIONS_A_TURN,
        memory_limit_mb=memory_limit_mb,
    )
    yield Stage(search)


class SideBySide:
    """Alternates the two searches; work is counted in floods, as by FESS."""

    def __init__(
        self,
        fess: BidirectionalFess,
        astar: Search,
        *,
        expansions_a_turn: int,
        memory_limit_mb: float,
        shared_bytes: int = 0,  # of arrays that both searches have
    ) -> None:
        self._shared_bytes = shared_bytes
        self._fess = fess
        self._astar: Search | None = astar
        self._expansions_a_turn = expansions_a_turn
        self._memory_limit_bytes = memory_limit_mb * 1e6
        self._astar_turn_ends: int | None = None  # at so many of its expansions, in its turn
        self._dropped_expansions = 0
        self._now: Search = fess

    @property
    def name(self) -> str:
        """As ``single.Search`` says: of the search that has its turn."""
        return self._now.name

    def go_on(self, budget: int, max_expansions: int | None) -> Outcome:
        """As ``single.Search`` says."""
        if self._astar is not None and self._astar_turn_ends is not None:
            return self._go_on_with_astar(self._astar, budget, max_expansions)
        self._now = self._fess
        before = self._fess.num_turns
        outcome = self._fess.go_on(budget, self._left(max_expansions, self._now))
        if outcome == Outcome.STORE_FULL:
            self._drop_if_in_the_way()
        turns = self._fess.num_turns
        is_next = turns <= _EQUAL_TURNS or turns % _LATER_TURNS == 0
        if self._astar is not None and turns > before and is_next:
            self._astar_turn_ends = _expansions(self._astar) + self._expansions_a_turn
        return outcome

    def _go_on_with_astar(self, astar: Search, budget: int, max_expansions: int | None) -> Outcome:
        self._now = astar
        ends = self._astar_turn_ends or 0
        budget = max(budget * self._expansions_a_turn // _EXPANSIONS_A_TURN, 1)
        budget = min(budget, ends - _expansions(astar))
        outcome = astar.go_on(budget, self._left(max_expansions, astar))
        share = _MEMORY_SHARE * self._memory_limit_bytes
        is_full = outcome == Outcome.STORE_FULL and astar.num_bytes_while_growing() > share
        if is_full or outcome == Outcome.TOO_LONG:
            self._drop()
            return Outcome.BUDGET_SPENT
        if outcome == Outcome.BUDGET_SPENT and _expansions(astar) >= ends:
            self._astar_turn_ends = None
        return outcome

    def _drop_if_in_the_way(self) -> None:
        """Gives up A* if the other search could not grow beside it."""
        if self._astar and self.num_bytes_while_growing() > self._memory_limit_bytes:
            self._drop()

    def _drop(self) -> None:
        if self._astar is not None:
            self._dropped_expansions = _expansions(self._astar)
        self._astar = self._astar_turn_ends = None
        self._now = self._fess

    def _left(self, max_expansions: int | None, search: Search) -> int | None:
        """How many expansions one search may have made, so that all have made no more in all."""
        if max_expansions is None:
            return None
        return max_expansions - self.progress(0.0).expansions + _expansions(search)

    def _searches(self) -> list[Search]:
        return [self._fess, *([self._astar] if self._astar else [])]

    def progress(self, elapsed_s: float) -> Progress:
        """As ``single.Search`` says: sums over both searches."""
        found = [search.progress(elapsed_s) for search in self._searches()]
        expansions = self._dropped_expansions + sum(one.expansions for one in found)
        return Progress(expansions, sum(one.positions for one in found), elapsed_s)

    def num_bytes(self) -> int:
        """As ``single.Search`` says."""
        shared = self._shared_bytes if self._astar else 0
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
