"""Solutions: any, the best within the limits, and shorter ones than a given one."""

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from tokoban.api.arguments import check, checked
from tokoban.sokoban.board import Board
from tokoban.sokoban.formats import Solution, lurd
from tokoban.sokoban.search.answer import (
    BY_INSTRUCTION,
    OBJECTIVES,
    Answer,
    Objective,
    Optimum,
    Progress,
    check_objective,
)

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from tokoban.api.learning import Pretrained
    from tokoban.sokoban.search.combine.anytime import Report
    from tokoban.sokoban.search.limits import Limits


@checked
def solve(
    board: Board,
    *,
    instruction: str | None = None,
    policy: "Pretrained | None" = None,
    minimise: Objective | None = None,
    time_limit_s: float | None = 10.0,
    memory_limit_mb: float = 2000.0,
    max_expansions: int | None = None,
    stop: threading.Event | None = None,
) -> Answer:
    """Solves a board, proves that it has no solution, or gives up at a limit.

    Searches for any solution, then for one with the fewest moves and, if that is not found, for one
    with the fewest pushes. ``minimise`` restricts this to "any", "moves" or "pushes". A limit of
    None means no limit; each search has its own ``max_expansions``. ``stop``, set by another
    thread, ends the search with the result so far. Ctrl-C raises ``KeyboardInterrupt``, whose
    ``answer`` is the result so far. Raises ``ValueError`` for an unknown objective. Limits exclude
    compilation on the first use. As ``policy`` (``tokoban.load``), a push policy finds any
    solution, or a proof, by its own search within the same limits; a Sokoban policy uses beam
    search, to which no limit applies.

    With an ``instruction``, an English or German sentence, the answer is an obedient solution with
    the fewest pushes, or the status "unsolvable" if there is none. The floor has at most 8x8
    squares. If a word was not understood, raises ``ValueError`` that names it. With the ``policy``
    "sokoban-instructions" that network reads the sentence and plays, within ``max_expansions`` or
    100 evaluated positions; it proves nothing.

    >>> import tokoban
    >>> board = tokoban.Board.from_xsb("######|#@ $.#|######")
    >>> tokoban.solve(board, instruction="do not touch the left box").reason
    'the level has solutions, but none obeys: 2 pairs of position and state searched'
    >>> answer = tokoban.solve(board, time_limit_s=10.0)
    >>> answer.status, str(answer.solution), answer.optimum
    ('solved', 'rR', 'moves')
    """
    from tokoban.sokoban.search.limits import Limits

    limits = Limits(
        time_limit_s=time_limit_s,
        memory_limit_mb=memory_limit_mb,
        max_expansions=max_expansions,
        stop=stop,
    )
    if instruction is not None:
        if minimise is not None:
            raise ValueError("minimise has no effect with an instruction: pushes are the fewest")
        if policy is not None:
            if policy.system != "instructions":
                found = f"policy is of the system {policy.system!r}"
                raise ValueError(f"{found}; expected 'instructions'")
            from tokoban.systems.instructions import obey

            with answering(obey.BY_NETWORK):
                return obey.answer(policy.model, board, instruction, limits)[0]
        from tokoban.sokoban.instructions import grammar, truth

        meaning = grammar.instruction(instruction).meaning
        with answering(BY_INSTRUCTION):
            return truth.solve(board, meaning, limits)
    if policy is not None:
        if minimise is not None:
            raise ValueError("minimise has no effect with a policy, which finds any solution")
        return ask_policy(policy, board, limits)[0]
    from tokoban.sokoban.search.combine.anytime import best_answer

    return best_answer(board, minimise=minimise, limits=limits)


@contextmanager
def answering(solver: str) -> Iterator[None]:
    """Ctrl-C inside raises ``KeyboardInterrupt`` with an ``answer``: that nothing was found."""
    try:
        yield
    except KeyboardInterrupt:
        from tokoban.sokoban.search.combine.anytime import InterruptedSearch
        from tokoban.sokoban.search.limits import STOPPED

        answer = Answer(status="gave up", solver=solver, reason=STOPPED)
        raise InterruptedSearch(answer) from None


def ask_policy(policy: "Pretrained", board: Board, limits: "Limits") -> tuple[Answer, float | None]:
    """A policy's own answer, and its probability that the board is deadlocked.

    The limits are for the search of a push policy. Ctrl-C as in ``answering``.
    """
    if policy.system == "push":
        from tokoban.systems.push_policy.policy import PushPolicy

        with answering("policy"):
            answer, predicted = PushPolicy(policy.model).solve(board, limits=limits)
        return answer, None if predicted is None else predicted.predicted_unsolvable
    if policy.system != "sokoban":
        raise ValueError(f"policy is of the system {policy.system!r}; expected 'push' or 'sokoban'")
    from tokoban.systems.sokoban_policy.policy import Policy

    with answering("policy"):
        answer, prediction = Policy(policy.model).solve([board])[0]
    return answer, None if prediction is None else prediction.predicted_unsolvable


