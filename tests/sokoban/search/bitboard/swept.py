"""Boards of one word, and levels swept to their end."""

from collections.abc import Sequence

import numpy as np

from tokoban.sokoban.board import Board
from tokoban.sokoban.formats.xsb import parse_board
from tokoban.sokoban.search.bitboard.labels import Labels
from tokoban.sokoban.search.bitboard.layers import BOXES, KNOWN, NUM_SETS
from tokoban.sokoban.search.bitboard.levels import Levels, from_bitboards
from tokoban.sokoban.search.bitboard.sweep import Sweeping, workspace_for
from tokoban.sokoban.search.bitboard.worker import complete
from tokoban.sokoban.search.limits import DEFAULT_LIMITS, Limits
from tokoban.sokoban.simulation.bitboards import pack

# More states than the limits of any test let through, though few pushes show that it can be solved.
LARGE = parse_board("@-------|-$-$-$--|--------|-$-$-$--|--------|--#-....|-----..-")


def words_of(boards: Sequence[Board]) -> Levels:
    return from_bitboards(pack(boards))


def labels_of(levels: Levels, unit: str, limits: Limits = DEFAULT_LIMITS) -> Labels:
    """The labels of their starts."""
    work = Sweeping(levels, unit)
    complete(work, workspace_for(levels), limits)
    return work.labels


def distances(level: Levels, unit: str) -> dict[int, np.ndarray]:
    """For each set of boxes of one level the distance by the player's cell, -1 if unsolvable."""
    layers = complete(Sweeping(level, unit), workspace_for(level), DEFAULT_LIMITS).layers
    bits = np.arange(64, dtype=np.uint64)
    found = {}
    for number in range(int(layers.progress[NUM_SETS])):
        is_set = (layers.backwards.digits[number, :, None] >> bits & np.uint64(1)).astype(int)
        is_known = layers.backwards.sets[number, KNOWN] >> bits & np.uint64(1)
        distance = (is_set << np.arange(len(is_set))[:, None]).sum(0)
        found[int(layers.backwards.sets[number, BOXES])] = np.where(is_known, distance, -1)
    return found
