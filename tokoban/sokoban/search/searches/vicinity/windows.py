"""The search along a whole path: at once if it fits the limits, else window by window."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from jaxtyping import Int32

from tokoban.sokoban.search.limits import Reason, Watch, out_of_expansions
from tokoban.sokoban.search.outcome import Outcome
from tokoban.sokoban.search.searches.vicinity.push_paths import MAIN, PushPath, Task, followed
from tokoban.sokoban.search.searches.vicinity.search import Scope, begin, pushes_to, search
from tokoban.sokoban.search.searches.vicinity.store import (
    CLOSED,
    END,
    END_COST,
    IS_FAR,
    IS_LATE,
    NUM_EXPANSIONS,
    Store,
    empty_store,
    grown,
)
from tokoban.sokoban.search.state.positions import num_bytes
from tokoban.sokoban.search.state.workspace import Workspace

_FIRST_CAPACITY = 1 << 12
_SLICE_S = 0.05  # how long the compiled search runs between two checks of limits and Ctrl-C


class Effort:
    """The work done for one level, and what its limits leave."""

    def __init__(self, watch: Watch) -> None:
        self.watch = watch
        self.num_expansions = 0
        self.each_slice: Callable[[], None] = lambda: None
        self._bytes_left = watch.limits.memory_limit_mb * 1e6
        self._slice_expansions = 1

    def reason_to_end(self) -> Reason | None:
        """The limit, except that of memory, that ends all searches; None if they may go on."""
        most = self.watch.limits.max_expansions
        if most is not None and self.num_expansions >= most:
            return out_of_expansions(most)
        return self.watch.reason_to_end()

    def check(self) -> None:
        """Reports the progress, then raises ``OutOfTimeError`` if the time is over."""
        self.each_slice()
        self.watch.check()

    def reserve(self, num_bytes: int) -> None:
        """Leaves so much less for the positions."""
        self._bytes_left -= num_bytes

    def has_room(self, num_bytes: int) -> bool:
        """Whether positions may take up so much."""
        return num_bytes <= self._bytes_left

    def search(
        self, task: Task, path: PushPath, scope: Scope, store: Store, scratch: Workspace
    ) -> int:
        """Goes on with a search for one slice; returns why it stopped."""
        self.each_slice()
        before, before_s = int(store.progress[NUM_EXPANSIONS]), self.watch.elapsed_s()
        budget, most = self._slice_expansions, self.watch.limits.max_expansions
        if most is not None:
            budget = min(budget, most - self.num_expansions)
        outcome: int = search(task, path, scope, store, scratch, before + budget)
        spent = int(store.progress[NUM_EXPANSIONS]) - before
        self.num_expansions += spent
        # An expansion takes a microsecond on the smallest levels, and milliseconds on the largest.
        if self.watch.elapsed_s() - before_s > _SLICE_S:
            self._slice_expansions = max(self._slice_expansions // 2, 1)
        elif spent == self._slice_expansions:
            self._slice_expansions *= 2
        return outcome


class Searched(NamedTuple):
    """The result of a search from one position of a path on."""

    path: PushPath  # cheaper than before, or the same
    covered: int  # the last position of the new path before which nothing was left to try
    is_exhausted: bool
    has_left_out_far: bool  # some position because too many of its boxes stand elsewhere
    has_left_out_late: bool  # some position because it costs too much more than the path there


def search_along(
    task: Task,
    scratch: Workspace,
    path: PushPath,
    effort: Effort,
    *,
    most_boxes: int,
    lateness: int,
) -> Searched:
    """Searches for a cheaper path all along this one; other fields are those of the first window.

    Up to ``most_boxes`` may stand elsewhere, and a position near the path may cost ``lateness``
    more than the path there (less if negative), in the minimised figure. Where the memory is too
    small for that, the search goes on from the middle of the part that it has covered.
    """
    start = 0
    while True:
        scope = Scope(most_boxes, path.cost + lateness * MAIN)
        window = _search_window(task, scratch, path, start, scope, effort)
        path = window.path
        if start == 0:
            first = window
        if window.is_exhausted or effort.reason_to_end() is not None:
            break
        start = max((start + window.covered) // 2, start + 1)
        if start == len(path.pushes):
            break
    return first._replace(path=path)


def _search_window(
    task: Task, scratch: Workspace, path: PushPath, start: int, scope: Scope, effort: Effort
) -> Searched:
    # Capacity for the path, and for more than the pushes from one position.
    least = len(path.boxes) + 8 * len(scratch.boxes)
    store = empty_store(
        max(_FIRST_CAPACITY, 1 << least.bit_length()),
        len(task.lower_bound),
        int(path.cost[-1] // MAIN - path.cost[start] // MAIN) + 1,
    )
    entered_as = np.zeros(len(path.boxes), np.int32)
    begin(task, path, start, store, scratch, entered_as)
    while True:
        outcome = effort.search(task, path, scope, store, scratch)
        if outcome == Outcome.EXHAUSTED or effort.reason_to_end() is not None:
            break
        if outcome == Outcome.STORE_FULL:
            # The larger one is twice the old one, which may have to be copied.
            if not effort.has_room(3 * num_bytes(store)):
                break
            store = grown(store, task.ground)
    return _harvest(task, scratch, path, start, store, entered_as, outcome == Outcome.EXHAUSTED)


def _harvest(
    task: Task,
    scratch: Workspace,
    path: PushPath,
    start: int,
    store: Store,
    entered_as: Int32[np.ndarray, " _"],  # the number of each position of the path
    is_exhausted: bool,
) -> Searched:
    """Puts the greatest saving that a search has found into the path."""
    num_pushes = len(path.pushes)
    savings = path.cost[start:] - store.cost[entered_as[start:]]
    closed = np.flatnonzero(store.previous_open[entered_as[start:]] == CLOSED)
    covered = start + int(closed.max(initial=0))  # none is closed where no expansion was allowed
    rejoined = start + int(savings.argmax())
    position = int(entered_as[rejoined])
    # The cheapest end may be one where the player stands elsewhere than in the path.
    if path.cost[-1] - store.progress[END_COST] >= savings.max():
        rejoined, position = num_pushes, int(store.progress[END])
    is_cheaper = store.cost[position] < path.cost[rejoined]
    if is_cheaper:
        found = np.empty(store.positions.num_known[0], np.int16)
        found = found[: pushes_to(store, position, found)][::-1]
        pushes = np.concatenate([path.pushes[:start], found, path.pushes[rejoined:]])
        covered = start + len(found) + max(covered - rejoined, 0)
        path = followed(task, scratch, path.boxes[0], int(path.player[0]), pushes)
    return Searched(
        path=path,
        covered=min(covered, len(path.pushes)),
        is_exhausted=is_exhausted,
        has_left_out_far=bool(store.progress[IS_FAR]),
        has_left_out_late=bool(store.progress[IS_LATE]),
    )
