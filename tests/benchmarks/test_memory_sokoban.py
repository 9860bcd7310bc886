"""Solutions of a player by PPO: what counts, and what is refused."""

import json
from pathlib import Path

import pytest

from benchmarks import memory_sokoban
from benchmarks.memory_sokoban import Played, judged
from tokoban import cli
from tokoban.sokoban.board import Direction
from tokoban.sokoban.formats.xsb import parse_board
from tokoban.sokoban.rules import play

NEAR = parse_board("######|#@$.##|######")
FAR = parse_board("######|#@$-.#|######")
RIGHT = int(Direction.RIGHT)


def test_each_board_counts_once_and_what_was_trained_on_not_at_all() -> None:
    games = Played([NEAR, FAR, FAR, NEAR], [[RIGHT], None, [RIGHT] * 2, None])
    assert play(FAR, [RIGHT] * 2)[-1].is_solved
    assert judged(games, known=set()) == [True, False]
    assert judged(games, known={NEAR}) == [False]


def test_a_solution_that_is_none_by_the_plain_rules_is_refused() -> None:
    with pytest.raises(ValueError, match=r"not solved by \[3\]"):
        judged(Played([FAR], [[RIGHT]]), known=set())


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


def test_a_run_in_another_game_is_refused(tmp_path: Path) -> None:
    words = ["--preset", "tiny", "--memory", "none", "--steps", "1", "--device", "cpu"]
    assert cli.main(["train", "ppo", *words, "--output", str(tmp_path)]) == 0
    with pytest.raises(ValueError, match=r"trained in t-maze:5; expected sokoban:SIDE"):
        memory_sokoban.main([str(tmp_path)])
