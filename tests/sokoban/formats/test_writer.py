"""What is written is read back the same, whatever it is; what would not be is refused."""

import random

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tokoban.sokoban.board import Board, Square
from tokoban.sokoban.formats import (
    Level,
    LevelFile,
    SavedGame,
    Solution,
    lurd,
    parse_board,
    parse_levels,
    write_levels,
    write_xsb,
)
from tokoban.sokoban.formats.run_length import encode
from tokoban.sokoban.formats.slc import parse_slc
from tokoban.sokoban.formats.xsb import format_board

SMALL = parse_board("#####|#@$.#|#####")
CORRIDOR = parse_board("#########|#@---$-.#|#########")
# Blank rows and rows of boxes alone: what the writer must not leave to chance.
SCATTERED = parse_board(
    "*-**-----|----#####|----#@$.#|----#####|---------|###------|#*#------|###------"
)

# Words, and what looks like a row, moves, a comment, a pair, or a title of the writer's own.
NASTY = "aW 'x\":;#@$.*-|ruldU(2)\t\u00e9\u00a0\x1b"
TITLES = (
    *("", "Level 1", "Level 2", "12", "'x'", "rrU", "Dull", "####", "$#\u00a0$"),
    *("Solution", "Title: x", "a:b"),
)
SOLUTION_TITLES = ("Solution", "Solution/Moves", "Best Solution", "Anybody's way", "Snapshot")
SAVED_TITLES = ("SaveGame", "Snapshot", "Half-way", "Reverse Mode Snapshot")
NOTES = (
    *(("words",), ("two", "lines"), ("a", "", "b"), (":: raw",), ("; remark",), ("dulls",)),
    ("12",),
    *(("Key: value",), ("####",), ("---",), ("Comment:", "#@$.#", "", "Comment-End")),
    *(("Author: one",), ("  indented",), ("Solution by hand",), ("Snapshot", "[]ul")),
)


def random_words(chance: random.Random) -> str:
    if chance.random() < 0.5:
        return chance.choice(TITLES)
    return "".join(chance.choices(NASTY, k=chance.randrange(11))).strip()


def random_notes(chance: random.Random) -> tuple[str, ...]:
    return sum(chance.choices(NOTES, k=chance.randrange(4)), ())


def random_room(chance: random.Random) -> Board:
    """A closed room with one to three boxes and as many goals, some of them the same squares."""
    height, width = chance.randint(5, 7), chance.randint(5, 11)
    inside = [Square(r, c) for r in range(1, height - 1) for c in range(1, width - 1)]
    walls = {Square(r, c) for r in range(height) for c in range(width)} - set(inside)
    player, *boxes = chance.sample(inside, chance.randint(2, 4))
    goals = chance.sample(inside, len(boxes))
    return Board(height, width, frozenset(walls), frozenset(goals), frozenset(boxes), player)


def random_level(chance: random.Random) -> Level:
    board = chance.choice([CORRIDOR, SCATTERED, random_room(chance)])
    solutions = [
        Solution(
            "rl" * chance.randrange(71) + "rrrRR",
            chance.choice(SOLUTION_TITLES),
            random_notes(chance),
        )
        for _ in range(chance.randrange(3) if board is CORRIDOR else 0)
    ]
    saved_games = [
        SavedGame(
            lurd.parse("rl" * (number := chance.randrange(1, 71)) + "r"),
            chance.randrange(2 * number + 2),
            chance.choice(SAVED_TITLES),
            random_notes(chance),
        )
        for _ in range(chance.randrange(3) if board is CORRIDOR else 0)
    ]
    return Level(
        board,
        random_words(chance),
        random_words(chance),
        random_notes(chance),
        tuple(solutions),
        saved_games=tuple(saved_games),
    )


@pytest.mark.parametrize("seed", range(60))
def test_what_is_written_is_read_back(seed: int) -> None:
    chance = random.Random(seed)
    levels = [random_level(chance) for _ in range(chance.randint(1, 3))]
    notes = random_notes(chance)
    for run_length in (False, True):
        text = write_levels(levels, notes=notes, run_length=run_length)
        assert parse_levels(text, strict=True) == LevelFile(tuple(levels), notes=notes)
        assert write_levels(levels, notes=notes, run_length=run_length) == text
        bare = tuple(Level(level.board, level.title, level.author) for level in levels)
        xsb = write_xsb(levels, run_length=run_length)
        assert parse_levels(xsb, strict=True) == LevelFile(bare)


