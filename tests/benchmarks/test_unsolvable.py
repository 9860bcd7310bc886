"""The check of proofs: its rows add up."""

import json
from pathlib import Path

import pytest

from benchmarks import unsolvable


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
        "crowded",
        "levels, spoiled",
    ]
    for row in rows:
        assert row["boards"] == 3 == row["solved"] + row["unsolvable"]
        assert row["unsolvable"] == row["proved_again"] + row["too_large"]
        assert set(row["verdicts"].values()) == {row["unsolvable"]}
    assert len(capsys.readouterr().out.splitlines()) == 4
