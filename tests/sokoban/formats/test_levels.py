"""Reading level files: which lines are what, which title wins, what is refused and how."""

import io
from pathlib import Path

import pytest

from tokoban.sokoban.formats import Solution, lurd, parse_board, parse_levels, read_levels
from tokoban.sokoban.formats.levels import decode

SMALL = "#####\n#@$.#\n#####\n"
ROOM = "#######\n#@ $ .#\n# $ . #\n#######\n"


def titles(text: str) -> list[str]:
    return [level.title for level in parse_levels(text).levels]


def problems(text: str) -> list[str]:
    return [str(problem) for problem in parse_levels(text, source="f").problems]


# The collections: levels, boxes in all, smallest and largest height, width and number of boxes.
COLLECTIONS = {
    "Microban.txt": (155, 608, (3, 17), (5, 30), (1, 16)),
    "Microban II.txt": (135, 688, (6, 41), (6, 47), (1, 44)),
    "Sasquatch.txt": (50, 772, (6, 18), (8, 30), (3, 36)),
    "Sasquatch II.txt": (50, 1225, (7, 18), (10, 30), (5, 162)),
    "Sasquatch III.txt": (50, 1545, (9, 18), (8, 30), (6, 152)),
    "dh1_dh2_20.xsb": (20, 337, (9, 19), (8, 20), (6, 40)),
}


@pytest.mark.parametrize("name", COLLECTIONS)
def test_the_classic_collections_are_read_whole(name: str, shared_data: Path) -> None:
    read = read_levels(shared_data / "levels" / name, strict=True)
    boards = [level.board for level in read.levels]
    boxes = [len(board.boxes) for board in boards]
    heights, widths = [board.height for board in boards], [board.width for board in boards]
    ends = [(min(sizes), max(sizes)) for sizes in (heights, widths, boxes)]
    assert (len(boards), sum(boxes), *ends) == COLLECTIONS[name]
    assert not any(level.solutions for level in read.levels)


def test_the_titles_of_the_classics(shared_data: Path) -> None:
    microban = read_levels(shared_data / "levels" / "Microban.txt")
    assert [level.title for level in microban.levels[:2]] == ["1", "2"]
    assert microban.levels[43].title == "44 Duh!"
    assert microban.levels[154].title == "155 The Dungeon"
    assert microban.notes[:3] == ("; Microban", "", "; Copyright: David W. Skinner")
    holland = read_levels(shared_data / "levels" / "dh1_dh2_20.xsb")
    assert holland.levels[0].title == "Spade"
    assert holland.levels[19].title == "Meshed Squares"
    assert holland.levels[1].author == "D Holland + sokgen"
    assert holland.levels[1].notes == ("; dh-102.xsb",)
    assert holland.notes[0].startswith("All levels are created and owned by David Holland")


@pytest.mark.parametrize(
    ("text", "title"),
    [
        (SMALL, ""),
        ("First step\n" + SMALL, "First step"),
        ("First step\n\n" + SMALL, "First step"),
        ("A collection\n\nFirst step\n\n" + SMALL, "First step"),
        ("two lines\nof words\n\n" + SMALL, ""),
        ("12\n\n" + SMALL, "12"),
        ("'The Mixer'\n" + SMALL, "The Mixer"),
        ("; 12\n\n" + SMALL, "12"),
        (";dh-101.xsb\n" + SMALL, "dh-101.xsb"),
        ("; 132 'The Mixer'\n\n" + SMALL, "132 The Mixer"),
        ("; 41 - 'MS46 v2'\n" + SMALL, "41 - MS46 v2"),
        ("; don't 'quote'\n" + SMALL, "don't 'quote'"),
        ("; a file\n\n; 1\n\n" + SMALL, "1"),
        (";\n\n" + SMALL, ""),
        (";-----\n" + SMALL, ""),
        (SMALL + "; Aislinn\n", "Aislinn"),
        (SMALL + "\n; remark\n", ""),
        ("; 1\n" + SMALL + "; remark\n", "1"),
        (SMALL + "Title: Spade\n", "Spade"),
        (SMALL + "Title:Spade\nAuthor:D Holland\n", "Spade"),
        (SMALL + "TITLE :  Spade \n", "Spade"),
        (SMALL + "\nwords\nTitle: one\nTitle: two\n", "one"),
        ("above\n" + SMALL + "Title: below\n", "below"),
        ("above\n\n; comment\n" + SMALL, "comment"),
        ("above\n; comment\n" + SMALL, "above"),
        ("Key: value\n" + SMALL, ""),
        ("Level 1\n\n" + SMALL, ""),
        ("Level 2\n\n" + SMALL, "Level 2"),
        ("---\n\n" + SMALL, ""),
        ("first\n####\nsecond\n\n" + SMALL, "second"),
        ("rrdd\n\n" + SMALL, "rrdd"),
    ],
)
def test_the_title_of_a_level(text: str, title: str) -> None:
    assert titles(text) == [title]


