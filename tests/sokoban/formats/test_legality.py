"""What makes a board a level: a drawing for each message, and what is allowed."""

import pytest

from tokoban.sokoban.formats.legality import MAX_SIDE, find_fault, find_fault_in_rows
from tokoban.sokoban.formats.xsb import parse_board


@pytest.mark.parametrize(
    ("drawing", "fault"),
    [
        ("####|#@-#|####", "no box"),
        ("#####|#@$-|#####", "not closed: the player can leave at row 2, column 5"),
        ("#####|#@$.#|##-##", "not closed: the player can leave at row 3, column 3"),
        ("@$.", "not closed: the player can leave at row 1, column 1"),
        ("-#####|--@$.#|-#####", "not closed: the player can leave at row 2, column 1"),
        ("--#-#|-#-@-#|#-$-.-#|-#-#-#", "puzzle type 'Hexoban' is not supported (only Sokoban)"),
        ("--#-#|-#-@-#|#-$.--#|-#-#-#", "not closed: the player can leave at row 1, column 4"),
        ("######|#@$$.#|######", "2 boxes but 1 goal"),
        ("######|#@$..#|######", "1 box but 2 goals"),
        ("#####|#@$-#|#####", "1 box but 0 goals"),
        ("#####--|#@$.#-$|#####--", "2 boxes but 1 goal"),
        ("#####---|#@$.#-.|#####---", "1 box but 2 goals"),
        ("#######|#@$-#*#|#######", "2 boxes but 1 goal"),
    ],
)
def test_what_is_no_level_is_refused(drawing: str, fault: str) -> None:
    assert find_fault(parse_board(drawing)) == fault


@pytest.mark.parametrize(
    "drawing",
    [
        "#####|#@$.#|#####",
        "#####|#@*-#|#####",  # solved from the start
        "#######|#@$.#*#|#######",  # boxes on goals out of reach are decoration
        "*#####|-#@$.#|-#####",
        "######|#@-#*#|######",
        "########|#@$.#$.#|########",  # unsolvable: nothing ever moves the box on the right,
        "######|#@$#.#|######",  # or brings one to this goal
        "#####---|#@-#-$.|#####---",
        "-###-|##.##|#+$$#|#####",
        "----#####|----#@$.#|----#####",
    ],
)
def test_levels_are_accepted(drawing: str) -> None:
    assert find_fault(parse_board(drawing)) is None


@pytest.mark.parametrize(
    ("rows", "fault"),
    [
        ([], "no player"),
        (["#$.#"], "no player"),
        (
            ["#@#", "#+#", "P"],
            "3 players at (1, 2), (2, 2), (3, 1); several players (Multiban) are not supported",
        ),
        (
            ["@" * 7],
            "7 players at (1, 1), (1, 2), (1, 3), (1, 4), (1, 5), ...; several players (Multiban) "
            "are not supported",
        ),
        (["#" * (MAX_SIDE + 1)], "board of 1x513 squares, larger than 512x512"),
        (["#"] * (MAX_SIDE + 1), "board of 513x1 squares, larger than 512x512"),
    ],
)
def test_rows_without_one_player_or_too_large_are_refused(rows: list[str], fault: str) -> None:
    assert find_fault_in_rows(rows) == fault


@pytest.mark.parametrize("letter", "@+pP")
def test_one_player_is_accepted(letter: str) -> None:
    assert find_fault_in_rows(["#" * MAX_SIDE, letter]) is None
