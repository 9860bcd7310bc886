"""Compiled: level after level, from words to verdicts and solutions; axes: N levels, M moves."""

from enum import IntEnum
from typing import NamedTuple, no_type_check

import numpy as np
from jaxtyping import Int32, Int64, UInt8

from tokoban.compiling import entry, inner
from tokoban.sokoban.board import Direction
from tokoban.sokoban.search.bitboard import layers as by_layers
from tokoban.sokoban.search.bitboard import push_search as by_pushes
from tokoban.sokoban.search.bitboard.layers import CURSOR, LAYER, NUM_SETTLED, NUM_WAITING
from tokoban.sokoban.search.bitboard.levels import closed_in
from tokoban.sokoban.search.bitboard.push_search import NUM_EXPANSIONS, REACHED
from tokoban.sokoban.search.bitboard.solutions import replay, write_layers, write_pushes
from tokoban.sokoban.search.bitboard.terrain import FLOOR, GOALS, is_frozen, survey
from tokoban.sokoban.search.level.words import EMPTY, lowest
from tokoban.sokoban.search.outcome import Outcome


class Verdict(IntEnum):
    """The outcome of a level; from the third on, a reason for giving up."""

    UNKNOWN = 0
    SOLVED = 1
    UNSOLVABLE = 2  # proved
    OUT_OF_EXPANSIONS = 3
    OUT_OF_TIME = 4
    OUT_OF_MEMORY = 5
    TOO_LONG = 6  # every solution has more pushes than can be counted


_UNKNOWN, _SOLVED, _UNSOLVABLE = map(int, (Verdict.UNKNOWN, Verdict.SOLVED, Verdict.UNSOLVABLE))
_OUT_OF_EXPANSIONS, _TOO_LONG = int(Verdict.OUT_OF_EXPANSIONS), int(Verdict.TOO_LONG)
FAULT = 255  # a solution that the rules refuse, or no solution where there must be one

# Entries of the progress, and the phases of one level.
LEVEL, PHASE, EXPANSIONS = range(3)
_FRESH, _BY_PUSHES, _BY_LAYERS, _SOLUTION = range(4)


class Answers(NamedTuple):
    """The result of each level; without a solution it has no moves."""

    verdict: UInt8[np.ndarray, " N"]  # numbers of ``Verdict``
    num_pushes: Int32[np.ndarray, " N"]  # of the solution; for "moves" others may have fewer
    expansions: Int64[np.ndarray, " N"]  # positions expanded, and sets of boxes in each layer
    ends: Int64[np.ndarray, " N"]  # of each solution in ``moves``; the next one starts there
    moves: UInt8[np.ndarray, " M"]

    @property
    def num_moves(self) -> Int64[np.ndarray, " N"]:
        """The length of each solution."""
        return np.diff(self.ends, prepend=0)

    def directions(self, level: int) -> tuple[Direction, ...]:
        """The solution of one level."""
        start = self.ends[level - 1] if level else 0
        return tuple(map(Direction, self.moves[start : self.ends[level]].tolist()))


@entry
@no_type_check
def solve_levels(
    levels, workspace, answers, weight, counts_moves, max_expansions, budget, progress
):
    """Goes on with the levels for about ``budget`` expansions; returns why it came back.

    ``max_expansions`` is a limit for each level.
    """
    while progress[LEVEL] < len(levels.walls):
        if budget <= 0:
            return Outcome.BUDGET_SPENT
        level = progress[LEVEL]
        verdict = _UNKNOWN
        if progress[PHASE] == _FRESH:
            budget -= 1
            verdict = _begin(levels, level, workspace, progress)
        if progress[PHASE] == _BY_PUSHES:
            limit = min(max_expansions, progress[EXPANSIONS] + budget)
            budget += progress[EXPANSIONS]
            stop = by_pushes.search(
                workspace.terrain, workspace.store, workspace.scratch, weight, limit
            )
            progress[EXPANSIONS] = workspace.store.progress[NUM_EXPANSIONS]
            budget -= progress[EXPANSIONS]
            if stop == Outcome.STORE_FULL:
                return stop
            verdict = _after_pushes(workspace, levels.player[level], counts_moves, stop, progress)
        if progress[PHASE] == _BY_LAYERS:
            earlier = workspace.store.progress[NUM_EXPANSIONS]
            limit = min(max_expansions, progress[EXPANSIONS] + budget)
            budget += progress[EXPANSIONS]
            stop = _search_layers(workspace, limit - earlier)
            progress[EXPANSIONS] = earlier + workspace.layers.progress[NUM_SETTLED]
            budget -= progress[EXPANSIONS]
            if stop == Outcome.LAYERS_FULL or stop == Outcome.LAYERS_TOO_DEEP:
                return stop
            if stop == Outcome.SOLVED:
                progress[PHASE] = _SOLUTION
            elif stop == Outcome.EXHAUSTED:
                verdict = FAULT
        if progress[PHASE] == _SOLUTION:
            if not _write(levels, level, workspace, counts_moves, answers):
                return Outcome.OUTPUT_FULL
            verdict = _SOLVED if answers.num_pushes[level] >= 0 else FAULT
        elif verdict == _UNKNOWN:
            if progress[EXPANSIONS] < max_expansions:
                return Outcome.BUDGET_SPENT
            verdict = _OUT_OF_EXPANSIONS
        _finish(answers, verdict, progress)
    return Outcome.EXHAUSTED


