"""One Sokoban board as a frozen value, and the one order of the four directions.

Rows are counted from the top and columns from the left, from 0. The world beyond the edge is wall.
"""

from collections.abc import Iterator, Set
from dataclasses import dataclass
from enum import IntEnum
from typing import Any, NamedTuple


class Direction(IntEnum):
    """The four moves, in the one order of the project: the opposite is +2 mod 4, a left turn +1."""

    UP = 0
    LEFT = 1
    DOWN = 2
    RIGHT = 3

    @property
    def opposite(self) -> "Direction":
        return Direction((self + 2) % 4)


# (row, column) of one step in each direction; a plain tuple, for compiled code loops over it.
OFFSETS = ((-1, 0), (0, -1), (1, 0), (0, 1))

_MOST_SQUARES_OF_REPR = 200

# The fifth action of the policy: take back the last move.
UNDO = 4


class Square(NamedTuple):
    """A place on the board; it may lie outside."""

    row: int
    column: int

    def neighbour(self, direction: int) -> "Square":
        """The next square in ``direction``, which may lie outside the board."""
        row_step, column_step = OFFSETS[direction]
        return Square(self.row + row_step, self.column + column_step)


@dataclass(frozen=True, repr=False)
class Board:
    """Walls, goals, boxes and the player of one board; every step makes a new one.

    A square that is not a wall is floor. ``__post_init__`` checks what holds for every board;
    ``formats`` checks the other conditions of a *level* (closed walls, as many goals as boxes).

    >>> board = Board.from_xsb("#####|#@$.#|#####")
    >>> print(board)
    #####
    #@$.#
    #####
    >>> board
    Board.from_xsb('#####|#@$.#|#####')
    >>> board.is_solved
    False
    """

    height: int
    width: int
    walls: frozenset[Square]
    goals: frozenset[Square]
    boxes: frozenset[Square]
    player: Square

    def __post_init__(self) -> None:
        for name, size in (("height", self.height), ("width", self.width)):
            if not hasattr(size, "__index__"):
                raise ValueError(f"{name} is {size!r}; expected a whole number")
        if not isinstance(self.player, Square):
            raise ValueError(f"player at {self.player!r}; expected a Square")
        named: dict[str, Any] = {
            "wall": self.walls,
            "goal": self.goals,
            "box": self.boxes,
            "player": frozenset((self.player,)),
        }
        for name, squares in named.items():
            if not isinstance(squares, frozenset):
                kind = type(squares).__name__
                raise ValueError(f"{name} squares are a {kind}; expected a frozenset")
            for square in squares:
                if not isinstance(square, Square):
                    raise ValueError(f"{name} at {square!r}; expected a Square")
                row, column = square
                if not (0 <= row < self.height and 0 <= column < self.width):
                    raise ValueError(
                        f"{name} at row {row}, column {column} lies outside "
                        f"the {self.height}x{self.width} board"
                    )
        for name in ("goal", "box", "player"):
            for square in named[name] & self.walls:
                raise ValueError(f"{name} at row {square.row}, column {square.column} is in a wall")
        if self.player in self.boxes:
            raise ValueError(
                f"player at row {self.player.row}, column {self.player.column} stands on a box"
            )

    @classmethod
    def from_xsb(cls, text: str) -> "Board":
        """The board drawn in XSB: newlines or ``|`` separate rows, floor fills short ones.

        Raises ``ValueError`` with the row and column of the fault, counted from 1.
        """
        from tokoban.sokoban.formats.xsb import parse_board

        if not isinstance(text, str):
            raise ValueError(f"the drawing is {text!r}; expected text")
        return parse_board(text)

    def __str__(self) -> str:
        """The board as XSB, in rows."""
        from tokoban.sokoban.formats.xsb import format_board

        return format_board(self)

    def __repr__(self) -> str:
        """An expression that makes the board again; of a large one a description."""
        if self.height * self.width > _MOST_SQUARES_OF_REPR:
            return f"<Board of {self.height}x{self.width} squares, {len(self.boxes)} boxes>"
        return f"Board.from_xsb({'|'.join(str(self).split(chr(10)))!r})"

    def _repr_html_(self) -> str:
        """A picture, for notebooks."""
        from tokoban.sokoban.png import html_image
        from tokoban.sokoban.render import render_rgb

        return html_image(render_rgb(self))

    def contains(self, square: Square) -> bool:
        """Whether ``square`` lies on the board, walls included."""
        return 0 <= square.row < self.height and 0 <= square.column < self.width

    def is_free(self, square: Square) -> bool:
        """Whether the player or a box may go there: it is on the board, no wall and no box."""
        return self.contains(square) and square not in self.walls and square not in self.boxes

    def squares(self) -> Iterator[Square]:
        """All squares of the board, row by row."""
        for row in range(self.height):
            for column in range(self.width):
                yield Square(row, column)

    def area(self) -> frozenset[Square]:
        """The squares the player can walk to without pushing, its own among them."""
        return frozenset(self.flood(self.player, self.walls | self.boxes))

    def inside(self) -> frozenset[Square]:
        """The squares the player could walk to were there no boxes."""
        return frozenset(self.flood(self.player, self.walls))

    def flood(self, start: Square, blocked: Set[Square]) -> list[Square]:
        """The squares that a walk from ``start`` around ``blocked`` can come to, nearest first."""
        height, width = self.height, self.width
        reached = {start}
        # Plain tuples, which equal squares, are much quicker: a board may have 260,000 squares.
        for row, column in (found := [start]):  # grows while it is read
            for ahead in (
                (row - 1, column),
                (row, column - 1),
                (row + 1, column),
                (row, column + 1),
            ):
                if ahead not in reached and ahead not in blocked:
                    row_ahead, column_ahead = ahead
                    if 0 <= row_ahead < height and 0 <= column_ahead < width:
                        square = Square(row_ahead, column_ahead)
                        reached.add(square)
                        found.append(square)
        return found

    @property
    def is_solved(self) -> bool:
        """Whether every box stands on a goal and every goal holds a box."""
        return self.boxes == self.goals