@pytest.mark.parametrize("seed", range(20))
def test_every_way_to_write_a_board_is_read_as_the_same_board(seed: int) -> None:
    board = random_room(random.Random(seed))
    rows = format_board(board).split("\n")
    elements = "".join(f"<L>{row}</L>" for row in rows)
    xml = f"<SokobanLevels><Level Id='x'>{elements}</Level></SokobanLevels>"
    assert [level.board for level in parse_slc(xml.encode()).levels] == [board]
    drawn = ["\n".join(rows), "|".join(rows), encode("|".join(rows)), "\n".join(map(encode, rows))]
    for text in drawn:
        for others in (" @+$*", "-pPbB", "_@P$B"):
            written = text.translate(str.maketrans(" @+$*", others))
            read = parse_levels(written, strict=True)
            assert [level.board for level in read.levels] == [board]


LINES = st.sampled_from(
    [
        *("", "#####", "#@$.#", "#@ #", "#x@$.#", "###\t#", "*", "* *", "-", "---", "...", "# a #"),
        *("; 1", ";", "; 'x'", ":: raw", "words", "'x'", "12", "Level 1", "Level 2", "Key: v"),
        *("Title: x", "Title:", "Author: y", "Author:", "Comment:", "Comment-End", "dull", "rude"),
        *("Solution:", "my solution", "Solution: R", "Solution 2 r", "\t#@$.#", "#@$.#  x"),
        *("Solution", "Best Solution", "Snapshot", "R", "rR", "r", "2(r)", "rx", "rl*R", "[]R"),
        *("SaveGame", "Reverse Mode Snapshot", "3#2-", "4#", "2(#-)#", "3#(", "#12", "|"),
        *("5#|#@$.#|5#", "#@--$.#", "#######", "rl", "2(rl)*r", "Game: Sokoban", "Game: Hexoban"),
        *("game=x", "12 -"),
        *["#####\n#@$.#\n#####"] * 3,
    ]
)


@settings(max_examples=200)
@given(st.lists(LINES, max_size=23).map("\n".join))
@example("#####\n#@$.#\n#####\nSolution by hand\nAuthor: y\nRude\nR")
@example("#####\n#@$.#\n#####\nSolution\nSolution: R")
# Two boards, of which only one is a level, so that the title of the file is not the level's.
@example("Title: x\n#@$.#\n\n#####\n#@$.#\n#####")
@example("Title: x\n#@$.#\n\n; y\n\n#####\n#@$.#\n#####\n\nTitle:")
def test_rewriting_what_was_read_changes_nothing_more(text: str) -> None:
    read = parse_levels(text)
    assert read.levels or read.problems
    written = write_levels(read.levels, notes=read.notes)
    if read.levels:
        assert parse_levels(written) == LevelFile(read.levels, (), read.notes)
    again = parse_levels(written)
    assert write_levels(again.levels, notes=again.notes) == written


@given(st.text(max_size=97))
def test_any_text_is_read_or_told(text: str) -> None:
    read = parse_levels(text)
    assert read.levels or read.problems
    for problem in read.problems:
        assert str(problem).isprintable()


@pytest.mark.parametrize("title", ["R", "r", "Rude"])
def test_a_title_is_not_read_as_moves_of_the_level_above(title: str) -> None:
    for above in (Level(SMALL), Level(SMALL, notes=("Solution by hand",))):
        levels = (above, Level(SMALL, title))
        assert parse_levels(write_levels(levels)).levels == levels


def test_the_layout() -> None:
    level = Level(
        CORRIDOR,
        "First step?",
        "A. Nonymous",
        ("words",),
        (Solution("rl" * 36 + "rrrRR", notes=("long",)), Solution("rrrRR")),
    )
    assert write_levels([Level(SMALL), level, Level(SMALL, "Third")], notes=["About"]) == (
        "About\n\nLevel 1\n\n#####\n#@$.#\n#####\n\n"
        "Level 2\n\n#########\n#@   $ .#\n#########\n\n"
        "Title: First step?\nAuthor: A. Nonymous\nwords\n\n"
        f"Solution\n{'rl' * 35}\nrlrrrRR\n\nlong\n\nSolution\nrrrRR\n\n"
        "Third\n\n#####\n#@$.#\n#####\n"
    )


def test_the_layout_of_run_lengths_and_saved_games() -> None:
    saved = SavedGame(lurd.parse("rrrllrrR"), 4, "Snapshot", ("late",))
    level = Level(CORRIDOR, "First", solutions=(Solution("rrrRR"),), saved_games=(saved,))
    assert write_levels([level]) == (
        "First\n\n#########\n#@   $ .#\n#########\n\n"
        "Solution\nrrrRR\n\nSnapshot\nrrrl*lrrR\n\nlate\n"
    )
    assert write_levels([level], run_length=True) == (
        "First\n\n9#|#@3-$-.#|9#\n\nSolution\n3rRR\n\nSnapshot\n3rl*lrrR\n\nlate\n"
    )
    long = SavedGame(lurd.parse("rrrlll" * 31), 186)
    moves = write_levels([Level(CORRIDOR, saved_games=(long,))], run_length=True).split("\n")
    assert [len(line) for line in moves[-3:]] == [70, 54, 0]


