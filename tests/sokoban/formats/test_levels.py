"""Reading level files: which lines are what, which title wins, what is refused and how."""

import io
from dataclasses import replace
from pathlib import Path

import pytest

from tokoban.sokoban.formats import (
    Level,
    SavedGame,
    budget,
    lurd,
    parse_board,
    parse_levels,
    read_levels,
    write_boxoban,
    write_levels,
)
from tokoban.sokoban.formats import levels as levels_module
from tokoban.sokoban.formats.encodings import decode
from tokoban.sokoban.formats.levels import parse_content

SMALL = "#####\n#@$.#\n#####\n"
NO_TEXT = "NUL character: no text in UTF-8, Windows-1252 or UTF-16 with a byte order mark"
ROOM = "#######\n#@ $ .#\n# $ . #\n#######\n"


def titles(text: str) -> list[str]:
    return [level.title for level in parse_levels(text).levels]


def problems(text: str) -> list[str]:
    return [str(problem) for problem in parse_levels(text, source="f").problems]


def test_a_file_is_shown_in_a_line_however_many_levels_it_has() -> None:
    read = parse_levels((SMALL + "\n") * 50 + "####\n#@ #\n####\n#$#\n")
    assert repr(read) == "<LevelFile: 50 valid levels, 1 problem>"


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
def test_the_classic_collections_are_read_whole_and_survive_rewriting(
    name: str, shared_data: Path
) -> None:
    read = read_levels(shared_data / "levels" / name, strict=True)
    boards = [level.board for level in read.levels]
    boxes = [len(board.boxes) for board in boards]
    heights, widths = [board.height for board in boards], [board.width for board in boards]
    ends = [(min(sizes), max(sizes)) for sizes in (heights, widths, boxes)]
    assert (len(boards), sum(boxes), *ends) == COLLECTIONS[name]
    written = write_levels(read.levels, notes=read.notes, run_length=True)
    assert parse_levels(written, strict=True) == read
    assert not any(level.solutions for level in read.levels)


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
        ("; 1\n" + SMALL + "; Aislinn\n", "Aislinn"),
        ("words\n\n" + SMALL + "; remark\n", "words"),
        (SMALL + "Title: Spade\n", "Spade"),
        (SMALL + "Title:Spade\nAuthor:D Holland\n", "Spade"),
        (SMALL + "TITLE :  Spade \n", "Spade"),
        (SMALL + "\nwords\nTitle: one\nTitle: two\n", "one"),
        ("above\n" + SMALL + "Title: below\n", "below"),
        ("Title: above\n\n; comment\n" + SMALL, "above"),
        ("Title: above\n" + SMALL + "Title: below\n", "below"),
        ("above\n\n; comment\n" + SMALL, "comment"),
        ("above\n; comment\n" + SMALL, "above"),
        ("Key: value\n" + SMALL, ""),
        ("Level 1\n\n" + SMALL, ""),
        ("Level 2\n\n" + SMALL, "Level 2"),
        ("---\n\n" + SMALL, ""),
        ("first\n####\nsecond\n\n" + SMALL, "second"),
        ("rrdd\n\n" + SMALL, "rrdd"),
        ("[code]\n" + SMALL + "[/code]\n", ""),
        ("name\n\n<html><pre>\n" + SMALL, "name"),
    ],
)
def test_the_title_of_a_level(text: str, title: str) -> None:
    assert titles(text) == [title]


def test_titles_between_two_levels() -> None:
    assert titles(f"; 1\n{SMALL}\n; 2\n{SMALL}\n; 3\n") == ["1", "2"]
    assert titles(f"{SMALL}; one\n\n{SMALL}; two\n") == ["one", "two"]
    assert titles(f"{SMALL}; two\n{SMALL}") == ["", "two"]
    assert titles(f"Title: of the collection\n\n{SMALL}\n{SMALL}") == ["", ""]
    assert titles(f"{SMALL}\nDull\n\n{SMALL}") == ["", "Dull"]
    assert titles(f"{SMALL}R\n\nTwo\n\n{SMALL}") == ["", "Two"]


