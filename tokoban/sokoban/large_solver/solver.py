"""Any solution of a level of any size, with three honest answers."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

from tokoban.sokoban import rules
from tokoban.sokoban.board import Board, Direction, Square
from tokoban.sokoban.deadlocks import frozen_boxes
from tokoban.sokoban.large_solver.corral_search import empty_small_search
from tokoban.sokoban.large_solver.heaps import enter
from tokoban.sokoban.large_solver.moves import empty_scratch
from tokoban.sokoban.large_solver.paths import find_directions
from tokoban.sokoban.large_solver.positions import (
    MET,
    NUM_EXPANSIONS,
    NUM_FLOODS,
    NUM_LOST,
    NUM_POSITIONS,
    REACHED,
    Positions,
    first_positions,
    grown,
)
from tokoban.sokoban.large_solver.search import (
    BUDGET_SPENT,
    EXHAUSTED,
    SOLVED,
    STORE_FULL,
    search,
)
from tokoban.sokoban.large_solver.tables import Tables, build_tables
from tokoban.sokoban.solver import MAX_SQUARES
from tokoban.sokoban.solving.answer import Answer, GaveUp, Solved, Unsolvable

_TURN_FLOODS = 1 << 12  # one side searches so far ahead of the other
_FIRST_CAPACITY = 1 << 12
_SLICE_S = 0.05  # how long the compiled search runs before limits and Ctrl-C are looked at


@dataclass(frozen=True)
class Progress:
    """How far a search is: sums over both of its sides."""

    expansions: int
    positions: int
    lost: int  # of these, known to be lost
    elapsed_s: float


def solve_any(
    board: Board,
    *,
    max_expansions: int | None = None,
    time_limit_s: float | None = None,
    memory_limit_mb: float = 2000.0,
    seed: int = 0,
    report: Callable[[Progress], None] | None = None,
    clock: Callable[[], float] = time.perf_counter,
) -> Answer:
    """Finds some solution, or proves that there is none.

    The answer does not depend on the clock except through ``time_limit_s``. ``report`` is called
    every few hundredths of a second; whoever stops the search by Ctrl-C has its last word.
    Boxes on goals that the player can never come near are left alone.
    """
    _compile()
    started_s = clock()

    def elapsed_s() -> float:
        return clock() - started_s

    if board.is_solved:
        return Solved((), 0, elapsed_s())
    inside = board.inside()
    if len(inside) > MAX_SQUARES:
        raise ValueError(f"expected at most {MAX_SQUARES} squares of floor, got {len(inside)}")
    if _is_hopeless(board, inside):
        return Unsolvable(0, elapsed_s())
    two_sides = _TwoSides(board, sorted(inside), seed=seed)
    slice_floods = 1 << 4
    while True:
        progress = two_sides.progress(elapsed_s())
        if report is not None:
            report(progress)
        if progress.expansions == max_expansions:
            return GaveUp(f"{max_expansions} expansions", progress.expansions, elapsed_s())
        if time_limit_s is not None and elapsed_s() >= time_limit_s:
            return GaveUp(f"{time_limit_s:g} s", progress.expansions, elapsed_s())
        slice_started_s = elapsed_s()
        outcome = two_sides.go_on(slice_floods, max_expansions)
        progress = two_sides.progress(elapsed_s())
        if outcome == EXHAUSTED:
            return Unsolvable(progress.expansions, progress.elapsed_s)
        if outcome == SOLVED:
            directions = two_sides.directions()
            if not rules.play(board, directions)[-1].is_solved:
                raise RuntimeError(f"the rules refuse the plan {directions} of {board}")
            return Solved(directions, progress.expansions, elapsed_s())
        if outcome == STORE_FULL:
            if two_sides.num_bytes_when_grown() > memory_limit_mb * 1e6:
                return GaveUp(f"{memory_limit_mb:g} MB", progress.expansions, elapsed_s())
            two_sides.grow()
        # A flood takes half a microsecond on the smallest levels, and tens on the largest.
        if elapsed_s() - slice_started_s < _SLICE_S:
            slice_floods *= 2
        else:
            slice_floods = max(slice_floods // 2, 1)


class _TwoSides:
    """A search from the start by pushes and one from the end by pulls, until they meet."""

    def __init__(self, board: Board, squares: list[Square], *, seed: int) -> None:
        self.player = squares.index(board.player)
        *tables, boxes = build_tables(board, squares, seed=seed)
        self.tables: list[Tables] = tables
        num_floor = len(squares)
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

    def progress(self, elapsed_s: float) -> Progress:
        expansions, positions, lost = (
            sum(int(side.progress[entry]) for side in self.positions)
            for entry in (NUM_EXPANSIONS, NUM_POSITIONS, NUM_LOST)
        )
        return Progress(expansions, positions, lost, elapsed_s)

    def num_bytes_when_grown(self) -> int:
        """Of all arrays, while the positions of this side are copied to twice the room."""
        everything = (self.tables, self.positions, self.scratch, self.small_search)
        return _num_bytes(everything) + 2 * _num_bytes(self.positions[self.turn])

    def grow(self) -> None:
        """Makes room after the search found that there was none."""
        self.positions[self.turn] = grown(self.positions[self.turn], self.tables[self.turn])

    def go_on(self, num_floods: int, max_expansions: int | None) -> int:
        """Searches for about so many floods; returns why the compiled search stopped."""
        side, other = self.positions[self.turn], self.positions[1 - self.turn]
        # The turns must not depend on the slices, for these depend on the clock.
        turn_ends = int(other.progress[NUM_FLOODS]) // _TURN_FLOODS * _TURN_FLOODS + _TURN_FLOODS
        stop_at = min(int(side.progress[NUM_FLOODS]) + num_floods, turn_ends)
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
        return outcome

    def directions(self) -> tuple[Direction, ...]:
        """The solution, once the sides have met."""
        progress = self.positions[self.turn].progress
        here, there = int(progress[REACHED]), int(progress[MET])
        meeting = (there, here) if self.turn else (here, there)
        forward, backward = self.positions
        return find_directions(self.tables[0], forward, backward, meeting, self.player)


def _num_bytes(arrays: Any) -> int:
    """Of an array, or of all in tuples and lists of them."""
    if isinstance(arrays, tuple | list):
        return sum(map(_num_bytes, arrays))
    return getattr(arrays, "nbytes", 0)


def _is_hopeless(board: Board, inside: frozenset[Square]) -> bool:
    """Whether a box or a goal is left over without any search, or a box is frozen off its goal."""
    return (
        len(board.boxes) != len(board.goals)
        or board.boxes - inside != board.goals - inside
        or not frozen_boxes(board) <= board.goals
    )


@cache
def _compile() -> None:
    """Searches a board of one push, so that no clock counts the seconds of a first compilation."""
    board = Board(
        1, 3, frozenset(), frozenset({Square(0, 2)}), frozenset({Square(0, 1)}), Square(0, 0)
    )
    two_sides = _TwoSides(board, sorted(board.inside()), seed=0)
    while two_sides.go_on(1, None) != SOLVED:
        pass
    two_sides.directions()
