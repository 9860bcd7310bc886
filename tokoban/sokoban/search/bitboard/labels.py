"""Compiled: retrograde analysis of level after level, and what it says of given states.

Axes: N levels, Q states labelled, A the four moves.
"""

from typing import NamedTuple, no_type_check

import numpy as np
from jaxtyping import Int64, UInt8, UInt16, UInt64

from tokoban.compiling import entry, inner
from tokoban.sokoban.search.bitboard import layers as by_layers
from tokoban.sokoban.search.bitboard.driver import EXPANSIONS, LEVEL, PHASE, Verdict
from tokoban.sokoban.search.bitboard.layers import (
    KNOWN,
    NONE,
    NUM_SETS,
    NUM_SETTLED,
    NUM_WAITING,
    distance_of,
    number_of,
)
from tokoban.sokoban.search.bitboard.levels import closed_in
from tokoban.sokoban.search.bitboard.terrain import FLOOR, survey
from tokoban.sokoban.search.level.words import EMPTY, count, lowest, moved, spread
from tokoban.sokoban.search.outcome import Outcome

DEADLOCKED = 2**16 - 1  # a distance: the state is deadlocked

_SOLVED, _UNSOLVABLE = int(Verdict.SOLVED), int(Verdict.UNSOLVABLE)
_FRESH, _SWEEPING = range(2)


class Labels(NamedTuple):
    """The labels of each level and each state."""

    verdict: UInt8[np.ndarray, " N"]  # of the level's start
    num_states: Int64[np.ndarray, " N"]  # solvable states, wherever the level starts
    distance: UInt16[np.ndarray, " Q"]  # ``DEADLOCKED`` also where the sweep was given up
    best_moves: UInt8[np.ndarray, " Q"]  # bit a: move a is optimal; 0 where pushes are counted
    best_pushes: UInt64[np.ndarray, "Q A"]  # the boxes of which a push in direction a is optimal


@entry
@no_type_check
def sweep_levels(levels, workspace, labels, counts_moves, budget, progress):
    """Goes on with the levels for about ``budget`` sets and layers, and labels their starts;
    returns why it came back."""
    terrain, layers = workspace.terrain, workspace.layers
    while progress[LEVEL] < len(levels.walls):
        if budget <= 0:
            return Outcome.BUDGET_SPENT
        level = progress[LEVEL]
        if progress[PHASE] == _FRESH:
            budget -= 1
            begin_sweep(levels, level, workspace)
            progress[PHASE] = _SWEEPING
        earlier = progress[EXPANSIONS]
        stop = go_on_sweeping(workspace, counts_moves, budget, progress)
        budget -= progress[EXPANSIONS] - earlier
        if stop != Outcome.EXHAUSTED:
            return stop
        judge(levels, level, layers, labels)
        label(terrain, layers, counts_moves, levels, labels, level)
        progress[LEVEL] += 1
        progress[PHASE] = _FRESH
        progress[EXPANSIONS] = 0
    return Outcome.EXHAUSTED


@inner
@no_type_check
def begin_sweep(levels, level, workspace):
    """Makes the solved boards of a level the first layer of a new sweep."""
    layers = workspace.layers
    floor, goals, _, is_fair = closed_in(levels, level)
    survey(workspace.terrain, floor, goals)
    by_layers.clear(layers)
    if is_fair:
        by_layers.begin(layers, layers.backwards, goals, floor & ~goals)


@inner
@no_type_check
def go_on_sweeping(workspace, counts_moves, budget, progress):
    """Settles up to ``budget`` more sets in the layers; returns why it stopped."""
    layers = workspace.layers
    limit = progress[EXPANSIONS] + budget
    while layers.backwards.progress[NUM_WAITING] > 0:
        stop = by_layers.advance(workspace.terrain, layers, False, counts_moves, limit)
        progress[EXPANSIONS] = layers.progress[NUM_SETTLED]
        if stop != Outcome.EXHAUSTED:
            return stop
    return Outcome.EXHAUSTED


@inner
@no_type_check
def judge(levels, level, layers, labels):
    """Whether a level that was swept can be solved, and how many of its states can."""
    for number in range(layers.progress[NUM_SETS]):
        labels.num_states[level] += count(layers.backwards.sets[number, KNOWN])
    boxes = closed_in(levels, level)[2]
    distance = distance_of(layers.backwards, number_of(layers, boxes), levels.player[level])
    labels.verdict[level] = _UNSOLVABLE if distance == NONE else _SOLVED


@inner
@no_type_check
def label(terrain, layers, counts_moves, states, labels, state):
    """Labels one state of the level that was swept."""
    floor = terrain.words[FLOOR]
    boxes, player = states.boxes[state] & floor, states.player[state]
    distance = distance_of(layers.backwards, number_of(layers, boxes), player)
    if distance == NONE:
        labels.distance[state] = DEADLOCKED
        return
    labels.distance[state] = distance
    if distance == 0:
        return
    if counts_moves:
        for direction in range(4):
            ahead = moved(player, direction)
            after = boxes
            if ahead & boxes != EMPTY:
                after = boxes ^ ahead ^ moved(ahead, direction)
            if distance_of(layers.backwards, number_of(layers, after), ahead) == distance - 1:
                labels.best_moves[state] |= np.uint8(1 << direction)
    # Rings of cells around the player, from nearest to farthest.
    ring, area = player, player
    while ring != EMPTY and distance > 0:
        distance -= 1
        for direction in range(4):
            rest = moved(ring, direction) & boxes
            while rest != EMPTY:
                box = lowest(rest)
                rest ^= box
                after = boxes ^ box ^ moved(box, direction)
                if distance_of(layers.backwards, number_of(layers, after), box) == distance:
                    labels.best_pushes[state, direction] |= box
        ring = spread(ring) & floor & ~boxes & ~area
        area |= ring
        distance += not counts_moves
