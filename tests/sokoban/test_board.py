"""What every board obeys, and the order of the directions."""

import base64
from dataclasses import replace

import pytest

from tokoban.sokoban.board import OFFSETS, UNDO, Board, Direction, Square
from tokoban.sokoban.formats.xsb import parse_board

BOARD = parse_board("#-.|-@$")


def test_directions_are_up_left_down_right_from_zero() -> None:
    drawn = [(0, "UP", (-1, 0)), (1, "LEFT", (0, -1)), (2, "DOWN", (1, 0)), (3, "RIGHT", (0, 1))]
    assert [(int(d), d.name, OFFSETS[d]) for d in Direction] == drawn
    assert len(Direction) == UNDO


@pytest.mark.parametrize("direction", Direction)
def test_the_opposite_direction_leads_back(direction: Direction) -> None:
    square = Square(3, 5)
    assert square.neighbour(direction) != square
    assert square.neighbour(direction).neighbour(direction.opposite) == square


@pytest.mark.parametrize("direction", Direction)
def test_the_next_direction_is_a_quarter_turn_to_the_left(direction: Direction) -> None:
    row, column = OFFSETS[direction]
    # Rows are counted downwards: right (0, 1) turns to up (-1, 0).
    assert OFFSETS[(direction + 1) % 4] == (-column, row)


@pytest.mark.parametrize(
    ("drawn", "is_solved"),
    [
        ("@*", True),
        ("@*-*", True),
        ("@$.", False),
        ("@*$", False),
        ("@*.", False),
        ("+*", False),
        ("@", True),
    ],
)
def test_solved_is_all_boxes_on_goals_and_all_goals_filled(drawn: str, is_solved: bool) -> None:
    assert parse_board(drawn).is_solved is is_solved


OUTSIDE, IN_WALL = Square(2, 1), Square(0, 0)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"walls": frozenset({OUTSIDE})}, "wall at row 2, column 1 lies outside the 2x3 board"),
        ({"goals": frozenset({OUTSIDE})}, "goal at row 2, column 1 lies outside the 2x3 board"),
        ({"boxes": frozenset({OUTSIDE})}, "box at row 2, column 1 lies outside the 2x3 board"),
        ({"player": OUTSIDE}, "player at row 2, column 1 lies outside the 2x3 board"),
        ({"goals": frozenset({IN_WALL})}, "goal at row 0, column 0 is in a wall"),
        ({"boxes": frozenset({IN_WALL})}, "box at row 0, column 0 is in a wall"),
        ({"player": IN_WALL}, "player at row 0, column 0 is in a wall"),
        ({"player": Square(1, 2)}, "player at row 1, column 2 stands on a box"),
        ({"walls": {Square(0, 0)}}, "wall squares are a set; expected a frozenset"),
        ({"boxes": frozenset({(0, 1)})}, r"box at \(0, 1\); expected a Square"),
        ({"player": (0, 1)}, r"player at \(0, 1\); expected a Square"),
        ({"height": 2.5}, "height is 2.5; expected a whole number"),
    ],
)
def test_what_is_no_board_is_refused(changes: dict, message: str) -> None:
    with pytest.raises(ValueError, match=f"^{message}$"):
        replace(BOARD, **changes)


ROOMS = parse_board("########|#  #   #|# $@ $ #|#  #   #|########")


def test_the_area_ends_at_boxes_and_the_inside_at_walls() -> None:
    right_room = {Square(row, column) for row in (1, 2, 3) for column in (4, 5, 6)}
    left_room = {Square(row, column) for row in (1, 2, 3) for column in (1, 2)}
    box_right = Square(2, 5)
    assert ROOMS.area() == right_room - {box_right} | {Square(2, 3)}
    assert ROOMS.inside() == right_room | left_room | {Square(2, 3)}


def test_a_flood_finds_the_nearest_squares_first() -> None:
    corridor = parse_board("####| @##|#  |####")
    found = corridor.flood(corridor.player, corridor.walls)
    assert found == [(1, 1), (1, 0), (2, 1), (2, 2), (2, 3)]


@pytest.mark.parametrize("drawing", ["#-.|-@$", "@*", "#####|#+$ #|# $.#|#####", "  |@ |$."])
def test_a_board_is_printed_as_xsb_and_its_repr_makes_it_again(drawing: str) -> None:
    board = Board.from_xsb(drawing)
    assert Board.from_xsb(str(board)) == board
    assert eval(repr(board)) == board


def test_a_notebook_shows_a_picture() -> None:
    html = BOARD._repr_html_()
    content = html.split("base64,")[1].split('"')[0]
    assert html.startswith("<img ")
    assert base64.b64decode(content).startswith(b"\x89PNG")
