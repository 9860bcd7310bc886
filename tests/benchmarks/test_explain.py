"""The benchmark of explanations: the number of positions asked for, all deadlocked, the same by
seed."""

import re
from pathlib import Path

import pytest

from benchmarks import explain

LEVEL = "########\n#  $  .#\n# $@   #\n#.     #\n########\n"


def test_positions_of_every_way_are_explained_and_verified(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "level.xsb").write_text(LEVEL)
    words = [str(tmp_path / "level.xsb"), "--positions", "7", "--seed", "3"]
    assert explain.main(words) == 0
    printed = capsys.readouterr().out
    assert "all: 7 deadlocked positions, 7 explained, 7 verified, 7 with no box" in printed
    assert re.findall(r"(\w+): (\d) deadlocked", printed)[:3] == [
        ("random", "3"),
        ("careful", "2"),
        ("mistakes", "2"),
    ]
    assert explain.main(words) == 0
    again = capsys.readouterr().out
    times = r"explained in .*"
    assert re.sub(times, "", again) == re.sub(times, "", printed)
