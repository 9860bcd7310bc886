"""The part of a board within its walls."""

from typing import NamedTuple

from tokoban.sokoban.board import Board, Square


class Interior(NamedTuple):
    """Squares that may ever matter, and the rows and columns from the first of them to the last."""

    floor: frozenset[Square]
    top: int
    left: int
    height: int
    width: int


def enclosed(board: Board) -> frozenset[Square]:
    """The boxes off goals, and the goals without boxes, that the player can never reach.

    Each of them makes the board unsolvable, for nothing ever moves there. Boxes on goals beyond the
    player's reach are decoration, and are not among them.
    """
    return (board.boxes ^ board.goals) - board.inside()


def decisive_squares(board: Board) -> frozenset[Square]:
    """Where the player could walk to were there no boxes, and what is ``enclosed``."""
    inside = board.inside()
    return inside | (board.boxes ^ board.goals)


def interior(board: Board) -> Interior:
    """Where the player may ever come, and what else holds a box or a goal.

    All other floor may as well be wall: the squares outside a level's walls do not make it larger.
    """
    floor = board.inside() | board.boxes | board.goals
    rows, columns = zip(*floor, strict=True)
    top, left = min(rows), min(columns)
    return Interior(floor, top, left, max(rows) - top + 1, max(columns) - left + 1)
