"""FESS with a guide: a wrong guide costs work and nothing else."""

import numpy as np
import pytest

from tokoban.sokoban.board import Board
from tokoban.sokoban.search.answer import Answer
from tokoban.sokoban.search.fess import advised
from tokoban.sokoban.search.fess.advised import AdvisedFess
from tokoban.sokoban.search.fess.solver import fess_in_steps, solve_any
from tokoban.sokoban.search.ground import Squares
from tokoban.sokoban.search.guide import Guidance, UniformGuide
from tokoban.sokoban.search.limits import Limits
from tokoban.sokoban.search.single import Stage, Stages, find_answer

SOLVABLE = Board.from_xsb(
    "#########|#####  ##|#####  ##|####.$  #|## @ #. #|##*$ #. #|#   # $##|#      ##|#########"
)
UNSOLVABLE = Board.from_xsb(
    "#########|#####  ##|#####$ ##|####.   #|## @ #. #|##*$ #. #|#   # $##|#      ##|#########"
)


class Pessimist(UniformGuide):
    """Takes every position for deadlocked."""

    num_evaluated = 0

    def evaluate(self, boxes: np.ndarray, zone: np.ndarray) -> Guidance:
        self.num_evaluated += len(boxes)
        assert (boxes.sum(axis=1) == boxes[0].sum()).all()
        assert zone.any(axis=1).all() and not (zone & boxes).any()
        return super().evaluate(boxes, zone)._replace(deadlocked=np.ones(len(boxes), np.float32))


def solve_with(guide_type: type[UniformGuide], board: Board) -> tuple[Answer, AdvisedFess]:
    made: list[AdvisedFess] = []

    def stages() -> Stages:
        squares = Squares(board)
        fess = yield from fess_in_steps(board, squares)
        made.append(AdvisedFess(fess, guide_type(squares.neighbours)))
        yield Stage(made[0])

    return find_answer(board, stages, Limits()), made[0]


@pytest.fixture(autouse=True)
def advised_often(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(advised, "_FLOODS_AN_EVALUATION", 4)
    monkeypatch.setattr(advised, "_LEAST_BELOW", 2)


def test_a_guide_that_finds_no_deadlocks_changes_nothing() -> None:
    answer, search = solve_with(UniformGuide, SOLVABLE)
    plain = solve_any(SOLVABLE)
    assert search.num_evaluations > 0
    assert (answer.solution, answer.num_expansions) == (plain.solution, plain.num_expansions)


@pytest.mark.parametrize("board", [SOLVABLE, UNSOLVABLE])
def test_a_guide_that_takes_all_for_deadlocked_changes_no_status(board: Board) -> None:
    answer, search = solve_with(Pessimist, board)
    assert answer.status == solve_any(board).status
    assert search.num_postponed > 0
