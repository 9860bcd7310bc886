"""Puzzles: proved in another way, of the difficulty asked for, all different, the same by seed."""

import itertools
import math
import threading
from collections.abc import Callable, Iterator

import pytest

from tests.sokoban.search.bitboard.swept import labels_of
from tokoban.sokoban import rules
from tokoban.sokoban.canonical import canonical_form
from tokoban.sokoban.figures import Figures, count_figures
from tokoban.sokoban.puzzles import generate
from tokoban.sokoban.puzzles.difficulty import DIFFICULTIES, Difficulty
from tokoban.sokoban.puzzles.generate import generate_puzzles
from tokoban.sokoban.puzzles.puzzle import Puzzle, Recipe, sample_puzzle
from tokoban.sokoban.puzzles.rating import rate
from tokoban.sokoban.puzzles.rooms import STYLES
from tokoban.sokoban.puzzles.state_space import Choices, explore
from tokoban.sokoban.search.bitboard.levels import from_board
from tokoban.sokoban.search.limits import Limits
from tokoban.sokoban.work import Workers

SMALL = Recipe(rows=8, columns=7, num_boxes=2)


def fewest(puzzle: Puzzle, unit: str) -> int:
    """By a sweep over all states, which no puzzle is proved by."""
    level = from_board(puzzle.board)
    assert level is not None
    return int(labels_of(level, unit).distance[0])


@pytest.mark.parametrize("style", STYLES)
def test_the_optimum_of_each_puzzle_is_true(style: str) -> None:
    recipe = Recipe(rows=8, columns=9, num_boxes=3, style=style, proves_moves=True)
    for puzzle in generate_puzzles(3, recipe, seed=5):
        board = puzzle.board
        assert (board.height, board.width, len(board.boxes)) == (8, 9, 3)
        assert puzzle.style == style
        assert rules.play(board, puzzle.push_solution)[-1].is_solved
        assert puzzle.figures == count_figures(board, puzzle.push_solution)
        assert puzzle.figures.pushes == fewest(puzzle, "pushes")
        assert puzzle.move_solution is not None
        assert rules.play(board, puzzle.move_solution)[-1].is_solved
        assert len(puzzle.move_solution) == fewest(puzzle, "moves")


def test_the_optimum_of_a_large_puzzle_is_true() -> None:
    (puzzle,) = generate_puzzles(1, Recipe(rows=11, columns=11, num_boxes=2), seed=3)
    assert rules.play(puzzle.board, puzzle.push_solution)[-1].is_solved
    exploration = explore(puzzle.board, max_positions=1 << 17, limits=Limits())
    assert exploration is not None
    assert puzzle.figures.pushes == exploration.reachable.fewest_pushes


def test_a_puzzle_is_measured_as_its_rating_says() -> None:
    for puzzle in generate_puzzles(3, SMALL, seed=7):
        rating = rate(puzzle.board)
        assert rating.figures == puzzle.figures
        assert rating.along_solution == puzzle.choices


def test_no_puzzle_is_the_same_as_another_or_as_one_to_avoid() -> None:
    # So small a room has few puzzles, and attempts them more than once.
    tiny = Recipe(rows=5, columns=6, num_boxes=1)
    first = list(generate_puzzles(5, tiny, seed=1))
    boards = [puzzle.board for puzzle in first]
    assert len(set(map(canonical_form, boards))) == 5
    drawn = [sample_puzzle(tiny, seed=1, attempt=attempt) for attempt in range(50)]
    forms = [canonical_form(puzzle.board) for puzzle in drawn if puzzle]
    assert len(set(forms)) < len(forms)
    others = [puzzle.board for puzzle in generate_puzzles(2, tiny, seed=1, avoid=boards)]
    assert not set(map(canonical_form, boards)) & set(map(canonical_form, others))


def test_threads_change_nothing_and_the_seed_does() -> None:
    one, three = (list(generate_puzzles(5, SMALL, seed=2, workers=Workers(n))) for n in (1, 3))
    assert one == three
    assert one != list(generate_puzzles(5, SMALL, seed=3))


def test_puzzles_are_as_hard_as_wanted() -> None:
    difficulty = Difficulty(min_pushes=9, max_pushes=11, min_branching=3.5, min_losing_share=0.3)
    for puzzle in generate_puzzles(
        3, Recipe(rows=8, columns=8, num_boxes=3, difficulty=difficulty), seed=1
    ):
        assert 9 <= puzzle.figures.pushes <= 11
        assert puzzle.choices is not None
        assert puzzle.choices.branching >= 3.5
        assert puzzle.choices.losing_share >= 0.3


