"""FESS with a guide: a wrong guide costs work and nothing else."""

from functools import partial

import numpy as np
import pytest

from benchmarks import guided_fess
from benchmarks.guided_fess import AdvisedFess, OrderedFess
from tokoban.sokoban.board import Board
from tokoban.sokoban.search.answer import Answer
from tokoban.sokoban.search.level.ground import Squares
from tokoban.sokoban.search.limits import Limits
from tokoban.sokoban.search.pauses import set_up
from tokoban.sokoban.search.run import find_answer
from tokoban.sokoban.search.searches.bidirectional.solver import fess_in_steps, solve_any
from tokoban.sokoban.search.searches.guided.guide import Guidance, UniformGuide
from tokoban.sokoban.search.steps import Steps

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


def solve_with(
    search_type: type[AdvisedFess], guide_type: type[UniformGuide], board: Board
) -> tuple[Answer, AdvisedFess]:
    made: list[AdvisedFess] = []

    def in_steps() -> Steps[AdvisedFess]:
        squares = Squares(board)
        fess = yield from fess_in_steps(board, squares)
        made.append(search_type(fess, guide_type(squares.neighbours), share=1e9))
        return made[0]

    return find_answer(board, partial(set_up, in_steps()), Limits()), made[0]


@pytest.fixture(autouse=True)
def judged_soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guided_fess, "_LEAST_BELOW", 2)


@pytest.mark.parametrize("search_type", [AdvisedFess, OrderedFess])
@pytest.mark.parametrize("board", [SOLVABLE, UNSOLVABLE])
def test_a_guide_that_takes_all_for_deadlocked_changes_no_status(
    board: Board, search_type: type[AdvisedFess]
) -> None:
    answer, search = solve_with(search_type, Pessimist, board)
    assert answer.status == solve_any(board).status
    assert search.num_evaluated > 0
    assert (search.num_postponed > 0) == (search_type is AdvisedFess)
