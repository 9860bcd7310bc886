"""What is written is read back the same, whatever it is; what would not be is refused."""

import random
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tokoban.sokoban.board import Board, Square
from tokoban.sokoban.formats import (
    Level,
    LevelFile,
    Solution,
    lurd,
    parse_board,
    parse_levels,
    read_levels,
    write_levels,
)

SMALL = parse_board("#####|#@$.#|#####")
CORRIDOR = parse_board("#########|#@---$-.#|#########")
# Blank rows and rows of boxes alone: what the writer must not leave to chance.
SCATTERED = parse_board(
    "*-**-----|----#####|----#@$.#|----#####|---------|###------|#*#------|###------"
)

# Words, and what looks like a row, moves, a comment, a pair, or a title of the writer's own.
NASTY = "aW 'x\":;#@$.*-|ruldU(2)\t\u00e9\x1b"
TITLES = (
    "",
    "Level 1",
    "Level 2",
    "12",
    "'x'",
    "rrU",
    "Dull",
    "####",
    "Solution",
    "Title: x",
    "a:b",
)
SOLUTION_TITLES = ("Solution", "Solution/Moves", "Best Solution", "Anybody's way")
NOTES = (
    *(("words",), ("two", "lines"), ("a", "", "b"), (":: raw",), ("; remark",), ("dull",), ("12",)),
    *(("Key: value",), ("####",), ("---",), ("Comment:", "#@$.#", "", "Comment-End")),
    *(("Author: one",), ("  indented",), ("Solution", "by hand"), ("Snapshot", "[]ul")),
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
            lurd.parse("rl" * chance.randrange(71) + "rrrRR"),
            chance.choice(SOLUTION_TITLES),
            random_notes(chance),
        )
        for _ in range(chance.randrange(3) if board is CORRIDOR else 0)
    ]
    return Level(
        board, random_words(chance), random_words(chance), random_notes(chance), tuple(solutions)
    )


@pytest.mark.parametrize("seed", range(60))
def test_what_is_written_is_read_back(seed: int) -> None:
    chance = random.Random(seed)
    levels = [random_level(chance) for _ in range(chance.randint(1, 3))]
    notes = random_notes(chance)
    text = write_levels(levels, notes=notes)
    assert parse_levels(text, strict=True) == LevelFile(tuple(levels), notes=notes)
    assert write_levels(levels, notes=notes) == text


LINES = st.sampled_from(
    [
        *("", "#####", "#@$.#", "#@ #", "#x@$.#", "###\t#", "*", "* *", "-", "---", "...", "# a #"),
        *("; 1", ";", "; 'x'", ":: raw", "words", "'x'", "12", "Level 1", "Level 2", "Key: v"),
        *("Title: x", "Title:", "Author: y", "Author:", "Comment:", "Comment-End", "dull", "rude"),
        *("Solution", "Best Solution", "Snapshot", "R", "rR", "r", "2(r)", "rx", "rl*R", "[]R"),
        *["#####\n#@$.#\n#####"] * 3,
    ]
)


@settings(deadline=None, max_examples=200)
@given(st.lists(LINES, max_size=23).map("\n".join))
@example("#####\n#@$.#\n#####\nSolution by hand\nAuthor: y\nRude\nR")
def test_rewriting_what_was_read_changes_nothing_more(text: str) -> None:
    read = parse_levels(text)
    written = write_levels(read.levels, notes=read.notes)
    if read.levels:
        assert parse_levels(written) == LevelFile(read.levels, (), read.notes)
    again = parse_levels(written)
    assert write_levels(again.levels, notes=again.notes) == written


@settings(deadline=None)
@given(st.text(max_size=97))
def test_any_text_is_read_or_told(text: str) -> None:
    read = parse_levels(text)
    assert read.levels or read.problems
    for problem in read.problems:
        assert str(problem).isprintable()


@pytest.mark.parametrize("name", ["Microban.txt", "Sasquatch III.txt", "dh1_dh2_20.xsb"])
def test_the_classics_survive_rewriting(name: str, shared_data: Path) -> None:
    read = read_levels(shared_data / "levels" / name)
    assert parse_levels(write_levels(read.levels, notes=read.notes), strict=True) == read


def test_a_pair_among_the_notes_does_not_win_over_the_title_and_the_author() -> None:
    level = Level(SMALL, "first", notes=("Title: second", "Author: another"))
    assert parse_levels(write_levels([level])).levels == (level,)


@pytest.mark.parametrize("title", ["R", "r", "Rude"])
def test_a_title_is_not_read_as_moves_of_the_level_above(title: str) -> None:
    levels = (Level(SMALL, notes=("Solution by hand",)), Level(SMALL, title))
    assert parse_levels(write_levels(levels)).levels == levels
    levels = (Level(SMALL), Level(SMALL, title))
    assert parse_levels(write_levels(levels)).levels == levels


def test_the_layout() -> None:
    level = Level(
        CORRIDOR,
        "First step?",
        "A. Nonymous",
        ("words",),
        (Solution(lurd.parse("rl" * 36 + "3rRR"), notes=("long",)), Solution(lurd.parse("3rRR"))),
    )
    assert write_levels([Level(SMALL), level, Level(SMALL, "Third")], notes=["About"]) == (
        "About\n\nLevel 1\n\n#####\n#@$.#\n#####\n\n"
        "Level 2\n\n#########\n#@   $ .#\n#########\n\n"
        "Title: First step?\nAuthor: A. Nonymous\nwords\n\n"
        f"Solution\n{'rl' * 35}\nrlrrrRR\n\nlong\n\nSolution\nrrrRR\n\n"
        "Third\n\n#####\n#@$.#\n#####\n"
    )


def test_rows_of_floor_are_written_with_a_dash() -> None:
    assert "\n-\n###\n #*#\n" not in write_levels([Level(SCATTERED)])
    assert "    #####\n-\n###\n#*#\n###\n" in write_levels([Level(SCATTERED)])


def test_no_levels_are_no_text_but_the_notes() -> None:
    assert (write_levels([]), write_levels([], notes=["About"])) == ("", "About\n")


@pytest.mark.parametrize(
    ("level", "message"),
    [
        (
            Level(parse_board("@$."), "open"),
            "not closed: the player can leave at row 1, column 1",
        ),
        (
            Level(SMALL, "wrong", solutions=(Solution(lurd.parse("rr")),)),
            "move 2 (r): box at row 2, column 4 cannot be pushed",
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
            (level, "its board, title, author, notes or solutions would be read differently")
            for level in (
                Level(SMALL, " blank"),
                Level(SMALL, notes=("",)),
                Level(SMALL, notes=("#####", "#@$.#", "#####")),
                Level(SMALL, notes=("Comment:",)),
                Level(SMALL, notes=("Title: another",)),
                Level(SMALL, solutions=(Solution(()),)),
                Level(CORRIDOR, solutions=(Solution(lurd.parse("rrr")),)),
                Level(SMALL, solutions=(Solution(lurd.parse("R"), "Key: value"),)),
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
