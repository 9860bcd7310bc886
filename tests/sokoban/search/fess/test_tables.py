"""A level in numbers: distances both ways, the packing order, the plan, doors, areas."""

import numpy as np

from tests.sokoban.brute_force import Shape, random_boards
from tests.sokoban.search.fess.laid_out import for_python, lay_out_board
from tokoban.sokoban.board import Square
from tokoban.sokoban.formats.xsb import parse_board
from tokoban.sokoban.search.astar import UNREACHABLE
from tokoban.sokoban.search.fess import areas
from tokoban.sokoban.search.fess.areas import mark_area
from tokoban.sokoban.search.fess.positions import unpacked_bits

mark_other_regions = for_python(areas.mark_other_regions)


def test_pulls_back_to_a_start_are_the_pushes_away_from_it() -> None:
    # From each start the pushes of the lone box to a square, asked of the forward table with that
    # square as the only goal, must be the pulls from there: over all its sides the fewest.
    num_checked = 0
    for board in random_boards(Shape(4, 5, 2, is_closed=True), 20, seed=13):
        inside = board.inside()
        if not (board.boxes <= inside and board.goals <= inside):
            continue
        laid = lay_out_board(board)
        num_floor = len(laid.squares)
        for index, start in enumerate(laid.backward.goals):
            for goal_index, goal in enumerate(laid.tables.goals):
                pulls = laid.backward.pushes.reshape(num_floor, 4, -1)[goal, :, index].min()
                pushes = laid.tables.pushes.reshape(num_floor, 4, -1)[start, :, goal_index].min()
                assert pulls == pushes
                num_checked += pulls < UNREACHABLE
    assert num_checked > 10


def test_a_lane_of_goals_is_packed_from_its_far_end() -> None:
    laid = lay_out_board(parse_board("##########|#...-----#|#####$$$@#|####----##|##########"))
    goals = [laid.squares[goal] for goal in laid.tables.goals]
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
    squares = [laid.squares[laid.tables.goals[goal]] for goal in order]
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
    assert np.flatnonzero(rows[2]).tolist() == laid.tables.goals.tolist()


def test_backwards_every_square_is_in_the_plan() -> None:
    laid = lay_out_board(parse_board("#######|#@$.$.#|#######"))
    for words in laid.backward.in_plan:
        assert unpacked_bits(words, len(laid.squares)).all()


def test_doors_part_the_floor() -> None:
    laid = lay_out_board(parse_board("#########|#-$-#---#|#--.-@--#|#---#---#|#########"))
    doors = np.flatnonzero(unpacked_bits(laid.tables.doors, len(laid.squares)))
    # The doorway, and on both sides of it the square that leads to it.
    assert doors.tolist() == [laid.number(Square(2, column)) for column in (3, 4, 5)]


def test_areas_are_marked_with_their_least_square_and_regions_in_turn() -> None:
    laid = lay_out_board(parse_board("########|#--$-$.#|#@.#####|########"))
    marks = np.zeros(len(laid.squares) + 1, np.int64)
    waiting = np.empty(len(laid.squares) + 1, np.int32)
    arguments = laid.tables.neighbours, laid.scratch.is_blocked
    assert mark_area(*arguments, laid.number(Square(2, 2)), marks, 5, waiting) == 0
    assert mark_other_regions(*arguments, marks, 5, waiting) == 2
    by_square = {square: int(mark) for square, mark in zip(laid.squares, marks[:-1], strict=True)}
    assert by_square == {
        (1, 1): 5, (1, 2): 5, (2, 1): 5, (2, 2): 5, (1, 3): 0, (1, 4): 6, (1, 5): 0, (1, 6): 7,
    }  # fmt: skip