def give_up(answers: Answers, verdict: Verdict, progress: np.ndarray) -> None:
    """Ends the search for the level at hand without an answer."""
    _finish.py_func(answers, int(verdict), progress)


@inner
@no_type_check
def _finish(answers, verdict, progress):
    """Writes the verdict of the level at hand, and goes on to the next."""
    level = progress[LEVEL]
    answers.verdict[level] = verdict
    answers.expansions[level] = progress[EXPANSIONS]
    if verdict != _SOLVED:
        answers.ends[level] = answers.ends[level - 1] if level > 0 else 0
    progress[LEVEL] += 1
    progress[PHASE] = _FRESH
    progress[EXPANSIONS] = 0


@inner
@no_type_check
def _begin(levels, level, workspace, progress):
    """Starts with one level; returns a verdict that needs no search, if there is one."""
    floor, goals, boxes, is_fair = closed_in(levels, level)
    if not is_fair:
        return _UNSOLVABLE
    survey(workspace.terrain, floor, goals)
    rest = boxes
    while rest != EMPTY:
        if is_frozen(workspace.terrain, boxes, lowest(rest)):
            return _UNSOLVABLE
        rest ^= lowest(rest)
    by_pushes.begin(workspace.store, boxes, levels.player[level])
    progress[PHASE] = _BY_PUSHES
    return _UNKNOWN


@inner
@no_type_check
def _after_pushes(workspace, player, counts_moves, stop, progress):
    """The verdict after the push search, unless it goes on or the search by layers follows."""
    if stop == Outcome.EXHAUSTED:
        return _UNSOLVABLE
    if stop == Outcome.TOO_LONG:
        return _TOO_LONG
    if stop == Outcome.SOLVED:
        progress[PHASE] = _SOLUTION
        store, terrain, layers = workspace.store, workspace.terrain, workspace.layers
        if counts_moves and store.progress[REACHED] != 0:
            progress[PHASE] = _BY_LAYERS
            floor, goals = terrain.words[FLOOR], terrain.words[GOALS]
            by_layers.clear(layers)
            by_layers.begin(layers, layers.forwards, store.boxes[0], player)
            by_layers.begin(layers, layers.backwards, goals, floor & ~goals)
    return _UNKNOWN


@inner
@no_type_check
def _search_layers(workspace, max_settled):
    """Goes on layer by layer, always on the side with less to do, until the two sides meet."""
    layers = workspace.layers
    forwards, backwards = layers.forwards.progress, layers.backwards.progress
    while True:
        if forwards[CURSOR] > 0 or backwards[CURSOR] > 0:  # in the middle of a layer
            is_forwards = forwards[CURSOR] > 0
        else:
            is_forwards = backwards[LAYER] > 0 and forwards[NUM_WAITING] <= backwards[NUM_WAITING]
        stop = by_layers.advance(workspace.terrain, layers, is_forwards, True, max_settled)
        # There is a solution by pushes, so that no side can run out of states.
        if stop != Outcome.EXHAUSTED or min(forwards[NUM_WAITING], backwards[NUM_WAITING]) == 0:
            return stop


@inner
@no_type_check
def _write(levels, level, workspace, counts_moves, answers):
    """Writes the solution, and replays it; returns whether there was room for it."""
    store, layers, terrain = workspace.store, workspace.layers, workspace.terrain
    start = answers.ends[level - 1] if level > 0 else 0
    num_pushes = store.price[store.progress[REACHED]]
    is_by_layers = counts_moves and num_pushes > 0
    if is_by_layers:
        most = layers.forwards.progress[LAYER] + layers.backwards.progress[LAYER] + 2
    else:
        most = 64 * num_pushes
    if start + most > len(answers.moves):
        return False
    floor, goals, boxes, _ = closed_in(levels, level)
    player = levels.player[level]
    if is_by_layers:
        end = write_layers(layers, answers.moves, start)
    else:
        end = write_pushes(terrain, store, player, workspace.scratch.rings, answers.moves, start)
    answers.num_pushes[level] = replay(floor, goals, boxes, player, answers.moves[start:end])
    answers.ends[level] = end
    return True
