"""What to do on a board in mid-game, and whether it is deadlocked: found while the player thinks.

Hints are the policy's plan, and A*'s where the policy has none. A deadlock is one that ``explain``
proves and the checker of certificates confirms.
"""

import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tokoban import compiling
from tokoban.cli.answers import by_astar
from tokoban.cli.explanation import sentences
from tokoban.cli.output import counted
from tokoban.sokoban.board import Board, Direction, Square
from tokoban.sokoban.formats import lurd
from tokoban.sokoban.proofs.explainer import Deadlocked, explain
from tokoban.sokoban.search.limits import Limits

if TYPE_CHECKING:
    from tokoban.cli.policy import Policy

_WIDTH = 32
# A player waits for a hint; A* solves most boards of a size to be played in far less.
_HINT_TIME_S = 2.0
_DEADLOCK_TIME_S = 5.0
_MEMORY_MB = 500.0
_MAX_ANSWERS = 10_000  # that are kept

Clock = Callable[[], float]


@dataclass(frozen=True)
class Hint:
    """The next box to push, how far, and the moves up to its first push; or why there is none.

    ``remark`` says who found the plan and how long it is.
    """

    remark: str
    box: Square | None = None
    destination: Square | None = None
    moves: str = ""


@dataclass(frozen=True)
class Deadlock:
    """It is proved that no moves solve the board: the boxes to blame, and why in a sentence."""

    boxes: frozenset[Square]
    reason: str


class Adviser:
    """Finds hints and deadlocks; the policy is loaded when the first hint is wanted."""

    def __init__(self, load_policy: "Callable[[], Policy]") -> None:
        self._load_policy = load_policy
        self._policy: Policy | None = None

    def hint(self, board: Board, clock: Clock = compiling.clock) -> Hint:
        """What comes next by the policy's best plan, or else by A*'s."""
        from tokoban.cli.policy import describe

        self._policy = self._policy or self._load_policy()
        answer = self._policy.answers(
            [board], by="beam", width=_WIDTH, max_moves=self._policy.longest_plan
        )[0]
        thought = describe(answer.judgement) if answer.judgement else answer.remark
        if answer.lurd:
            plan = f"its plan has {counted(len(answer.lurd), 'move')}"
            return _first_of(board, answer.lurd, f"{thought}; {plan}")
        second = by_astar(board, time_limit_s=_HINT_TIME_S, memory_limit_mb=_MEMORY_MB, clock=clock)
        if second.lurd:
            plan = f"A*: {counted(len(second.lurd), 'move')} left"
            return _first_of(board, second.lurd, f"{plan}, {second.remark}; {thought}")
        if second.status == "unsolvable":
            return Hint("A* proves that no moves solve this")
        return Hint(f"{second.remark}; {thought}")

    def deadlock(self, board: Board, clock: Clock = compiling.clock) -> Deadlock | None:
        """The proof that no moves solve the board; None if none is found within the time."""
        limits = Limits(time_limit_s=_DEADLOCK_TIME_S, memory_limit_mb=_MEMORY_MB)
        found = explain(board, limits=limits, clock=clock)
        if not isinstance(found, Deadlocked):
            return None
        return Deadlock(frozenset(found.certificate.boxes), sentences(found.certificate)[0])


def _first_of(board: Board, plan: str, remark: str) -> Hint:
    """The first box that a plan pushes, and where it is when another one is pushed."""
    player = board.player
    box = destination = None
    moves = ""
    for number, letter in enumerate(plan, 1):
        direction = Direction(lurd.LETTERS.index(letter.lower()))
        player = player.neighbour(direction)
        if letter.islower():
            continue
        if box is None:
            box, moves = player, plan[:number]
        elif player != destination:
            break
        destination = player.neighbour(direction)
    return Hint(remark, box, destination, moves)


class _Dropped(BaseException):
    """Ends a search whose answer is no longer the next to be found."""


@dataclass(frozen=True)
class _Question:
    """A search for what is to be known of a board; ``key`` is all that its answer depends on."""

    key: object
    board: Board
    find: Callable[[Board, Clock], Hint | Deadlock | None]


@dataclass(frozen=True)
class _Answer:
    """What a search found, or what went wrong in it."""

    found: Hint | Deadlock | None = None
    error: BaseException | None = None


class Background:
    """Asks the adviser in a thread, for what is wanted now, and keeps the answers.

    ``on_answer`` is called by that thread.
    """

    def __init__(self, adviser: Adviser, on_answer: Callable[[], None]) -> None:
        self._adviser = adviser
        self._on_answer = on_answer
        self._answers: dict[object, _Answer] = {}
        self._wanted: list[_Question] = []
        self._change = threading.Condition()
        self._is_closed = False
        # A compilation cannot be stopped, and must not keep the player from leaving.
        threading.Thread(target=self._work, daemon=True).start()

    def look(self, board: Board, *, wants_hint: bool) -> tuple[Hint | None, Deadlock | None]:
        """What is known of a board by now; the rest is looked for from now on, a hint first.

        Raises what went wrong in the thread.
        """
        # A walk changes nothing about a deadlock.
        about = board.walls, board.goals, board.boxes, min(board.area())
        questions = [_Question(("deadlock", *about), board, self._adviser.deadlock)]
        if wants_hint:
            questions.insert(0, _Question(("hint", board), board, self._adviser.hint))
        with self._change:
            answers = [self._answers.get(question.key, _Answer()) for question in questions]
            self._wanted = [one for one in questions if one.key not in self._answers]
            self._change.notify()
        hint = deadlock = None
        for answer in answers:
            if answer.error is not None:
                raise answer.error
            if isinstance(answer.found, Hint):
                hint = answer.found
            else:
                deadlock = answer.found
        return hint, deadlock

    def close(self) -> None:
        """Ends the thread as soon as it looks up."""
        with self._change:
            self._is_closed = True
            self._wanted = []
            self._change.notify()

    def _work(self) -> None:
        while (question := self._next()) is not None:
            try:
                answer = _Answer(question.find(question.board, self._clock_for(question)))
            except _Dropped:
                continue
            except BaseException as error:  # raised where the answer is asked for
                answer = _Answer(error=error)
            with self._change:
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
            return None if self._is_closed else self._wanted[0]

    def _clock_for(self, question: _Question) -> Clock:
        """A clock that ends the search once another question comes first."""

        def clock() -> float:
            wanted = self._wanted
            if not wanted or wanted[0].key != question.key:
                raise _Dropped
            return compiling.clock()

        return clock