def test_titles_between_two_levels() -> None:
    assert titles(f"; 1\n{SMALL}\n; 2\n{SMALL}\n; 3\n") == ["1", "2"]
    assert titles(f"{SMALL}; one\n\n{SMALL}; two\n") == ["one", "two"]
    assert titles(f"{SMALL}; two\n{SMALL}") == ["", "two"]
    assert titles(f"{SMALL}\nDull\n\n{SMALL}") == ["", "Dull"]
    assert titles(f"{SMALL}R\n\nTwo\n\n{SMALL}") == ["", "Two"]


def test_authors_of_the_level_and_of_the_file() -> None:
    text = f"Author: A. File\n\nOne\n{SMALL}Two\n\n{SMALL}Author: B. Level\nThree\n{SMALL}Author:\n"
    assert [level.author for level in parse_levels(text).levels] == ["A. File", "B. Level", ""]


def test_notes_are_what_is_left() -> None:
    text = (
        f"About\nthe file\n\n; 1\n\n{SMALL}\nAuthor: A\nsome words\n\n:: raw\n\n"
        f"Solution\nR\nshort\n\nTwo\n\n{SMALL}Key: value\n"
    )
    read = parse_levels(text, strict=True)
    assert read.notes == ("About", "the file")
    one, two = read.levels
    assert one.notes == ("some words", "", ":: raw")
    assert [solution.notes for solution in one.solutions] == [("short",)]
    assert (two.title, two.notes) == ("Two", ("Key: value",))


def test_a_comment_that_became_the_title_is_no_note() -> None:
    assert parse_levels(f"{SMALL}; Aislinn\n; by hand\n").levels[0].notes == ("; by hand",)


def test_a_name_that_lost_becomes_a_note() -> None:
    read = parse_levels(f"above\n; comment\n{SMALL}Title: below\nwords\n")
    assert read.levels[0].notes == ("; above", "; comment", "words")


@pytest.mark.parametrize(
    ("below", "solutions"),
    [
        ("Solution\nR\n", [("Solution", "R")]),
        ("Solution/Moves\n\nr\n", [("Solution/Moves", "R")]),
        ("R\n", [("Solution", "R")]),
        ("\n\nR\n", [("Solution", "R")]),
        ("My way\n\nR\n", [("My way", "R")]),
        ("R\n\nBest Solution\nR\n", [("Solution", "R"), ("Best Solution", "R")]),
        ("Solution\nfound by hand\n", []),
        ("dull\n", []),
        ("Snapshot\nl\n", []),
        ("Reverse Mode Snapshot\n[]R\n", []),
    ],
)
def test_the_solutions_of_a_level(below: str, solutions: list[tuple[str, str]]) -> None:
    read = parse_levels(f"{SMALL}\n{below}", strict=True)
    [level] = read.levels
    assert list(level.solutions) == [
        Solution(lurd.parse(moves), title) for title, moves in solutions
    ]


def test_levels_and_solutions_know_their_lines() -> None:
    read = parse_levels(f"One\n\n{ROOM}\nSolution\nrRRll\nldRR\n\nTwo\n\n{SMALL}", source="f")
    assert [(level.source, level.line) for level in read.levels] == [("f", 3), ("f", 14)]
    assert [solution.line for solution in read.levels[0].solutions] == [9]
    assert lurd.format(read.levels[0].board, read.levels[0].solutions[0].directions) == "rRRllldRR"


