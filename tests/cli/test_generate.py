"""``tokoban generate``: its file is legal, as asked, and a function of its arguments."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from tokoban import cli
from tokoban.cli import puzzle_options
from tokoban.sokoban.canonical import canonical_form
from tokoban.sokoban.figures import count_figures
from tokoban.sokoban.formats import lurd, read_levels
from tokoban.sokoban.puzzles import generate as many
from tokoban.sokoban.puzzles.difficulty import DIFFICULTIES
from tokoban.sokoban.puzzles.puzzle import MIXED, Puzzle, Recipe
from tokoban.sokoban.puzzles.rating import rate
from tokoban.sokoban.puzzles.rooms import STYLES
from tokoban.sokoban.search.limits import Limits


def generate(path: Path, *options: str) -> bytes:
    words = ["generate", "--levels", "5", "--seed", "11", "--output", str(path), *options]
    assert cli.main(words) == 0
    return path.read_bytes()


def test_levels_are_as_requested_and_their_solutions_solve_them(tmp_path: Path) -> None:
    path = tmp_path / "levels.xsb"
    generate(path, "--rows", "7", "--columns", "5", "--solvable-share", "0.6", "--solutions")
    file = read_levels(str(path))
    assert not file.problems
    assert [(level.board.height, level.board.width) for level in file.levels] == [(7, 5)] * 5
    assert [level.title for level in file.levels][4] == "Level 5 of seed 11"
    solved = [level for level in file.levels if level.solutions]
    assert len(solved) == 3
    for level in solved:
        moves = lurd.format(level.board, level.solutions[0].directions)
        assert lurd.replay(level.board, moves).is_solved
    unsolved = [level.notes for level in file.levels if not level.solutions]
    assert unsolved == [("This level has no solution.",)] * 2


def test_without_solutions_nothing_gives_them_away(tmp_path: Path) -> None:
    path = tmp_path / "levels.xsb"
    generate(path)
    assert all(not level.solutions and not level.notes for level in read_levels(str(path)).levels)


PUZZLES = ("--style", "caves", "--rows", "8", "--columns", "8", "--boxes", "2")


def test_puzzles_carry_their_measures_and_their_proofs(tmp_path: Path) -> None:
    path = tmp_path / "puzzles.sok"
    generate(path, *PUZZLES, "--solutions", "--fewest-moves", "--min-pushes", "5")
    for level in read_levels(path, strict=True).levels:
        notes = dict(note.split(": ") for note in level.notes)
        found = rate(level.board)
        assert found.pushes is not None
        assert found.moves is not None
        assert found.figures is not None
        assert found.along_solution is not None
        assert notes == {
            "Style": "caves",
            "Moves": str(found.moves.value),
            "Pushes": str(found.pushes.value),
            "Box changes": str(found.figures.box_changes),
            "Branching": f"{found.along_solution.branching:.2f}",
            "Losing share": f"{found.along_solution.losing_share:.2f}",
        }
        by_pushes, by_moves = level.solutions
        assert (by_pushes.title, by_moves.title) == ("Solution/Pushes", "Solution/Moves")
        assert count_figures(level.board, by_pushes.directions).pushes == found.pushes.value >= 5
        assert len(by_moves.directions) == found.moves.value


def test_puzzles_of_another_file_are_avoided(tmp_path: Path) -> None:
    generate(tmp_path / "a.sok", *PUZZLES)
    generate(tmp_path / "b.sok", *PUZZLES, "--threads", "3", "--avoid", str(tmp_path / "a.sok"))
    avoided, others = (
        {canonical_form(level.board) for level in read_levels(tmp_path / name).levels}
        for name in ("a.sok", "b.sok")
    )
    assert not avoided & others


def test_a_difficulty_alone_asks_for_puzzles(tmp_path: Path) -> None:
    path = tmp_path / "puzzles.sok"
    generate(path, "--difficulty", "easy", "--max-pushes", "9")
    for level in read_levels(path).levels:
        notes = dict(note.split(": ") for note in level.notes)
        assert (level.board.height, level.board.width, len(level.board.boxes)) == (10, 10, 4)
        assert 8 <= int(notes["Pushes"]) <= 9
        assert not level.solutions


def test_what_was_found_before_the_end_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    sample_puzzle = many.sample_puzzle
    megabytes = set()

    def ends_with(end: type[BaseException], message: str) -> None:
        def attempt_or_stop(
            recipe: Recipe, *, seed: int, attempt: int, limits: Limits
        ) -> Puzzle | None:
            megabytes.add(limits.memory_limit_mb)
            if attempt == 2:
                raise end(message)
            return sample_puzzle(recipe, seed=seed, attempt=attempt, limits=limits)

        monkeypatch.setattr(many, "sample_puzzle", attempt_or_stop)

    path = tmp_path / "puzzles.sok"
    words = ["generate", "--levels", "5", "--seed", "11", "--output", str(path), *PUZZLES]
    words += ["--memory-limit", "600MB"]
    ends_with(KeyboardInterrupt, "")
    assert cli.main(words) == 130
    found = len(read_levels(path).levels)
    assert 0 < found <= 2
    told = f"tokoban: interrupted after {found} of 5 levels; what is known is kept\n"
    assert capsys.readouterr().err == told
    path.unlink()
    ends_with(ValueError, "no new level")
    assert cli.main(words) == 2
    assert capsys.readouterr().err == "tokoban: no new level\n"
    assert len(read_levels(path).levels) == found
    assert megabytes == {600}


def test_without_a_terminal_lines_tell_how_far_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("tokoban.cli.generate._BETWEEN_LINES_S", 0)
    path = tmp_path / "puzzles.sok"
    words = ["generate", "--levels", "2", "--seed", "11", "--output", str(path), *PUZZLES]
    assert cli.main(words) == 0
    lines = capsys.readouterr().err.splitlines()
    assert re.fullmatch("tokoban: 0 of 2 levels, [0-9]+ attempts?", lines[0])
    assert re.fullmatch("tokoban: 1 of 2 levels, [0-9]+ attempts?", lines[-1])


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (
            ["--style", "two-rooms", "--threads", "2"],
            "--threads has no effect with --style two-rooms",
        ),
        (
            ["--style", "halls", "--solvable-share", "1"],
            "--solvable-share has no effect on puzzles",
        ),
        (["--avoid", "nowhere.xsb"], "nowhere.xsb: No such file or directory"),
    ],
)
def test_options_that_do_not_go_together_are_one_line(
    words: list[str], message: str, tmp_path: Path, refusal: Callable[[int], str]
) -> None:
    path = tmp_path / "puzzles.sok"
    asked = ["generate", "--levels", "5", "--seed", "11", "--output", str(path), *words]
    assert refusal(cli.main(asked)).startswith(message)
    assert not path.exists()


def test_the_options_name_every_style_and_difficulty() -> None:
    assert (puzzle_options.TWO_ROOMS, *STYLES, MIXED) == puzzle_options.STYLES
    assert tuple(DIFFICULTIES) == puzzle_options.DIFFICULTIES


PUZZLE = ("--difficulty", "easy")


def test_no_more_levels_are_made_than_a_file_can_hold(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for words, most in {(): 31_250, ("--solutions",): 12_500, PUZZLE: 13_530}.items():
        asked = ["generate", "--levels", "1000000", "--seed", "1", *words]
        assert cli.main([*asked, "--output", str(tmp_path / "out.sok")]) == 2
        assert capsys.readouterr().err == (
            f"tokoban: --levels 1000000: expected at most {most:,} of this size, which can be read "
            "again from one file\n"
        )


def test_what_could_not_be_had_within_the_time_limit_is_said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "levels.sok"
    words = ["generate", "--levels", "3", "--seed", "2", "--output", str(path)]
    words += ["--time-limit", "0.4"]
    large = ["--style", "halls", "--rows", "60", "--columns", "60", "--boxes", "40"]
    assert cli.main([*words, *large]) == 1
    [last] = capsys.readouterr().err.splitlines()
    assert re.fullmatch(r"tokoban: 0 of 3 levels found within 0\.4 s and \d attempts?", last)
    assert not path.exists()
    assert cli.main([*words, "--time-limit", "0.3", "--boxes", "3", "--levels", "30000"]) == 1
    found = len(read_levels(path).levels)
    assert f"tokoban: {found:,} of 30,000 levels found within 0.3 s" in capsys.readouterr().err
    assert 0 < found < 30_000
