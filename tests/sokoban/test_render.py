"""Boards for people: plain text reads back, colours and pictures tell every square apart."""

import re
from itertools import combinations, product

import numpy as np
import pytest

from tokoban.sokoban.board import Direction, Square
from tokoban.sokoban.formats.xsb import parse_board
from tokoban.sokoban.render import Mark, pushed_box, render, render_rgb
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


@pytest.mark.parametrize("column", range(7))
def test_one_square_is_marked(column: int) -> None:
    plain = render(EVERYTHING, has_colour=True).split("\n")
    marks = {Square(1, column): Mark.PUSHED}
    marked = render(EVERYTHING, has_colour=True, marks=marks).split("\n")
    assert (marked[0], marked[2]) == (plain[0], plain[2])
    assert ESCAPE.sub("", marked[1]) == ESCAPE.sub("", plain[1])
    assert len(re.findall(r"\x1b\[(?:[0-9;]*;)?7m", marked[1])) == 1


def test_the_pushed_box_is_where_it_is_now() -> None:
    before = parse_board("#######|#-@$-.#|#######")
    assert pushed_box(before, step(before, Direction.RIGHT)) == Square(1, 4)
    assert pushed_box(before, step(before, Direction.LEFT)) is None
    assert pushed_box(before, step(before, Direction.UP)) is None


# Pictures.


def tile(letter: str, square_px: int) -> np.ndarray:
    """The square of this letter, cut out of a picture of one row."""
    has_player = letter in "@+"
    picture = render_rgb(parse_board(letter if has_player else f"@{letter}"), square_px=square_px)
    return picture if has_player else picture[:, square_px:]


@pytest.mark.parametrize("square_px", [4, 13])
def test_a_picture_is_the_tiles_of_its_squares_in_their_places(square_px: int) -> None:
    letters = [" # ", "*@$", ".  "]
    picture = render_rgb(parse_board("-#-|*@$|.--"), square_px=square_px)
    assert picture.shape == (3 * square_px, 3 * square_px, 3)
    assert picture.dtype == np.uint8
    for row, column in product(range(3), range(3)):
        down, right = row * square_px, column * square_px
        cut = picture[down : down + square_px, right : right + square_px]
        assert np.array_equal(cut, tile(letters[row][column], square_px))


def test_in_a_picture_no_two_kinds_of_square_look_alike() -> None:
    # By more than a shade, even where squares are as small as they may be.
    tiles = [tile(letter, 4).astype(int) for letter in "# .$*@+"]
    for one, other in combinations(tiles, 2):
        assert abs(one - other).max() > 30
