"""A board as the compiled functions see it."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from tokoban.compiling import entry
from tokoban.sokoban.board import Board, Square
from tokoban.sokoban.search.level.ground import Ground, Squares
from tokoban.sokoban.search.rules.pruning import Pruning, empty_pruning
from tokoban.sokoban.search.searches.bidirectional.sides import Side, first_side
from tokoban.sokoban.search.searches.bidirectional.tables import Tables, tables_in_steps
from tokoban.sokoban.search.state import workspace as laying_out
from tokoban.sokoban.search.state.positions import Positions
from tokoban.sokoban.search.state.workspace import Workspace, workspace_for
from tokoban.sokoban.search.steps import completed


def for_python(function: Any) -> Any:
    """What only compiled functions call, compiled for Python to call."""
    return entry(function.py_func)


lay_out_position = for_python(laying_out.lay_out_position)


@dataclass(frozen=True)
class LaidOut:
    """The one position is number 0 of ``side``, and lies in the scratch."""

    squares: list[Square]
    tables: Tables
    backward: Tables
    side: Side
    scratch: Workspace
    pruning: Pruning
    num_regions: int

    @property
    def ground(self) -> Ground:
        return self.tables.ground

    @property
    def positions(self) -> Positions:
        return self.side.positions

    def number(self, square: Square) -> int:
        return self.squares.index(square)

    def numbers(self, squares: Iterable[Square]) -> list[int]:
        return sorted(map(self.number, squares))


def lay_out_board(board: Board) -> LaidOut:
    """The board on its own; its boxes and goals must be inside."""
    squares = Squares(board)
    tables, backward = completed(tables_in_steps(board, squares))
    boxes = squares.numbers(board.boxes)
    side = first_side(tables, boxes, [squares.number[board.player]], 4096)
    scratch = workspace_for(len(squares.squares), len(boxes))
    words, player = side.positions.boxes[0], side.positions.player[0]
    num_regions = lay_out_position(tables.ground, words, player, scratch)
    pruning = empty_pruning(len(squares.squares), len(boxes))
    return LaidOut(squares.squares, tables, backward, side, scratch, pruning, num_regions)
