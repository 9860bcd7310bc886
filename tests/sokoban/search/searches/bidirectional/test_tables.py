"""What FESS knows of a level: the packing order and the squares that packing cuts off."""

import numpy as np

from tests.sokoban.search.laid_out import lay_out_board
from tokoban.sokoban.board import Square
from tokoban.sokoban.formats.xsb import parse_board
from tokoban.sokoban.search.state.positions import unpacked_bits


def test_a_lane_of_goals_is_packed_from_its_far_end() -> None:
    laid = lay_out_board(parse_board("##########|#...-----#|#####$$$@#|####----##|##########"))
    goals = [laid.squares[goal] for goal in laid.ground.goals]
    order = sorted(goals, key=lambda goal: laid.tables.rank[goals.index(goal)])
    assert order == [(1, 1), (1, 2), (1, 3)]


def test_goals_far_from_the_boxes_are_packed_before_near_ones() -> None:
    drawing = "##########|#--------#|#-.--.-$-#|#------$@#|#--------#|##########"
    assert lay_out_board(parse_board(drawing)).tables.rank.tolist() == [0, 1]


def test_goals_are_packed_room_by_room_each_in_its_order() -> None:
    laid = lay_out_board(
        parse_board("##########|#..-$$$-.#|#####-@-.#|####--#-$#|####---$##|##########")
    )
    order, rooms = laid.tables.packing
    squares = [laid.squares[laid.ground.goals[goal]] for goal in order]
    assert squares[:2] == [(1, 1), (1, 2)] and set(squares[2:]) == {(1, 8), (2, 8)}
    assert rooms.tolist() == [0, 0, 1, 1]
    assert (np.diff(laid.tables.rank[order[:2]]) > 0).all()
    assert (np.diff(laid.tables.rank[order[2:]]) > 0).all()


def test_a_packed_goal_shuts_off_what_lies_behind_it() -> None:
    # The goal in the lane comes before the one in the right room, and parts the rooms then.
    laid = lay_out_board(parse_board("###########|#--#####-.#|#-$-.---$@#|#--#####--#|###########"))
    rows = [unpacked_bits(words, len(laid.squares)) for words in laid.tables.in_plan]
    left, right = laid.number(Square(2, 2)), laid.number(Square(2, 8))
    assert laid.tables.rank.tolist() == [1, 0]
    assert rows[0][left] and not rows[1][left]
    assert not rows[0][laid.number(Square(1, 1))]  # no room behind a box in the corner
    assert rows[0][right] and rows[1][right]
    assert np.flatnonzero(rows[2]).tolist() == laid.ground.goals.tolist()


def test_backwards_every_square_is_in_the_plan() -> None:
    laid = lay_out_board(parse_board("#######|#@$.$.#|#######"))
    for words in laid.backward.in_plan:
        assert unpacked_bits(words, len(laid.squares)).all()
