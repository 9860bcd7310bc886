"""The check of proofs: its rows add up, and a wrong verdict is caught."""

import json
from pathlib import Path
from typing import Any

import pytest

from benchmarks import unsolvable
from tokoban.sokoban.formats.xsb import parse_board
from tokoban.sokoban.search.answer import Answer
from tokoban.sokoban.search.limits import Limits


def test_the_rows_add_up(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    levels = tmp_path / "levels.xsb"
    levels.write_text("#######\n#     #\n# $@. #\n# $ . #\n#     #\n#######\n")
    out = tmp_path / "rows.json"
    argv = ["--boards", "3", "--levels", str(levels), "--positions", "1000", "--json", str(out)]
    assert unsolvable.main(argv) == 0
    rows = json.loads(out.read_text())["rows"]
    assert [row["kind"] for row in rows] == [
        "random, one word",
        "random, larger",
        "levels, spoiled",
    ]
    for row in rows:
        assert row["boards"] == 3 == row["solved"] + row["unsolvable"]
        assert row["unsolvable"] == row["proved_again"] + row["too_large"]
        assert set(row["verdicts"].values()) == {row["unsolvable"]}
    assert len(capsys.readouterr().out.splitlines()) == 3


def test_a_wrong_verdict_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    def lie(board: Any, *, limits: Limits) -> Answer:
        return Answer(status="unsolvable", solver="lie")

    monkeypatch.setattr(unsolvable, "WAYS", {"lie": lie})
    row = unsolvable.Row("drawn")
    unsolvable.check(row, parse_board("#######|#     #|# $@. #|#     #|#######"), most=10**5)
    assert len(row.wrong) == 1
    assert unsolvable.main(["--boards", "5", "--positions", "1000"]) == 1
