"""One member of the portfolio alone on one level: what it did, by expansions.

Counted in expansions, so that the same call gives the same figures on every machine, but for the
seconds. ``players_levels --member`` calls it.
"""

import time
from dataclasses import dataclass, field, replace

import numpy as np
from jaxtyping import UInt64

from benchmarks.solver import count_pushes
from tokoban.sokoban.board import Board
from tokoban.sokoban.search.combine.portfolio import MEMBERS, SearchContext, context_in_steps
from tokoban.sokoban.search.level.ground import Squares
from tokoban.sokoban.search.limits import UNLIMITED
from tokoban.sokoban.search.outcome import Outcome
from tokoban.sokoban.search.pauses import Budget, Searcher, underway
from tokoban.sokoban.search.searches.fess import scores, tree
from tokoban.sokoban.search.searches.fess.solver import Fess
from tokoban.sokoban.search.state.positions import unpacked_bits
from tokoban.sokoban.search.steps import completed

# Features of FESS that are counted down from the most.
_COUNTED_DOWN, _MOST = (scores.REGIONS, scores.OUT_OF_PLAN), 255
_BUDGET = 1 << 12  # of work, between two looks at the limits
# The expansions by which the best position is logged.
_MARKS = [mark * 10**power for power in range(8) for mark in (1, 2, 5)]


@dataclass
class Log:
    """One member and one level. The best position has the most packed, then the fewest regions."""

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
    weights: list[int] | None = None  # of the moves of the solution's forward part; by one plan


def run_member(
    name: str,
    board: Board,
    *,
    max_expansions: int | None,
    time_limit_s: float,
    memory_limit_mb: float,
    without: frozenset[str] = frozenset(),
    seed: int = 0,
) -> Log:
    """Searches by one member alone, for so many expansions and seconds of the process."""
    started_s = time.process_time()
    context = completed(context_in_steps(board, Squares(board), without=without, seed=seed))
    search = completed(MEMBERS[name].start(context))
    going, answer, reason = underway(search), "gave up", None
    best: list[tuple[int, tuple[int, ...]]] = []
    while True:
        mark = next(mark for mark in _MARKS if mark > going.pause.expansions)
        found = going.go_on(
            Budget(_BUDGET, UNLIMITED if max_expansions is None else max_expansions)
        )
        pause = going.pause
        if found is not None and found.outcome == Outcome.SOLVED:
            answer = "solved"
        elif found is not None and found.outcome == Outcome.EXHAUSTED and MEMBERS[name].is_complete:
            answer = "unsolvable"
        elif found is not None:
            reason = found.outcome.name.lower()
        elif pause.expansions == max_expansions:
            reason = f"{max_expansions} expansions"
        elif time.process_time() - started_s >= time_limit_s:
            reason = f"{time_limit_s:g} s"
        elif pause.growing_bytes and (
            context.num_bytes + pause.growing_bytes > memory_limit_mb * 1e6
        ):
            reason = f"{memory_limit_mb:g} MB"
        if pause.expansions >= mark or answer != "gave up" or reason:
            features = best_of(search)
            if features and (not best or best[-1][1] != features):
                best.append((pause.expansions, features))
        if answer != "gave up" or reason:
            break
    elapsed_s = time.process_time() - started_s
    log = Log(
        answer=answer,
        reason=reason,
        expansions=pause.expansions,
        stored=pause.positions,
        num_bytes=context.num_bytes + pause.num_bytes,
        elapsed_s=elapsed_s,
        cells=num_cells(search),
        best=best,
    )
    if found is not None and answer == "solved":
        log.moves = len(found.directions)
        log.pushes = count_pushes(board, found.directions)
        log.weights = weights_of_solution(search)
    elif answer == "gave up":
        log.best_position = best_position(context, search)
    return log


# What the search shows of itself; only feature spaces have cells.


def num_cells(search: Searcher) -> int | None:
    """The cells of the forward search."""
    if isinstance(search, Fess):
        return int(search.tree.progress[tree.NUM_CELLS])
    return None


def best_of(search: Searcher) -> tuple[int, ...] | None:
    """Packed, regions and boxes out of plan of the best position."""
    if isinstance(search, Fess):
        score = int(search.tree.score[search.tree.progress[tree.BEST]])
        features = (scores.feature_of.py_func(score, at) for at in _COUNTED_DOWN)
        return (score >> scores.PACKING, *(_MOST - feature for feature in features))
    return None


def best_position(context: SearchContext, search: Searcher) -> str | None:
    """The first of the best positions, as XSB."""
    if isinstance(search, Fess):
        best = search.tree.progress[tree.BEST]
        return _drawn(context, search.tree.boxes[best], int(search.tree.player[best]))
    return None


def _drawn(context: SearchContext, words: UInt64[np.ndarray, " W"], player: int) -> str:
    board, squares = context.board, context.squares.squares
    boxes = {squares[i] for i in np.flatnonzero(unpacked_bits(words, len(squares)))}
    boxes |= board.boxes - frozenset(squares)
    return str(replace(board, boxes=frozenset(boxes), player=squares[player]))


def weights_of_solution(search: Searcher) -> list[int] | None:
    """0 for each move that an advisor proposed, 1 for each other, from the start on.

    Without the last move, which has no weight yet.
    """
    if isinstance(search, Fess):
        here, totals = search.tree, []
        child = int(here.came_by[here.parent[here.run[here.progress[tree.SOLVED_BY]]]])
        while child > 0:
            totals.append(int(here.weight[here.run[child]]))
            child = int(here.came_by[here.parent[here.run[child]]])
        return np.diff([0, *totals[::-1]]).tolist()
    return None
