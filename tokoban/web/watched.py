"""A beam search by the push policy that shows every step."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from tokoban.sokoban import rules
from tokoban.sokoban.board import OFFSETS, Board, Direction
from tokoban.sokoban.formats import Solution
from tokoban.sokoban.formats.xsb import format_board
from tokoban.sokoban.search.level.ground import Squares
from tokoban.sokoban.search.limits import Limits, Reason, Watch
from tokoban.systems.push_policy.policy import is_hopeless
from tokoban.systems.push_policy.stepper import PushStepper
from tokoban.web import wire
from tokoban.web.opinions import opinion, policy, push_on_wire

# More than a policy that knows the way needs on any board that can be followed by eye.
_MAX_PUSHES = 400
_TOO_LONG = Reason(f"{_MAX_PUSHES} pushes", "pushes", most=_MAX_PUSHES)


def beam(board: Board, limits: Limits, *, width: int) -> Iterator[dict[str, Any]]:
    """Beam search over pushes: an event for each step, and the last for the result.

    Equal positions are merged, and none is returned to. Raises ``ValueError`` saying why a board
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
    rows = _Rows(PushStepper(guide, squares, board, width=1), squares)
    visited = {int(rows.plays.keys[0])}
    reason: Reason | None = None
    while reason is None and not rows.plays.is_solved.any():
        chosen = _best_successors(rows, visited, width)
        if not chosen:
            reason = Reason("no position left", "no-position")
        elif len(rows.histories) == _MAX_PUSHES:
            reason = _TOO_LONG
        elif (reason := watch.reason_to_end()) is None:
            parents, actions = np.divmod(chosen, rows.plays.log_probs.shape[1])
            yield rows.advance(parents.tolist(), actions.tolist())
    solution: Solution | None = None
    followed: list[int] = []
    if reason is None:
        taken = rows.histories[-1][int(rows.plays.is_solved.argmax())]
        solution = _solution(board, squares, taken)
        followed = [past.index(taken[:count]) for count, past in enumerate(rows.histories, 1)]
    yield {
        "event": "done",
        "status": "gave up" if solution is None else "solved",
        **wire.solution_to_json(solution),
        "num_evaluated": rows.plays.num_evaluated,  # positions that the policy judged
        "reason": reason and wire.coded_to_json(reason),
        "followed": followed,  # the row of the best at each step
        "elapsed_s": round(watch.elapsed_s(), 3),  # without compiling and loading
    }


class _Rows:
    """The rows of a ``PushStepper`` with their scores and pasts."""

    def __init__(self, plays: PushStepper, squares: Squares) -> None:
        self.plays, self._squares = plays, squares
        self.scores = np.zeros(1)  # sums of log-probabilities
        self.histories: list[list[tuple[int, ...]]] = []  # of each step, the actions of each row

    def advance(self, parents: list[int], actions: list[int]) -> dict[str, Any]:
        """Makes the pushes; the event of this step."""
        self.scores = self.scores[parents] + self.plays.log_probs[parents, actions]
        past = self.histories[-1] if self.histories else [()] * len(self.scores)
        taken = zip(parents, actions, strict=True)
        self.histories.append([(*past[parent], action) for parent, action in taken])
        self.plays.advance(parents, actions)
        boards = enumerate(self.plays.boards())
        return {
            "event": "answer",
            "step": len(self.histories),
            "rows": [self._row(row, board, parents[row]) for row, board in boards],
            "num_evaluated": self.plays.num_evaluated,
        }

    def _row(self, row: int, board: Board, parent: int) -> dict[str, Any]:
        return {
            "row": row,
            "parent": parent,
            "score": round(float(self.scores[row]), 4),
            "is_solved": bool(self.plays.is_solved[row]),
            **opinion(float(self.plays.pushes_left[row]), float(self.plays.deadlocked[row])),
            **push_on_wire(self._squares, self.histories[-1][row][-1]),
            "board": format_board(board),
        }


def _best_successors(rows: _Rows, visited: set[int], width: int) -> list[int]:
    """The best as row * actions + action, the best first; adds their keys to ``visited``."""
    totals = (rows.scores[:, None] + rows.plays.log_probs).ravel()
    keys = rows.plays.successor_keys().ravel()
    chosen: list[int] = []
    for number in np.argsort(-totals, kind="stable").tolist():
        if totals[number] == -np.inf or len(chosen) == width:
            break
        if int(keys[number]) not in visited:
            visited.add(int(keys[number]))
            chosen.append(number)
    return chosen


def _solution(board: Board, squares: Squares, taken: tuple[int, ...]) -> Solution:
    """Pushes that solve the board, with the walks between them."""
    moves: list[Direction] = []
    position = board
    for action in taken:
        box, direction = divmod(action, len(OFFSETS))
        made = rules.moves_of_push(position, squares.squares[box], Direction(direction))
        position = rules.play(position, made)[-1]
        moves += made
    return Solution.of(board, moves)
