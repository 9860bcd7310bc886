"""``tokoban rate``: a table for people, JSON for programs, the exit status for scripts."""

import json
from pathlib import Path

import pytest

from tokoban.cli import main
from tokoban.sokoban.puzzles import rating

CORNER = "######\n#    #\n# $ .#\n#@####\n######\n"
LOST = "#####\n#.@$#\n#####\n"


@pytest.fixture
def levels(tmp_path: Path) -> Path:
    path = tmp_path / "levels.sok"
    path.write_text(f"Corner\n\n{CORNER}\nLost\n\n{LOST}")
    return path


def test_the_table_has_a_row_for_each_level(
    levels: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["rate", str(levels)]) == 0
    out, err = capsys.readouterr()
    rows = [line.split() for line in out.splitlines()]
    choices = ["2.00", "0.25"]
    assert ["1", "1", "9", "2", "3", "1", *choices, "3", "3", *choices, "Corner"] in rows
    assert ["2", "1", "3", "none", "Lost"] in rows
    assert "? is not known within the limits" in out
    assert err == ""


def test_json_has_what_is_measured(levels: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rate", str(levels), "--json", "-"]) == 0
    corner, lost = json.loads(capsys.readouterr().out)
    assert (corner["index"], corner["title"], corner["status"]) == (1, "Corner", "solved")
    assert (corner["pushes"], corner["pushes_at_least"]) == (2, 2)
    assert (corner["along_solution"]["branching"], corner["along_solution"]["losing_share"]) == (
        2.0,
        0.25,
    )
    assert corner["reachable"]["losing_pushes"] == 1
    assert (lost["status"], lost["pushes"], lost["reachable"]) == ("unsolvable", None, None)


def test_what_is_not_known_is_marked(
    levels: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    known = rating.Rating(
        "solved",
        9,
        1,
        pushes=rating.Best(7, is_proved=False),
        moves=rating.Best(11, is_proved=True),
        along_solution=rating.Choices(positions=2, pushes=5, losing=1, unknown=1),
    )
    bounded = rating.Rating("gave up", 9, 1, at_least_pushes=5)
    answers = iter((known, bounded))
    monkeypatch.setattr(rating, "rate", lambda board, limits: next(answers))
    assert main(["rate", str(levels)]) == 1
    rows = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert ["1", "1", "9", "<=7", "11", "?", "2.50", ">=0.20", *"????", "Corner"] in rows
    assert ["2", "1", "9", ">=5", *"????????", "Lost"] in rows


def test_an_interrupt_keeps_what_is_known(
    levels: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    usual = rating.rate

    def rate(board: rating.Board, limits: rating.Limits) -> rating.Rating:
        if len(board.walls) < 20:
            raise KeyboardInterrupt
        return usual(board, limits=limits)

    monkeypatch.setattr(rating, "rate", rate)
    target = tmp_path / "out.json"
    assert main(["rate", str(levels), "--json", str(target)]) == 130
    assert capsys.readouterr().err == (
        "tokoban: interrupted after 1 of 2 levels; what is known is kept\n"
    )
    assert [level["title"] for level in json.loads(target.read_text())] == ["Corner"]


def test_levels_beside_invalid_ones_are_rated(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "bad.xsb"
    path.write_text("#####\n#@$ #\n#####\n\n#####\n#@$.#\n#####\n")
    assert main(["rate", str(path), "--json", "-"]) == 2
    told = capsys.readouterr()
    assert "1 box but 0 goals" in told.err
    assert [(rated["index"], rated["status"]) for rated in json.loads(told.out)] == [(2, "solved")]