@pytest.mark.parametrize("apart", ["", "\n"])
@pytest.mark.parametrize("name", ["; {}", "; {} 'x'"])
def test_comments_stand_all_above_their_boards_or_all_below(apart: str, name: str) -> None:
    one, two, three = (name.format(number) for number in "123")
    read = parse_levels(f"{one}\n{apart}{SMALL}{two}\n{apart}{SMALL}{three}\n{apart}{SMALL}")
    assert [(level.title[0], level.notes) for level in read] == [("1", ()), ("2", ()), ("3", ())]
    header = f"; about\n{apart}"
    below = parse_levels(f"{header}{SMALL}{one}\n{apart}{SMALL}{two}\n{apart}{SMALL}{three}\n")
    assert [(level.title, level.notes) for level in below] == [
        (level.title, level.notes) for level in read
    ]
    assert (read.notes, below.notes) == ((), ("; about",))


@pytest.mark.parametrize("below", ["", "\nSolution: R\n", "\nwords\n"])
@pytest.mark.parametrize(
    "head",
    [
        "Title: {}\nAuthor: A{}\n\n",
        "Maze: {}\nSize X: 5\n\n",
        "Level: {}\n",
        "Title: {}\n",
        "Key: {}\nTitle: {}\n\n\n",
    ],
)
def test_pairs_stand_all_above_their_boards_or_all_below(head: str, below: str) -> None:
    def told(level: Level) -> Level:
        return replace(level, notes=tuple(filter(None, level.notes)))

    numbers = ["1", "2", "3"]
    heads = [head.format(number, number) for number in numbers]
    above = "\n".join(f"{pairs}{SMALL}{below}" for pairs in heads)
    usual = "\n".join(
        f"Level {number}\n\n{SMALL}{pairs.rstrip()}\n{below}"
        for number, pairs in enumerate(heads, 1)
    )
    read = parse_levels(f"About\n\n{above}", source="f", strict=True)
    assert [level.title for level in read] == numbers
    assert [*map(told, read)] == [*map(told, parse_levels(f"About\n\n\n{usual}", strict=True))]
    assert read.notes == ("About",)
    assert read[0].line == 3 + head.count("\n")
    assert parse_levels(write_levels(read, notes=read.notes)) == read


def test_the_title_of_a_file_above_titles_below_stays_the_files() -> None:
    text = f"Title: all\n\n{SMALL}Title: one\n\n{SMALL}Title: two\n\n{SMALL}"
    assert titles(text) == ["one", "two", ""]
    assert titles(f"Title: all\n\nTitle: one\n\n{SMALL}\nTitle: two\n\n{SMALL}") == ["one", "two"]
    assert titles(f"Maze: 7\n\n{SMALL}") == ["7"]
    apart = f"Title: all\n\n{SMALL}\nTitle: one\n\n{SMALL}\n"
    assert titles(apart) == ["all", "one"]
    assert titles(f"{apart}Title: two\n") == ["one", "two"]


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
        ("Solution found by hand\n", []),
        ("dull\n", []),
        ("Solution\n(R)\n", [("Solution", "R")]),
        ("Solution\nby hand\n\nR\n", [("Solution", "R")]),
        ("Snapshot\nR\n", [("Snapshot", "R")]),
        ("Solution:\nR\n", [("Solution", "R")]),
        ("Solution/Moves:\n\nr\n", [("Solution/Moves", "R")]),
        ("My best solution (1 move):\nR\n", [("My best solution (1 move)", "R")]),
        ("Solution:\nby hand\n\nR\n", [("Solution", "R")]),
        ("Solution: R\n", [("Solution", "R")]),
        ("Solution R\nSolution 2 : 1(r)\n", [("Solution", "R"), ("Solution 2", "R")]),
        ("words\n\nthe solution (1 move): R\nmore\n", [("the solution (1 move)", "R")]),
        ("Solution: 1 push\nSolution: B2-C2\nSolution: u1 r2\nSolution: none\n", []),
        ("No solution: R\nThe solution is dull\n", []),
        ("Reverse Mode Snapshot\n[]R\n", []),
    ],
)
def test_the_solutions_of_a_level(below: str, solutions: list[tuple[str, str]]) -> None:
    read = parse_levels(f"{SMALL}\n{below}", strict=True)
    [level] = read.levels
    assert [(game.title, game.lurd) for game in level.solutions] == solutions
    assert not level.saved_games


