"""The rules of Sokoban in plain Python: the reference for every fast version."""

from collections.abc import Iterable, Set
from dataclasses import replace

from tokoban.sokoban.board import UNDO, Board, Direction, Square


def step(board: Board, direction: int) -> Board:
    """Moves the player one square, pushing at most one box; an impossible move changes nothing."""
    ahead = board.player.neighbour(direction)
    if board.is_free(ahead):
        return replace(board, player=ahead)
    if ahead not in board.boxes:
        return board
    beyond = ahead.neighbour(direction)
    if not board.is_free(beyond):
        return board
    return replace(board, player=ahead, boxes=board.boxes - {ahead} | {beyond})


def play(board: Board, actions: Iterable[int]) -> list[Board]:
    """All boards of a game, the start first: one more than actions, each a direction or ``UNDO``.

    An undo takes back the last move that changed something, and the one before it when repeated;
    at the start it changes nothing.
    """
    boards, past = [board], [board]
    for action in actions:
        if action == UNDO:
            if len(past) > 1:
                past.pop()
        elif (after := step(past[-1], action)) != past[-1]:
            past.append(after)
        boards.append(past[-1])
    return boards


def walk(
    board: Board, to: Square, *, forbidden: Set[Square] = frozenset()
) -> tuple[Direction, ...] | None:
    """A shortest walk of the player to a square, by no ``forbidden`` one; None if there is none."""
    came: dict[Square, Direction] = {board.player: Direction.UP}
    for square in (waiting := [board.player]):  # grows while it is read
        for direction in Direction:
            ahead = square.neighbour(direction)
            if ahead not in came and ahead not in forbidden and board.is_free(ahead):
                came[ahead] = direction
                waiting.append(ahead)
    if to not in came:
        return None
    moves: list[Direction] = []
    while to != board.player:
        moves.append(came[to])
        to = to.neighbour(came[to].opposite)
    return tuple(moves[::-1])


def pushes(board: Board) -> list[tuple[Square, Direction]]:
    """The boxes that the player can walk to and push, each with the direction; in order."""
    area = board.area()
    return [
        (box, direction)
        for box in sorted(board.boxes)
        for direction in Direction
        if box.neighbour(direction.opposite) in area and board.is_free(box.neighbour(direction))
    ]


def push(board: Board, box: Square, direction: int) -> Board:
    """The board after one of the ``pushes``."""
    return replace(board, player=box, boxes=board.boxes - {box} | {box.neighbour(direction)})


def moves_of_push(board: Board, box: Square, direction: Direction) -> tuple[Direction, ...]:
    """A shortest walk to the box's other side, and the push; ``ValueError`` if there is none."""
    steps = walk(board, box.neighbour(direction.opposite))
    if steps is None:
        raise ValueError("the player cannot walk to the push")
    return (*steps, direction)