@pytest.mark.parametrize(
    ("text", "board"),
    [
        ("#####\n#@$.#\n#####   \n", "#####|#@$.#|#####"),
        ("#####\n#p b.#\n######", "#####|#@-$.#|######"),
        ("#####\n#P_B$#\n######", "#####|#+-*$#|######"),
        ("  #####\n  #@$.#\n  #####\n", "--#####|--#@$.#|--#####"),
        ("#####\n#@$.#\n#####\n-\n###\n#*#\n###", "#####|#@$.#|#####|-|###|#*#|###"),
        ("#####\n#@$.#\n#####\n---\n\n", "#####|#@$.#|#####"),
        ("---\n#####\n#@$.#\n#####\n", "#####|#@$.#|#####"),
        ("***\n#####\n#@$.#\n#####\n", "***|#####|#@$.#|#####"),
        ("words\n#####\n#@$.#\n#####\nwords", "#####|#@$.#|#####"),
        ("####\n# my file #\n####\n\n#####\n#@$.#\n#####\n", "#####|#@$.#|#####"),
        ("####\n# a@b.org #\n####\n\n#####\n#@$.#\n#####\n", "#####|#@$.#|#####"),
        ("# 5 #\n\n#####\n#@$.#\n#####\n", "#####|#@$.#|#####"),
        ("Comment:\n#@$#\n\n#$#\ncomment-end\n#####\n#@$.#\n#####\n", "#####|#@$.#|#####"),
        ("Comment: #@$#\n#####\n#@$.#\n#####\n", "#####|#@$.#|#####"),
    ],
)
def test_which_lines_are_rows(text: str, board: str) -> None:
    read = parse_levels(text, strict=True)
    assert [level.board for level in read.levels] == [parse_board(board)]


def test_line_ends_and_blanks_at_line_ends_mean_nothing() -> None:
    text = f"About\n\n; 1\n\n{ROOM}\nSolution\nrRRll\nldRR\n\nTwo\n\n{SMALL}"
    read = parse_levels(text, strict=True)
    for other in ("\r\n", "\r", "  \n", "\t\r\n"):
        assert parse_levels(text.replace("\n", other), strict=True) == read


def test_bytes_are_utf_8_or_else_latin_1() -> None:
    assert decode("né".encode()) == decode(b"\xef\xbb\xbfn\xc3\xa9") == "né"
    assert decode("né".encode("latin-1")) == "né"
    assert decode(b"\xef\xbb\xbfn\xe9") == "né"


def test_files_and_standard_input_are_read_alike(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    content = f"; né\n{SMALL}".encode("latin-1")
    (tmp_path / "levels.xsb").write_bytes(content)
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(content)))
    from_file, from_input = read_levels(tmp_path / "levels.xsb"), read_levels("-")
    assert from_file == from_input
    assert from_file.levels[0].title == "né"
    assert from_input.levels[0].source == "standard input"


def wrong(*rows: str) -> str:
    """A good level, a level with these rows, and a good level."""
    return "\n".join(["; 1", *SMALL.split("\n"), "; 2", *rows, "", "; 3", *SMALL.split("\n")])


