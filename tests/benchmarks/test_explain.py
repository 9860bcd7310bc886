"""The benchmark of explanations: the number of positions asked for, all deadlocked, the same by
seed."""

import json
from pathlib import Path

import pytest

from benchmarks import explain
from benchmarks.explain import WAYS

LEVEL = "########\n#  $  .#\n# $@   #\n#.     #\n########\n"


def rows(folder: Path, *, seed: int) -> tuple[int, list[dict[str, object]]]:
    (folder / "level.xsb").write_text(LEVEL)
    words = ["--positions", "7", "--seed", str(seed), "--json", str(folder / "rows.json")]
    status = explain.main([str(folder / "level.xsb"), *words])
    return status, json.loads((folder / "rows.json").read_text())["rows"]


def without_times(found: list[dict[str, object]]) -> list[dict[str, object]]:
    return [{key: row[key] for key in row if not key.endswith("_ms")} for row in found]


def test_positions_of_every_way_are_explained_and_verified(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    status, found = rows(tmp_path, seed=3)
    assert status == 0
    assert [row["way"] for row in found] == [WAYS[0]] * 3 + [WAYS[1]] * 2 + [WAYS[2]] * 2
    assert all(row["kind"] and row["fault"] is None and row["is_minimal"] for row in found)
    assert "all: 7 deadlocked positions, 7 explained, 7 verified" in capsys.readouterr().out
    assert without_times(rows(tmp_path, seed=3)[1]) == without_times(found)