@pytest.mark.parametrize(
    ("below", "saved"),
    [
        ("Snapshot\nrR\n", SavedGame(lurd.parse("rR"), 2, "Snapshot")),
        ("SaveGame\nrR*ll\ndu\nhalf-way\n", SavedGame(lurd.parse("rRlldu"), 2, "SaveGame",
                                                     ("half-way",))),
        ("SaveGame\n*2(rl)\n", SavedGame(lurd.parse("rlrl"), 0)),
        ("My way\n\nrR\n", SavedGame(lurd.parse("rR"), 2, "My way")),
        ("rR\n", SavedGame(lurd.parse("rR"), 2)),
    ],
)  # fmt: skip
def test_games_that_do_not_solve_the_level_are_saved_games(below: str, saved: SavedGame) -> None:
    [level] = parse_levels(f"{ROOM}\n{below}", strict=True).levels
    assert (level.saved_games, level.solutions, level.notes) == ((saved,), (), ())


def test_a_reverse_game_stays_a_note_and_is_warned_of() -> None:
    read = parse_levels(f"{SMALL}\nReverse Mode Snapshot\n[]R\n", source="f", strict=True)
    assert read.levels[0].notes == ("Reverse Mode Snapshot", "[]R")
    assert [str(warning) for warning in read.warnings] == [
        "f:6: reverse-mode game kept as text, not played"
    ]


def test_steps_in_capitals_are_warned_of_and_make_no_game_of_a_word() -> None:
    moves = "Solution\nRRRLLLDRR\n\nSnapshot\nRR\n\nLull\n\nRRRLLLDRR\n"
    read = parse_levels(f"; A\n{ROOM}\n{moves}", source="f", strict=True)
    assert [game.lurd for game in read[0].solutions] == ["rRRllldRR"] * 2
    assert [game.directions for game in read[0].saved_games] == [lurd.parse("rr")]
    told = 'level 1 "A": move 1 (R): written as a push but no box moves'
    assert [str(warning) for warning in read.warnings] == [
        f"f:{line}: {told}" for line in (8, 11, 15)
    ]
    assert parse_levels(f"{ROOM}\nRR\n").levels[0].notes == ("RR",)


def test_sokoban_plus_is_read_as_sokoban_and_warned_of() -> None:
    text = f"; A\n{SMALL}Boxorder: 1\nGoalorder: 1\n\n{SMALL}goalorder=1\n"
    read = parse_levels(text, source="f", strict=True)
    assert [level.notes for level in read] == [("Boxorder: 1", "Goalorder: 1"), ("goalorder=1",)]
    assert [str(warning) for warning in read.warnings] == [
        'f:5: level 1 "A": boxorder (Sokoban+) is passed over: any box may go to any goal',
        'f:11: level 2 "": goalorder (Sokoban+) is passed over: any box may go to any goal',
    ]
    [warning] = parse_levels(f"boxorder: 1\n\n{SMALL}").warnings
    assert (warning.line, warning.level) == (1, 0)


@pytest.mark.parametrize("words", ["Game: Sokoban", "game=sokoban", "Solution:", "Game = Sokoban"])
def test_pairs_that_say_nothing_new_stay_notes(words: str) -> None:
    read = parse_levels(f"{words}\n\n{SMALL}{words}\n", strict=True)
    assert (read.notes, read.levels[0].notes, read.levels[0].title) == ((words,), (words,), "")


