"""The choice between the two packed simulators, modules with the same functions."""

from collections.abc import Sequence
from types import ModuleType

from tokoban.sokoban.board import Board
from tokoban.sokoban.interior import interior
from tokoban.sokoban.simulation import bitboards, wide_bitboards

Simulator = ModuleType


def simulator_for(boards: Sequence[Board]) -> Simulator:
    """``bitboards`` if every interior fits 8x8, else ``wide_bitboards``."""
    interiors = [interior(board) for board in boards]
    fits = all(max(inside.height, inside.width) <= bitboards.SIDE for inside in interiors)
    return bitboards if fits else wide_bitboards
