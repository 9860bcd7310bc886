"""What makes a board a level: closed walls, and boxes and goals that belong together.

Rows and columns in messages are counted from 1, as in every message about a file.
"""

import re
from collections.abc import Sequence

from tokoban.sokoban.board import Board, Square

# Longer or wider drawings are refused before they are read square by square.
MAX_SIDE = 512
_PLAYER = re.compile(r"[@+pP]")
_SQUARES_NAMED = 5  # of the players, where there are more than one


def find_fault_in_rows(rows: Sequence[str]) -> str | None:
    """Why no board can be read from these rows of squares, or ``None``: its size or its players."""
    height, width = len(rows), max(map(len, rows), default=0)
    if height > MAX_SIDE or width > MAX_SIDE:
        return f"board of {height}x{width} squares, larger than {MAX_SIDE}x{MAX_SIDE}"
    players = [
        Square(row, found.start())
        for row, line in enumerate(rows)
        for found in _PLAYER.finditer(line)
    ]
    if not players:
        return "no player"
    if len(players) > 1:
        named = [f"({row + 1}, {column + 1})" for row, column in players[:_SQUARES_NAMED]]
        squares = ", ".join([*named, *["..."] * (len(players) > len(named))])
        return f"{len(players)} players at {squares}; several players (Multiban) are not supported"
    return None


def find_fault(board: Board) -> str | None:
    """Why ``board`` is no level, or ``None``: no box, open walls, boxes and goals that do not pair.

    Boxes that stand on goals where the player can never come are decoration: they may be there.
    """
    if not board.boxes:
        return "no box"
    inside = board.flood(board.player, board.walls)
    for row, column in inside:
        if row in (0, board.height - 1) or column in (0, board.width - 1):
            return f"not closed: the player can leave at row {row + 1}, column {column + 1}"
    boxes_inside, goals_inside = board.boxes.intersection(inside), board.goals.intersection(inside)
    boxes_outside, goals_outside = board.boxes - boxes_inside, board.goals - goals_inside
    for name, squares in (
        ("box", boxes_outside - goals_outside),
        ("goal", goals_outside - boxes_outside),
    ):
        for row, column in sorted(squares):
            return f"{name} at row {row + 1}, column {column + 1} lies outside the walls"
    if not boxes_inside and not goals_inside:
        return "no box inside the walls"
    if len(boxes_inside) != len(goals_inside):
        where = " inside the walls" if boxes_outside else ""
        return f"{len(boxes_inside)} boxes but {len(goals_inside)} goals{where}"
    return None
