"""Checks whether a board fits the policy; without torch, which commands load only then."""

from dataclasses import replace

from tokoban.sokoban.board import Board
from tokoban.sokoban.interior import decisive_squares, interior
from tokoban.sokoban.sizes import SIDE

INTERIOR = 6  # the longest side of the floor of a board
MARGIN = (SIDE - INTERIOR) // 2  # rings of wall around it in a board's words


def fit(board: Board) -> Board:
    """The board in the form of the training data: unreachable squares are walls.

    A box or a goal out of reach that makes the level unsolvable is kept. Raises ``ValueError``
    saying why a board does not fit: more than one box, or too large.
    """
    kept = decisive_squares(board)
    boxes, goals = board.boxes & kept, board.goals & kept
    if len(boxes) != 1 or len(goals) != 1:
        raise ValueError(f"{len(boxes)} boxes and {len(goals)} goals; the policy knows 1 of each")
    walls = frozenset(board.squares()) - kept
    fitted = replace(board, walls=walls, goals=goals, boxes=boxes)
    _, _, _, height, width = interior(fitted)
    if max(height, width) > INTERIOR:
        most = f"{INTERIOR}x{INTERIOR}"
        raise ValueError(f"{height}x{width} squares of floor; the policy knows up to {most}")
    return fitted
