"""Games of pushes as rows: legal by the reference rules, and keys that tell positions apart."""

import numpy as np

from tokoban.sokoban.board import OFFSETS, Board, Direction
from tokoban.sokoban.search.level.ground import Squares
from tokoban.sokoban.search.searches.guided.guide import UniformGuide
from tokoban.systems.push_policy.stepper import PushStepper

BOARD = Board.from_xsb("########|#  .  ##|#@$ $  #|#  #.  #|###    #|########")


def stepper(width: int) -> PushStepper:
    squares = Squares(BOARD)
    return PushStepper(UniformGuide(squares.neighbours), squares, BOARD, width=width)


def legal_by_the_rules(board: Board) -> set[int]:
    """The actions whose box has the player's area behind it and a free square ahead."""
    squares, area = Squares(board), board.area()
    return {
        squares.number[box] * len(OFFSETS) + direction
        for box in board.boxes
        for direction in Direction
        if box.neighbour(direction.opposite) in area and board.is_free(box.neighbour(direction))
    }


def test_legal_actions_and_successor_keys_follow_the_rules() -> None:
    games = stepper(3)
    rng = np.random.default_rng(0)
    for _ in range(20):
        boards, after = games.boards(), games.successor_keys()
        legal = [set(np.flatnonzero(np.isfinite(row)).tolist()) for row in games.log_probs]
        assert legal == [legal_by_the_rules(board) for board in boards]
        sums = np.exp(games.log_probs).sum(axis=1)
        np.testing.assert_allclose(sums, [bool(of_row) for of_row in legal], rtol=1e-6)
        parents = [2, 0, 1]
        actions = [int(rng.choice(sorted(legal[row]))) if legal[row] else 0 for row in parents]
        games.advance(parents, actions)
        is_pushed = [bool(legal[row]) for row in parents]
        assert (games.keys == after[parents, actions])[is_pushed].all()
    # Equal keys exactly where boxes and areas are equal.
    positions = [(board.boxes, board.area()) for board in games.boards()]
    for one in range(3):
        for other in range(3):
            is_same = positions[one] == positions[other]
            assert (games.keys[one] == games.keys[other]) == is_same


def test_key_tells_on_which_side_of_the_boxes_the_player_is() -> None:
    """But not on which square of that side."""
    keys = []
    for rows in ("#######|#@ $ .#|#######", "#######|# @$ .#|#######", "#######|#  $@.#|#######"):
        board = Board.from_xsb(rows)
        squares = Squares(board)
        games = PushStepper(UniformGuide(squares.neighbours), squares, board, width=1)
        keys.append(int(games.keys[0]))
    assert keys[0] == keys[1] != keys[2]
