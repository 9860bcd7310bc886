"""A board as the compiled functions see it."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from tokoban.compiling import entry
from tokoban.sokoban.board import Board, Square
from tokoban.sokoban.search.fess import search
from tokoban.sokoban.search.fess.corral_search import SmallSearch, empty_small_search
from tokoban.sokoban.search.fess.moves import Scratch, empty_scratch
from tokoban.sokoban.search.fess.positions import Positions, first_positions
from tokoban.sokoban.search.fess.tables import Tables, build_tables


def for_python(function: Any) -> Any:
    """What only compiled functions call, compiled for Python to call."""
    return entry(function.py_func)


lay_out = for_python(search.lay_out)


@dataclass(frozen=True)
class LaidOut:
    """The one position is number 0 of ``positions``, and lies in the scratch."""

    squares: list[Square]
    tables: Tables
    backward: Tables
    positions: Positions
    scratch: Scratch
    small_search: SmallSearch
    num_regions: int

    def number(self, square: Square) -> int:
        return self.squares.index(square)

    def numbers(self, squares: Iterable[Square]) -> list[int]:
        return sorted(map(self.number, squares))


def lay_out_board(board: Board) -> LaidOut:
    """The board on its own; its boxes and goals must be inside."""
    squares = sorted(board.inside())
    tables, backward, boxes = build_tables(board, squares, seed=0)
    positions = first_positions(tables, boxes, [squares.index(board.player)], 4096)
    scratch = empty_scratch(len(squares), len(boxes))
    num_regions = lay_out(tables, positions, scratch, 0)
    small_search = empty_small_search(len(squares))
    return LaidOut(squares, tables, backward, positions, scratch, small_search, num_regions)
