"""Levels and moves as text: what is read, what is written, what is refused and why.

``read_levels`` and ``write_levels`` are the way in and out; ``lurd`` reads and replays moves.
``packed`` reads Boxoban by the thousand.
"""

from tokoban.sokoban.formats import lurd
from tokoban.sokoban.formats.boxoban import parse_boxoban, write_boxoban
from tokoban.sokoban.formats.level import (
    NO_SOLUTION,
    Level,
    LevelFile,
    Problem,
    SavedGame,
    Solution,
    printable,
    quoted,
)
from tokoban.sokoban.formats.levels import parse_levels, read_levels
from tokoban.sokoban.formats.writer import write_levels, write_xsb
from tokoban.sokoban.formats.xsb import format_board, parse_board

__all__ = [
    "NO_SOLUTION",
    "Level",
    "LevelFile",
    "Problem",
    "SavedGame",
    "Solution",
    "format_board",
    "lurd",
    "parse_board",
    "parse_boxoban",
    "parse_levels",
    "printable",
    "quoted",
    "read_levels",
    "write_boxoban",
    "write_levels",
    "write_xsb",
]
