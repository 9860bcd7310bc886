"""A board as the compiled functions see it."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import UInt64

from tokoban.compiling import entry
from tokoban.sokoban.board import Board, Square
from tokoban.sokoban.search.level.ground import Ground, Squares, build_ground
from tokoban.sokoban.search.rules.pruning import Pruning, empty_pruning
from tokoban.sokoban.search.state import workspace as laying_out
from tokoban.sokoban.search.state.positions import packed_bits
from tokoban.sokoban.search.state.workspace import Workspace, workspace_for


def for_python(function: Any) -> Any:
    """What only compiled functions call, compiled for Python to call."""
    return entry(function.py_func)


lay_out_position = for_python(laying_out.lay_out_position)


@dataclass(frozen=True)
class LaidOut:
    """The position lies in the scratch, too."""

    squares: list[Square]
    ground: Ground
    words: UInt64[np.ndarray, " W"]  # the boxes
    player: int  # the least square that it can walk to
    scratch: Workspace
    pruning: Pruning
    num_regions: int

    def number(self, square: Square) -> int:
        return self.squares.index(square)

    def numbers(self, squares: Iterable[Square]) -> list[int]:
        return sorted(map(self.number, squares))


def lay_out_board(board: Board) -> LaidOut:
    """The board on its own; its boxes and goals must be inside."""
    squares = Squares(board)
    ground, numbers = build_ground(board, squares), squares.squares
    words = packed_bits(squares.is_among(board.boxes))
    player = min(squares.numbers(board.area()).tolist())
    scratch = workspace_for(len(numbers), len(board.boxes))
    num_regions = lay_out_position(ground, words, player, scratch)
    pruning = empty_pruning(len(numbers), len(board.boxes))
    return LaidOut(numbers, ground, words, player, scratch, pruning, num_regions)
