"""The rules of Sokoban, slowly and plainly: the truth that every fast version is held to."""

from collections.abc import Iterable
from dataclasses import replace

from tokoban.sokoban.board import UNDO, Board


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
            past = past[:-1] or past
        elif (after := step(past[-1], action)) != past[-1]:
            past = [*past, after]
        boards.append(past[-1])
    return boards
