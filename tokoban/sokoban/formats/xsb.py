"""The squares of XSB: one board as text and back. Levels and files are ``levels``' business."""

import re
from collections.abc import Sequence
from functools import lru_cache
from itertools import compress

from tokoban.sokoban.board import Board, Square

# What stands on a floor square, by its letter; a wall and a bare floor are apart.
_BOX, _GOAL, _PLAYER = 1, 2, 4
_CONTENTS = {
    " ": 0, "-": 0, "_": 0,
    "$": _BOX, "b": _BOX,
    "*": _BOX | _GOAL, "B": _BOX | _GOAL,
    ".": _GOAL, "o": _GOAL,
    "@": _PLAYER, "p": _PLAYER,
    "+": _PLAYER | _GOAL, "P": _PLAYER | _GOAL,
}  # fmt: skip
SQUARES = frozenset("#") | frozenset(_CONTENTS)
_THING = re.compile(r"[^# _-]")
_SHARED_WIDTHS = (32, 128, 512)


@lru_cache(maxsize=2 * max(_SHARED_WIDTHS))
def _shared_row(row: int, width: int) -> tuple[Square, ...]:
    return tuple(Square(row, column) for column in range(width))


def _squares_of_row(row: int, width: int) -> Sequence[Square]:
    """The first squares of a row, and perhaps more.

    The boards of a file share them, so that they take about half the memory and time to read.
    """
    for shared in _SHARED_WIDTHS:
        if width <= shared:
            return _shared_row(row, shared)
    return [Square(row, column) for column in range(width)]


def parse_board(text: str) -> Board:
    """The board drawn in ``text``: newlines or ``|`` part its rows, floor fills the short ones.

    A board may be open at its edge and have any number of boxes and goals, but it has one player.
    Raises ``ValueError`` naming the row and column of what is wrong, both counted from 1.
    """
    rows = text.replace("|", "\n").strip("\n").split("\n")
    found: dict[int, set[Square]] = {_BOX: set(), _GOAL: set(), _PLAYER: set()}
    walls: set[Square] = set()
    for row, line in enumerate(rows):
        squares = _squares_of_row(row, len(line))
        walls.update(compress(squares, map("#".__eq__, line)))
        for thing in _THING.finditer(line):
            letter, column = thing[0], thing.start()
            if letter not in _CONTENTS:
                raise ValueError(f"row {row + 1}, column {column + 1}: {letter!r} is not a square")
            for kind, chosen in found.items():
                if _CONTENTS[letter] & kind:
                    chosen.add(squares[column])
    players = sorted(found[_PLAYER])
    if len(players) != 1:
        raise ValueError("no player" if not players else f"{len(players)} players")
    return Board(
        height=len(rows),
        width=max(map(len, rows)),
        walls=frozenset(walls),
        goals=frozenset(found[_GOAL]),
        boxes=frozenset(found[_BOX]),
        player=players[0],
    )


def format_board(board: Board) -> str:
    """The board as XSB rows parted by newlines, every row as wide as the board."""
    # Filled by what there is: most squares are floor, and files have thousands of boards.
    rows = [[" "] * board.width for _ in range(board.height)]
    for row, column in board.walls:
        rows[row][column] = "#"
    for row, column in board.goals:
        rows[row][column] = "."
    for row, column in board.boxes:
        rows[row][column] = "*" if rows[row][column] == "." else "$"
    row, column = board.player
    rows[row][column] = "+" if rows[row][column] == "." else "@"
    return "\n".join(map("".join, rows))
