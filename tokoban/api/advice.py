"""Hints, and explanations of deadlocks."""

import threading
from typing import TYPE_CHECKING

from tokoban.sokoban.board import Board
from tokoban.sokoban.explanation import Explanation
from tokoban.sokoban.hints import Hint

if TYPE_CHECKING:
    from tokoban.api.learning import Pretrained


def hint(
    board: Board,
    *,
    policy: "Pretrained | None" = None,
    time_limit_s: float | None = 2.0,
    memory_limit_mb: float = 500.0,
    max_expansions: int | None = None,
    stop: threading.Event | None = None,
) -> Hint:
    """The next box to push and where to, from the best solution found within the limits.

    A trained ``policy`` (``tokoban.load``) is asked first where the board fits it. Without one, or
    where it gives up, a search answers, which may also prove that the position is deadlocked;
    the policy's prediction of that is given only where nothing is proved. The limits are those of
    the search; the policy's own search of one board ends after at most ``max_moves`` steps, and is
    left out once ``stop`` is set.

    >>> import tokoban
    >>> board = tokoban.Board.from_xsb("#######|#@ $ .#|#######")
    >>> hint = tokoban.hint(board)
    >>> hint.moves, hint.box, hint.destination, hint.pushes_left, hint.deadlock_probability
    ('rR', Square(row=1, column=3), Square(row=1, column=5), 2, 0.0)
    >>> print(hint)
    Push the box at row 2, column 4 to row 2, column 6; 2 pushes left.
    """
    from tokoban.sokoban.hints import hint_of
    from tokoban.sokoban.search.anytime import best_answer
    from tokoban.sokoban.search.limits import Limits

    probability: float | None = None
    if policy is not None and not (stop is not None and stop.is_set()):
        from tokoban.systems.sokoban_policy.policy import Policy

        answer, prediction = Policy(policy.model).solve([board])[0]
        if answer.solution is not None:
            return hint_of(board, answer)
        probability = None if prediction is None else prediction.predicted_unsolvable
    limits = Limits(
        time_limit_s=time_limit_s,
        memory_limit_mb=memory_limit_mb,
        max_expansions=max_expansions,
        stop=stop,
    )
    return hint_of(board, best_answer(board, limits=limits), deadlock_probability=probability)


def explain(
    board: Board,
    *,
    moves: str = "",
    time_limit_s: float | None = 10.0,
    memory_limit_mb: float = 2000.0,
    max_expansions: int | None = None,
    stop: threading.Event | None = None,
) -> Explanation:
    """Proves that a position is deadlocked and by which boxes, or solves it, or gives up.

    With ``moves`` (LURD) it is the position after them or, if that is deadlocked, after the push
    that deadlocked it. The limits hold for each position looked at. A certificate is returned only
    if an independent checker accepts it. Raises ``ValueError`` for moves that the rules forbid.

    >>> import tokoban
    >>> board = tokoban.Board.from_xsb("#######|#. $$.#|#@    #|#######")
    >>> explanation = tokoban.explain(board)
    >>> explanation.status, explanation.boxes
    ('deadlocked', (Square(row=1, column=3), Square(row=1, column=4)))
    >>> print(explanation.drawing)
    #######
    #. XX.#
    #@    #
    #######
    """
    from tokoban.sokoban import explanation
    from tokoban.sokoban.search.limits import Limits

    limits = Limits(
        time_limit_s=time_limit_s,
        memory_limit_mb=memory_limit_mb,
        max_expansions=max_expansions,
        stop=stop,
    )
    return explanation.explain(board, moves=moves, limits=limits)
