"""Labels of level after level: retrograde analysis by moves and by pushes, and states from play.

Axes: N levels, Q states, A the four moves.
"""

from functools import cache
from typing import NamedTuple, no_type_check

import numpy as np
from jaxtyping import Int64

from tokoban.compiling import entry, inner
from tokoban.sokoban.labels.play import add_played, most_states, sample_states
from tokoban.sokoban.labels.samples import END, FIRST, PlayedStates, Samples, start_level
from tokoban.sokoban.search.bitboard.driver import EXPANSIONS, LEVEL, PHASE, Verdict
from tokoban.sokoban.search.bitboard.labels import (
    Labels,
    begin_sweep,
    go_on_sweeping,
    judge,
    label,
)
from tokoban.sokoban.search.bitboard.layers import NUM_SETS
from tokoban.sokoban.search.bitboard.levels import Levels, closed_in
from tokoban.sokoban.search.bitboard.sweep import workspace_for
from tokoban.sokoban.search.bitboard.worker import complete
from tokoban.sokoban.search.bitboard.workspace import Workspace
from tokoban.sokoban.search.limits import DEFAULT_LIMITS
from tokoban.sokoban.search.outcome import Outcome
from tokoban.sokoban.search.state.columns import enlarge_columns, zeroed

_OUT_OF_MEMORY = int(Verdict.OUT_OF_MEMORY)
_FRESH, _BY_MOVES, _BY_PUSHES = range(3)
_NOTHING_PLAYED = PlayedStates(
    np.empty(0, np.uint64), np.empty(0, np.uint64), np.empty(0, np.int64)
)
_FIRST_SHARE = 4  # capacity, as a multiple of the states asked for; it grows with more neighbours


class Labelled(NamedTuple):
    """The states sampled of some levels, with their labels by either unit."""

    samples: Samples
    by_moves: Labels
    by_pushes: Labels


class Labelling:
    """Work on some levels, one after the other; see ``worker.Work``.

    Its results do not depend on what the workspace was used for before.
    """

    def __init__(
        self,
        levels: Levels,
        numbers: Int64[np.ndarray, " N"],
        *,
        seed: int,
        num_states: int,
        max_sets: int,
        played: PlayedStates | None = None,
    ) -> None:
        """States are sampled by the ``seed`` and each level's number, unless ``played`` gives them;
        a level of more than ``max_sets`` sets of boxes that can be solved is given up."""
        self.progress = np.zeros(3, np.int64)
        self._levels, self._numbers = levels, numbers
        self._seed, self._num_states, self._max_sets = seed, num_states, max_sets
        self._played = _NOTHING_PLAYED if played is None else played
        if played is not None:
            num_states = played.most_per_level
        self._most_of_a_level = most = most_states(num_states, levels.max_boxes)
        capacity = max(most, _FIRST_SHARE * num_states * levels.num_levels)
        sizes = {"N": levels.num_levels, "Q": capacity}
        samples = zeroed(Samples, S=1 << (2 * most).bit_length(), **sizes)
        self._found = Labelled(samples, *(zeroed(Labels, A=4, **sizes) for _ in range(2)))

    def run(self, workspace: Workspace, budget: int) -> Outcome:
        """Goes on for about ``budget`` sets and layers; returns why it came back."""
        return label_levels(
            self._levels,
            self._numbers,
            workspace,
            self._found,
            np.uint64(self._seed % 2**64),
            self._num_states,
            self._played,
            self._most_of_a_level,
            self._max_sets,
            budget,
            self.progress,
        )

    def grow_output(self) -> None:
        """Doubles the capacity for states."""
        capacity = 2 * len(self._found.samples.boxes)
        for store in self._found:
            enlarge_columns(store, "Q", capacity)

    def give_up(self, verdict: Verdict) -> None:
        """Never called: labels must not depend on time and memory, which are not limited."""
        raise RuntimeError(f"labels have no such limit: {verdict!r}")

    def labelled(self) -> Labelled:
        """The states so far and their labels, without the unused capacity."""
        samples, *labels = self._found
        end = int(samples.progress[END])
        cut = samples._replace(
            boxes=samples.boxes[:end], player=samples.player[:end], origin=samples.origin[:end]
        )
        return Labelled(
            cut, *(Labels(*own[:2], *(states[:end] for states in own[2:])) for own in labels)
        )


@cache
def prepare() -> None:
    """Labels a level of one push, in the caller's thread, whose ``compiling.clock`` stands still
    meanwhile."""
    player, box, goal, walls = (np.array([word], np.uint64) for word in (1, 2, 4, ~7 & 2**64 - 1))
    levels = Levels(walls, goal, box, player)
    work = Labelling(levels, np.zeros(1, np.int64), seed=0, num_states=1, max_sets=1)
    complete(work, workspace_for(levels), DEFAULT_LIMITS)


@entry
@no_type_check
def label_levels(
    levels,
    numbers,
    workspace,
    found,
    seed,
    num_states,
    played,
    most_per_level,
    max_sets,
    budget,
    progress,
):
    """Goes on with the levels for about ``budget`` sets and layers; returns why it came back."""
    terrain, layers, samples = workspace.terrain, workspace.layers, found.samples
    while progress[LEVEL] < len(levels.walls):
        if budget <= 0:
            return Outcome.BUDGET_SPENT
        level = progress[LEVEL]
        if progress[PHASE] == _FRESH:
            budget -= 1
            begin_sweep(levels, level, workspace)
            progress[PHASE] = _BY_MOVES
        earlier = progress[EXPANSIONS]
        stop = go_on_sweeping(workspace, progress[PHASE] == _BY_MOVES, budget, progress)
        budget -= progress[EXPANSIONS] - earlier
        # Before the capacity grows for it.
        if layers.progress[NUM_SETS] > max_sets:
            found.by_moves.verdict[level] = found.by_pushes.verdict[level] = _OUT_OF_MEMORY
            _finish(samples, progress)
            continue
        if stop != Outcome.EXHAUSTED:
            return stop
        if progress[PHASE] == _BY_MOVES:
            if samples.progress[END] + most_per_level > len(samples.boxes):
                return Outcome.OUTPUT_FULL
            start_level(samples, seed, numbers[level])
            _, _, boxes, is_fair = closed_in(levels, level)
            if not is_fair:
                pass  # a box out of reach makes it unsolvable, and states leave that box out
            elif len(played.ends) > 0:
                add_played(terrain, played, level, samples)
            else:
                sample_states(terrain, layers, boxes, levels.player[level], num_states, samples)
            _label_all(levels, level, workspace, True, samples, found.by_moves)
            begin_sweep(levels, level, workspace)
            progress[PHASE] = _BY_PUSHES
            progress[EXPANSIONS] = 0
        else:
            _label_all(levels, level, workspace, False, samples, found.by_pushes)
            _finish(samples, progress)
    return Outcome.EXHAUSTED


@inner
@no_type_check
def _label_all(levels, level, workspace, counts_moves, samples, labels):
    """Labels the level that was analysed and the states sampled of it."""
    judge(levels, level, workspace.layers, labels)
    for state in range(samples.progress[FIRST], samples.progress[END]):
        label(workspace.terrain, workspace.layers, counts_moves, samples, labels, state)


@inner
@no_type_check
def _finish(samples, progress):
    """Goes on to the next level."""
    samples.ends[progress[LEVEL]] = samples.progress[END]
    progress[LEVEL] += 1
    progress[PHASE] = _FRESH
    progress[EXPANSIONS] = 0
