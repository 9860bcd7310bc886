"""Hints and proved deadlocks for a game, found by a thread while the player thinks."""

import threading
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import tokoban
from tokoban.sokoban import rules
from tokoban.sokoban.board import Board
from tokoban.sokoban.formats import Solution, lurd
from tokoban.sokoban.hints import Hint, hint_of
from tokoban.sokoban.search.answer import Answer

if TYPE_CHECKING:
    from tokoban.api.learning import Pretrained
    from tokoban.sokoban.explanation import Explanation

_DEADLOCK_TIME_S = 5.0
_MEMORY_MB = 500.0
_MAX_ANSWERS = 10_000  # that are kept


class Advice(NamedTuple):
    """All that is known of a board so far."""

    hint: Hint | None = None
    proof: "Explanation | None" = None


class Adviser:
    """Finds hints and deadlocks; the policy is loaded when it is first asked."""

    def __init__(self, load_policy: "Callable[[], Pretrained]") -> None:
        self._load_policy = load_policy
        self._policy: Pretrained | None = None

    def hint(self, board: Board, stop: threading.Event | None = None) -> Hint:
        """What comes next by the policy's best solution, or else by that of a search."""
        self._policy = self._policy or self._load_policy()
        return tokoban.hint(board, policy=self._policy, stop=stop)

    def prove(self, board: Board, stop: threading.Event | None = None) -> "Explanation":
        """The proof that no moves solve the board, or that some do, if there is time for one."""
        return tokoban.explain(
            board, time_limit_s=_DEADLOCK_TIME_S, memory_limit_mb=_MEMORY_MB, stop=stop
        )


@dataclass(frozen=True)
class _Question:
    """A search about a board; its answer depends on ``key`` alone."""

    key: tuple
    board: Board
    find: "Callable[[Board, threading.Event], Hint | Explanation]"


class Background:
    """Asks the adviser in a thread, for what is wanted now, and keeps the answers.

    ``on_answer`` is called by that thread.
    """

    def __init__(self, adviser: Adviser, on_answer: Callable[[], None]) -> None:
        self._adviser = adviser
        self._on_answer = on_answer
        self._answers: dict[object, Future[Any]] = {}  # all of them done
        self._wanted: list[_Question] = []
        self._asked: _Question | None = None  # by the thread, now
        self._stop = threading.Event()  # of the search for it
        self._change = threading.Condition()
        self._is_closed = False
        # A compilation cannot be stopped, and must not keep the player from leaving.
        threading.Thread(target=self._work, daemon=True).start()

    def look(self, board: Board, *, wants_hint: bool) -> Advice:
        """All that is known of a board so far; looks for the rest from now on, a hint first.

        If the search for a hint gave up but a solution is known, the hint follows that solution.
        Raises what went wrong in the thread.
        """
        # A walk changes nothing about a deadlock.
        about = board.walls, board.goals, board.boxes, min(board.area())
        questions = [_Question(("proof", *about), board, self._adviser.prove)]
        if wants_hint:
            questions.insert(0, _Question(("hint", board), board, self._adviser.hint))
        with self._change:
            known = {
                one.key[0]: self._answers[one.key] for one in questions if one.key in self._answers
            }
            self._want([one for one in questions if one.key not in self._answers])
        advice = Advice(**{name: answer.result() for name, answer in known.items()})
        hint, proof = advice
        if hint is None or hint.status != "gave up" or proof is None or proof.solution is None:
            return advice
        return advice._replace(hint=_hint_of_proof(board, proof))

    def close(self) -> None:
        """Ends the thread as soon as it looks up."""
        with self._change:
            self._is_closed = True
            self._want([])

    def _want(self, questions: list[_Question]) -> None:
        """Replaces the questions, and stops the search if another question is now first."""
        self._wanted = questions
        if self._asked is not None and [one.key for one in questions[:1]] != [self._asked.key]:
            self._stop.set()
        self._change.notify()

    def _work(self) -> None:
        while (question := self._next()) is not None:
            answer = Future[Any]()
            try:
                answer.set_result(question.find(question.board, self._stop))
            except BaseException as error:  # raised where the answer is asked for
                answer.set_exception(error)
            with self._change:
                self._asked = None
                if self._stop.is_set():
                    continue
                if len(self._answers) >= _MAX_ANSWERS:
                    self._answers.clear()
                self._answers[question.key] = answer
                self._wanted = [one for one in self._wanted if one.key != question.key]
            self._on_answer()

    def _next(self) -> _Question | None:
        """Waits for a question; None once the thread is to end."""
        with self._change:
            while not self._wanted and not self._is_closed:
                self._change.wait()
            if self._is_closed:
                return None
            self._asked, self._stop = self._wanted[0], threading.Event()
            return self._asked


def _hint_of_proof(board: Board, proof: "Explanation") -> Hint:
    """The hint of a solution that was found from another square of the player's region."""
    assert proof.solution is not None
    first = hint_of(proof.board, Answer(status="solved", solver="", solution=proof.solution))
    if first.box is None or first.push is None:
        return first
    begin = lurd.format(board, rules.moves_of_push(board, first.box, first.push))
    solution = Solution(begin + proof.solution.lurd[len(first.moves) :])
    return hint_of(board, Answer(status="solved", solver="", solution=solution))
