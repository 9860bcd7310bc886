"""Starts far from the goals, by reverse play: solvable because the way back is a solution.

Where a room fits one word and its positions the memory, a sweep knows how far each is; elsewhere
the best positions of each number of pulls are followed. Axes: K sets of boxes, F floor squares.
"""

import math
import random
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from jaxtyping import Int64, UInt64

from tokoban.sokoban.board import Board, Square
from tokoban.sokoban.puzzles import pulling
from tokoban.sokoban.search.bitboard.driver import Verdict
from tokoban.sokoban.search.bitboard.labels import States
from tokoban.sokoban.search.bitboard.layers import BOXES, KNOWN, LAYER, NUM_SETS, Side
from tokoban.sokoban.search.bitboard.levels import from_board
from tokoban.sokoban.search.bitboard.slices import Worker
from tokoban.sokoban.search.bitboard.sweep import Sweeping, workspace_for
from tokoban.sokoban.search.by_squares import numbered
from tokoban.sokoban.search.limits import Limits
from tokoban.sokoban.search.lone_box import find_pushes, find_sides
from tokoban.sokoban.sizes import SIDE

# A sweep may meet 131,072 sets of boxes: all there are of four on 40 squares of floor.
_SWEEP_LIMITS = Limits(memory_limit_mb=32.0)
# Starts are drawn from the layers of at least this share of the most pushes.
_FAR_SHARE = 0.85
_SWEPT_STARTS = 6

# So many positions of each layer are followed, and no further than this beyond the last gain.
_LAYER_WIDTH = 64
_MOST_LAYERS = 512
_BARREN_LAYERS = 16
# Added to what a position is worth, so that other seeds follow others.
_NOISE_PUSHES = 4.0
# How hard the proof will be is not known before: shares of the most pushes, the hardest first.
_SHARES = (1.0, 0.8, 0.6, 0.4)


@dataclass(frozen=True)
class Start:
    """Where boxes and player could start, and so many pushes that are enough from there."""

    boxes: frozenset[Square]
    player: Square
    pushes: int


def far_starts(
    solved: Board, *, min_pushes: int, max_pushes: int | None, draws: random.Random
) -> list[Start]:
    """Different starts far from the goals of a board whose boxes stand on them, perhaps none.

    The best to try first come first; none is known to need over ``max_pushes``, or under
    ``min_pushes`` so far as was looked.
    """
    most = 10**9 if max_pushes is None else max_pushes
    found = _by_sweep(solved, most, draws)
    if found is None:
        found = _by_layers(solved, most, draws)
    return list(dict.fromkeys(start for start in found if start.pushes >= min_pushes))


def _by_sweep(solved: Board, most: int, draws: random.Random) -> Iterator[Start] | None:
    """From the far layers of all positions; None if those are too many, or the room too large."""
    level = from_board(solved)
    if level is None:
        return None
    nothing = np.empty(0, np.uint64)
    work = Sweeping(level, States(nothing, nothing, np.zeros(1, np.int64)), "pushes")
    worker = Worker(workspace_for(level))
    worker.complete(work, _SWEEP_LIMITS, lambda: False)
    if work.labels.verdict[0] == Verdict.OUT_OF_MEMORY:
        return None
    layers = worker.workspace.layers
    return _drawn(layers.backwards, int(layers.progress[NUM_SETS]), solved, most, draws)


def _drawn(
    side: Side, num_sets: int, solved: Board, most: int, draws: random.Random
) -> Iterator[Start]:
    deepest = min(int(side.progress[LAYER]) - 1, most)
    while deepest > 0 and not _cells_at(side, num_sets, deepest).any():
        deepest -= 1
    if deepest <= 0:
        return
    inside = solved.inside()
    top, left = (min(numbers) for numbers in zip(*inside, strict=True))

    def squares(word: int) -> list[Square]:
        cells = (cell for cell in range(SIDE * SIDE) if word >> cell & 1)
        return [Square(top + cell // SIDE, left + cell % SIDE) for cell in cells]

    for _ in range(_SWEPT_STARTS):
        pushes = draws.randint(math.ceil(_FAR_SHARE * deepest), deepest)
        cells = _cells_at(side, num_sets, pushes)
        number = draws.choice(np.flatnonzero(cells).tolist())
        boxes = frozenset(squares(int(side.sets[number, BOXES])))
        yield Start(boxes, draws.choice(squares(int(cells[number]))), pushes)


def _cells_at(side: Side, num_sets: int, distance: int) -> UInt64[np.ndarray, " K"]:
    """For each set of boxes the cells of the player at that distance."""
    cells = side.sets[:num_sets, KNOWN].copy()
    for digit in range(side.digits.shape[1]):
        is_set = side.digits[:num_sets, digit]
        cells &= is_set if distance >> digit & 1 else ~is_set
    return cells


def _by_layers(solved: Board, most: int, draws: random.Random) -> Iterator[Start]:
    """From positions that are sure to need many pushes, then from some that need fewer.

    Of each layer those are followed that need most, by the matching of boxes and goals.
    """
    squares = sorted(solved.inside())
    number, neighbours = numbered(squares)
    goals = np.array([number[goal] for goal in sorted(solved.goals)], np.int16)
    side = find_sides(neighbours)
    pushes = find_pushes(neighbours, side, goals)
    most_new = _LAYER_WIDTH * 4 * len(goals) + len(squares)
    num_positions = 1 << (_LAYER_WIDTH * _MOST_LAYERS + most_new).bit_length()
    pulled = pulling.empty_pulled(num_positions, len(goals))
    scratch = pulling.empty_scratch(len(squares), len(goals))
    scratch.boxes[:] = goals
    pulling.enter_goals(pulled, scratch, neighbours)

    kept: list[Int64[np.ndarray, " L"]] = []  # the bounds of each layer's positions
    best = last_gain = first = 0
    while (last := int(pulled.progress[0])) > first and len(kept) < min(most + 1, _MOST_LAYERS):
        bounds = np.empty(last - first, np.int64)
        pulling.find_bounds(pulled, scratch, side, pushes, first, bounds)
        worth = bounds + _NOISE_PUSHES * np.array([draws.random() for _ in bounds])
        chosen = np.sort(np.argsort(-worth, kind="stable")[:_LAYER_WIDTH])
        pulling.keep(pulled, first, first + chosen)
        kept.append(bounds[chosen])
        if bounds.max() > best:
            best, last_gain = bounds.max(), len(kept)
        elif len(kept) - last_gain >= _BARREN_LAYERS:
            break
        first, last = int(pulled.progress[0]) - len(chosen), int(pulled.progress[0])
        pulling.pull_all(pulled, scratch, neighbours, first, last)
        first = last
    layer = np.repeat(np.arange(len(kept)), [len(bounds) for bounds in kept])
    bounds = np.concatenate(kept)
    for share in _SHARES:
        fit = np.flatnonzero((bounds <= share * best) & (layer > 0))
        for position in fit[np.argsort(-bounds[fit], kind="stable")][:2]:
            boxes = frozenset(squares[box] for box in pulled.boxes[position])
            board = replace(solved, boxes=boxes, player=squares[pulled.player[position]])
            player = draws.choice(sorted(board.area()))
            yield Start(boxes, player, int(layer[position]))
