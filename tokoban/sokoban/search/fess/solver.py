"""Any solution of a level of any size, with three honest answers."""

import threading
from collections.abc import Callable
from functools import cache
from typing import Any

from tokoban import compiling
from tokoban.sokoban.board import Board, Direction, Square
from tokoban.sokoban.search.answer import Answer, Progress, Report
from tokoban.sokoban.search.fess.corral_search import empty_small_search
from tokoban.sokoban.search.fess.heaps import enter
from tokoban.sokoban.search.fess.moves import empty_scratch
from tokoban.sokoban.search.fess.paths import find_directions
from tokoban.sokoban.search.fess.positions import (
    MET,
    NUM_EXPANSIONS,
    NUM_FLOODS,
    NUM_POSITIONS,
    REACHED,
    Positions,
    first_positions,
    grown,
)
from tokoban.sokoban.search.fess.search import BUDGET_SPENT, EXHAUSTED, SOLVED, STORE_FULL, search
from tokoban.sokoban.search.fess.tables import BothTables, Tables, tables_in_steps
from tokoban.sokoban.search.limits import Limits
from tokoban.sokoban.search.lone_box import Steps
from tokoban.sokoban.search.single import InSteps, Outcome, Search, find_answer

_TURN_FLOODS = 1 << 12  # one side searches so far ahead of the other
_FIRST_CAPACITY = 1 << 12

_OUTCOMES = {
    BUDGET_SPENT: Outcome.BUDGET_SPENT,
    STORE_FULL: Outcome.NO_ROOM,
    SOLVED: Outcome.SOLVED,
    EXHAUSTED: Outcome.EXHAUSTED,
}


def solve_any(
    board: Board,
    *,
    max_expansions: int | None = None,
    time_limit_s: float | None = None,
    memory_limit_mb: float = 2000.0,
    stop: threading.Event | None = None,
    seed: int = 0,
    report: Report | None = None,
    clock: Callable[[], float] = compiling.clock,
) -> Answer:
    """Finds some solution, or proves that there is none, as ``single.find_answer`` says.

    The answer does not depend on the clock except through ``time_limit_s``. What is reported are
    sums over both sides of the search.
    """
    prepare()
    limits = Limits(
        max_expansions=max_expansions,
        time_limit_s=time_limit_s,
        memory_limit_mb=memory_limit_mb,
        stop=stop,
    )
    return find_answer(
        board, lambda: new_search(board, seed=seed), limits, report=report, clock=clock
    )


def new_search(board: Board, *, seed: int = 0) -> Search:
    """The search for any solution of a board that is neither solved nor hopeless."""
    return InSteps(two_sides_in_steps(board, sorted(board.inside()), seed=seed))


def two_sides_in_steps(board: Board, squares: list[Square], *, seed: int) -> "Steps[TwoSides]":
    """The same search, and the steps in which it is set up."""
    tables = yield from tables_in_steps(board, squares, seed=seed)
    return TwoSides(tables, squares.index(board.player))


class TwoSides:
    """A search from the start by pushes and one from the end by pulls, until they meet."""

    name = "bidirectional-fess"

    def __init__(self, tables: BothTables, player: int) -> None:
        self.player = player
        forward, backward, boxes = tables
        self.tables: list[Tables] = [forward, backward]
        num_floor = len(forward.side)
        # At least the moves of one box, beside as many positions of the end as there are areas.
        capacity = max(_FIRST_CAPACITY, 1 << (5 * num_floor).bit_length())
        goals = self.tables[0].goals
        self.positions: list[Positions] = [
            first_positions(self.tables[0], boxes, [self.player], capacity),
            first_positions(self.tables[1], goals, list(range(num_floor)), capacity),
        ]
        for positions in self.positions:
            for position in range(positions.progress[NUM_POSITIONS]):
                enter(positions, position)
        self.scratch = empty_scratch(num_floor, len(boxes))
        self.small_search = empty_small_search(num_floor)
        self.turn = 0
        self.num_turns = 0  # that are over, of both sides

    def progress(self, elapsed_s: float) -> Progress:
        """As ``single.Search`` says: sums over both sides."""
        expansions, positions = (
            sum(int(side.progress[entry]) for side in self.positions)
            for entry in (NUM_EXPANSIONS, NUM_POSITIONS)
        )
        return Progress(expansions, positions, elapsed_s)

    def num_bytes(self) -> int:
        """As ``single.Search`` says."""
        return _num_bytes((self.tables, self.positions, self.scratch, self.small_search))

    def num_bytes_while_growing(self) -> int:
        """The positions of this side are copied to twice the room."""
        return self.num_bytes() + 2 * _num_bytes(self.positions[self.turn])

    def grow(self) -> None:
        """Makes room after the search found that there was none."""
        self.positions[self.turn] = grown(self.positions[self.turn], self.tables[self.turn])

    def go_on(self, budget: int, max_expansions: int | None) -> Outcome:
        """As ``single.Search`` says; the unit of its work is a flood."""
        side, other = self.positions[self.turn], self.positions[1 - self.turn]
        # The turns must not depend on the slices, for these depend on the clock.
        turn_ends = int(other.progress[NUM_FLOODS]) // _TURN_FLOODS * _TURN_FLOODS + _TURN_FLOODS
        stop_at = min(int(side.progress[NUM_FLOODS]) + budget, turn_ends)
        max_here = 1 << 60
        if max_expansions is not None:
            max_here = max_expansions - int(other.progress[NUM_EXPANSIONS])
        outcome = search(
            self.tables[self.turn],
            side,
            other,
            self.scratch,
            self.small_search,
            stop_at,
            max_here,
        )
        if outcome == BUDGET_SPENT and side.progress[NUM_FLOODS] >= turn_ends:
            self.turn = 1 - self.turn
            self.num_turns += 1
        return _OUTCOMES[outcome]

    def directions(self) -> tuple[Direction, ...]:
        """The solution, once the sides have met."""
        progress = self.positions[self.turn].progress
        here, there = int(progress[REACHED]), int(progress[MET])
        meeting = (there, here) if self.turn else (here, there)
        forward, backward = self.positions
        return find_directions(self.tables[0], forward, backward, meeting, self.player)

    def optimum(self) -> None:
        """As ``single.Search`` says: none."""


def _num_bytes(arrays: Any) -> int:
    """Of an array, or of all in tuples and lists of them."""
    if isinstance(arrays, tuple | list):
        return sum(map(_num_bytes, arrays))
    return getattr(arrays, "nbytes", 0)


@cache
def prepare() -> None:
    """Searches a board of one push, so that no clock counts the seconds of a first compilation."""
    board = Board(
        1, 3, frozenset(), frozenset({Square(0, 2)}), frozenset({Square(0, 1)}), Square(0, 0)
    )
    search = new_search(board)
    while search.go_on(1, None) != Outcome.SOLVED:
        pass
    search.directions()
