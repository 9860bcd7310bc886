"""Many levels solved at once by several threads: arrays in, arrays out."""

import time
from collections.abc import Callable
from functools import cache

import numpy as np

from tokoban.sokoban.solving import driver
from tokoban.sokoban.solving.answer import (
    HASTE,
    OBJECTIVES,
    Answer,
    GaveUp,
    Limits,
    Solved,
    Unsolvable,
)
from tokoban.sokoban.solving.driver import Answers, Verdict
from tokoban.sokoban.solving.levels import Levels
from tokoban.sokoban.solving.slices import Worker, in_threads
from tokoban.sokoban.solving.workspace import NUM_TOTALS, Workspace, empty_workspace

_FIRST_MOVES = 1 << 12
_UNLIMITED = 1 << 62


def solve_many(
    levels: Levels,
    objective: str,
    *,
    limits: Limits | None = None,
    num_threads: int = 1,
    report: Callable[[int, int], None] | None = None,
) -> Answers:
    """Solves each level with the fewest moves or pushes, or with any plan that is quickly found.

    Every plan has been replayed by the rules on words. ``report`` is called now and then with the
    number of levels done and of all.
    """
    limits = limits or Limits()
    works = in_threads(
        lambda first, last: Solving(levels.part(first, last), objective, limits),
        levels.num_levels,
        empty_workspace=lambda: workspace_for(levels),
        limits=limits,
        num_threads=num_threads,
        report=report,
    )
    parts = [work.answers() for work in works]
    starts = np.cumsum([0, *(len(part.moves) for part in parts)])
    parts = [
        part._replace(ends=part.ends + start) for part, start in zip(parts, starts, strict=False)
    ]
    return Answers(*map(np.concatenate, zip(*parts, strict=True)))


def solve_one(level: Levels, objective: str, limits: Limits) -> Answer:
    """Solves a batch of one level."""
    _compile()
    started_s = time.perf_counter()
    work = Solving(level, objective, limits)
    Worker(workspace_for(level)).complete(work, limits, lambda: False)
    answers = work.answers()
    expansions, elapsed_s = int(answers.expansions[0]), time.perf_counter() - started_s
    verdict = Verdict(answers.verdict[0])
    if verdict == Verdict.SOLVED:
        return Solved(answers.directions(0), expansions, elapsed_s)
    if verdict == Verdict.UNSOLVABLE:
        return Unsolvable(expansions, elapsed_s)
    if verdict == Verdict.OUT_OF_EXPANSIONS:
        limit = f"{limits.max_expansions} expansions"
    elif verdict == Verdict.OUT_OF_TIME:
        limit = f"{limits.time_limit_s:g} s"
    elif verdict == Verdict.OUT_OF_MEMORY:
        limit = f"{limits.memory_limit_mb:g} MB"
    else:
        limit = f"a price of {NUM_TOTALS}"
    return GaveUp(limit, expansions, elapsed_s)


@cache
def _compile() -> None:
    """Solves a level of one push, so that no clock counts the seconds of a first compilation."""
    player, box, goal, walls = (np.array([word], np.uint64) for word in (1, 2, 4, ~7 & 2**64 - 1))
    level = Levels(walls, goal, box, player)
    Solving(level, "moves", Limits()).run(workspace_for(level), 1)


def workspace_for(levels: Levels) -> Workspace:
    """Room to solve any of the levels."""
    return empty_workspace(levels.max_boxes, is_one_sided=False)


class Solving:
    """Work on some levels, one after the other; see ``slices.Work``."""

    def __init__(self, levels: Levels, objective: str, limits: Limits) -> None:
        if objective not in OBJECTIVES:
            raise ValueError(f"minimise is 'moves', 'pushes' or 'any', not {objective!r}")
        self.progress = np.zeros(3, np.int64)
        self._levels = levels
        self._objective = objective
        self._max_expansions = limits.max_expansions
        num_levels = levels.num_levels
        self._output = Answers(
            verdict=np.zeros(num_levels, np.uint8),
            num_pushes=np.zeros(num_levels, np.int32),
            expansions=np.zeros(num_levels, np.int64),
            ends=np.zeros(num_levels, np.int64),
            moves=np.empty(_FIRST_MOVES, np.uint8),
        )

    def run(self, workspace: Workspace, budget: int) -> int:
        """Goes on for about ``budget`` expansions; returns why it came back."""
        return driver.solve_levels(
            self._levels,
            workspace,
            self._output,
            HASTE if self._objective == "any" else 1,
            self._objective == "moves",
            _UNLIMITED if self._max_expansions is None else self._max_expansions,
            budget,
            self.progress,
        )

    def grow_output(self) -> None:
        """Makes room for twice as many moves."""
        moves = self._output.moves
        self._output = self._output._replace(moves=np.concatenate([moves, np.empty_like(moves)]))

    def give_up(self, verdict: Verdict) -> None:
        """Ends the search for the level at hand."""
        driver.give_up(self._output, verdict, self.progress)

    def answers(self) -> Answers:
        """What was found; raises ``RuntimeError`` if the search contradicts itself."""
        output = self._output
        if (output.verdict == driver.FAULT).any():
            level = int((output.verdict == driver.FAULT).argmax())
            words = [f"{int(word[level]):#x}" for word in self._levels]
            raise RuntimeError(f"the solver contradicts itself about {words}")
        return output._replace(moves=output.moves[: output.ends.max(initial=0)])
