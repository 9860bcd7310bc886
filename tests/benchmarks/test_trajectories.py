"""The comparison trains, scores, and does not do again what is done."""

from dataclasses import replace
from pathlib import Path

import pytest

from benchmarks import trajectories


def test_a_comparison_keeps_its_rows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    run = replace(trajectories.RUN, steps=2, warmup_steps=1, evaluate_every=0)
    monkeypatch.setattr(trajectories, "RUN", run)
    words = ["goals", "--seeds", "0", "1", "--folder", str(tmp_path)]
    assert trajectories.main(words) == 0
    printed = capsys.readouterr().out
    assert printed.startswith("pairs ") and "goal_shortest" in printed
    monkeypatch.setattr(trajectories.loop, "fit", None)
    assert trajectories.main(words) == 0
    assert capsys.readouterr().out == printed
