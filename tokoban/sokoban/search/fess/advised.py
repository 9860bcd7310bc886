"""Bidirectional FESS that a guide keeps from searching below positions it takes for deadlocked.

An evaluation by a network takes as long as a hundred expansions of FESS, so that only few positions
can be evaluated: those below which most of the search lies. What lies below a position that the
guide takes for deadlocked waits until nothing else is open. So the search stays complete, and only
its own rules prove that a level is unsolvable.

Axes: P positions, F floor squares.
"""

from functools import partial
from typing import no_type_check

import numpy as np
from jaxtyping import Bool, Int64

from tokoban.compiling import entry
from tokoban.sokoban.board import Direction
from tokoban.sokoban.search.answer import Progress
from tokoban.sokoban.search.fess.heaps import enter
from tokoban.sokoban.search.fess.sides import NEVER, NUM_FLOODS
from tokoban.sokoban.search.fess.solver import BidirectionalFess
from tokoban.sokoban.search.flood import flood
from tokoban.sokoban.search.ground import NONE
from tokoban.sokoban.search.guide import Guide
from tokoban.sokoban.search.positions import list_boxes
from tokoban.sokoban.search.single import Outcome

_BATCH = 16  # positions that are evaluated together
# Counted against evaluations, so that the guide has about half of the time on a board of 130
# squares; work decides and not the clock, so that every machine finds the same solution.
_FLOODS_AN_EVALUATION = 2048
_SURE = 0.995  # a lower probability of a deadlock changes nothing
_LEAST_BELOW = 64  # positions below one that is worth its evaluation


class AdvisedFess:
    """A ``single.Search``; the guide judges positions of the forward side."""

    name = "advised-fess"

    def __init__(self, fess: BidirectionalFess, guide: Guide) -> None:
        self._fess, self._guide = fess, guide
        self._judged: list[int] = []
        self._postponed: list[Int64[np.ndarray, " _"]] = []
        self.num_evaluations = 0
        self.num_postponed = 0

    def go_on(self, budget: int, max_expansions: int | None) -> Outcome:
        """As ``single.Search`` says."""
        outcome = self._fess.go_on(budget, max_expansions)
        # If it is the backward side that is exhausted, there is no solution whatever is postponed.
        if outcome == Outcome.EXHAUSTED and self._fess.turn == 0 and self._postponed:
            self._reopen()
            return Outcome.BUDGET_SPENT
        if outcome == Outcome.BUDGET_SPENT:
            floods = sum(int(side.progress[NUM_FLOODS]) for side in self._fess.sides)
            if floods >= (self.num_evaluations + _BATCH) * _FLOODS_AN_EVALUATION:
                self._advise()
        return outcome

    def _advise(self) -> None:
        """Evaluates the positions with most below them, and postpones all below deadlocked ones."""
        self.num_evaluations += _BATCH  # spent, even where there is nothing to evaluate
        side = self._fess.sides[0]
        count = int(side.positions.num_known[0])
        below = _num_below(side.positions.parent[:count], side.is_open[:count])
        below[self._judged] = 0
        chosen = np.flatnonzero(below >= _LEAST_BELOW)
        if not len(chosen):
            return
        chosen = chosen[np.argsort(-below[chosen], kind="stable")[:_BATCH]]
        self._judged += chosen.tolist()
        guidance = self._guide.evaluate(*self._drawn(chosen))
        deadlocked = chosen[guidance.deadlocked > _SURE]
        if len(deadlocked):
            is_below = np.zeros(count, np.bool_)
            is_below[deadlocked] = True
            _mark_below(side.positions.parent[:count], is_below)
            waiting = np.flatnonzero(is_below & side.is_open[:count])
            side.is_open[waiting] = False  # the heaps leave out what is not open
            self._postponed.append(waiting)
            self.num_postponed += len(waiting)

    def _reopen(self) -> None:
        """Opens all that was postponed, where nothing else is open."""
        side = self._fess.sides[0]
        side.root[side.root != NEVER] = NONE  # the heaps may still hold what was postponed
        for waiting in self._postponed:
            for position in waiting.tolist():
                enter(side, position)
        self._postponed = []

    def _drawn(
        self, chosen: Int64[np.ndarray, " P"]
    ) -> tuple[Bool[np.ndarray, "P F"], Bool[np.ndarray, "P F"]]:
        """The boxes of positions, and where the player can walk."""
        ground, positions = self._fess.tables[0].ground, self._fess.sides[0].positions
        num_floor = len(ground.zone)
        boxes = np.zeros((len(chosen), num_floor), np.bool_)
        zone = np.zeros_like(boxes)
        _fill_drawn(
            ground.neighbours, positions.boxes[chosen], positions.player[chosen],
            np.zeros(len(ground.goals), np.int16), boxes, zone,
        )  # fmt: skip
        return boxes, zone

    def progress(self, elapsed_s: float) -> Progress:
        """As ``single.Search`` says."""
        return self._fess.progress(elapsed_s)

    @property
    def num_turns(self) -> int:
        """As of ``BidirectionalFess``."""
        return self._fess.num_turns

    def num_bytes(self) -> int:
        """As ``single.Search`` says."""
        return self._fess.num_bytes() + sum(waiting.nbytes for waiting in self._postponed)

    def num_bytes_while_growing(self) -> int:
        """As ``single.Search`` says."""
        return self.num_bytes() - self._fess.num_bytes() + self._fess.num_bytes_while_growing()

    def grow(self) -> None:
        """As ``single.Search`` says."""
        self._fess.grow()

    def directions(self) -> tuple[Direction, ...]:
        """As ``single.Search`` says."""
        return self._fess.directions()

    def optimum(self) -> None:
        """As ``single.Search`` says: none."""


@partial(entry, makes_arrays=True)
@no_type_check
def _num_below(parent, is_open):
    """By position, the open positions that came from it, directly or not."""
    below = np.zeros(len(parent), np.int32)
    for position in range(len(parent) - 1, -1, -1):
        above = parent[position]
        if above != NONE:
            below[above] += below[position] + is_open[position]
    return below


@entry
@no_type_check
def _mark_below(parent, is_below):
    """Marks the positions that came from marked ones."""
    for position in range(len(parent)):
        above = parent[position]
        if above != NONE and is_below[above]:
            is_below[position] = True


@partial(entry, makes_arrays=True)
@no_type_check
def _fill_drawn(neighbours, words, players, squares, boxes, zone):
    num_floor = len(neighbours) - 1
    is_blocked = np.zeros(num_floor + 1, np.bool_)
    marks = np.zeros(num_floor + 1, np.int64)
    waiting = np.empty(num_floor + 1, np.int32)
    for row in range(len(players)):
        list_boxes(words[row], squares)
        is_blocked[:] = False
        is_blocked[num_floor] = True
        for box in squares:
            is_blocked[box] = boxes[row, box] = True
        flood(neighbours, is_blocked, players[row], marks, row + 1, waiting)
        for square in range(num_floor):
            zone[row, square] = marks[square] == row + 1
