"""Compiled work in slices; limits and interrupts are checked between them."""

from typing import Protocol, runtime_checkable

import numpy as np
from jaxtyping import Int64

from tokoban.sokoban.search.bitboard.driver import LEVEL, Verdict
from tokoban.sokoban.search.bitboard.workspace import Workspace, grown
from tokoban.sokoban.search.limits import Limits
from tokoban.sokoban.search.outcome import Outcome
from tokoban.sokoban.search.steps import next_slice

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


def complete(work: Work, workspace: Workspace, limits: Limits) -> Workspace:
    """Runs to the end, or until ``limits`` end it; returns the workspace, which may have grown.

    The time and the memory are limits of each level. ``limits.stop`` leaves the rest undone.
    """
    budget, level, started_s = _FIRST_BUDGET, -1, 0.0
    while not limits.is_stopped:
        slice_started_s = limits.clock()
        stop = work.run(workspace, budget)
        now_s = limits.clock()
        if stop == Outcome.EXHAUSTED:
            break
        if work.progress[LEVEL] != level:
            level, started_s = int(work.progress[LEVEL]), slice_started_s
        if limits.time_limit_s is not None and now_s - started_s >= limits.time_limit_s:
            work.give_up(Verdict.OUT_OF_TIME)
        elif stop == Outcome.BUDGET_SPENT:
            budget = next_slice(budget, now_s - slice_started_s)
        elif stop == Outcome.OUTPUT_FULL:
            work.grow_output()
        # The larger room is twice the old one, which may have to be copied.
        elif 3 * workspace.num_bytes > 1e6 * limits.memory_limit_mb:
            work.give_up(Verdict.OUT_OF_MEMORY)
        else:
            workspace = grown(workspace, stop)
    return workspace
