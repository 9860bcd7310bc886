"""The comparison of killed trainings with uninterrupted ones, with one system of few steps."""

import json
import re

import pytest

from benchmarks import kills

TRAININGS = {"gpt": "--preset sort --width 18 --steps 9 --evaluate-every 5"}


@pytest.mark.slow
def test_kills_are_survived_and_a_changed_file_is_noticed(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(kills, "TRAININGS", TRAININGS)
    monkeypatch.setattr("sys.argv", ["kills", "--kills", "3"])
    assert kills.main() == 0
    printed = capsys.readouterr().out
    written = json.loads(printed[printed.index("\n{") :])
    assert written["kills"] == written["survived"] == sum(written["rows"][0]["moments"].values())
    monkeypatch.setattr(kills, "CLOCK", re.compile(rb"never"))  # then no two runs are equal
    assert kills.main() == 1
    assert "OTHERWISE than straight on" in capsys.readouterr().out
