"""The push policy as a solver of any board that fits it, and its predictions."""

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from tokoban.sokoban.board import Board, Direction, Square
from tokoban.sokoban.encoding.tokens import check_size
from tokoban.sokoban.interior import enclosed
from tokoban.sokoban.search.answer import Answer, Report
from tokoban.sokoban.search.level.ground import UNREACHABLE, Squares, build_ground
from tokoban.sokoban.search.limits import STOPPED, Limits, Reason
from tokoban.sokoban.search.searches.guided.guide import Guide, UniformGuide, boxes_and_zones
from tokoban.sokoban.search.searches.guided.search import GuidedOptions, solve_guided
from tokoban.sokoban.wording import counted
from tokoban.systems.push_policy.guide import NetworkGuide, as_judge

_PLAY = "policy"  # what answers without a search call it
_OPTIONS = GuidedOptions(is_classical=True)


@dataclass(frozen=True)
class Prediction:
    """The policy's estimate of a position, without search."""

    predicted_pushes_left: float | None  # if it can be solved; None where it surely cannot
    predicted_unsolvable: float  # a probability
    box: Square | None  # whose push is the most probable; None where no push is legal
    push: Direction | None

    def __str__(self) -> str:
        """The prediction in words."""
        unsolvable = self.predicted_unsolvable
        if self.predicted_pushes_left is None or unsolvable > 0.5:
            return f"policy: unsolvable, {unsolvable:.0%} sure"
        left = counted(round(self.predicted_pushes_left), "push")
        return f"policy: solvable, {1 - unsolvable:.0%} sure, about {left} left"


class PolicyAnswer(NamedTuple):
    """An answer, and what the policy predicted of the board if the board fits it."""

    answer: Answer
    prediction: Prediction | None


class PushPolicy:
    """A trained push policy."""

    def __init__(self, model: object) -> None:
        """Of a model where it is, as ``as_judge`` reads it."""
        self.model = as_judge(model)

    def predict(self, board: Board) -> Prediction:
        """Its estimate of a board; raises ``ValueError`` saying why a board does not fit."""
        if is_hopeless(board):
            return _HOPELESS
        return _predicted(board, *self.guide(board))

    def solve(self, board: Board, *, limits: Limits, report: Report | None = None) -> PolicyAnswer:
        """The answer of a search that it guides; a board that does not fit is given up.

        The classical rules prune deadlocks, and only an exhausted search proves that there is no
        solution.
        """
        guide: Guide
        try:
            check_size(len(board.inside()))
            if is_hopeless(board):  # which the search finds out without its guide
                guide, prediction = UniformGuide(Squares(board).neighbours), _HOPELESS
            else:
                guide, squares = self.guide(board)
                prediction = _predicted(board, guide, squares)
        except ValueError as error:
            reason = f"does not fit the policy: {error}"
            return PolicyAnswer(Answer(status="gave up", solver=_PLAY, reason=reason), None)
        answer = solve_guided(board, guide, options=_OPTIONS, limits=limits, report=report)
        if isinstance(limit := answer.reason, Reason) and limit != STOPPED:
            answer = replace(
                answer, reason=limit.with_sentence(f"no solution found within {limit}")
            )
        return PolicyAnswer(answer, prediction)

    def guide(self, board: Board) -> tuple[NetworkGuide, Squares]:
        """The guide of a level and its squares; raises as ``predict``."""
        check_size(len(board.inside()))
        squares = Squares(board)
        return NetworkGuide(self.model, squares, build_ground(board, squares)), squares


def is_hopeless(board: Board) -> bool:
    """Whether boxes and goals cannot come together, so that there is nothing to read."""
    return bool(enclosed(board)) or len(board.boxes) != len(board.goals)


_HOPELESS = Prediction(None, 1.0, None, None)


def _predicted(board: Board, guide: Guide, squares: Squares) -> Prediction:
    """The prediction of a guide that is made for the board's level."""
    if board.is_solved:
        return Prediction(0.0, 0.0, None, None)
    guidance = guide.evaluate(*boxes_and_zones(squares, [board]))
    log_policy = guidance.log_policy[0]
    if not np.isfinite(log_policy).any():
        return _HOPELESS
    number, direction = np.unravel_index(log_policy.argmax(), log_policy.shape)
    pushes_left = float(guidance.pushes_left[0])
    return Prediction(
        predicted_pushes_left=pushes_left if pushes_left < UNREACHABLE else None,
        predicted_unsolvable=float(guidance.deadlocked[0]),
        box=squares.squares[int(number)],
        push=Direction(int(direction)),
    )
