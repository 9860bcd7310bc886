"""Retrograde analysis: the exact moves (or pushes) to go of every solvable state of a level."""

import numpy as np

from tokoban.sokoban.search.bitboard import labels as compiled
from tokoban.sokoban.search.bitboard.driver import EXPANSIONS, LEVEL, PHASE, Verdict
from tokoban.sokoban.search.bitboard.labels import DEADLOCKED, Labels
from tokoban.sokoban.search.bitboard.levels import Levels
from tokoban.sokoban.search.bitboard.workspace import Workspace, empty_workspace
from tokoban.sokoban.search.outcome import Outcome
from tokoban.sokoban.search.state.columns import zeroed


def workspace_for(levels: Levels) -> Workspace:
    """Room to sweep any of the levels."""
    return empty_workspace(levels.max_boxes, is_one_sided=True)


class Sweeping:
    """Work on some levels, one after the other; see ``worker.Work``. Their starts are labelled."""

    def __init__(self, levels: Levels, unit: str) -> None:
        if unit not in ("moves", "pushes"):
            raise ValueError(f"unit is {unit!r}; expected 'moves' or 'pushes'")
        self.progress = np.zeros(3, np.int64)
        self._levels = levels
        self._counts_moves = unit == "moves"
        num_levels = levels.num_levels
        distance = np.full(num_levels, DEADLOCKED, np.uint16)
        self.labels = zeroed(Labels, N=num_levels, Q=num_levels, A=4, distance=distance)

    def run(self, workspace: Workspace, budget: int) -> Outcome:
        """Goes on for about ``budget`` sets and layers; returns why it came back."""
        return compiled.sweep_levels(
            self._levels, workspace, self.labels, self._counts_moves, budget, self.progress
        )

    def grow_output(self) -> None:
        """Never called: there is room for every level's start."""

    def give_up(self, verdict: Verdict) -> None:
        """Ends the sweep of the level at hand, whose start is left unlabelled."""
        self.labels.verdict[self.progress[LEVEL]] = verdict
        self.progress[LEVEL] += 1
        self.progress[[PHASE, EXPANSIONS]] = 0
