"""Searches by the push policy that show every step."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from tokoban.sokoban import rules
from tokoban.sokoban.board import OFFSETS, Board, Direction, Square
from tokoban.sokoban.formats import Solution
from tokoban.sokoban.formats.xsb import format_board
from tokoban.sokoban.search.level.ground import Squares, build_ground
from tokoban.sokoban.search.limits import (
    Limits,
    OutOfTimeError,
    Reason,
    Watch,
    out_of_memory,
)
from tokoban.sokoban.search.outcome import Outcome
from tokoban.sokoban.search.searches.guided.classical import classical_rules
from tokoban.sokoban.search.searches.guided.search import GuidedOptions, GuidedSearch
from tokoban.sokoban.search.searches.guided.search import prepare as prepare_guided
from tokoban.systems.push_policy.guide import NetworkGuide
from tokoban.systems.push_policy.policy import is_hopeless
from tokoban.systems.push_policy.stepper import PushStepper
from tokoban.web.opinions import opinion, policy, push_on_wire

Show = Callable[[dict[str, Any]], None]

# More than a policy that knows the way needs on any board that can be followed by eye.
_MAX_PUSHES = 400
_TOO_LONG = Reason(f"{_MAX_PUSHES} pushes", "pushes", most=_MAX_PUSHES)


@dataclass(frozen=True)
class Level:
    """A board with what the searches read of it, and the watch that ends them."""

    board: Board
    squares: Squares
    guide: NetworkGuide
    watch: Watch


@dataclass(frozen=True)
class Found:
    """The result of a search."""

    status: str
    solution: Solution | None = None
    num_evaluated: int = 0  # positions that the policy judged
    reason: str | None = None  # why it gave up
    followed: tuple[int, ...] = ()  # the row of the best at each step
    elapsed_s: float = 0.0  # without compiling and loading


def search(board: Board, method: str, limits: Limits, *, width: int, show: Show) -> Found:
    """Searches by one of the methods of the page, showing every step.

    Raises ``ValueError`` saying why a board does not fit the policy.
    """
    if board.is_solved:
        return Found("solved", Solution(""))
    if is_hopeless(board):
        return Found("unsolvable")
    guide, squares = policy().guide(board)
    prepare_guided(is_classical=True)
    level = Level(board, squares, guide, Watch(limits))
    found = beam(level, show, width=width) if method == "beam" else best_first(level, show)
    return replace(found, elapsed_s=level.watch.elapsed_s())


class _Rows:
    """The rows of a ``PushStepper`` with their scores, which it shows."""

    def __init__(self, level: Level, show: Show) -> None:
        self.level, self._show = level, show
        self.plays = PushStepper(level.guide, level.squares, level.board, width=1)
        self.scores = np.zeros(1)  # sums of log-probabilities
        self.histories: list[list[tuple[int, ...]]] = []  # of each step, the actions of each row

    def advance(self, parents: list[int], actions: list[int]) -> None:
        """Makes the pushes and shows the rows; raises ``OutOfTimeError``."""
        self.level.watch.check()
        self.scores = self.scores[parents] + self.plays.log_probs[parents, actions]
        past = self.histories[-1] if self.histories else [()] * len(self.scores)
        taken = zip(parents, actions, strict=True)
        self.histories.append([(*past[parent], action) for parent, action in taken])
        self.plays.advance(parents, actions)
        boards = enumerate(self.plays.boards())
        self._show(
            {
                "step": len(self.histories),
                "rows": [self._row(row, board, parents[row]) for row, board in boards],
                "num_evaluated": self.plays.num_evaluated,
            }
        )

    def _row(self, row: int, board: Board, parent: int) -> dict[str, Any]:
        return {
            "row": row,
            "parent": parent,
            "score": round(float(self.scores[row]), 4),
            "is_solved": bool(self.plays.is_solved[row]),
            **opinion(float(self.plays.pushes_left[row]), float(self.plays.deadlocked[row])),
            **push_on_wire(self.level.squares, self.histories[-1][row][-1]),
            "board": format_board(board),
        }


def beam(level: Level, show: Show, *, width: int) -> Found:
    """Beam search over pushes: equal positions are merged, and none is returned to."""
    rows = _Rows(level, show)
    visited = {int(rows.plays.keys[0])}
    try:
        while len(rows.histories) < _MAX_PUSHES:
            totals = (rows.scores[:, None] + rows.plays.log_probs).ravel()
            keys = rows.plays.successor_keys().ravel()
            chosen: list[int] = []  # row * actions + action, the best first
            for number in np.argsort(-totals, kind="stable").tolist():
                if totals[number] == -np.inf or len(chosen) == width:
                    break
                if int(keys[number]) not in visited:
                    visited.add(int(keys[number]))
                    chosen.append(number)
            if not chosen:
                return _gave_up(rows, Reason("no position left", "no-position"))
            parents, actions = np.divmod(chosen, rows.plays.log_probs.shape[1])
            rows.advance(parents.tolist(), actions.tolist())
            if rows.plays.is_solved.any():
                taken = rows.histories[-1][int(rows.plays.is_solved.argmax())]
                begun = enumerate(rows.histories, 1)
                followed = tuple(past.index(taken[:count]) for count, past in begun)
                return _solved(rows, taken, followed)
    except OutOfTimeError as error:
        return _gave_up(rows, error.args[0])
    return _gave_up(rows, _TOO_LONG)


def best_first(level: Level, show: Show) -> Found:
    """The policy-guided search of ``solve --by policy``, one position at a time."""
    board, squares, limits = level.board, level.squares, level.watch.limits
    classical = classical_rules(build_ground(board, squares))
    search = GuidedSearch(
        board, squares, level.guide, GuidedOptions(is_classical=True), None, classical
    )
    outcome, reason = None, None
    while reason is None and outcome not in (Outcome.SOLVED, Outcome.EXHAUSTED):
        outcome = search.ask()
        if outcome is None:
            boxes, zone = search.asked
            judged = level.guide.evaluate(boxes, zone)
            search.tell(judged)
            player = squares.squares[int(zone[0].argmax())]
            here = {
                square for square, is_box in zip(squares.squares, boxes[0], strict=True) if is_box
            }
            position = _with(board, here, player)
            row = {
                "row": 0,
                "is_solved": False,
                **opinion(float(judged.pushes_left[0]), float(judged.deadlocked[0])),
                "board": format_board(position),
            }
            show(
                {"step": search.num_evaluated, "rows": [row], "num_evaluated": search.num_evaluated}
            )
        elif outcome == Outcome.STORE_FULL:
            if search.pause().num_bytes + search.bytes_to_grow() > limits.memory_limit_mb * 1e6:
                reason = out_of_memory(limits.memory_limit_mb)
            else:
                list(search.grow())
        reason = reason or level.watch.reason_to_end()
    found = Found("gave up", num_evaluated=search.num_evaluated)
    if outcome == Outcome.SOLVED:
        solution = Solution.of(board, search.directions())
        return replace(found, status="solved", solution=solution)
    if outcome == Outcome.EXHAUSTED:
        return replace(found, status="unsolvable")
    return replace(found, reason=reason)


def _with(board: Board, boxes: set[Square], player: Square) -> Board:
    """The board with other boxes inside, and the player elsewhere."""
    outside = board.boxes - board.inside()
    return replace(board, boxes=outside | boxes, player=player)


def _gave_up(rows: _Rows, reason: str) -> Found:
    return Found("gave up", num_evaluated=rows.plays.num_evaluated, reason=reason)


def _solved(rows: _Rows, taken: tuple[int, ...], followed: tuple[int, ...]) -> Found:
    """The answer of pushes that solve the board, with the walks between them."""
    level = rows.level
    board = level.board
    moves: list[Direction] = []
    for action in taken:
        box, direction = divmod(action, len(OFFSETS))
        made = rules.moves_of_push(board, level.squares.squares[box], Direction(direction))
        board = rules.play(board, made)[-1]
        moves += made
    return Found(
        "solved",
        Solution.of(level.board, moves),
        num_evaluated=rows.plays.num_evaluated,
        followed=followed,
    )