def test_other_puzzles_are_refused_by_the_file_or_by_the_level() -> None:
    told = "puzzle type 'Hexoban' is not supported (only Sokoban)"
    assert problems(f"About\nGame: Hexoban\n\n{SMALL}") == [f"f:2: {told}"]
    assert titles(f"About\nGame: Hexoban\n\n{SMALL}") == []
    text = f"One\n{SMALL}Two\n\n{SMALL}Game=Hexoban\nTitle: Second\n"
    assert problems(text) == [f'f:10: level 2 "Second": {told}']
    assert titles(text) == ["One"]


def test_levels_and_solutions_know_their_lines() -> None:
    read = parse_levels(f"One\n\n{ROOM}\nSolution\nrRRll\nldRR\n\nTwo\n\n{SMALL}", source="f")
    assert [(level.source, level.line) for level in read.levels] == [("f", 3), ("f", 14)]
    assert [solution.line for solution in read.levels[0].solutions] == [9]
    assert str(read.levels[0].solutions[0]) == "rRRllldRR"


@pytest.mark.parametrize(
    ("text", "board"),
    [
        ("#####\n#@$.#\n#####   \n", "#####|#@$.#|#####"),
        ("#####\n#p b.#\n######", "#####|#@-$.#|######"),
        ("#####\n#p bo#\n######", "#####|#@-$.#|######"),
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
        ("5#\n#@$.#\n5#\n", "#####|#@$.#|#####"),
        ("5#|#@$.#|5#\n", "#####|#@$.#|#####"),
        ("5#|#@$.#|\n5#|\n", "#####|#@$.#|#####"),
        ("2(5#|)#@$.#|5#\n", "#####|#####|#@$.#|#####"),
        ("--|5#|#@$.#-|5#__|-|\n", "#####|#@$.#|#####"),
        ("5#|#@$.#|5#||3#|#*#|3#\n", "#####|#@$.#|#####|-|###|#*#|###"),
        ("#####\n#@$.#\n#####\n2-\n(*)\n###\n#*#\n###", "#####|#@$.#|#####|-|*|###|#*#|###"),
        ("12\n#####\n#@$.#\n#####\n", "#####|#@$.#|#####"),
        ("#12\n#####\n#@$.#\n#####\n2004-05-12\n", "#####|#@$.#|#####"),
        ("#(#\n\n#####\n#@$.#\n#####\n", "#####|#@$.#|#####"),
        ("| - | - |\n#####\n#@$.#\n#####\n3.\n", "#####|#@$.#|#####"),
        ("-#####-\n-#@$.#-\n-#####_\n", "-#####|-#@$.#|-#####"),
        ("### Two\n#####\n#@$.#\n#####\n# # of a kind\n", "#####|#@$.#|#####"),
    ],
)
def test_which_lines_are_rows(text: str, board: str) -> None:
    read = parse_levels(text, strict=True)
    assert [level.board for level in read.levels] == [parse_board(board)]


@pytest.mark.parametrize(
    "text",
    [
        "5#|#@$.#|5#\n7#|#@-$-.#|7#\n4#|#@-#|#$-#|#.-#|4#",
        "#####\n#@$.#\n#####\n#######\n#@ $ .#\n#######\n####\n#@ #\n#$ #\n#. #\n####",
        "5#|#@$.#|5#\n#######-\n#@ $ .#-\n7#\n4#\n#@-#\n#$ #\n#. #\n####",
    ],
)
def test_boards_without_blank_lines_between_are_told_apart_by_their_players(text: str) -> None:
    read = parse_levels(text, strict=True)
    drawn = ["#####|#@$.#|#####", "#######|#@ $ .#|#######", "####|#@ #|#$ #|#. #|####"]
    assert [level.board for level in read] == [parse_board(board) for board in drawn]
    [*good] = parse_levels("5#|#@$.#|5#\n5#|#-$.#|5#\n#####\n#####\n#@$.#\n#####\n#####\n")
    assert [(level.number, level.board.height) for level in good] == [(1, 3), (3, 5)]
    # Without another player, walls and bars part nothing.
    for board in ("####\n#@$.##\n######\n######\n#  ###\n######", "4#|#@-#|\n#$-#|\n#.-#|4#"):
        assert len(parse_levels(board, strict=True)) == 1
    for board in ("#####\n#@ @#\n#$ .#\n#####\n#####\n#####", "5#|#@-@#|5#\n5#|#$.-#|5#"):
        [problem] = parse_levels(board).problems
        assert "2 players" in problem.message