def test_each_bound_refuses_what_is_below_it() -> None:
    figures = Figures(
        moves=31, pushes=11, box_lines=5, box_changes=3, pushing_sessions=7, player_lines=19
    )
    choices = Choices(positions=11, pushes=55, losing=11)  # branching 5, a fifth loses
    assert Difficulty(min_pushes=11, max_pushes=11).allows(figures, choices)
    assert Difficulty(min_branching=5.0, min_losing_share=0.2).allows(figures, choices)
    for difficulty in (
        Difficulty(min_pushes=12),
        Difficulty(max_pushes=10),
        Difficulty(min_branching=5.1),
        Difficulty(min_losing_share=0.21),
    ):
        assert not difficulty.allows(figures, choices)


def test_each_difficulty_asks_for_more_than_the_one_before() -> None:
    easy, *others = DIFFICULTIES.values()
    bounds = [(difficulty.min_pushes, difficulty.min_losing_share) for difficulty in others]
    assert bounds == sorted(bounds)
    assert easy.max_pushes == others[0].min_pushes


@pytest.mark.parametrize(
    ("make", "asked", "message"),
    [
        (Difficulty, {"min_pushes": 0}, "min pushes is 0; expected at least 1"),
        (Difficulty, {"max_pushes": 0}, "max pushes is 0; expected at least 1"),
        (Difficulty, {"min_pushes": 7, "max_pushes": 5}, "is 7; expected at most max pushes, 5"),
        (Difficulty, {"min_branching": -1.0}, "min branching is -1.0; expected 0 or more"),
        (Difficulty, {"min_losing_share": 1.0}, "losing share is 1.0; expected 0 to less than 1"),
        (Recipe, {"rows": 4}, "4 rows and 10 columns; expected 5 to 64 of each"),
        (Recipe, {"columns": 65}, "10 rows and 65 columns; expected 5 to 64 of each"),
        (Recipe, {"style": "maze"}, "style 'maze'; expected mixed or one of"),
        (Recipe, {"num_boxes": 0}, "0 boxes; expected 1 to 18 in a room of 10x10"),
        (Recipe, {"num_boxes": 19}, "19 boxes; expected 1 to 18 in a room of 10x10"),
        (
            Recipe,
            {"num_boxes": 3, "difficulty": Difficulty(min_branching=math.inf)},
            "min branching is inf; expected at most 12, four for each box",
        ),
    ],
)
def test_difficulties_and_recipes_that_cannot_be_are_refused(
    make: Callable[..., object], asked: dict, message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        make(**asked)


def test_bounds_in_words_have_all_digits() -> None:
    asked = Difficulty(min_pushes=1_234_567, min_losing_share=0.4)
    assert str(asked) == "min pushes 1,234,567, min losing share 0.4"


def test_what_never_turns_up_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(generate, "_MOST_FAILURES_OF_WORDS", 7)
    recipe = Recipe(rows=5, columns=5, num_boxes=1, difficulty=Difficulty(min_pushes=99))
    attempts: list[int] = []
    puzzles: Iterator[Puzzle] = generate_puzzles(3, recipe, seed=1, report=attempts.append)
    with pytest.raises(ValueError, match="with 1 boxes and min pushes 99 in 7 attempts; 0 of 3"):
        next(puzzles)
    assert attempts == [1, 2, 3, 4, 5, 6, 7]


def test_what_is_generated_before_the_end_is_the_first_part_of_the_same_puzzles() -> None:
    recipe = Recipe(rows=8, columns=8, num_boxes=2)
    puzzles = list(generate_puzzles(2, recipe, seed=3))
    counts = set()
    # How often the clock is looked at until a puzzle is there depends on how busy the machine is.
    for most_looks in itertools.islice(itertools.cycle(range(12)), 600):
        # A second passes between two looks at the clock.
        limits = Limits(time_limit_s=float(most_looks), clock=itertools.count(0.0).__next__)
        early = list(generate_puzzles(2, recipe, seed=3, limits=limits))
        assert early == puzzles[: len(early)]
        counts.add(len(early))
        if counts == {0, 1, 2}:
            break
    assert counts == {0, 1, 2}


def test_the_stop_flag_ends_an_attempt() -> None:
    stop = threading.Event()
    stop.set()
    recipe = Recipe(rows=8, columns=8, num_boxes=2)
    for attempt in range(20):
        assert sample_puzzle(recipe, seed=3, attempt=attempt, limits=Limits(stop=stop)) is None
    assert list(generate_puzzles(4, recipe, seed=3, limits=Limits(stop=stop))) == []
