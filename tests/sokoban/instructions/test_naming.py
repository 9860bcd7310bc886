"""Names on drawn boards: the box, the squares, and the ties that are not asked."""

from dataclasses import replace

import pytest

from tokoban.sokoban.board import Board, Square
from tokoban.sokoban.instructions.meaning import At, Box, Clause, Kind, Place
from tokoban.sokoban.instructions.naming import (
    find_box,
    find_place,
    named_boxes,
    names_of,
    without_squares,
)

#         123456  columns
ROOM = Board.from_xsb("########|#$  .  #|#  *  *#|#    @ #|#   $$ #|#.   . #|########")


@pytest.mark.parametrize(
    ("box", "found"),
    [
        (Box.LEFT, (1, 1)),
        (Box.RIGHT, (2, 6)),
        (Box.UPPER, (1, 1)),
        (Box.LOWER, '"the lower box" fits . boxes'),
        (Box.NEAREST, (4, 5)),
        (Box.IN_CORNER, (1, 1)),
        (Box.ON_GOAL, '"the box on a goal" fits . boxes'),
        (Box.STUCK, (1, 1)),
        (Box.FEWEST_FREE, (1, 1)),
    ],
)
def test_a_box_is_found_unless_there_is_a_tie(box: Box, found: str | tuple[int, int]) -> None:
    if isinstance(found, tuple):
        assert find_box(ROOM, box) == found
    else:
        with pytest.raises(ValueError, match=f"{found}; expected exactly one"):
            find_box(ROOM, box)


@pytest.mark.parametrize(
    ("place", "found"),
    [
        (Place.UPPER_GOAL, {(1, 4)}),
        (Place.RIGHT_GOAL, {(2, 6)}),
        (Place.LEFT_GOAL, {(5, 1)}),
        (Place.CORNER, {(1, 1), (1, 6), (5, 1), (5, 6)}),
        (Place.GOAL, {(1, 4), (2, 3), (2, 6), (5, 1), (5, 5)}),
        # Row 3 is the middle one.
        (Place.UPPER_HALF, {(row, column) for row in (1, 2) for column in range(1, 7)}),
        (Place.RIGHT_HALF, {(row, column) for row in range(1, 6) for column in (4, 5, 6)}),
    ],
)
def test_a_place_is_these_squares(place: Place, found: set[Square]) -> None:
    assert find_place(ROOM, place) == found


def test_what_is_not_there_and_what_is_named_twice_are_refused() -> None:
    with pytest.raises(ValueError, match='"the lower goal" fits 2 goals; expected exactly one'):
        find_place(ROOM, Place.LOWER_GOAL)
    corridor = Board.from_xsb("#####|#@$.#|#####")
    with pytest.raises(ValueError, match='"the box on a goal" fits no box; expected exactly one'):
        find_box(corridor, Box.ON_GOAL)
    with pytest.raises(ValueError, match='"the upper half" fits no square; expected at least one'):
        find_place(corridor, Place.UPPER_HALF)
    shut_off = Board.from_xsb("#######|#@ $#.#|#######")
    with pytest.raises(ValueError, match='"a goal" fits no square; expected at least one'):
        find_place(shut_off, Place.GOAL)
    with pytest.raises(
        ValueError, match='"the left box" and "the upper box" are one box; expected two'
    ):
        named_boxes(ROOM, (Clause(Kind.BEFORE, Box.LEFT, other=Box.UPPER),))


def test_every_box_goal_and_square_has_its_row_and_column() -> None:
    for row in range(ROOM.height):
        for column in range(ROOM.width):
            square, where = Square(row, column), f"row {row + 1} column {column + 1}"
            if square in ROOM.boxes:
                assert find_box(ROOM, At("box", square)) == square
            else:
                with pytest.raises(ValueError, match=f'"the box in {where}" fits no box'):
                    find_box(ROOM, At("box", square))
            places: list[tuple[At, frozenset[Square]]] = [
                (At("goal", square), ROOM.goals),
                (At("square", square), ROOM.inside()),
            ]
            for place, squares in places:
                if square in squares:
                    assert find_place(ROOM, place) == {square}
                else:
                    with pytest.raises(ValueError, match=f'"the .* in {where}" is none'):
                        find_place(ROOM, place)


def test_what_has_another_name_than_its_row_and_column_gets_it() -> None:
    right, upper_goal = At("box", Square(2, 6)), At("goal", Square(1, 4))
    named = Clause(Kind.BRING_BEFORE, right, upper_goal, At("box", Square(4, 5)))
    usual = Clause(Kind.BRING_BEFORE, Box.RIGHT, Place.UPPER_GOAL, Box.NEAREST)
    assert without_squares(ROOM, (named, usual)) == (usual, usual)
    for unnamed in (
        replace(usual, box=At("box", Square(4, 4))),
        replace(usual, place=At("goal", Square(2, 3))),
        replace(usual, place=At("square", Square(1, 4))),
    ):
        with pytest.raises(ValueError, match=r'"the .* in row . column ." has no other name here'):
            without_squares(ROOM, (unnamed,))


def test_what_lies_outside_the_walls_has_no_name() -> None:
    board = Board.from_xsb("*-#####|--#@$.#|--#####")
    assert find_box(board, Box.LEFT) == (1, 4)
    assert find_place(board, Place.LEFT_GOAL) == {(1, 5)}


def test_a_name_of_a_box_means_it_alone() -> None:
    assert names_of(ROOM, Square(2, 6), Box)[0] == Box.RIGHT
    assert names_of(ROOM, Square(4, 5), Box)[0] == Box.NEAREST
    assert names_of(ROOM, Square(4, 4), Box) == []