@pytest.mark.parametrize("blank", ["", " "])
@pytest.mark.parametrize("mark", [">", ">>", "> >"])
def test_what_mail_quotes_is_read_as_without_the_marks(mark: str, blank: str) -> None:
    text = "Fran\n\n  #####\n###   #\n#@$ . #\n#######\n\nSolution\nRR\n\n> a note"
    quoted = "".join(f"{mark}{blank}{line}\n" for line in text.split("\n")[:-1])
    read = parse_levels(f"A. wrote:\n\n{quoted}thanks", strict=True)
    plain = parse_levels(f"A. wrote:\n\n{text.removesuffix('> a note')}thanks", strict=True)
    assert (read, read[0].title, read[0].solutions[0].lurd) == (plain, "Fran", "RR")
    assert parse_levels(text, strict=True)[0].solutions[0].notes == ("> a note",)


@pytest.mark.parametrize(
    "html",
    [
        "<p>Fran</p>\n<pre class='x'>  #####\n###@$.#\n  #####</pre>",
        "&nbsp;&#160;#####<br>\n###@$.#<br/>\n\u00a0&NBSP;#####<BR />\n",
        "<code>&nbsp; #####<br>###@$.#<br>&nbsp; #####</code>",
        "<div>  ##<b>#</b>##</div>\n<div>###@$.#</div>\n<div>  #####</div>\n",
    ],
)
def test_a_level_in_html_is_read_as_it_is_shown(html: str) -> None:
    read = parse_content(html, source="f", strict=True)
    assert [level.board for level in read] == [parse_board("--#####|###@$.#|--#####")]


def test_a_row_of_blanks_that_do_not_break_is_judged_as_any_other() -> None:
    read = parse_levels("#####\n#@$.#\n\u00a0..\n#####\n\n#####\n#@$.#\n#####\n")
    assert [level.number for level in read] == [2]
    assert "not closed" in read.problems[0].message


def test_tags_and_marks_of_quotes_stay_in_words() -> None:
    text = f"<b>a &nbsp; b</b>\n\n{SMALL}\n> words\n<br>\nTitle: <b>####</b>\nAuthor: > ###\n"
    [level] = read = parse_levels(text, strict=True)
    assert (level.title, level.author) == ("<b>####</b>", "> ###")
    assert level.notes == ("; <b>a &nbsp; b</b>", "> words", "<br>")
    assert parse_levels(write_levels(read)) == read


def test_line_ends_and_blanks_at_line_ends_mean_nothing() -> None:
    text = f"About\n\n; 1\n\n{ROOM}\nSolution\nrRRll\nldRR\n\nTwo\n\n{SMALL}"
    read = parse_levels(text, strict=True)
    for other in ("\r\n", "\r", "  \n", "\t\r\n"):
        assert parse_levels(text.replace("\n", other), strict=True) == read


def test_bytes_are_utf_8_or_else_latin_1_with_the_letters_of_windows() -> None:
    assert decode("né".encode()) == decode(b"\xef\xbb\xbfn\xc3\xa9") == "né"
    assert decode("né".encode("latin-1")) == "né"
    assert decode(b"\xef\xbb\xbfn\xe9") == "né"
    assert decode("n\u2019\u20ac".encode("windows-1252")) == "n\u2019\u20ac"
    assert decode(bytes(range(0xA0, 0x100))) == bytes(range(0xA0, 0x100)).decode("latin-1")


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be"])
def test_bytes_with_the_mark_of_utf_16_are_utf_16(encoding: str) -> None:
    mark = "" if encoding == "utf-16" else "\ufeff"
    content = f"{mark}; n\u2019\u00e9\r\n{SMALL}".encode(encoding)
    assert [level.title for level in parse_content(content, strict=True)] == ["n\u2019\u00e9"]
    assert parse_content(content + b"#", strict=True).levels  # half a character


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


