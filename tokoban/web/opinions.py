"""The push policy's estimates for positions, and its attention, for the wire."""

from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np

import tokoban
from tokoban.sokoban.board import OFFSETS, Board
from tokoban.sokoban.formats import lurd
from tokoban.sokoban.search.level.ground import Squares
from tokoban.sokoban.search.searches.guided.guide import Guidance, boxes_and_zones
from tokoban.systems.push_policy.guide import NetworkGuide
from tokoban.systems.push_policy.policy import PushPolicy, is_hopeless

_SOLVED = {"pushes_left": 0.0, "deadlocked": 0.0}  # the estimates for a solved position


@cache
def weights() -> tokoban.Pretrained:
    """The weights of the policy that comes with tokoban."""
    return tokoban.load("sokoban-push", system="push")


@cache
def policy() -> PushPolicy:
    """The policy that comes with tokoban."""
    return PushPolicy(weights().model)


def opinions(boards: Sequence[Board]) -> list[dict[str, Any]]:
    """The policy's estimates for positions of one level; ``ValueError`` if it cannot read it.

    ``pushes_left`` is null where a deadlock is certain.
    """
    guide, squares = _guide(boards[0])
    return opinions_of(guide.evaluate(*boxes_and_zones(squares, boards)), boards)


def opinions_of(judged: Guidance, boards: Sequence[Board]) -> list[dict[str, Any]]:
    """The guide's estimates for these positions, as ``opinions`` returns them, rounded."""
    estimates = zip(boards, judged.pushes_left.tolist(), judged.deadlocked.tolist(), strict=True)
    return [
        _SOLVED
        if board.is_solved
        else {
            "pushes_left": round(left, 2) if deadlocked < 1 else None,
            "deadlocked": round(deadlocked, 4),
        }
        for board, left, deadlocked in estimates
    ]


def opinion_with_pushes(board: Board) -> dict[str, Any]:
    """The policy's estimates for a position, and its legal pushes, the likeliest first."""
    if board.is_solved:
        return {"pushes": [], **_SOLVED}
    guide, squares = _guide(board)
    judged = guide.evaluate(*boxes_and_zones(squares, [board]))
    probabilities = np.exp(judged.log_policy[0]).flatten()
    pushes = [
        {
            **push_on_wire(squares, action),
            "probability": round(float(probabilities[action]), 4),
        }
        for action in np.argsort(-probabilities, kind="stable").tolist()
        if probabilities[action] > 0
    ]
    return {"pushes": pushes, **opinions_of(judged, [board])[0]}


def attention_of(board: Board, square: object) -> dict[str, Any]:
    """The attention of one floor square: its weights over the floor, by layer and head."""
    guide, squares = _guide(board)
    names = [list(floor) for floor in squares.squares]
    if square not in names:
        raise ValueError("square: expected [row, column] of a square inside the walls")
    weights = guide.attention(*boxes_and_zones(squares, [board]))[:, :, names.index(square)]
    return {"squares": names, "weights": np.round(weights.astype(np.float64), 4).tolist()}


def _guide(board: Board) -> tuple[NetworkGuide, Squares]:
    if is_hopeless(board):
        raise ValueError("the policy reads no board whose boxes and goals cannot come together")
    return policy().guide(board)


def push_on_wire(squares: Squares, action: int) -> dict[str, Any]:
    """The box before the push and the letter of its direction."""
    box, direction = divmod(action, len(OFFSETS))
    return {"box": list(squares.squares[box]), "direction": lurd.LETTERS[direction]}