def test_the_layout_of_xsb() -> None:
    levels = [
        Level(SMALL, "First", "A", ("left out",)),
        Level(CORRIDOR),
        Level(SMALL, "; 'odd'", solutions=(Solution("R"),)),
    ]
    assert write_xsb(levels) == (
        "; First\n\n#####\n#@$.#\n#####\nAuthor: A\n\n"
        "#########\n#@   $ .#\n#########\n\n"
        "#####\n#@$.#\n#####\nTitle: ; 'odd'\n"
    )
    assert "\n9#|#@3-$-.#|9#\n" in write_xsb(levels, run_length=True)


def test_rows_of_floor_are_written_with_a_dash() -> None:
    assert "    #####\n-\n###\n#*#\n###\n" in write_levels([Level(SCATTERED)])


@pytest.mark.parametrize(
    ("level", "message"),
    [
        (Level(parse_board("@$."), "open"), "not closed: the player can leave at row 1, column 1"),
        (
            Level(SMALL, "wrong", solutions=(Solution("rr"),)),
            "move 2 (r): box at row 2, column 4 cannot be pushed",
        ),
        *(
            (level, "solution 1: it does not solve the level")
            for level in (
                Level(SMALL, solutions=(Solution(""),)),
                Level(CORRIDOR, solutions=(Solution("rrr"),)),
            )
        ),
        *(
            (level, "a title, an author or a note holds a line end")
            for level in (
                Level(SMALL, "two\nlines"),
                Level(SMALL, author="two\rlines"),
                Level(SMALL, notes=("two\nlines",)),
            )
        ),
        *(
            (level, "its board, title, author, notes or games would be read differently")
            for level in (
                Level(SMALL, " blank"),
                Level(SMALL, notes=("",)),
                Level(SMALL, notes=("#####", "#@$.#", "#####")),
                Level(SMALL, notes=("Comment:",)),
                Level(SMALL, notes=("Title: another",)),
                Level(SMALL, notes=("Solution",)),
                Level(SMALL, notes=("Solution/Moves", "found by hand")),
                Level(SMALL, notes=("Game: Hexoban",)),
                Level(CORRIDOR, saved_games=(SavedGame((), 0),)),
                Level(CORRIDOR, saved_games=(SavedGame(lurd.parse("3rRR"), 5),)),
                Level(CORRIDOR, saved_games=(SavedGame(lurd.parse("rrr"), 3, "Solution"),)),
                Level(CORRIDOR, saved_games=(SavedGame(lurd.parse("rrr"), 4),)),
                Level(SMALL, solutions=(Solution("R", "Key: value"),)),
                Level(parse_board("#####-|#@$.#-|#####-")),
            )
        ),
    ],
)
def test_what_would_not_be_read_back_is_refused(level: Level, message: str) -> None:
    with pytest.raises(ValueError) as refused:
        write_levels([Level(SMALL, "good"), level])
    assert str(refused.value) == f'level 2 "{level.title}": {message}'


def test_notes_that_would_not_be_read_back_are_refused() -> None:
    with pytest.raises(ValueError, match=r"^the notes of the file would be read differently$"):
        write_levels([Level(SMALL)], notes=["Comment:"])


def test_a_number_as_title_stands_in_the_line_above_too() -> None:
    """Programs that take that line as the title then show the right number."""
    text = write_levels([Level(SMALL, title="10"), Level(SMALL, title="3")])
    assert [line for line in text.split("\n") if "Level" in line] == ["Level 10", "Level 3"]
    assert [level.title for level in parse_levels(text).levels] == ["10", "3"]


def test_no_break_spaces_in_rows_are_blanks() -> None:
    spaced = "#####\n#@$.#\n#\u00a0 \u00a0#\n#####\u00a0\nTitle: a\u00a0b\n"
    [level] = parse_levels(spaced, strict=True).levels
    assert (level.board, level.title) == (parse_board("#####|#@$.#|#---#|#####"), "a\u00a0b")
    [level] = parse_levels("5#\n#@$.#\n#2-\u00a0#\n5#\n", strict=True).levels
    assert level.board == parse_board("#####|#@$.#|#---#|#####")


def test_a_solved_board_is_written_without_its_empty_solution() -> None:
    board = parse_board("####\n#@*#\n####")
    level = Level(board, solutions=(Solution(""),))
    [again] = parse_levels(write_levels([level])).levels
    assert (again.board, again.solutions) == (board, ())
