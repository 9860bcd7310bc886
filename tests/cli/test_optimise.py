"""``tokoban optimise``: what it tells, writes and keeps, and what it refuses."""

import io
import json
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tokoban import cli
from tokoban.sokoban import formats
from tokoban.sokoban.formats import Solution, read_levels
from tokoban.sokoban.search.answer import Answer
from tokoban.sokoban.search.combine import optimiser
from tokoban.sokoban.search.limits import Limits

ROOM = "#######\n#@ $ .#\n#  $ .#\n#     #\n#######\n"
CORRIDOR = "######\n#@ $.#\n#    #\n######\n"
DONE = "####\n#@*#\n####\n"
LEVELS = (
    f"Author: N. N.\n\nroom\n\n{ROOM}\nby chance\nrRlrRllldrRR\n\nslower\nrRlrRlllrldrRR\n\n"
    f"none\n\n{CORRIDOR}\n\ncorridor\n\n{CORRIDOR}\nSolution\nrR\n\ndone\n\n{DONE}"
)


@pytest.fixture(autouse=True)
def levels(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file ``levels.sok`` in the current folder."""
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "levels.sok"
    path.write_text(LEVELS)
    return path


def optimise(*words: str) -> tuple[int, list[dict[str, Any]]]:
    """The status and the objects of ``--json``."""
    status = cli.main(["optimise", "levels.sok", "--json", "out.json", *words])
    return status, json.loads(Path("out.json").read_text())


def test_the_best_solution_of_each_level_is_made_shorter(
    capsys: pytest.CaptureFixture[str],
) -> None:
    status, found = optimise()
    assert status == 0
    assert [one["status"] for one in found] == [
        "shorter",
        "no solution",
        "not shorter",
        "not shorter",
    ]
    assert [one["lurd"] for one in found] == ["rRRlldRR", None, "rR", ""]
    figures = "moves_before", "pushes_before", "moves", "pushes", "optimum", "elapsed_s"
    assert [found[0][name] for name in figures[:5]] == [12, 4, 8, 4, "moves"]
    assert [found[1][name] for name in figures] == [None] * 5 + [0.0]
    printed = capsys.readouterr().out
    assert "shorter: 12 moves, 4 pushes -> 8 moves, 4 pushes, " in printed
    assert "proved: no solution has fewer moves\n      rRRlldRR\n" in printed
    assert "the file has none that can be replayed" in printed
    assert "4 levels in" in printed
    assert (
        "1 shorter, 3 proved the shortest, 1 without a solution; 14 moves, 5 pushes -> "
        "10 moves, 5 pushes"
    ) in printed


def test_all_that_the_file_had_is_written_with_the_shorter_solution() -> None:
    assert optimise("--output", "shorter.sok")[0] == 0
    before, after = read_levels("levels.sok"), read_levels("shorter.sok", strict=True)
    assert after.notes == before.notes
    assert [[kept.title for kept in level.solutions] for level in after.levels] == [
        ["by chance", "slower", "Solution/Moves"],
        [],
        ["Solution"],
        [],
    ]
    assert after.levels[1:] == before.levels[1:]
    assert optimise("--output", "again.sok", "--minimise", "moves")[0] == 0
    assert Path("again.sok").read_text() == Path("shorter.sok").read_text()


def test_standard_input_is_read_and_the_levels_on_standard_output_come_alone(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(LEVELS.encode())))
    assert cli.main(["optimise", "-", "--output", "-"]) == 0
    printed = capsys.readouterr()
    assert [len(level.solutions) for level in formats.parse_levels(printed.out).levels] == [
        3,
        0,
        1,
        0,
    ]
    assert "shorter: 12 moves" in printed.err


def test_one_level_is_not_written_over_the_file_that_it_comes_from(
    levels: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["optimise", "levels.sok", "--level", "1", "--output", "levels.sok"]
    assert cli.main(words) == 2
    told = "tokoban: --level would leave one level in levels.sok\n"
    assert (capsys.readouterr().err, levels.read_text()) == (told, LEVELS)


def test_problems_of_a_file_are_reported_and_the_levels_beside_them_are_tried(
    levels: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    levels.write_text(
        f"{CORRIDOR}\nSolution\nrU\n\n#####\n#@@ #\n#$. #\n#####\n\n{CORRIDOR}\nSolution\nrlrR\n"
    )
    assert cli.main(["optimise", "levels.sok", "--json", "out.json"]) == 2
    told = capsys.readouterr()
    assert [line.split(": ")[0] for line in told.err.splitlines()] == [
        "levels.sok:7",
        "levels.sok:9",
        "tokoban",
    ]
    assert told.err.endswith("1 of 3 levels is invalid and left out, 1 other problem\n")
    found = json.loads(Path("out.json").read_text())
    assert [(one["index"], one["status"], one["lurd"]) for one in found] == [
        (1, "no solution", None),
        (3, "shorter", "rR"),
    ]
    assert cli.main(["optimise", "levels.sok", "--level", "3"]) == 0


def said(lurd: str, *, reason: str | None = None) -> Answer:
    """What the optimiser may say."""
    solution = Solution(lurd)
    return Answer(
        status="solved", solver="vicinity", solution=solution, reason=reason, elapsed_s=0.5
    )


def test_the_limits_are_passed_on_and_what_stopped_it_is_reported(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = []

    def listen(board: object, directions: object, **options: Any) -> Answer:
        del options["report"]
        asked.append(options)
        return said("rR", reason="500 MB")

    monkeypatch.setattr(optimiser, "optimise", listen)
    words = ["--time-limit", "7", "--memory-limit", "0.5 gb", "--minimise", "pushes"]
    optimise("--level", "3", *words)
    limits = Limits(time_limit_s=7.0, memory_limit_mb=500.0)
    assert asked == [{"minimise": "pushes", "limits": limits}]
    assert "not shorter: 2 moves, 1 push, 0.50 s" in (printed := capsys.readouterr().out)
    assert "stopped at 500 MB" in printed


def test_a_level_that_is_too_large_is_given_up(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def refuse(*_: object, **options: Any) -> Answer:
        raise ValueError("too large")

    monkeypatch.setattr(optimiser, "optimise", refuse)
    assert optimise("--level", "1")[0] == 1
    assert "1 given up, 0 without a solution" in capsys.readouterr().out


def test_after_ctrl_c_the_best_so_far_is_written(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupt(board: object, directions: object, **options: Any) -> Answer:
        options["report"](said("rRRlldRR"))
        raise KeyboardInterrupt

    monkeypatch.setattr(optimiser, "optimise", interrupt)
    status, found = optimise("--output", "shorter.sok")
    assert (status, [one["lurd"] for one in found]) == (130, ["rRRlldRR"])
    assert [len(level.solutions) for level in read_levels("shorter.sok").levels] == [3, 0, 1, 0]
    told = capsys.readouterr()
    assert "interrupted after 0 of 4 levels; what is known is kept" in told.err
    assert "stopped at Ctrl-C" in told.out
