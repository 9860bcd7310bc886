"""Boards as text for people: plain ones read back, coloured ones tell every square apart."""

import re

import pytest

from tokoban.sokoban.board import Direction, Square
from tokoban.sokoban.formats.xsb import parse_board
from tokoban.sokoban.render import pushed_box, render
from tokoban.sokoban.rules import step

EVERYTHING = parse_board("#######|#@ $*.#|#######")
ON_GOAL = parse_board("#######|#+ $*$#|#######")
ESCAPE = re.compile("\x1b\\[[0-9;]*m")


def test_without_colour_it_is_xsb() -> None:
    for board in (EVERYTHING, ON_GOAL):
        assert parse_board(render(board, has_colour=False)) == board
    assert render(EVERYTHING, has_colour=False) == "#######\n#@ $*.#\n#######"


def test_with_colour_each_square_is_two_columns_wide() -> None:
    rows = ESCAPE.sub("", render(EVERYTHING, has_colour=True)).split("\n")
    assert rows == [" " * 14, "  @@  [][]()  ", " " * 14]


def test_with_colour_no_two_kinds_of_square_look_the_same() -> None:
    looks = set()
    for letter in "# .$*@+":
        board = parse_board(f"{letter}" if letter in "@+" else f"{letter}@")
        looks.add(render(board, has_colour=True).removesuffix("\x1b[1;36m@@\x1b[0m") or letter)
    assert len(looks) == 7


def test_every_row_ends_in_the_colours_it_began_with() -> None:
    for row in render(EVERYTHING, has_colour=True).split("\n"):
        assert row.endswith("\x1b[0m")


@pytest.mark.parametrize("column", range(7))
def test_one_square_is_highlighted(column: int) -> None:
    plain = render(EVERYTHING, has_colour=True).split("\n")
    marked = render(EVERYTHING, has_colour=True, highlight=Square(1, column)).split("\n")
    assert (marked[0], marked[2]) == (plain[0], plain[2])
    assert ESCAPE.sub("", marked[1]) == ESCAPE.sub("", plain[1])
    assert len(re.findall(r"\x1b\[(?:[0-9;]*;)?7m", marked[1])) == 1


def test_the_pushed_box_is_where_it_is_now() -> None:
    before = parse_board("#######|#-@$-.#|#######")
    assert pushed_box(before, step(before, Direction.RIGHT)) == Square(1, 4)
    assert pushed_box(before, step(before, Direction.LEFT)) is None
    assert pushed_box(before, step(before, Direction.UP)) is None
