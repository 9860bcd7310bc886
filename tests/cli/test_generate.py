"""``tokoban generate``: its file is legal, as asked, and a function of its arguments."""

from pathlib import Path

import pytest

from tokoban import cli
from tokoban.sokoban.formats import lurd, read_levels


def generate(path: Path, *options: str) -> bytes:
    words = ["generate", "--levels", "5", "--seed", "11", "--output", str(path), *options]
    assert cli.main(words) == 0
    return path.read_bytes()


def test_the_same_seed_gives_the_same_bytes(tmp_path: Path) -> None:
    first = generate(tmp_path / "a.xsb", "--solutions")
    assert generate(tmp_path / "b.xsb", "--solutions") == first


def test_another_seed_gives_other_boards(tmp_path: Path) -> None:
    generate(tmp_path / "a.xsb")
    generate(tmp_path / "b.xsb", "--seed", "13")
    first, second = (read_levels(tmp_path / name).levels for name in ("a.xsb", "b.xsb"))
    assert [level.board for level in first] != [level.board for level in second]


def test_a_dash_is_standard_output(tmp_path: Path, capsysbinary: pytest.CaptureFixture) -> None:
    written = generate(tmp_path / "a.xsb")
    cli.main(["generate", "--levels", "5", "--seed", "11", "--output", "-"])
    assert capsysbinary.readouterr().out == written


def test_levels_are_as_asked_and_their_solutions_solve_them(tmp_path: Path) -> None:
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


def test_levels_that_cannot_be_are_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "levels.xsb"
    words = ["generate", "--levels", "5", "--seed", "11", "--output", str(path), "--rows", "3"]
    assert cli.main(words) == 2
    assert capsys.readouterr().err.startswith("tokoban: a level of 3x8 has no room")
    assert not path.exists()
