"""What play can do with some of the boxes, by the plain graph of all pushes."""

from collections.abc import Iterable
from dataclasses import replace

from tests.sokoban.search.push_graph import push_graph
from tokoban.sokoban.board import Board, Square


def can_all_come_to_goals(board: Board, boxes: Iterable[Square]) -> bool:
    """Whether these boxes can all be on goals at once where no others are."""
    alone = replace(board, boxes=frozenset(boxes))
    return any(boxes <= board.goals for boxes, _ in push_graph(alone))
