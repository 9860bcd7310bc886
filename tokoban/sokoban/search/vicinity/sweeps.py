"""The search along a whole plan: at one go if it fits the limits, else window by window."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from jaxtyping import Int32

from tokoban.sokoban.search import astar
from tokoban.sokoban.search.vicinity.plans import Plan, followed
from tokoban.sokoban.search.vicinity.positions import (
    CLOSED,
    END,
    END_PRICE,
    IS_FAR,
    IS_LATE,
    NUM_EXPANSIONS,
    NUM_POSITIONS,
    Positions,
    empty_positions,
    grown,
)
from tokoban.sokoban.search.vicinity.tables import MAIN, Tables
from tokoban.sokoban.search.vicinity.vicinity import (
    EXHAUSTED,
    STORE_FULL,
    Scope,
    begin,
    pushes_to,
    search,
)

_FIRST_CAPACITY = 1 << 12
_SLICE_S = 0.05  # how long the compiled search runs before limits and Ctrl-C are looked at


class OutOfTimeError(Exception):
    """The time is over before the search began."""


class Watch:
    """The limits of one level, and the work that was done."""

    def __init__(
        self, *, time_limit_s: float | None, memory_limit_mb: float, clock: Callable[[], float]
    ) -> None:
        self.time_limit_s = time_limit_s
        self.memory_limit_mb = memory_limit_mb
        self.expansions = 0
        self.each_slice: Callable[[], None] = lambda: None
        self._bytes_left = memory_limit_mb * 1e6
        self._clock = clock
        self._started_s = clock()
        self._slice_expansions = 1

    def elapsed_s(self) -> float:
        """Since the start."""
        return self._clock() - self._started_s

    def is_time_up(self) -> bool:
        """Whether the search has to end."""
        return self.time_limit_s is not None and self.elapsed_s() >= self.time_limit_s

    def check(self) -> None:
        """Reports the progress, then raises ``OutOfTimeError`` if the time limit has passed."""
        self.each_slice()
        if self.is_time_up():
            raise OutOfTimeError

    def reserve(self, num_bytes: int) -> None:
        """Leaves so much less for the positions."""
        self._bytes_left -= num_bytes

    def has_room(self, num_bytes: int) -> bool:
        """Whether positions may take up so much."""
        return num_bytes <= self._bytes_left

    def search(
        self,
        tables: Tables,
        plan: Plan,
        scope: Scope,
        positions: Positions,
        scratch: astar.Scratch,
    ) -> int:
        """Goes on with a search for one slice; returns why it stopped."""
        self.each_slice()
        before, before_s = int(positions.progress[NUM_EXPANSIONS]), self.elapsed_s()
        max_expansions = before + self._slice_expansions
        outcome: int = search(tables, plan, scope, positions, scratch, max_expansions)
        self.expansions += int(positions.progress[NUM_EXPANSIONS]) - before
        # An expansion takes a microsecond on the smallest levels, and milliseconds on the largest.
        if self.elapsed_s() - before_s > _SLICE_S:
            self._slice_expansions = max(self._slice_expansions // 2, 1)
        elif int(positions.progress[NUM_EXPANSIONS]) == max_expansions:
            self._slice_expansions *= 2
        return outcome


@dataclass(frozen=True)
class Swept:
    """What came of a search along a plan."""

    plan: Plan  # cheaper than before, or the same
    is_whole: bool  # in one window, to its end
    has_left_out: bool  # any position that is not near, or late
    has_left_out_late: bool  # any that is near, but late


def sweep(
    tables: Tables,
    scratch: astar.Scratch,
    plan: Plan,
    watch: Watch,
    *,
    most_boxes: int,
    lateness: int,
) -> Swept:
    """Looks for a cheaper plan all along one.

    Up to ``most_boxes`` may stand elsewhere, and what is near the plan may cost so much more (less
    if negative), in the figure that is to be small. Where the memory is too small for that, the
    search goes on from the middle of what it got to.
    """
    start = 0
    while True:
        scope = Scope(most_boxes, plan.price + lateness * MAIN)
        window = _search_window(tables, scratch, plan, start, scope, watch)
        plan = window.plan
        if start == 0:
            first = window
        if window.is_exhausted or watch.is_time_up():
            break
        start = max((start + window.reached) // 2, start + 1)
        if start == len(plan.pushes):
            break
    return Swept(
        plan=plan,
        is_whole=first.is_exhausted,
        has_left_out=first.is_far or first.is_late,
        has_left_out_late=first.is_late,
    )


@dataclass(frozen=True)
class _Window:
    """What came of a search from one position of a plan on."""

    plan: Plan
    reached: int  # the last position of the new plan before which nothing was left to try
    is_exhausted: bool
    is_far: bool  # whether positions were left out for this
    is_late: bool


def _search_window(
    tables: Tables,
    scratch: astar.Scratch,
    plan: Plan,
    start: int,
    scope: Scope,
    watch: Watch,
) -> _Window:
    num_words = plan.boxes.shape[1]
    # Room for the plan, and for more than the pushes from one position.
    least = len(plan.boxes) + 8 * len(scratch.boxes)
    positions = empty_positions(
        max(_FIRST_CAPACITY, 1 << least.bit_length()),
        num_words,
        int(plan.price[-1] // MAIN - plan.price[start] // MAIN) + 1,
    )
    place = np.zeros(len(plan.boxes), np.int32)
    begin(tables, plan, start, positions, scratch, place)
    while True:
        outcome = watch.search(tables, plan, scope, positions, scratch)
        if outcome == EXHAUSTED or watch.is_time_up():
            break
        if outcome == STORE_FULL:
            # The larger one is twice the old one, which stays until it is copied.
            if not watch.has_room(3 * sum(array.nbytes for array in positions)):
                break
            positions = grown(positions, tables.keys[1])
    return _harvest(tables, scratch, plan, start, positions, place, outcome == EXHAUSTED)


def _harvest(
    tables: Tables,
    scratch: astar.Scratch,
    plan: Plan,
    start: int,
    positions: Positions,
    place: Int32[np.ndarray, " _"],  # of each position of the plan
    is_exhausted: bool,
) -> _Window:
    """Puts the greatest saving that a search has found into the plan."""
    num_pushes = len(plan.pushes)
    savings = plan.price[start:] - positions.price[place[start:]]
    reached = start + int(np.flatnonzero(positions.previous_open[place[start:]] == CLOSED)[-1])
    rejoined = start + int(savings.argmax())
    position = int(place[rejoined])
    # The cheapest end may be one where the player stands elsewhere than in the plan.
    if plan.price[-1] - positions.progress[END_PRICE] >= savings.max():
        rejoined, position = num_pushes, int(positions.progress[END])
    is_cheaper = positions.price[position] < plan.price[rejoined]
    if is_cheaper:
        found = np.empty(positions.progress[NUM_POSITIONS], np.int16)
        found = found[: pushes_to(positions, position, found)][::-1]
        pushes = np.concatenate([plan.pushes[:start], found, plan.pushes[rejoined:]])
        reached = start + len(found) + max(reached - rejoined, 0)
        plan = followed(tables, scratch, plan.boxes[0], int(plan.player[0]), pushes)
    return _Window(
        plan=plan,
        reached=min(reached, len(plan.pushes)),
        is_exhausted=is_exhausted,
        is_far=bool(positions.progress[IS_FAR]),
        is_late=bool(positions.progress[IS_LATE]),
    )