@pytest.mark.parametrize(
    ("rows", "problem"),
    [
        (("####", "#$.#", "####"), 'f:7: level 2 "2": no player'),
        (
            ("#####", "#@$.#", "#@  #", "#####"),
            'f:7: level 2 "2": 2 players at (2, 2), (3, 2); several players (Multiban) are not '
            "supported",
        ),
        (("#####", "#@  #", "#####"), 'f:7: level 2 "2": no box'),
        (("######", "#@$$.#", "######"), 'f:7: level 2 "2": 2 boxes but 1 goals'),
        (
            ("#####", "#@$.", "#####"),
            'f:7: level 2 "2": not closed: the player can leave at row 2, column 5',
        ),
        (
            ("#####", " @$. ", "#####"),
            'f:7: level 2 "2": not closed: the player can leave at row 2, column 1',
        ),
        (("#####", "#@$?#", "#####"), "f:8: level 2 \"2\": column 4: '?' is not a square"),
        (("#####", "#@\xa0*#", "#####"), "f:8: level 2 \"2\": column 3: '\\xa0' is not a square"),
        (
            ("#####", "#\t@$.#", "#####"),
            'f:8: level 2 "2": column 2: tab in a board row, use blanks',
        ),
        (
            ("#####", "\t@$.#", "#####"),
            'f:8: level 2 "2": column 1: tab in a board row, use blanks',
        ),
        (
            ("#" * 600, "#@$.#", "#####"),
            'f:7: level 2 "2": board of 3x600 squares, larger than 512x512',
        ),
        (
            ("#####", "#@$.#", "#####", "", "Solution", "rX"),
            "f:12: level 2 \"2\": move 2: 'X' is not one of u l d r U D L R",
        ),
        (
            ("#####", "#@$.#", "#####", "", "Solution", "", "lllX"),
            "f:13: level 2 \"2\": move 4: 'X' is not one of u l d r U D L R",
        ),
        (
            ("#####", "#@$.#", "#####", "", "Solution", "R", "llX"),
            "f:12: level 2 \"2\": move 4: 'X' is not one of u l d r U D L R",
        ),
        (
            ("#####", "#@$.#", "#####", "", "Solution", "u"),
            'f:12: level 2 "2": move 1 (u): wall at row 1, column 2',
        ),
        (
            ("#####", "#@$.#", "#####", "", "best solution", "rr"),
            'f:12: level 2 "2": move 2 (r): box at row 2, column 4 cannot be pushed',
        ),
        (
            ("######", "#@ $.#", "######", "", "Solution", "Rr"),
            'f:12: level 2 "2": move 1 (R): written as a push but no box moves',
        ),
        (
            ("#######", "#@$. *#", "#######", "", "Solution/Pushes", "rr"),
            'f:12: level 2 "2": not solved: 1 of 2 boxes on goals after 2 moves',
        ),
        (
            ("#####", "#@$.#", "#####", "", "Solution", "2(r"),
            'f:12: level 2 "2": "(" without ")"',
        ),
        (
            ("#####", "#@$.#", "#####", "", "Solution", "[]r"),
            'f:12: level 2 "2": reverse-mode game kept as text, not played',
        ),
    ],
)
def test_a_bad_level_is_told_and_does_not_lose_the_others(
    rows: tuple[str, ...], problem: str
) -> None:
    read = parse_levels(wrong(*rows), source="f")
    assert [str(found) for found in read.problems] == [problem]
    assert {level.title for level in read.levels} >= {"1", "3"}
    assert not any(level.solutions for level in read.levels)
    with pytest.raises(ValueError) as refused:
        parse_levels(wrong(*rows), source="f", strict=True)
    assert str(refused.value) == problem


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("", ["f:1: no board found (expected rows of # @ + $ * . and floor)"]),
        ("####\n#--#\n####", ["f:1: no board found (expected rows of # @ + $ * . and floor)"]),
        (f"{SMALL}\0", ["f:4: NUL character: this is no text in UTF-8 or Latin-1"]),
        (
            "####\n#@.#\n####\n\nComment:\nR\n",
            ['f:1: level 1 "": no box', "f:5: comment block opened here is never closed"],
        ),
        (f"{SMALL}\nComment:\nR\n", ["f:5: comment block opened here is never closed"]),
    ],
)
def test_what_is_wrong_with_a_whole_file(text: str, found: list[str]) -> None:
    assert problems(text) == found


def test_a_long_title_is_cut_and_control_characters_are_hidden_in_messages() -> None:
    text = f"; {'long' * 20}\x1b[31m\n####\n#@ #\n####\n\n; \x1b[31mred\n####\n#@ #\n####\n"
    assert problems(text) == [
        f'f:2: level 1 "{"long" * 14}l...": no box',
        'f:7: level 2 "?[31mred": no box',
    ]


def test_moves_of_a_bad_level_are_not_played() -> None:
    text = f"####\n#@ #\n####\n\nSolution\nR\n\nTwo\n\n{SMALL}"
    assert problems(text) == ['f:1: level 1 "": no box']
    assert titles(text) == ["Two"]


def test_any_prefix_is_read_or_told() -> None:
    text = (
        f"About\n\n; 1\n\n{ROOM}\nAuthor: A\nSolution\n2rRll\n(ldR)R\n\n"
        f"Comment:\nwords\nComment-End\n\nTwo\n\n{SMALL}Title: Z"
    )
    for length in range(len(text)):
        read = parse_levels(text[:length])
        assert read.levels or read.problems
