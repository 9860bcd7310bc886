"""A player by PPO and random moves on the same boards."""

import json
from pathlib import Path

import pytest

pytest.importorskip("gymnasium")

from benchmarks import memory_sokoban
from tokoban import cli


@pytest.mark.slow
def test_a_player_and_random_moves_on_the_same_boards(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run, out = str(tmp_path / "run"), tmp_path / "rows.json"
    words = ["--preset", "tiny", "--env", "sokoban:6", "--memory", "none", "--steps", "2"]
    words += ["--num-steps", "5", "--device", "cpu", "--evaluation-episodes", "2"]
    assert cli.main(["train", "ppo", *words, "--output", run]) == 0
    assert memory_sokoban.main([run, "--games", "31", "--json", str(out)]) == 0
    rows = json.loads(out.read_text())["rows"]
    assert 0 < rows["random moves"]["boards"] == rows["player"]["boards"] <= 31
    assert 0 < rows["random moves"]["solved"] < rows["random moves"]["boards"]
    assert "random moves: " in capsys.readouterr().out