def test_the_format_is_seen_in_the_bytes_or_in_the_name(tmp_path: Path) -> None:
    rows = "".join(f"<L>{row}</L>" for row in SMALL.split())
    xml = f'<SokobanLevels><LevelCollection><Level Id="x">{rows}</Level></LevelCollection>'
    xml += "</SokobanLevels>"
    for beginning in ("", "<?xml version='1.0'?>\n", "\n", "<!-- # -->", "\ufeff"):
        read = parse_content((beginning + xml.replace("\n", "")).encode(), strict=True)
        assert [level.title for level in read.levels] == ["x"]
        assert parse_content(beginning + xml) == read
    assert parse_content(xml.encode("utf-16"), strict=True) == read
    (tmp_path / "a.SLC").write_text(SMALL)
    [level] = read_levels(tmp_path / "a.SLC", strict=True).levels  # its name is wrong
    assert level.board == parse_board(SMALL)
    assert titles(f"<b>not XML</b>\n\n{SMALL}") == ["<b>not XML</b>"]


TEN = "##########\n" + "#        #\n" * 7 + "#@$.     #\n##########\n"


def test_a_boxoban_file_is_read_as_such_if_most_of_it_is() -> None:
    board = parse_board(TEN)
    whole = write_boxoban([board] * 3)
    assert parse_content(whole.encode(), strict=True) == parse_levels(whole)
    short = whole.replace("#        #\n", "", 1)
    assert [str(found) for found in parse_content(short.encode(), source="f").problems] == [
        'f:1: level 1 "0": 9 rows, not 10'
    ]
    with pytest.raises(ValueError, match="9 rows, not 10"):
        parse_content(short.encode(), strict=True)
    # A player's file may begin in the same way.
    other = f"; 0\n{TEN}\n; 1\n{SMALL}\n; 2\n{SMALL}"
    assert len(parse_content(other.encode(), strict=True).levels) == 3


def test_files_that_never_end_are_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(levels_module, "MAX_BYTES", len(SMALL))
    (tmp_path / "good.xsb").write_text(SMALL)
    assert len(read_levels(tmp_path / "good.xsb").levels) == 1
    (tmp_path / "long.xsb").write_text(SMALL + "\n")
    with pytest.raises(ValueError, match=r"long\.xsb: larger than 18 bytes$"):
        read_levels(tmp_path / "long.xsb")
    endless = io.TextIOWrapper(io.BytesIO((SMALL + "\n").encode()))
    monkeypatch.setattr("sys.stdin", endless)
    with pytest.raises(ValueError, match=r"^standard input: larger than 18 bytes$"):
        read_levels("-")


