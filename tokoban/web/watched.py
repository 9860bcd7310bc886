"""A beam search by the push policy that shows every step."""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from tokoban.sokoban import rules
from tokoban.sokoban.board import OFFSETS, Board, Direction, Square
from tokoban.sokoban.formats import Solution
from tokoban.sokoban.formats.xsb import format_board
from tokoban.sokoban.search.level.ground import Squares
from tokoban.sokoban.search.limits import Limits, Reason, Watch
from tokoban.sokoban.search.searches.guided.guide import (
    MOST_DEADLOCKED,
    Guidance,
    boxes_and_zones,
)
from tokoban.systems.push_policy.policy import is_hopeless
from tokoban.web import wire
from tokoban.web.opinions import opinions_of, policy, push_on_wire

# More than a good policy needs on any board that can be followed by eye.
_MAX_PUSHES = 400
_TOO_LONG = Reason(f"{_MAX_PUSHES} pushes", "pushes", most=_MAX_PUSHES)

_Position = tuple[frozenset[Square], Square]  # the boxes, and the first square of the player's area


class _Row(NamedTuple):
    """A position of the beam."""

    board: Board
    score: float = 0.0  # sum of log-probabilities of the pushes
    parent: int = 0  # its row one step before
    action: int = -1  # the push that led here: the box's square before it * 4 + its direction


def beam(board: Board, limits: Limits, *, width: int) -> Iterator[dict[str, Any]]:
    """Beam search over pushes: an event for each step, and the last for the result.

    Equal positions are merged, and none is visited twice. Raises ``ValueError`` saying why a board
    does not fit the policy.
    """
    if board.is_solved or is_hopeless(board):
        yield {
            "event": "done",
            "status": "solved" if board.is_solved else "unsolvable",
            **wire.solution_to_json(Solution("") if board.is_solved else None),
            "num_evaluated": 0,
            "reason": None,
            "followed": [],
            "elapsed_s": 0.0,
        }
        return
    guide, squares = policy().guide(board)
    watch = Watch(limits)
    rows, visited = [_Row(board)], {_position(board)}
    guidance = guide.evaluate(*boxes_and_zones(squares, [board]))
    num_evaluated = 1  # positions that the policy judged
    steps: list[list[_Row]] = []
    reason: Reason | None = None
    while reason is None and not any(row.board.is_solved for row in rows):
        chosen = _best_successors(rows, guidance, squares, visited, width)
        if not chosen:
            reason = Reason("no position left", "no-position")
        elif len(steps) == _MAX_PUSHES:
            reason = _TOO_LONG
        elif (reason := watch.reason_to_end()) is None:
            rows = chosen
            steps.append(rows)
            guidance = guide.evaluate(*boxes_and_zones(squares, [row.board for row in rows]))
            num_evaluated += len(rows)
            yield {
                "event": "answer",
                "step": len(steps),
                "rows": _rows_on_wire(rows, guidance, squares),
                "num_evaluated": num_evaluated,
            }
    solution: Solution | None = None
    followed: list[int] = []
    if reason is None:
        number = [row.board.is_solved for row in rows].index(True)
        for step in reversed(steps):
            followed.insert(0, number)
            number = step[number].parent
        pushes = [step[row].action for step, row in zip(steps, followed, strict=True)]
        solution = _solution(board, squares, pushes)
    yield {
        "event": "done",
        "status": "gave up" if solution is None else "solved",
        **wire.solution_to_json(solution),
        "num_evaluated": num_evaluated,
        "reason": reason and wire.coded_to_json(reason),
        "followed": followed,  # the row of the best at each step
        "elapsed_s": round(watch.elapsed_s(), 3),  # compiling and loading not counted
    }


def _best_successors(
    rows: Sequence[_Row],
    guidance: Guidance,
    squares: Squares,
    visited: set[_Position],
    width: int,
) -> list[_Row]:
    """The best that are not ``visited``, the best first; adds them there.

    The probability of a push is the policy's, times that of no deadlock after it, normalised.
    """
    deadlocks = guidance.push_deadlocks.clip(0, MOST_DEADLOCKED)
    log_probs = (guidance.log_policy + np.log1p(-deadlocks)).reshape(len(rows), -1)
    sums = np.logaddexp.reduce(log_probs, axis=1, keepdims=True)
    log_probs -= np.where(np.isfinite(sums), sums, 0)  # -inf where no push is legal
    scores = np.array([row.score for row in rows])[:, None] + log_probs
    chosen: list[_Row] = []
    for place in np.argsort(-scores, axis=None, kind="stable").tolist():
        parent, action = divmod(place, log_probs.shape[1])
        score = float(scores[parent, action])
        if score == -np.inf or len(chosen) == width:
            break
        after = rules.push(rows[parent].board, *_push(squares, action))
        if (position := _position(after)) not in visited:
            visited.add(position)
            chosen.append(_Row(after, score, parent, action))
    return chosen


def _position(board: Board) -> _Position:
    return board.boxes, min(board.area())


def _push(squares: Squares, action: int) -> tuple[Square, Direction]:
    box, direction = divmod(action, len(OFFSETS))
    return squares.squares[box], Direction(direction)


def _rows_on_wire(
    rows: Sequence[_Row], guidance: Guidance, squares: Squares
) -> list[dict[str, Any]]:
    opinions = opinions_of(guidance, [row.board for row in rows])
    return [
        {
            "row": number,
            "parent": row.parent,
            "score": round(row.score, 4),
            "is_solved": row.board.is_solved,
            **opinions[number],
            **push_on_wire(squares, row.action),
            "board": format_board(row.board),
        }
        for number, row in enumerate(rows)
    ]


def _solution(board: Board, squares: Squares, pushes: Sequence[int]) -> Solution:
    """Pushes that solve the board, with the walks between them."""
    moves: list[Direction] = []
    position = board
    for action in pushes:
        made = rules.moves_of_push(position, *_push(squares, action))
        position = rules.play(position, made)[-1]
        moves += made
    return Solution.of(board, moves)
