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
from tokoban.sokoban.search.state.columns import zeroed


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
    layers = worker.workspace.layers
    side, num_sets = layers.backwards, int(layers.progress[NUM_SETS])
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
        distance = np.full(len(states.boxes), DEADLOCKED, np.uint16)
        self.labels = zeroed(Labels, N=levels.num_levels, Q=len(distance), A=4, distance=distance)

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
