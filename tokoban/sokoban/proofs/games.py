"""When a game was lost: the first of its positions from which nothing leads to the end."""

from collections.abc import Callable
from dataclasses import dataclass

from tokoban.sokoban.board import Board
from tokoban.sokoban.formats import lurd
from tokoban.sokoban.proofs.explainer import Lost
from tokoban.sokoban.search.answer import Answer


@dataclass(frozen=True)
class Explained:
    """The answer to the last position of a game, or to the first that is lost.

    ``moves`` lead to it. After ``num_moves_alive`` moves the game was not lost yet, and what lies
    between is not known; None says that no such number is known.
    """

    answer: Lost | Answer
    moves: str
    num_moves_alive: int | None
    board: Board


def explain_game(start: Board, moves: str, explain: Callable[[Board], Lost | Answer]) -> Explained:
    """Replays the moves (``lurd`` letters), and finds the push that lost the game by bisection.

    What is lost stays lost, so that some ten answers do for a thousand pushes. Raises
    ``ValueError`` at moves that cannot be made.
    """
    replayed = lurd.replay(start, moves)
    if replayed.reason is not None:
        raise ValueError(replayed.reason)
    moves = replayed.lurd
    answer, num_moves = explain(replayed.board), len(moves)
    if not isinstance(answer, Lost):
        alive = num_moves if answer.status == "solved" else None
        return Explained(answer, moves, alive, replayed.board)
    # The start and each push: a walk loses nothing.
    turns = [0, *(i for i, letter in enumerate(moves, 1) if letter.isupper())]
    alive, first, lost = None, 0, len(turns)  # the turns from ``first`` on, before ``lost``, may be
    while first < lost:
        middle = (first + lost) // 2
        earlier = explain(lurd.replay(start, moves[: turns[middle]]).board)
        if isinstance(earlier, Lost):
            answer, num_moves, lost = earlier, turns[middle], middle
        else:
            first = middle + 1
            alive = turns[middle] if earlier.status == "solved" else alive
    board = lurd.replay(start, moves[:num_moves]).board
    return Explained(answer, moves[:num_moves], alive, board)
