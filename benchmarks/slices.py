"""One slice of the portfolio alone on one level: what it did, by expansions.

Counted in expansions, so that the same call gives the same figures on every machine, but for the
seconds. ``players_levels --slice`` calls it.
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from tokoban.sokoban import rules
from tokoban.sokoban.board import Board, Square
from tokoban.sokoban.search.bidirectional.features import feature_of
from tokoban.sokoban.search.bidirectional.sides import (
    EXPANDING,
    FIRST_NEW,
    MET,
    NUM_CELLS,
    REACHED,
    Side,
)
from tokoban.sokoban.search.bidirectional.solver import BidirectionalFess
from tokoban.sokoban.search.ground import NONE, Squares
from tokoban.sokoban.search.portfolio import SLICES, Setting, SliceSearch, setting_in_steps
from tokoban.sokoban.search.positions import unpacked_bits
from tokoban.sokoban.search.single import Outcome
from tokoban.sokoban.search.steps import completed

_BUDGET = 1 << 12  # of work, between two looks at the limits
# The expansions by which the best position is logged.
_MARKS = [mark * 10**power for power in range(8) for mark in (1, 2, 5)]


@dataclass
class Log:
    """One slice and one level. The best position has the most packed, then the fewest regions."""

    answer: str  # "solved", "unsolvable", "gave up"
    reason: str | None
    expansions: int
    stored: int
    num_bytes: int
    elapsed_s: float
    moves: int | None = None
    pushes: int | None = None
    cells: int | None = None
    # By expansions: packed, regions, boxes out of plan of the best position so far.
    best: list[tuple[int, tuple[int, ...]]] = field(default_factory=list)
    best_position: str | None = None  # as XSB, the player anywhere in its area; if not solved
    weights: list[int] | None = None  # of the moves of the solution's forward part


def run_slice(
    name: str,
    board: Board,
    *,
    max_expansions: int | None,
    time_limit_s: float,
    memory_limit_mb: float,
    without: frozenset[str] = frozenset(),
) -> Log:
    """Searches by one slice alone, for so many expansions and seconds of the process."""
    started_s = time.process_time()
    setting = completed(setting_in_steps(board, Squares(board), without=without))
    search = completed(SLICES[name].start(setting))
    answer, reason = "gave up", None
    best: list[tuple[int, tuple[int, ...]]] = []
    while True:
        expansions = search.progress(0.0).expansions
        mark = next(mark for mark in _MARKS if mark > expansions)
        outcome = search.go_on(_BUDGET, max_expansions)
        expansions = search.progress(0.0).expansions
        is_last = expansions == max_expansions
        if outcome == Outcome.SOLVED:
            answer = "solved"
        elif outcome == Outcome.EXHAUSTED and search.is_complete:
            answer = "unsolvable"
        elif outcome not in (Outcome.BUDGET_SPENT, Outcome.STORE_FULL):
            reason = outcome.name.lower()
        elif is_last:
            reason = f"{max_expansions} expansions"
        elif time.process_time() - started_s >= time_limit_s:
            reason = f"{time_limit_s:g} s"
        elif outcome == Outcome.STORE_FULL:
            if setting.num_bytes + search.num_bytes_while_growing() > memory_limit_mb * 1e6:
                reason = f"{memory_limit_mb:g} MB"
            else:
                search.grow()
        if expansions >= mark or answer != "gave up" or reason:
            features = best_of(search)
            if features and (not best or best[-1][1] != features):
                best.append((expansions, features))
        if answer != "gave up" or reason:
            break
    return _logged(setting, search, answer, reason, best, time.process_time() - started_s)


def _logged(
    setting: Setting,
    search: SliceSearch,
    answer: str,
    reason: str | None,
    best: list[tuple[int, tuple[int, ...]]],
    elapsed_s: float,
) -> Log:
    progress = search.progress(elapsed_s)
    log = Log(
        answer=answer,
        reason=reason,
        expansions=progress.expansions,
        stored=progress.positions,
        num_bytes=setting.num_bytes + search.num_bytes(),
        elapsed_s=round(elapsed_s, 3),
        cells=num_cells(search),
        best=best,
    )
    if answer == "solved":
        directions = search.directions()
        log.moves, log.pushes = len(directions), count_pushes(setting.board, directions)
        log.weights = weights_of_solution(search)
    elif answer == "gave up":
        log.best_position = best_position(setting, search)
    return log


def count_pushes(board: Board, directions: Sequence[int]) -> int:
    """Replays a solution by the plain rules; ``RuntimeError`` if it is none."""
    pushes = 0
    for direction in directions:
        after = rules.step(board, direction)
        pushes += after.boxes != board.boxes
        board = after
    if not board.is_solved:
        raise RuntimeError("the rules refuse a solution")
    return pushes


# What the search shows of itself; only that of feature spaces has cells.


def _forward(search: SliceSearch) -> Side | None:
    return search.sides[0] if isinstance(search, BidirectionalFess) else None


def num_cells(search: SliceSearch) -> int | None:
    """The cells of the forward search."""
    side = _forward(search)
    return None if side is None else int(side.progress[NUM_CELLS])


def best_of(search: SliceSearch) -> tuple[int, ...] | None:
    """Packed, regions and boxes out of plan of the best cell."""
    side = _forward(search)
    if side is None:
        return None
    cells = side.cells[: side.progress[NUM_CELLS]].tolist()
    return min(((-_feature(c, 0), _feature(c, 1), _feature(c, 2)) for c in cells), key=_order)


def _order(features: tuple[int, ...]) -> tuple[int, ...]:
    return (-features[0], *features[1:])


def _feature(cell: int, number: int) -> int:
    return int(feature_of.py_func(cell, number))


def best_position(setting: Setting, search: SliceSearch) -> str | None:
    """The first position of the best cell, as XSB."""
    side, best = _forward(search), best_of(search)
    if side is None or best is None:
        return None
    squares = setting.squares.squares
    cells = side.cell[: side.positions.num_known[0]]
    fitting = [
        cell
        for cell in np.unique(cells).tolist()
        if (-_feature(cell, 0), _feature(cell, 1), _feature(cell, 2)) == best
    ]
    position = int(np.flatnonzero(np.isin(cells, fitting))[0])
    is_box = unpacked_bits(side.positions.boxes[position], len(squares))
    board = setting.board
    fixed = board.boxes - frozenset(squares)
    boxes = fixed | {squares[i] for i in np.flatnonzero(is_box)}
    player = squares[side.positions.player[position]]
    return str(Board(board.height, board.width, board.walls, board.goals, boxes, Square(*player)))


def weights_of_solution(search: SliceSearch) -> list[int] | None:
    """0 for each move that an advisor proposed, 1 for each other, from the start to the meeting."""
    side = _forward(search)
    if side is None or not isinstance(search, BidirectionalFess):
        return None
    here = search.sides[search.turn].progress
    position = int(here[MET] if search.turn else here[REACHED])
    if side.progress[EXPANDING] != NONE and position >= side.progress[FIRST_NEW]:
        position = int(side.positions.parent[position])  # its move is not weighed yet
    weights = []
    while (parent := int(side.positions.parent[position])) != NONE:
        weights.append(int(side.weight[position] - side.weight[parent]))
        position = parent
    return weights[::-1]
