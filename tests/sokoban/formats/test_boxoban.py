"""Boxoban text: its bytes come back, the general reader agrees, and each message."""

import time
from pathlib import Path

import pytest

from tests.sokoban.formats.archive import published
from tokoban.sokoban.formats import parse_board, parse_boxoban, parse_levels, write_boxoban

LEVEL = """\
##########
#   @    #
# $    $ #
#  ####  #
#  ####  #
#  ####  #
#  $  $  #
# .    . #
# .    . #
##########
"""
FILE = f"; 0\n{LEVEL}\n; 1\n{LEVEL[::-1].strip()}\n\n"


def test_what_is_read_is_written_byte_for_byte() -> None:
    read = parse_boxoban(FILE)
    assert not read.problems
    assert [(level.title, level.line) for level in read.levels] == [("0", 2), ("1", 14)]
    assert write_boxoban(level.board for level in read.levels) == FILE


def test_the_general_reader_reads_it_too() -> None:
    assert parse_levels(FILE) == parse_boxoban(FILE)
    assert parse_boxoban(FILE.replace("\n", "\r\n")) == parse_boxoban(FILE)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("#  $  $  #", "#  $  $ #", 'f:8: level 1 "0": row 7 has 9 characters, not 10'),
        ("#  $  $  #", "#  $  $   #", 'f:8: level 1 "0": row 7 has 11 characters, not 10'),
        ("#  $  $  #\n", "", 'f:1: level 1 "0": 9 rows, not 10'),
        ("#  $  $  #", "#  $  $ *#", "f:8: level 1 \"0\": column 9: '*' is not a square"),
        ("#  $  $  #", "#  $  $\t #", 'f:8: level 1 "0": column 8: tab in a board row, use blanks'),
        ("#  $  $  #", "#  $     #", 'f:2: level 1 "0": 3 boxes but 4 goals'),
        ("@", " ", 'f:2: level 1 "0": no player'),
        ("; 0", ";0", 'f:1: level 1 "": \';0\' is not "; " and a number'),
    ],
)
def test_a_bad_level_is_reported_and_keeps_the_others(old: str, new: str, message: str) -> None:
    text = FILE.replace(old, new, 1)
    read = parse_boxoban(text, source="f")
    assert [str(problem) for problem in read.problems] == [message]
    assert [level.title for level in read.levels] == ["1"]


@pytest.mark.parametrize(
    ("drawing", "message"),
    [
        ("#####|#@$.#|#####", "^level 2: board of 3x5 squares, not 10x10$"),
        (LEVEL.replace("$", " "), "^level 2: no box$"),
        (LEVEL.replace("$    $", "$     "), "^level 2: 3 boxes but 4 goals$"),
        (
            LEVEL.replace("$  $", "*  $").replace(". #", "  #", 1),
            "^level 2: a box or the player on a goal, for which Boxoban has no letter$",
        ),
    ],
)
def test_what_boxoban_cannot_say_is_not_written(drawing: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        write_boxoban([parse_board(LEVEL), parse_board(drawing)])


def test_a_published_file_is_read_quickly(shared_data: Path) -> None:
    text = published(shared_data, "unfiltered/test/000.txt").partition("; 100\n")[0]
    start = time.process_time()
    read = parse_levels(text)
    # A sixtieth of a second where signatures are not checked, as they are in tests.
    assert time.process_time() - start < 2
    assert not read.problems
    assert [level.title for level in read.levels] == [str(number) for number in range(100)]
    assert parse_boxoban(text) == read
    assert write_boxoban(level.board for level in read.levels) == text
