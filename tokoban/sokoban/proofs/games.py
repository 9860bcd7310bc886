"""The first deadlocked position of a game."""

from collections.abc import Callable
from dataclasses import dataclass

from tokoban.sokoban.board import Board
from tokoban.sokoban.formats import lurd
from tokoban.sokoban.proofs.explainer import Deadlocked
from tokoban.sokoban.search.answer import Answer


@dataclass(frozen=True)
class ExplainedGame:
    """The answer to the last position of a game, or to the first that is deadlocked.

    ``moves`` lead to it. After ``num_moves_solvable`` moves the game was still solvable, and what
    lies between is not known; None if no such number is known.
    """

    answer: Deadlocked | Answer
    moves: str
    num_moves_solvable: int | None
    board: Board


def explain_game(
    start: Board, moves: str, explain: Callable[[Board], Deadlocked | Answer]
) -> ExplainedGame:
    """Replays the moves (``lurd`` letters), and finds the push that lost the game by bisection.

    A deadlock is never undone, so that some ten answers suffice for a thousand pushes. Raises
    ``ValueError`` at moves that cannot be made.
    """
    replayed = lurd.replay(start, moves)
    if replayed.reason is not None:
        raise ValueError(replayed.reason)
    moves = replayed.lurd
    answer, num_moves = explain(replayed.board), len(moves)
    if not isinstance(answer, Deadlocked):
        solvable = num_moves if answer.status == "solved" else None
        return ExplainedGame(answer, moves, solvable, replayed.board)
    # The start and each push: a walk deadlocks nothing.
    turns = [0, *(i for i, letter in enumerate(moves, 1) if letter.isupper())]
    # The first deadlocked turn is from ``first`` on and at most ``last``.
    solvable, first, last = None, 0, len(turns)
    while first < last:
        middle = (first + last) // 2
        earlier = explain(lurd.replay(start, moves[: turns[middle]]).board)
        if isinstance(earlier, Deadlocked):
            answer, num_moves, last = earlier, turns[middle], middle
        else:
            first = middle + 1
            solvable = turns[middle] if earlier.status == "solved" else solvable
    board = lurd.replay(start, moves[:num_moves]).board
    return ExplainedGame(answer, moves[:num_moves], solvable, board)
