"""Retrograde analysis: the exact moves (or pushes) to go of every solvable state of a level.

Axes: N levels, Q states asked about, K sets of boxes, A the four moves.
"""

from dataclasses import dataclass

import numpy as np
from jaxtyping import UInt16, UInt64

from tokoban.sokoban.search.bitboard import labels as compiled
from tokoban.sokoban.search.bitboard.driver import EXPANSIONS, LEVEL, PHASE, Verdict
from tokoban.sokoban.search.bitboard.labels import DEADLOCKED, Labels, States
from tokoban.sokoban.search.bitboard.layers import BOXES, KNOWN, NUM_SETS
from tokoban.sokoban.search.bitboard.levels import Levels
from tokoban.sokoban.search.bitboard.worker import Worker
from tokoban.sokoban.search.bitboard.workspace import Workspace, empty_workspace
from tokoban.sokoban.search.limits import DEFAULT_LIMITS, Limits
from tokoban.sokoban.search.outcome import Outcome


@dataclass(frozen=True)
class SolvableStates:
    """All states of one level that can be solved, wherever it starts."""

    boxes: UInt64[np.ndarray, " K"]
    cells: UInt64[np.ndarray, " K"]  # of the player
    distance: UInt16[np.ndarray, "K 64"]  # by the player's cell; DEADLOCKED if not in ``cells``


def label_many(
    levels: Levels, states: States, unit: str, *, limits: Limits = DEFAULT_LIMITS
) -> Labels:
    """Analyses each level and labels the given states of it, deadlocked ones included.

    A level that is given up says so in its verdict; ``limits`` other than expansions hold for each
    level.
    """
    work = Sweeping(levels, states, unit)
    Worker(workspace_for(levels)).complete(work, limits)
    return work.labels


def sweep(levels: Levels, unit: str, *, limits: Limits = DEFAULT_LIMITS) -> SolvableStates | None:
    """All solvable states of one level; None if a limit is reached first."""
    if levels.num_levels != 1:
        raise ValueError(f"expected one level, got {levels.num_levels}")
    nothing = np.empty(0, np.uint64)
    work = Sweeping(levels, States(nothing, nothing, np.zeros(1, np.int64)), unit)
    worker = Worker(workspace_for(levels))
    worker.complete(work, limits)
    if work.labels.verdict[0] not in (Verdict.SOLVED, Verdict.UNSOLVABLE):
        return None
    return solvable_states(worker.workspace)


def solvable_states(workspace: Workspace) -> SolvableStates:
    """Copies what the last sweep in a workspace found."""
    num_sets = int(workspace.layers.progress[NUM_SETS])
    side = workspace.layers.backwards
    cells = side.sets[:num_sets, KNOWN].copy()
    bits = np.arange(64, dtype=np.uint64)
    distance = np.zeros((num_sets, 64), np.uint16)
    for digit in range(side.digits.shape[1]):
        is_set = side.digits[:num_sets, digit, None] >> bits & np.uint64(1)
        distance |= is_set.astype(np.uint16) << np.uint16(digit)
    distance[(cells[:, None] >> bits & np.uint64(1)) == 0] = DEADLOCKED
    return SolvableStates(side.sets[:num_sets, BOXES].copy(), cells, distance)


def workspace_for(levels: Levels) -> Workspace:
    """Room to sweep any of the levels."""
    return empty_workspace(levels.max_boxes, is_one_sided=True)


class Sweeping:
    """Work on some levels, one after the other; see ``worker.Work``."""

    def __init__(self, levels: Levels, states: States, unit: str) -> None:
        if unit not in ("moves", "pushes"):
            raise ValueError(f"unit is {unit!r}; expected 'moves' or 'pushes'")
        self.progress = np.zeros(3, np.int64)
        self._levels = levels
        self._states = states
        self._counts_moves = unit == "moves"
        num_states = len(states.boxes)
        self.labels = Labels(
            verdict=np.zeros(levels.num_levels, np.uint8),
            num_states=np.zeros(levels.num_levels, np.int64),
            distance=np.full(num_states, DEADLOCKED, np.uint16),
            best_moves=np.zeros(num_states, np.uint8),
            best_pushes=np.zeros((num_states, 4), np.uint64),
        )

    def run(self, workspace: Workspace, budget: int) -> Outcome:
        """Goes on for about ``budget`` sets and layers; returns why it came back."""
        return compiled.sweep_levels(
            self._levels,
            workspace,
            self._states,
            self.labels,
            self._counts_moves,
            budget,
            self.progress,
        )

    def grow_output(self) -> None:
        """Never asked for: there is room for each state from the start."""

    def give_up(self, verdict: Verdict) -> None:
        """Ends the sweep of the level at hand, whose states are left unlabelled."""
        self.labels.verdict[self.progress[LEVEL]] = verdict
        self.progress[LEVEL] += 1
        self.progress[[PHASE, EXPANSIONS]] = 0
