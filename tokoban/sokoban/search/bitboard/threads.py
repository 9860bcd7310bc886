"""Compiled work in slices, between which limits and interrupts are looked at."""

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import replace
from typing import Protocol, TypeVar, runtime_checkable

import numpy as np
from jaxtyping import Int64

from tokoban import compiling
from tokoban.sokoban.search.bitboard.driver import LEVEL, Verdict
from tokoban.sokoban.search.bitboard.workspace import Workspace, grown
from tokoban.sokoban.search.limits import Limits
from tokoban.sokoban.search.outcome import Outcome

_SLICE_S = 0.01
_FIRST_BUDGET = 256
_REPORT_S = 0.1
_MOST_LEVELS = 1024  # that a thread takes at a time


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


SomeWork = TypeVar("SomeWork", bound=Work)


class Worker:
    """One thread's workspace, and how much it does before it looks at the clock."""

    def __init__(self, workspace: Workspace) -> None:
        self.workspace = workspace
        self.budget = _FIRST_BUDGET

    def complete(self, work: Work, limits: Limits, is_stopped: Callable[[], bool]) -> None:
        """Runs to the end; at once where ``limits`` or the caller say so.

        ``limits.stop`` gives up the levels that are left; after ``is_stopped`` they are undone.
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
            # The larger room is twice the old one, which stays until it is copied.
            elif 3 * self.workspace.num_bytes > 1e6 * limits.memory_limit_mb:
                work.give_up(Verdict.OUT_OF_MEMORY)
            else:
                self.workspace = grown(self.workspace, stop)


def in_threads(
    work_on: Callable[[int, int], SomeWork],
    num_levels: int,
    *,
    empty_workspace: Callable[[], Workspace],
    limits: Limits,
    num_threads: int,
    report: Callable[[int, int], None] | None = None,
) -> list[SomeWork]:
    """The finished work on all levels, in their order, cut by ``work_on(first, last)``.

    ``report`` is called now and then with the levels done and all levels. An interrupt ends the
    threads before it goes on.
    """
    size = min(_MOST_LEVELS, -(-num_levels // (8 * num_threads)) or 1)
    firsts = range(0, max(num_levels, 1), size)
    works = [work_on(first, min(first + size, num_levels)) for first in firsts]
    limits = replace(limits, memory_limit_mb=limits.memory_limit_mb / num_threads)
    waiting = iter(works)  # whose ``next`` is one step for all threads
    is_stopped = threading.Event()

    def take_turns() -> None:
        worker = Worker(empty_workspace())
        for work in waiting:
            worker.complete(work, limits, is_stopped.is_set)

    with ThreadPoolExecutor(num_threads) as pool:
        turns = [pool.submit(take_turns) for _ in range(num_threads)]
        try:
            while wait(turns, timeout=_REPORT_S).not_done:
                if report:
                    report(sum(int(work.progress[LEVEL]) for work in works), num_levels)
        finally:
            is_stopped.set()
    for turn in turns:
        turn.result()
    if report:
        report(num_levels, num_levels)
    return works
