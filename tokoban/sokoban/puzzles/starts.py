"""Starts far from the goals, by reverse play: solvable because the way back is a solution.

Where a room fits one word and its positions the memory, retrograde analysis gives the distance of
each; elsewhere a beam search by pulls follows the best positions. Axes: S sets of boxes, L
positions of a layer.
"""

import math
import random
import threading
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from jaxtyping import Int64, UInt64

from tokoban.sokoban.board import Board, Square
from tokoban.sokoban.puzzles import reverse_search
from tokoban.sokoban.search.bitboard import sweep
from tokoban.sokoban.search.bitboard.driver import Verdict
from tokoban.sokoban.search.bitboard.layers import BOXES, KNOWN, LAYER, NUM_SETS, Side
from tokoban.sokoban.search.bitboard.levels import from_board
from tokoban.sokoban.search.bitboard.worker import complete
from tokoban.sokoban.search.level.ground import Squares, build_ground
from tokoban.sokoban.search.limits import Limits, OutOfTimeError, Watch
from tokoban.sokoban.search.state.positions import empty_positions, unpacked_bits
from tokoban.sokoban.search.state.workspace import workspace_for
from tokoban.sokoban.sizes import SIDE

# Retrograde analysis may meet 131,072 sets of boxes: all of four on 40 squares of floor.
_ANALYSIS_MB = 32.0
# Starts are sampled from the layers of at least this share of the most pushes.
_FAR_SHARE = 0.85
_ANALYSED_STARTS = 6

_STEPS_AT_ONCE = 1 << 24  # of matchings, between which the stop flag is looked at

# The width of the beam, and how far it goes beyond the last gain.
_BEAM_WIDTH = 64
_MOST_LAYERS = 512
_BARREN_LAYERS = 16
# Added to what a position is worth, so that other seeds follow others.
_NOISE_PUSHES = 4.0
# How hard the proof will be is not known before: shares of the most pushes, the hardest first.
_SHARES = (1.0, 0.8, 0.6, 0.4)


@dataclass(frozen=True)
class Start:
    """A start of boxes and player, and a number of pushes that suffices from there."""

    boxes: frozenset[Square]
    player: Square
    pushes: int


def far_starts(
    solved: Board,
    *,
    min_pushes: int,
    max_pushes: int | None,
    rng: random.Random,
    stop: threading.Event | None = None,
) -> list[Start]:
    """Different starts far from the goals of a board whose boxes stand on them, perhaps none.

    The best to try first come first; none is known to need over ``max_pushes``, or under
    ``min_pushes`` so far as was searched. There are fewer once ``stop`` is set.
    """
    most = 10**9 if max_pushes is None else max_pushes
    limits = Limits(stop=stop)
    found = _by_retrograde_analysis(solved, most, rng, limits)
    if found is None:
        found = _by_beam_search(solved, most, rng, limits)
    return list(dict.fromkeys(start for start in found if start.pushes >= min_pushes))


def _by_retrograde_analysis(
    solved: Board, most: int, rng: random.Random, limits: Limits
) -> Iterator[Start] | None:
    """From the far layers of all positions; None if those are too many, or the room too large."""
    level = from_board(solved)
    if level is None:
        return None
    work = sweep.Sweeping(level, "pushes")
    limits = replace(limits, memory_limit_mb=_ANALYSIS_MB)
    layers = complete(work, sweep.workspace_for(level), limits).layers
    if limits.is_stopped:
        return iter(())
    if work.labels.verdict[0] == Verdict.OUT_OF_MEMORY:
        return None
    return _sampled(layers.backwards, int(layers.progress[NUM_SETS]), solved, most, rng)


def _sampled(
    side: Side, num_sets: int, solved: Board, most: int, rng: random.Random
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

    for _ in range(_ANALYSED_STARTS):
        pushes = rng.randint(math.ceil(_FAR_SHARE * deepest), deepest)
        cells = _cells_at(side, num_sets, pushes)
        number = rng.choice(np.flatnonzero(cells).tolist())
        boxes = frozenset(squares(int(side.sets[number, BOXES])))
        yield Start(boxes, rng.choice(squares(int(cells[number]))), pushes)


def _cells_at(side: Side, num_sets: int, distance: int) -> UInt64[np.ndarray, " S"]:
    """For each set of boxes the cells of the player at that distance."""
    cells = side.sets[:num_sets, KNOWN].copy()
    for digit in range(side.digits.shape[1]):
        is_set = side.digits[:num_sets, digit]
        cells &= is_set if distance >> digit & 1 else ~is_set
    return cells


def _by_beam_search(
    solved: Board, most: int, rng: random.Random, limits: Limits
) -> Iterator[Start]:
    """From positions that are sure to need many pushes, then from some that need fewer.

    The beam keeps those of each layer with the greatest lower bounds.
    """
    squares = Squares(solved)
    try:
        ground = build_ground(solved, squares, Watch(limits).check)
    except OutOfTimeError:
        return
    num_floor, num_boxes = len(squares.squares), len(ground.goals)
    most_new = _BEAM_WIDTH * 4 * num_boxes + num_floor
    capacity = 1 << (_BEAM_WIDTH * _MOST_LAYERS + most_new).bit_length()
    positions = empty_positions(capacity, num_floor)
    scratch = workspace_for(num_floor, num_boxes)
    reverse_search.enter_goals(ground, positions, scratch)

    kept: list[Int64[np.ndarray, " L"]] = []  # the bounds of each layer's positions
    best = last_gain = first = 0
    deepest = min(most + 1, _MOST_LAYERS)
    at_once = max(_STEPS_AT_ONCE // num_boxes**3, 1)
    while (last := int(positions.num_known[0])) > first and len(kept) < deepest:
        bounds = np.empty(last - first, np.int64)
        for start in range(0, len(bounds), at_once):
            if limits.is_stopped:
                return
            part = bounds[start : start + at_once]
            reverse_search.find_bounds(ground, positions, scratch, first + start, part)
        worth = bounds + _NOISE_PUSHES * np.array([rng.random() for _ in bounds])
        chosen = np.sort(np.argsort(-worth, kind="stable")[:_BEAM_WIDTH])
        reverse_search.keep(ground, positions, first, first + chosen)
        kept.append(bounds[chosen])
        if bounds.max() > best:
            best, last_gain = bounds.max(), len(kept)
        elif len(kept) - last_gain >= _BARREN_LAYERS:
            break
        last = first + len(chosen)
        reverse_search.pull_all(ground, positions, scratch, first, last)
        first = last
    layer = np.repeat(np.arange(len(kept)), [len(bounds) for bounds in kept])
    bounds = np.concatenate(kept)
    for share in _SHARES:
        fit = np.flatnonzero((bounds <= share * best) & (layer > 0))
        for position in fit[np.argsort(-bounds[fit], kind="stable")][:2]:
            is_box = unpacked_bits(positions.boxes[position], num_floor)
            boxes = frozenset(squares.squares[box] for box in np.flatnonzero(is_box))
            player = squares.squares[positions.player[position]]
            board = replace(solved, boxes=boxes, player=player)
            yield Start(boxes, rng.choice(sorted(board.area())), int(layer[position]))
