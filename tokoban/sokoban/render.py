"""A board for people: coloured text for a terminal, plain XSB, or a picture of flat tiles.

Axes: H rows and W columns of pixels.
"""

from collections.abc import Mapping
from enum import StrEnum
from functools import cache
from types import MappingProxyType

import numpy as np
from jaxtyping import Bool, Float, UInt8

from tokoban.sokoban.board import Board, Square
from tokoban.sokoban.formats.xsb import format_board

# Two characters a square, since letters are twice as high as wide.
_DRAWN = {"#": "  ", " ": "  ", ".": "()", "$": "[]", "*": "[]", "@": "@@", "+": "@@"}
# The parameters of SGR, the terminal's "select graphic rendition".
_COLOURS = {
    "#": "100",  # walls are grey ground
    " ": "",
    ".": "33",  # yellow
    "$": "1;31",  # red while the box has no goal
    "*": "1;32",  # green when it has one
    "@": "1;36",  # cyan
    "+": "1;36;4",  # underlined, since the player hides the goal
}
_UNMARKED: Mapping[Square, "Mark"] = MappingProxyType({})

SQUARE_PX = 24
MIN_SQUARE_PX = 4
# Tiles are painted this much larger and then averaged, which smooths every edge.
_OVERSAMPLING = 8

_FLOOR, _GRID = "ebe5d6", "e2dbc9"
_BRICK, _BRICK_LIGHT, _BRICK_DARK, _MORTAR = "6f7b8c", "8693a5", "5c6777", "4a5361"
_GOAL, _GOAL_HEART = "d8574a", "f2c9c1"
_PLAYER, _PLAYER_EDGE, _EYE = "3f83c4", "2b5f94", "ffffff"
# Planks, the frame around them, and the light and dark edges of the frame.
_BOX = ("d9a35f", "b77c3c", "e6bb80", "8f5d29")
_BOX_ON_GOAL = ("86bb6a", "5f9a4a", "a8d490", "44753a")


class Mark(StrEnum):
    """The style of a square on a terminal, as parameters of SGR."""

    PUSHED = "7"  # inverse: the box that was pushed last
    HINT = "97;44"  # on blue ground: a box, and where it should go
    BLAMED = "97;41"  # on red ground: a box that makes the position deadlocked


def render(board: Board, *, has_colour: bool, marks: Mapping[Square, Mark] = _UNMARKED) -> str:
    """The rows of ``board``, without a newline at the end.

    With colour, every square is two columns wide and ``marks`` are seen. Without, it is XSB, which
    tells everything by its letters. Whether the terminal has colours, and whether the user wants
    them (``NO_COLOR``), the caller knows.
    """
    text = format_board(board)
    if not has_colour:
        return text
    rows = []
    for row, letters in enumerate(text.split("\n")):
        squares = []
        for column, letter in enumerate(letters):
            colour = ";".join(filter(None, (_COLOURS[letter], marks.get(Square(row, column)))))
            drawn = _DRAWN[letter]
            squares.append(f"\x1b[{colour}m{drawn}\x1b[0m" if colour else drawn)
        rows.append("".join(squares))
    return "\n".join(rows)


def pushed_box(before: Board, after: Board) -> Square | None:
    """The box that the move from ``before`` to ``after`` pushed; None if it pushed none."""
    return next(iter(after.boxes - before.boxes), None)


def render_rgb(board: Board, *, square_px: int = SQUARE_PX) -> UInt8[np.ndarray, "H W 3"]:
    """A picture of ``board``, ``square_px`` pixels to each side of a square."""
    if square_px < MIN_SQUARE_PX:
        raise ValueError(f"the square size is {square_px} px; expected at least {MIN_SQUARE_PX}")
    rows = format_board(board).split("\n")
    return np.concatenate(
        [np.concatenate([_tile(letter, square_px) for letter in row], axis=1) for row in rows]
    )


def tiles_rgb(square_px: int) -> UInt8[np.ndarray, "7 H W 3"]:
    """The tile of each kind of square: 0 is a wall, others are 1 + goal + 2 box + 4 player."""
    return np.stack([_tile(letter, square_px) for letter in "# .$*@+"])


