"""Checks that a board is a level: closed walls around the player, as many goals as boxes.

Rows and columns in messages are counted from 1, as in every message about a file.
"""

import re
from collections.abc import Sequence

from tokoban.sokoban.board import Board, Square
from tokoban.sokoban.formats.faults import Fault, other_game
from tokoban.sokoban.wording import counted, placed

# Longer or wider drawings are refused before they are read square by square.
MAX_SIDE = 512
_PLAYER = re.compile(r"[@+pP]")
_SQUARES_NAMED = 5  # of the players, where there are more than one
_CLOSED, _INSIDE, _AT_EDGE = 0, 1, 2  # squares of a walk: a wall or walked on, inside, at the edge


def find_fault_in_rows(rows: Sequence[str]) -> Fault | None:
    """Why no board can be read from these rows of squares, or ``None``: its size or its players."""
    height, width = len(rows), max(map(len, rows), default=0)
    if height > MAX_SIDE or width > MAX_SIDE:
        sentence = f"board of {height}x{width} squares, larger than {MAX_SIDE}x{MAX_SIDE}"
        return Fault(sentence, "size", height=height, width=width, most=MAX_SIDE)
    players = [
        Square(row, found.start())
        for row, line in enumerate(rows)
        for found in _PLAYER.finditer(line)
    ]
    if not players:
        return Fault("no player", "no-player")
    if len(players) > 1:
        named = [f"({row + 1}, {column + 1})" for row, column in players[:_SQUARES_NAMED]]
        squares = ", ".join([*named, *["..."] * (len(players) > len(named))])
        sentence = (
            f"{len(players)} players at {squares}; several players (Multiban) are not supported"
        )
        return Fault(sentence, "players", count=len(players), squares=squares)
    return None


def find_fault(board: Board) -> Fault | None:
    """Why ``board`` is no level, or ``None``: no box, open walls, more boxes than goals or fewer.

    Boxes and goals that the player can never reach may be there: a box on a goal is decoration, and
    with any other the level has no solution.
    """
    if not board.boxes:
        return Fault("no box", "no-box")
    if way_out := _find_way_out(board):
        if _is_hexagonal(board):
            return other_game("Hexoban")
        sentence = f"not closed: the player can leave at {placed(way_out)}"
        return Fault(sentence, "open", row=way_out.row + 1, column=way_out.column + 1)
    if len(board.boxes) != len(board.goals):
        boxes, goals = len(board.boxes), len(board.goals)
        sentence = f"{counted(boxes, 'box')} but {counted(goals, 'goal')}"
        return Fault(sentence, "unequal", boxes=boxes, goals=goals)
    return None


def _is_hexagonal(board: Board) -> bool:
    """Whether only every other square of a row is drawn, as .hsb files draw hexagons."""
    drawn = board.walls | board.boxes | board.goals | {board.player}
    return len({(row + column) % 2 for row, column in drawn}) == 1


def _find_way_out(board: Board) -> Square | None:
    """The nearest square of the board's edge that the player could walk to were there no boxes."""
    # Numbers instead of squares, for this is done with every board of a file.
    height, width = board.height, board.width
    kinds = bytearray(bytes([_INSIDE])) * (height * width)
    kinds[:width] = kinds[-width:] = bytes([_AT_EDGE]) * width
    kinds[::width] = kinds[width - 1 :: width] = bytes([_AT_EDGE]) * height
    for row, column in board.walls:
        kinds[row * width + column] = _CLOSED
    start = board.player.row * width + board.player.column
    if kinds[start] == _AT_EDGE:
        return board.player
    kinds[start] = _CLOSED
    for place in (found := [start]):  # grows while it is read
        for ahead in (place - width, place - 1, place + width, place + 1):
            if kind := kinds[ahead]:
                if kind == _AT_EDGE:
                    return Square(*divmod(ahead, width))
                kinds[ahead] = _CLOSED
                found.append(ahead)
    return None
