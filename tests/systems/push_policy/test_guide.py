"""The network as a guide: its probabilities are over legal pushes, whatever the batch."""

import itertools

import numpy as np
import pytest
import torch

from tokoban.sokoban import rules
from tokoban.sokoban.board import Board, Square
from tokoban.sokoban.encoding.features import (
    HAS_BOX,
    HAS_PLAYER,
    IS_FLOOR,
    IS_GOAL,
    IS_REACHED,
    NUM_FEATURES,
)
from tokoban.sokoban.encoding.tokens import Tokens
from tokoban.sokoban.search.level.ground import Squares, build_ground
from tokoban.sokoban.search.searches.guided.guide import Guide, legal_pushes
from tokoban.systems.push_policy import config
from tokoban.systems.push_policy.dataset import LabelledPositions
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


def test_a_position_alone_is_judged_as_among_others(guide: NetworkGuide) -> None:
    boxes, zone = positions(Squares(BOARD))
    together = guide.evaluate(boxes, zone)
    for row in range(len(boxes)):
        alone = guide.evaluate(boxes[row : row + 1], zone[row : row + 1])
        for one, all_of_them in zip(alone, together, strict=True):
            np.testing.assert_allclose(one[0], all_of_them[row], rtol=1e-4, atol=1e-6)


def test_a_board_that_is_too_large_is_refused() -> None:
    board = Board.from_xsb("\n".join(["@$." + " " * 30, *[" " * 33] * 32]))
    squares = Squares(board)
    with pytest.raises(ValueError, match=r"the level has 1,089 squares .* reads at most 1,024"):
        Tokens(squares, build_ground(board, squares))


def test_the_features_are_those_of_training() -> None:
    """A labelled position, drawn as a board: each square has the features that training gave it."""
    batches = LabelledPositions(()).batches(config.tiny(), start_step=0, rank=0, world_size=1)
    drawn = [
        position
        for batch in itertools.islice(batches, 8)
        for position in zip(batch.boards.features.numpy(), batch.boards.coordinates, strict=True)
    ]
    seen = np.concatenate([features for features, _ in drawn]).any(axis=0)
    assert seen.all()
    for features, coordinates in drawn:
        own = {
            Square(*place): row
            for place, row in zip(coordinates.tolist(), features, strict=True)
            if row[IS_FLOOR]
        }
        board = Board(
            height=8,
            width=8,
            walls=frozenset({Square(*divmod(n, 8)) for n in range(64)} - own.keys()),
            goals=frozenset(square for square in own if own[square][IS_GOAL]),
            boxes=frozenset(square for square in own if own[square][HAS_BOX]),
            player=next(square for square in own if own[square][HAS_PLAYER]),
        )
        squares = Squares(board)
        boxes, zone = (
            np.array([[own[square][feature] != 0 for square in squares.squares]])
            for feature in (HAS_BOX, IS_REACHED)
        )
        found, _ = Tokens(squares, build_ground(board, squares)).features(boxes, zone)
        expected = np.array([own[square] for square in squares.squares])
        is_same = found[0] == expected
        assert is_same[:, np.arange(NUM_FEATURES) != HAS_PLAYER].all()
