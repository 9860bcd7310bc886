"""A position of a search by pulls as the goal of pushes from the start. Axes as in ``ground``."""

from collections.abc import Iterable
from dataclasses import replace

import numpy as np
from jaxtyping import Bool

from tokoban.sokoban import rules
from tokoban.sokoban.board import Board, Direction
from tokoban.sokoban.search.level.flood import flood
from tokoban.sokoban.search.level.ground import Ground, Squares
from tokoban.sokoban.search.level.one_box import Step, directions_of_steps


def with_boxes_as_goals(board: Board, squares: Squares, is_box: Bool[np.ndarray, " F"]) -> Board:
    """The board whose goals are the boxes of a position."""
    goals = {squares.squares[i] for i in np.flatnonzero(is_box)}
    return replace(board, goals=frozenset(goals) | board.goals - {*squares.squares})


def continued(
    board: Board,
    squares: Squares,
    ground: Ground,
    to_position: tuple[Direction, ...],
    is_box: Bool[np.ndarray, " F"],
    player: int,
    steps: Iterable[Step],
) -> tuple[Direction, ...]:
    """The moves that bring the boxes to a position, and the steps from there.

    Empty if the player then is in another region than ``player``, from where the steps go on.
    """
    here = squares.number[rules.play(board, to_position)[-1].player]
    num_floor = len(is_box)
    marks, waiting = np.zeros(num_floor + 1, np.int64), np.empty(num_floor + 1, np.int32)
    flood(ground.neighbours, np.append(is_box, True), here, marks, 1, waiting)
    if not marks[player]:
        return ()
    return (*to_position, *directions_of_steps(ground, is_box, here, steps))