def test_a_file_holds_so_many_squares_and_moves_and_no_more(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(budget, "MAX_UNITS", 1336)
    # 24x24 squares in a line of 35 letters.
    board = "24#|21(#22-#|)#@$.19-#|24#\n\n"
    read = parse_levels(board * 5, source="f")
    assert [level.number for level in read.levels] == [1, 2]
    assert [str(found) for found in read.problems] == [
        'f:5: level 3 "": the boards and moves so far have more than 1,336 squares and moves; '
        "the rest is not read: split the file"
    ]
    # Rows that are short on paper are as wide as the others on the board.
    read = parse_levels(f"#@$.#\n{'#' * 100}\n{'#' * 5}\n" + "#\n" * 50)
    assert "have more than" in str(read.problems[0])
    read = parse_levels(f"{SMALL}\n{ROOM}\n" + "SaveGame\n499(du)\n\n" * 3)
    assert ([level.number for level in read.levels], len(read.problems)) == ([1], 1)
    rows = "".join(f"<L>{row}</L>" for row in ROOM.split("\n"))
    slc = f"<SokobanLevels><LevelCollection>{f'<Level>{rows}</Level>' * 50}"
    read = parse_content(f"{slc}</LevelCollection></SokobanLevels>".encode())
    assert 0 < len(read.levels) < 50
    assert "have more than" in str(*read.problems)
    read = parse_content(write_boxoban([parse_board(TEN)] * 50).encode())
    assert [level.number for level in read.levels] == list(range(1, 27))
    assert "have more than" in str(*read.problems)


@pytest.mark.parametrize(
    ("rows", "line", "told"),
    [
        ("#####\n#@$.#\n#@  #\n#####", 7,
         '"2": 2 players at (2, 2), (3, 2); several players (Multiban) are not supported'),
        ("#####\n#@$.\n#####", 7, '"2": not closed: the player can leave at row 2, column 5'),
        ("#####\n @$. \n#####", 7, '"2": not closed: the player can leave at row 2, column 1'),
        ("#####\n#@$?#\n#####", 8, '"2": column 4: \'?\' is not a square'),
        ("#####\n#@\u2003*#\n#####", 8, '"2": column 3: \'U+2003\' is not a square'),
        ("#####\n#\t@$.#\n#####", 8, '"2": column 2: tab in a board row, use blanks'),
        ("#####\n\t@$.#\n#####", 8, '"2": column 1: tab in a board row, use blanks'),
        ("\t#####\n\t#@$.#\n\t#####", 7, '"2": column 1: tab in a board row, use blanks'),
        ("######\n#@ $.#  ; push it right\n######", 8, '"2": column 9: \';\' is not a square'),
        ("###### // top\n#@ $.#\n######", 7, '"2": column 8: \'/\' is not a square'),
        ("######\n#@ $.#\n#    #- by hand\n######", 9, '"2": column 10: \'y\' is not a square'),
        ("######\n#@ $.#\n######, below", 9, '"2": column 7: \',\' is not a square'),
        ("######|#@x$.#|######", 7, '"2": column 10: \'x\' is not a square'),
        ("#" * 600 + "\n#@$.#\n#####", 7, '"2": board of 3x600 squares, larger than 512x512'),
        ("#####\n#@$.#\n4(#", 9, '"2": "(" without ")"'),
        ("#5\n#####\n#@$.#\n5#)", 10, '"#5": ")" without "("'),
        ("#####\n#@$.#\n#####3", 9, '"2": count 3 repeats nothing'),
        ("5#|#@$.#|999(999-|)5#", 7, '"2": board of 1002x5 squares, larger than 512x512'),
        ("5#|#@$.#|999999(9-|)5#\n5#", 7, '"2": expands to more than 1000000 characters'),
        (SMALL + "\nSolution", 11, '"2": no moves that can be read under "Solution"'),
        (SMALL + "\nSolution\nR, found by hand", 11,
         '"2": no moves that can be read under "Solution"'),
        (SMALL + "\nSolution/Moves\n\nBest Solution 2\nR", 11,
         '"2": no moves that can be read under "Solution/Moves"'),
        (SMALL + "\nSnapshot\nl", 12, '"2": move 1 (l): wall at row 2, column 1'),
        (SMALL + "\nSaveGame\nrrx", 12, '"2": move 3: \'x\' is not one of u l d r U D L R'),
        (SMALL + "\nSolution\n\nlllX", 13, '"2": move 4: \'X\' is not one of u l d r U D L R'),
        (SMALL + "\nSolution\nR\nllX", 12, '"2": move 4: \'X\' is not one of u l d r U D L R'),
        (SMALL + "\nSolution\nu", 12, '"2": move 1 (u): wall at row 1, column 2'),
        (SMALL + "\nbest solution\nrr", 12,
         '"2": move 2 (r): box at row 2, column 4 cannot be pushed'),
        ("######\n#@ $.#\n######\n\nSolution:\nRlR", 12,
         '"2": not solved: 0 of 1 boxes on goals after 3 moves'),
        ("######\n#@ $.#\n######\n\nSolution: rRX\n\nmy solution (2 moves): r", 13,
         '"2": not solved: 0 of 1 boxes on goals after 1 moves'),
        (SMALL + "\nBest solution 2:\n\nrrx", 13,
         '"2": move 3: \'x\' is not one of u l d r U D L R'),
        ("#######\n#@$. *#\n#######\n\nSolution/Pushes\nrr", 12,
         '"2": not solved: 1 of 2 boxes on goals after 2 moves'),
        (SMALL + "\nSolution\n2(r", 12, '"2": "(" without ")"'),
        (SMALL + "\nSolution\n[]r", 12, '"2": reverse-mode game kept as text, not played'),
    ],
)  # fmt: skip
def test_a_bad_level_is_reported_and_keeps_the_others(rows: str, line: int, told: str) -> None:
    text = f"; 1\n{SMALL}\n; 2\n{rows}\n\n; 3\n{SMALL}"
    problem = f"f:{line}: level 2 {told}"
    read = parse_levels(text, source="f")
    assert [str(found) for found in read.problems] == [problem]
    assert {level.title for level in read.levels} >= {"1", "3"}
    assert not any(level.saved_games for level in read.levels)
    with pytest.raises(ValueError) as refused:
        parse_levels(text, source="f", strict=True)
    assert str(refused.value) == problem


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("", ["f:1: no board found (expected rows of # @ + $ * . and floor)"]),
        ("####\n#--#\n####", ["f:1: no board found (expected rows of # @ + $ * . and floor)"]),
        ("> ####\n> #@x*#\n> ####", ["f:2: level 1 \"\": column 3: 'x' is not a square"]),
        ("WWWWW\nW@$.W\nWWWWW", ["f:2: column 1: 'W' is not a square"]),
        *(
            (words, ["f:1: no board found (expected rows of # @ + $ * . and floor)"])
            for words in ("# a@b.org #", "## One ##", "#$%", "5 $, # 3", "@$.")
        ),
        (f"{SMALL}\0", [f"f:4: {NO_TEXT}"]),
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


@pytest.mark.parametrize("word", ["B", "BoB", "PB"])
def test_letters_beside_a_board_name_it(word: str) -> None:
    read = parse_levels(f"A\n{SMALL}\n{word}\n{SMALL}")
    assert [(level.title, level.board) for level in read.levels] == [
        ("A", parse_board(SMALL)),
        (word, parse_board(SMALL)),
    ]
    assert not read.problems


def test_stars_between_boards_are_no_rows() -> None:
    read = parse_levels(f"*****\n{SMALL}*****\n{SMALL}***\n{SMALL}*****\n")
    assert [level.board for level in read.levels] == [parse_board(SMALL)] * 3 and not read.problems


@pytest.mark.parametrize(
    "page", ["<!DOCTYPE html>\n<html><body><pre>\n{}</pre></body></html>", "<!-- old -->\n{}"]
)
def test_boards_in_pages_are_read(page: str) -> None:
    read = parse_content(page.format(SMALL), source="page.html")
    assert [level.board for level in read.levels] == [parse_board(SMALL)] and not read.problems


def test_what_is_almost_boxoban_is_read_as_text_where_that_has_more_levels() -> None:
    walls = "#" * 10 + "\n"
    plain = walls + "#@$.######\n" + walls * 8
    starred = plain.replace("#@$.##", "#@$.*#")
    text = f"; 0\n{plain}\n; 1\n{plain}\n; 2\n{starred}\n"
    read = parse_content(text, source="f")
    assert [level.title for level in read.levels] == ["0", "1", "2"] and not read.problems
    cut = text.replace(starred, walls)  # the reader of Boxoban says what is wrong here
    assert "1 rows, not 10" in str(parse_content(cut, source="f").problems[0])


def test_an_author_of_a_file_counts_for_each_level() -> None:
    text = f"Author: {'a' * 3200}\n\n" + f"{SMALL}\n" * 50
    read = parse_levels(text)
    assert len(read.levels) == 50 and read.levels[-1].author == "a" * 3200
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(budget, "MAX_UNITS", 5000)
        read = parse_levels(text)
    assert 20 < len(read.levels) < 30 and "the rest is not read" in str(read.problems[0])