@checked
def solve_anytime(
    board: Board,
    *,
    minimise: Objective | None = None,
    time_limit_s: float | None = 10.0,
    memory_limit_mb: float = 2000.0,
    max_expansions: int | None = None,
    stop: threading.Event | None = None,
    report: "Report | None" = None,
) -> Iterator[Answer]:
    """Yields each better answer as soon as it is found; the last is what ``solve`` returns.

    Every answer has the lower bounds proved so far. ``report`` is called every few hundredths of a
    second with the current objective and the progress of the search. Ctrl-C works as in ``solve``.

    >>> import tokoban
    >>> board = tokoban.Board.from_xsb("-#-|.@#|-$-|---|---")
    >>> for answer in tokoban.solve_anytime(board):
    ...     found = answer.solution
    >>> found.num_moves, found.num_pushes, answer.at_least_moves
    (8, 4, 8)
    """
    from tokoban.sokoban.search.combine import anytime
    from tokoban.sokoban.search.limits import Limits

    check_objective(minimise, (*OBJECTIVES, None))
    limits = Limits(
        time_limit_s=time_limit_s,
        memory_limit_mb=memory_limit_mb,
        max_expansions=max_expansions,
        stop=stop,
    )
    return anytime.solve_anytime(board, minimise=minimise, limits=limits, report=report)


class _Asked(NamedTuple):
    """An item of work."""

    number: int
    board: Board
    minimise: Objective | None
    limits: "Limits"


@checked
def solve_all(
    boards: Sequence[Board],
    *,
    minimise: Objective | None = None,
    time_limit_s: float | None = 10.0,
    memory_limit_mb: float = 2000.0,
    max_expansions: int | None = None,
    num_threads: int | None = None,
    executor: "Executor | None" = None,
    stop: threading.Event | None = None,
    report: "Callable[[int, Objective, Progress], None] | None" = None,
) -> Iterator[tuple[int, Answer]]:
    """Yields the number of each board, from 0, and its answer, as answers are finished.

    The work runs in one thread, in ``num_threads``, or on the workers of an ``executor`` of
    ``concurrent.futures`` (docs/guide/cluster.md). The limits apply to each board; with
    ``max_expansions`` and no time limit all of these give the same answers. Once ``stop`` is set,
    or at Ctrl-C, boards whose search has not begun are left out, and so is a board on which workers
    died. ``report`` is that of ``solve_anytime``, called by threads with the number of the board
    first; with an ``executor`` it is not called.

    >>> import tokoban
    >>> boards = map(tokoban.Board.from_xsb, ("######|#@ $.#|######", "#####|#@.$#|#####"))
    >>> for number, answer in sorted(tokoban.solve_all([*boards], num_threads=2)):
    ...     print(number, answer.status, answer.solution)
    0 solved rR
    1 unsolvable None
    """
    from tokoban.sokoban.search.combine import solver
    from tokoban.sokoban.search.limits import Limits, Watch
    from tokoban.sokoban.work import Workers

    check_objective(minimise, (*OBJECTIVES, None))
    for board in boards:
        check("board", board)
    workers = Workers(num_threads, executor)
    limits = Limits(
        time_limit_s=time_limit_s, memory_limit_mb=memory_limit_mb, max_expansions=max_expansions
    )
    items = [_Asked(number, board, minimise, limits) for number, board in enumerate(boards)]
    task = _answer if executor or not report else partial(_answer, report=report)

    def answers() -> Iterator[tuple[int, Answer]]:
        if items and executor is not None:  # whose workers would all compile the same
            workers.prepare(solver.prepare)
        for number, answer in workers.results(task, items, Watch(Limits(stop=stop))):
            if answer is not None:
                yield number, answer

    return answers()


def _answer(
    asked: _Asked,
    stop: threading.Event,
    report: "Callable[[int, Objective, Progress], None] | None" = None,
) -> Answer:
    """The task, in a thread or in another process; compiles what the board needs, as it goes."""
    from tokoban import compiling
    from tokoban.sokoban.search.combine import anytime

    try:
        with compiling.until(stop):
            return anytime.best_answer(
                asked.board,
                minimise=asked.minimise,
                limits=replace(asked.limits, stop=stop),
                report=report and partial(report, asked.number),
            )
    except anytime.InterruptedSearch as interrupted:
        if not stop.is_set():
            raise
        return interrupted.answer


@checked
def optimise(
    board: Board,
    solution: Solution | str,
    *,
    minimise: Optimum = "moves",
    time_limit_s: float | None = 10.0,
    memory_limit_mb: float = 2000.0,
    max_expansions: int | None = None,
    stop: threading.Event | None = None,
    report: "Callable[[Answer], None] | None" = None,
) -> Answer:
    """Makes a solution shorter, by moves and then by pushes, or the other way round.

    The answer is never longer than the given solution. It has an ``optimum`` if no solution is
    shorter, otherwise the ``reason`` why the search ended. ``stop``, set by another thread, ends
    the search with the best solution so far; Ctrl-C raises ``KeyboardInterrupt`` with it as
    ``answer``, or None if the search had not begun. ``report`` is called every few hundredths of a
    second. Raises ``ValueError`` if the moves do not solve the board.

    >>> import tokoban
    >>> board = tokoban.Board.from_xsb("######|#@ $.#|######")
    >>> answer = tokoban.optimise(board, "rlrR")
    >>> str(answer.solution), answer.optimum
    ('rR', 'moves')
    """
    from tokoban.sokoban.search.combine import optimiser
    from tokoban.sokoban.search.combine.anytime import InterruptedSearch
    from tokoban.sokoban.search.limits import STOPPED, Limits

    best: Answer | None = None

    def follow(so_far: Answer) -> None:
        nonlocal best
        best = so_far
        if report is not None:
            report(so_far)

    limits = Limits(
        time_limit_s=time_limit_s,
        memory_limit_mb=memory_limit_mb,
        max_expansions=max_expansions,
        stop=stop,
    )
    moves = lurd.parse(str(solution))
    try:
        return optimiser.optimise(board, moves, minimise=minimise, limits=limits, report=follow)
    except KeyboardInterrupt:
        known = None if best is None else replace(best, reason=STOPPED)
        raise InterruptedSearch(known) from None