class _Canvas:
    """One tile, larger than it will be; x and y run from 0 to 1, right and down."""

    def __init__(self, square_px: int, ground: str) -> None:
        fine = square_px * _OVERSAMPLING
        middles = (np.arange(fine) + 0.5) / fine
        self.x, self.y = np.meshgrid(middles, middles)
        self.pixels = np.empty((fine, fine, 3))
        self.pixels[:] = _rgb(ground)

    def paint(self, where: Bool[np.ndarray, "H W"], colour: str) -> None:
        self.pixels[where] = _rgb(colour)

    def inset(self, margin: float) -> Bool[np.ndarray, "H W"]:
        """The square that keeps ``margin`` from every edge."""
        return np.maximum(abs(self.x - 0.5), abs(self.y - 0.5)) < 0.5 - margin

    def disc(self, x: float, y: float, radius: float) -> Bool[np.ndarray, "H W"]:
        return np.hypot(self.x - x, self.y - y) < radius

    def shrunk(self) -> UInt8[np.ndarray, "H W 3"]:
        side = len(self.pixels) // _OVERSAMPLING
        blocks = self.pixels.reshape(side, _OVERSAMPLING, side, _OVERSAMPLING, 3)
        return blocks.mean((1, 3)).round().astype(np.uint8)


@cache
def _tile(letter: str, square_px: int) -> UInt8[np.ndarray, "H W 3"]:
    """The picture of one square, by its letter in XSB."""
    if letter == "#":
        return _bricks(square_px)
    tile = _Canvas(square_px, _GRID)
    tile.paint(tile.inset(0.02), _FLOOR)
    if letter in ".+":
        tile.paint(tile.disc(0.5, 0.5, 0.42 if letter == "+" else 0.22), _GOAL)
        tile.paint(tile.disc(0.5, 0.5, 0.36 if letter == "+" else 0.11), _GOAL_HEART)
    if letter in "$*":
        _paint_box(tile, *(_BOX_ON_GOAL if letter == "*" else _BOX))
    if letter in "@+":
        _paint_player(tile)
    return tile.shrunk()


def _bricks(square_px: int) -> UInt8[np.ndarray, "H W 3"]:
    """Four courses of bricks, the odd ones half a brick on, so that neighbouring tiles join."""
    tile = _Canvas(square_px, _MORTAR)
    course = np.floor(tile.y * 4)
    along = (tile.x * 2 + 0.5 * (course % 2)) % 1.0
    up = tile.y * 4 - course
    # Half as much along as up, since a brick is two times as wide as high.
    for colour, left, right, top, bottom in (
        (_BRICK_LIGHT, 0.05, 0.95, 0.1, 0.9),
        (_BRICK_DARK, 0.1, 0.95, 0.2, 0.9),
        (_BRICK, 0.1, 0.9, 0.2, 0.8),
    ):
        tile.paint((left < along) & (along < right) & (top < up) & (up < bottom), colour)
    return tile.shrunk()


def _paint_box(tile: _Canvas, planks: str, frame: str, light: str, dark: str) -> None:
    tile.paint(tile.inset(0.07), dark)
    tile.paint(tile.inset(0.07) & (tile.x + tile.y < 1.0), light)
    tile.paint(tile.inset(0.1), frame)
    tile.paint(tile.inset(0.23), planks)
    tile.paint(tile.inset(0.23) & (abs(tile.x - tile.y) < 0.09), frame)
    tile.paint(tile.inset(0.23) & (abs(tile.x + tile.y - 1.0) < 0.09), frame)


def _paint_player(tile: _Canvas) -> None:
    tile.paint(tile.disc(0.5, 0.5, 0.32), _PLAYER_EDGE)
    tile.paint(tile.disc(0.5, 0.5, 0.275), _PLAYER)
    for x in (0.4, 0.6):
        tile.paint(tile.disc(x, 0.44, 0.075), _EYE)
        tile.paint(tile.disc(x, 0.455, 0.035), _PLAYER_EDGE)


def _rgb(colour: str) -> Float[np.ndarray, "3"]:
    return np.array([float(part) for part in bytes.fromhex(colour)])
