"""Compiled work in slices; limits and interrupts are checked between them."""

from collections.abc import Callable
from typing import Protocol, runtime_checkable

import numpy as np
from jaxtyping import Int64

from tokoban import compiling
from tokoban.sokoban.search.bitboard.driver import LEVEL, Verdict
from tokoban.sokoban.search.bitboard.workspace import Workspace, grown
from tokoban.sokoban.search.limits import Limits
from tokoban.sokoban.search.outcome import Outcome

_SLICE_S = 0.01
_FIRST_BUDGET = 256


@runtime_checkable
class Work(Protocol):
    """Some levels, and a place for their answers."""

    progress: Int64[np.ndarray, "3"]

    def run(self, workspace: Workspace, budget: int) -> Outcome:
        """Goes on for about ``budget`` expansions; returns why it came back."""

    def grow_output(self) -> None:
        """Makes room for more answers."""

    def give_up(self, verdict: Verdict) -> None:
        """Ends the level at hand without an answer, so that the next ``run`` starts another."""


class Worker:
    """A workspace, and how much it does before it looks at the clock."""

    def __init__(self, workspace: Workspace) -> None:
        self.workspace = workspace
        self.budget = _FIRST_BUDGET

    def complete(
        self, work: Work, limits: Limits, is_stopped: Callable[[], bool] = lambda: False
    ) -> None:
        """Runs to the end, or until ``limits`` or ``is_stopped`` end it.

        ``limits.stop`` gives up the levels that are left; ``is_stopped`` leaves them undone.
        """
        level, started_s = -1, 0.0
        while not is_stopped():
            slice_started_s = compiling.clock()
            stop = work.run(self.workspace, self.budget)
            now_s = compiling.clock()
            if stop == Outcome.EXHAUSTED:
                break
            if limits.is_stopped:
                while work.run(self.workspace, 0) != Outcome.EXHAUSTED:
                    work.give_up(Verdict.STOPPED)
                break
            if work.progress[LEVEL] != level:
                level, started_s = int(work.progress[LEVEL]), slice_started_s
            if limits.time_limit_s is not None and now_s - started_s >= limits.time_limit_s:
                work.give_up(Verdict.OUT_OF_TIME)
            elif stop == Outcome.BUDGET_SPENT:
                is_short = now_s - slice_started_s < _SLICE_S
                self.budget = 2 * self.budget if is_short else max(self.budget // 2, 1)
            elif stop == Outcome.OUTPUT_FULL:
                work.grow_output()
            # The larger room is twice the old one, which may have to be copied.
            elif 3 * self.workspace.num_bytes > 1e6 * limits.memory_limit_mb:
                work.give_up(Verdict.OUT_OF_MEMORY)
            else:
                self.workspace = grown(self.workspace, stop)
