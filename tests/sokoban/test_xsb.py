"""One board as text: every letter, the identity of reading and writing, and each message."""

import random

import pytest

from benchmarks.agreement import KINDS, random_board
from tokoban.sokoban.board import Board, Square
from tokoban.sokoban.formats.xsb import format_board, parse_board

# letter: (is a wall, holds a goal, holds a box, holds the player)
LETTERS = {
    "#": (True, False, False, False),
    " ": (False, False, False, False),
    "-": (False, False, False, False),
    "_": (False, False, False, False),
    ".": (False, True, False, False),
    "$": (False, False, True, False),
    "b": (False, False, True, False),
    "*": (False, True, True, False),
    "B": (False, True, True, False),
    "@": (False, False, False, True),
    "p": (False, False, False, True),
    "+": (False, True, False, True),
    "P": (False, True, False, True),
}
WRITTEN = "# .$*@+"


@pytest.mark.parametrize("letter", LETTERS)
def test_each_letter_is_read(letter: str) -> None:
    is_wall, is_goal, is_box, is_player = LETTERS[letter]
    there, player = Square(0, 0), Square(0, 0) if is_player else Square(0, 1)
    board = parse_board(f"{letter}{'-' if is_player else '@'}")
    assert board == Board(
        height=1,
        width=2,
        walls=frozenset({there} if is_wall else ()),
        goals=frozenset({there} if is_goal else ()),
        boxes=frozenset({there} if is_box else ()),
        player=player,
    )


@pytest.mark.parametrize("letter", WRITTEN)
def test_each_square_is_written_with_its_first_letter(letter: str) -> None:
    text = f"{letter} #" if letter in "@+" else f"{letter}@#"
    assert format_board(parse_board(text)) == text


def test_rows_are_counted_from_the_top_and_columns_from_the_left() -> None:
    board = parse_board("#--|-$-|-.@|---|*--")
    assert (board.height, board.width) == (5, 3)
    assert board.walls == {Square(0, 0)}
    assert board.boxes == {Square(1, 1), Square(4, 0)}
    assert board.goals == {Square(2, 1), Square(4, 0)}
    assert board.player == Square(2, 2)


def test_short_rows_are_filled_with_floor_and_written_as_wide_as_the_board() -> None:
    assert format_board(parse_board("@|###|#")) == "@  \n###\n#  "


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("is_bordered", [False, True])
def test_reading_what_was_written_gives_the_board(kind: str, is_bordered: bool) -> None:
    chance = random.Random(5)
    for _ in range(40):
        height, width = chance.randint(2, 7), chance.randint(2, 11)
        board = random_board(chance, height, width, kind=KINDS[kind], is_bordered=is_bordered)
        assert parse_board(format_board(board)) == board


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "no player"),
        ("#$.|###", "no player"),
        ("@@", "2 players"),
        ("@-|+-|-p", "3 players"),
        ("@?", r"row 1, column 2: '\?' is not a square"),
        ("@-|-\t", r"row 2, column 2: '\\t' is not a square"),
        ("@-|\xe9-", "row 2, column 1: '\xe9' is not a square"),
        ("##|@3", "row 2, column 2: '3' is not a square"),
    ],
)
def test_what_is_no_board_is_refused(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=f"^{message}$"):
        parse_board(text)
