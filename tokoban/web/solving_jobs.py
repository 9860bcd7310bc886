"""The jobs of the searches: solve, optimise, hint and explain."""

from collections.abc import Iterator
from typing import Any, get_args

import tokoban
from tokoban.sokoban.formats import Solution, lurd
from tokoban.sokoban.hints import Hint
from tokoban.sokoban.search.answer import OBJECTIVES, Answer, Objective, Optimum, Progress
from tokoban.web import wire
from tokoban.web.job import Context

_SOLVE_S, _HINT_S, _EXPLAIN_S = 60.0, 2.0, 5.0  # where the page names no limit


def solve(arguments: dict[str, Any], context: Context) -> Iterator[dict[str, Any]]:
    """An answer for each better solution; ``minimise`` as in ``tokoban.solve``."""
    board = wire.board_of(arguments)
    minimise = wire.choice_of(arguments, "minimise", OBJECTIVES, usual=None)

    def report(objective: Objective, progress: Progress) -> None:
        context.report(
            {
                "objective": objective,
                "num_expansions": progress.expansions,
                "elapsed_s": round(progress.elapsed_s, 3),
                "at_least": progress.at_least,
            }
        )

    answers = tokoban.solve_anytime(
        board,
        minimise=minimise,
        report=report,
        **wire.limits_of(arguments, context, usual_s=_SOLVE_S),
    )
    found: dict[str, Any] = {}
    for answer in answers:
        found = wire.answer_to_json(answer)
        yield {"event": "answer", **found}
    yield {"event": "done", **found}


def optimise(arguments: dict[str, Any], context: Context) -> Iterator[dict[str, Any]]:
    """Shorter solutions of ``board`` than ``solution``, an answer for each."""
    board, _ = wire.game_of(arguments)
    solution = wire.text_of(arguments, "solution", most=wire.MAX_MOVES_TEXT)
    minimise = wire.choice_of(arguments, "minimise", get_args(Optimum), usual="moves")
    best: Solution | None = None

    def report(answer: Answer) -> None:
        nonlocal best
        is_better = answer.solution != best
        best = answer.solution
        event = "answer" if is_better else "progress"
        context.report({"event": event, **wire.answer_to_json(answer)})

    found = tokoban.optimise(
        board,
        solution,
        minimise=minimise,
        report=report,
        **wire.limits_of(arguments, context, usual_s=_SOLVE_S),
    )
    yield {"event": "done", **wire.answer_to_json(found)}


def hint(arguments: dict[str, Any], context: Context) -> Iterator[dict[str, Any]]:
    """The next box, where it goes and the moves up to its first push.

    The push policy is asked first, then a search.
    """
    from tokoban.web import opinions

    found = tokoban.hint(
        wire.board_of(arguments),
        policy=opinions.weights(),
        time_limit_s=wire.time_limit_of(arguments, usual=_HINT_S),
        stop=context.stop,
    )
    yield {"event": "done", **_hint_to_json(found)}


def _hint_to_json(found: Hint) -> dict[str, Any]:
    """A hint; what is not known is null."""
    return {
        "status": found.status,
        "box": found.box and list(found.box),
        "push": None if found.push is None else lurd.LETTERS[found.push],
        "destination": found.destination and list(found.destination),
        "moves": found.moves,
        "pushes_left": found.pushes_left,
        "reason": found.reason and wire.coded_to_json(found.reason),
    }


def explain(arguments: dict[str, Any], context: Context) -> Iterator[dict[str, Any]]:
    """Whether the position is deadlocked, by which boxes, and the proof; else a solution's pushes.

    With ``moves``, explains the position after them or, if that is deadlocked, the one after the
    push that caused it: ``moves`` of the answer end with that push.
    """
    from tokoban.sokoban.proofs.notation import to_json

    board, moves = wire.game_of(arguments)
    found = tokoban.explain(
        board, moves=moves, **wire.limits_of(arguments, context, usual_s=_EXPLAIN_S)
    )
    certificate, solution = found.certificate, found.solution
    yield {
        "event": "done",
        "status": found.status,
        "moves": found.moves,
        "boxes": wire.squares(found.boxes),
        "certificate": certificate and to_json(certificate),
        "solution": solution and solution.lurd,
        "num_pushes": solution and solution.num_pushes,
    }


# Solving the first and explaining the second loads the compiled searches; large levels have code of
# their own, since they do not fit a word of 64 bits.
_SOLVED = tokoban.Board.from_xsb("########|#@ $ . #|# $   .#|#      #|########")
_LOST = tokoban.Board.from_xsb("#######|#. $$.#|#@    #|#######")
_LARGE = tokoban.Board.from_xsb("############|#@         #|#  $   $   #|#.        .#|############")


def _warm_searches() -> None:
    tokoban.solve(_SOLVED)
    tokoban.explain(_LOST)


def _warm_policy() -> None:
    from tokoban.web import opinions

    tokoban.hint(_SOLVED, policy=opinions.weights())
    opinions.opinions([_SOLVED])


def _warm_large() -> None:
    tokoban.explain(_LARGE)


WARM_UP, WARM_UP_QUICK = (_warm_searches,), (_warm_policy, _warm_large)
