"""The eight symmetries of the square, acting on boards, on planes and on actions alike.

For every symmetry T, board and action: ``step(T board, T action) == T step(board, action)``.
Axes: ``*B`` any batch shape, H rows, W columns.
"""

from collections.abc import Iterable
from dataclasses import dataclass

import torch
from jaxtyping import Int, Shaped
from torch import Tensor

from tokoban.sokoban.board import UNDO, Board, Square


@dataclass(frozen=True)
class Symmetry:
    """Quarter turns to the left, 0 to 3, and then perhaps a swap of left and right."""

    turns: int
    is_mirrored: bool

    def of_actions(self, actions: Int[Tensor, "*B"]) -> Int[Tensor, "*B"]:
        """The actions, turned and mirrored as the board is; undo stays undo."""
        turned = actions + self.turns
        directions = (-turned if self.is_mirrored else turned) % 4
        return torch.where(actions == UNDO, actions, directions)

    def of_board(self, board: Board) -> Board:
        """The image of the board; an odd number of turns swaps its height and width."""
        height, width = board.height, board.width

        def images(squares: Iterable[Square]) -> frozenset[Square]:
            return frozenset(self._of_square(square, height, width) for square in squares)

        return Board(
            height=width if self.turns % 2 else height,
            width=height if self.turns % 2 else width,
            walls=images(board.walls),
            goals=images(board.goals),
            boxes=images(board.boxes),
            player=self._of_square(board.player, height, width),
        )

    def of_planes(self, planes: Shaped[Tensor, "*B H W"]) -> Shaped[Tensor, "*B _ _"]:
        """The image of any maps of the squares; an odd number of turns swaps H and W."""
        turned = planes.rot90(self.turns, (-2, -1))
        return turned.flip(-1) if self.is_mirrored else turned

    def _of_square(self, square: Square, height: int, width: int) -> Square:
        row, column = square
        for _ in range(self.turns):
            row, column = width - 1 - column, row
            height, width = width, height
        return Square(row, width - 1 - column if self.is_mirrored else column)


# The first is the identity, and the first four are the turns.
SYMMETRIES = tuple(
    Symmetry(turns, is_mirrored) for is_mirrored in (False, True) for turns in range(4)
)
