"""Hints, and explanations of deadlocks."""

import threading
from dataclasses import replace
from typing import TYPE_CHECKING

from tokoban.api.arguments import checked
from tokoban.api.solving import ask_policy
from tokoban.sokoban.board import Board
from tokoban.sokoban.explanation import Explanation
from tokoban.sokoban.hints import Hint

if TYPE_CHECKING:
    from tokoban.api.learning import Pretrained


@checked
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

    A trained ``policy`` (``tokoban.load``) is used first if the board fits it. Without one, or
    if it gives up, a search follows, which may also prove that the position is deadlocked;
    the policy's estimate of this is returned only if nothing is proved. The limits apply to the
    search. A push policy may take half of the time limit before it, within the other limits; the
    beam search of a Sokoban policy ends after as many steps as it was trained for. Neither is
    used once ``stop`` is set. Ctrl-C during the search raises ``KeyboardInterrupt``, whose
    ``answer`` is the hint from the result so far.

    >>> import tokoban
    >>> board = tokoban.Board.from_xsb("#######|#@ $ .#|#######")
    >>> hint = tokoban.hint(board)
    >>> hint.moves, hint.box, hint.destination, hint.pushes_left, hint.deadlock_probability
    ('rR', Square(row=1, column=3), Square(row=1, column=5), 2, 0.0)
    >>> print(hint)
    Push the box at row 2, column 4 to row 2, column 6; 3 moves and 2 pushes left in this solution.
    """
    from tokoban.sokoban.hints import hint_of
    from tokoban.sokoban.search.combine.anytime import InterruptedSearch, best_answer
    from tokoban.sokoban.search.limits import Limits

    limits = Limits(
        time_limit_s=time_limit_s,
        memory_limit_mb=memory_limit_mb,
        max_expansions=max_expansions,
        stop=stop,
    )
    probability: float | None = None
    try:
        if policy is not None and not limits.is_stopped:
            seconds = None if time_limit_s is None else time_limit_s / 2
            answer, probability = ask_policy(policy, board, replace(limits, time_limit_s=seconds))
            if answer.status != "gave up":
                return hint_of(board, answer)
        answer = best_answer(board, limits=limits)
    except InterruptedSearch as interrupt:
        known = hint_of(board, interrupt.answer, deadlock_probability=probability)
        raise InterruptedSearch(known) from None
    return hint_of(board, answer, deadlock_probability=probability)


@checked
def predict(board: Board, *, policy: "Pretrained") -> Hint:
    """The estimate of a push policy for a position, at once and without a search.

    The hint has the status "predicted", the most probable push, the pushes left and the probability
    of a deadlock; none of it is proved. There is no push where none is legal, or where the board is
    solved. Raises ``ValueError`` if the policy plays moves or the board is too large for it.

    >>> import tokoban
    >>> board = tokoban.Board.from_xsb("#######|#@ $ .#|#######")
    >>> hint = tokoban.predict(board, policy=tokoban.load("sokoban-push"))
    >>> hint.status, hint.moves, hint.box
    ('predicted', 'rR', Square(row=1, column=3))
    """
    from tokoban.sokoban.hints import predicted_hint
    from tokoban.systems.push_policy.policy import PushPolicy

    predicted = PushPolicy(policy.model).predict(board)
    return predicted_hint(
        board,
        box=predicted.box,
        push=predicted.push,
        pushes_left=predicted.predicted_pushes_left,
        deadlock_probability=predicted.predicted_unsolvable,
    )


@checked
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
    that deadlocked it. The limits apply to each position examined. A certificate is returned only
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


@checked
def ask(
    board: Board,
    question: str,
    *,
    policy: "Pretrained | None" = None,
    time_limit_s: float | None = 10.0,
    memory_limit_mb: float = 2000.0,
    stop: threading.Event | None = None,
) -> str:
    """The exact answer to an English or German question, in its language.

    ``docs/instructions.md`` lists the questions. With the ``policy`` "sokoban-instructions"
    (``tokoban.load``) that network answers instead, and may be wrong; no limit applies to it.
    Raises ``ValueError`` naming the word that was not understood, for a name that fits no box or
    several, for a floor of more than 8x8 squares, and where a limit or ``stop`` ends the search.

    >>> import tokoban
    >>> board = tokoban.Board.from_xsb("######|#@ $.#|######")
    >>> tokoban.ask(board, "How many pushes are left?")
    '1'
    """
    from tokoban.sokoban.instructions import grammar, questions
    from tokoban.sokoban.instructions.machine import TooLargeError
    from tokoban.sokoban.instructions.phrases import languages
    from tokoban.sokoban.search.limits import Limits, OutOfTimeError, Reason, Watch

    asked = grammar.question(question)
    limits = Limits(time_limit_s=time_limit_s, memory_limit_mb=memory_limit_mb, stop=stop)
    if policy is None:
        try:
            said = questions.answer(board, asked, Watch(limits))
        except (TooLargeError, OutOfTimeError) as error:
            [reason] = error.args
            text = f"no answer: {reason}"
            is_coded = isinstance(reason, Reason)
            raise TooLargeError(reason.with_sentence(text) if is_coded else text) from None
    elif policy.system != "instructions":
        raise ValueError(f"policy is of the system {policy.system!r}; expected 'instructions'")
    else:
        from tokoban.systems.instructions import obey

        said = obey.answer_to(policy.model, board, question)
    return languages()[asked.language].with_capitals(said)
