"""The network as a guide: its probabilities are over legal pushes alone."""

import numpy as np
import pytest
import torch

from tokoban.sokoban import rules
from tokoban.sokoban.board import Board
from tokoban.sokoban.encoding.tokens import Tokens
from tokoban.sokoban.search.level.ground import Squares, build_ground
from tokoban.sokoban.search.searches.guided.guide import Guide, legal_pushes
from tokoban.systems.push_policy import config
from tokoban.systems.push_policy.guide import NetworkGuide, as_judge
from tokoban.systems.push_policy.model import PushNet

BOARD = Board.from_xsb("########|#  .  ##|#@$ $  #|#  #.  #|###    #|########")


@pytest.fixture(scope="module")
def guide() -> NetworkGuide:
    torch.manual_seed(5)
    squares = Squares(BOARD)
    judge = as_judge(PushNet(config.tiny()))
    return NetworkGuide(judge, squares, build_ground(BOARD, squares))


def positions(squares: Squares) -> tuple[np.ndarray, np.ndarray]:
    """The start, and the positions after a push to the right and a way round the other box."""
    boards = [BOARD, rules.play(BOARD, [3])[-1], rules.play(BOARD, [0, 3, 3, 3, 2])[-1]]
    assert len({board.boxes for board in boards}) == 3
    boxes, zone = (
        np.array([[square in get(board) for square in squares.squares] for board in boards])
        for get in (lambda board: board.boxes, Board.area)
    )
    return boxes, zone


def test_probabilities_are_of_legal_pushes(guide: NetworkGuide) -> None:
    assert isinstance(guide, Guide)
    squares = Squares(BOARD)
    boxes, zone = positions(squares)
    found = guide.evaluate(boxes, zone)
    is_legal = legal_pushes(squares.neighbours, boxes, zone)
    assert (np.isfinite(found.log_policy) == is_legal).all()
    np.testing.assert_allclose(np.exp(found.log_policy).sum(axis=(1, 2)), 1, rtol=1e-5)
    for probability in (found.deadlocked, found.push_deadlocks):
        assert ((probability >= 0) & (probability <= 1)).all()
    assert ((found.pushes_left >= 0) & (found.pushes_left <= 64)).all()


def test_a_board_that_is_too_large_is_refused() -> None:
    board = Board.from_xsb("\n".join(["@$." + " " * 30, *[" " * 33] * 32]))
    squares = Squares(board)
    with pytest.raises(ValueError, match=r"the level has 1,089 squares .* reads at most 1,024"):
        Tokens(squares, build_ground(board, squares))
