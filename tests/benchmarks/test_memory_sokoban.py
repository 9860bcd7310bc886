"""Solutions of a player by PPO: what counts, and what is refused."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
import torch

pytest.importorskip("gymnasium")

from benchmarks import memory_sokoban
from benchmarks.memory_sokoban import Played, judged, known_levels
from tokoban import cli
from tokoban.sokoban.board import Direction
from tokoban.sokoban.canonical import canonical_form
from tokoban.sokoban.formats.xsb import parse_board
from tokoban.sokoban.rules import play
from tokoban.sokoban.simulation.vector_environment import SokobanVectorEnv
from tokoban.systems.memory_ppo.config import tiny
from tokoban.systems.memory_ppo.tensor_env import TensorEnv
from tokoban.systems.memory_ppo.train import PpoSystem

NEAR = parse_board("######|#@$.##|######")
FAR = parse_board("######|#@$-.#|######")
RIGHT = int(Direction.RIGHT)


MIRRORED = parse_board("######|#.-$@#|######")


def test_each_level_counts_once_and_what_was_trained_on_not_at_all() -> None:
    games = Played([NEAR, FAR, MIRRORED, NEAR], [[RIGHT], None, [int(Direction.LEFT)] * 2, None])
    assert play(FAR, [RIGHT] * 2)[-1].is_solved
    assert judged(games, known=set()) == [True, False]
    assert judged(games, known={canonical_form(NEAR)}) == [False]
    assert judged(games, known={canonical_form(MIRRORED)}) == [True]


@pytest.mark.slow
def test_known_are_the_levels_that_the_training_had() -> None:
    torch.manual_seed(3)
    system = PpoSystem(replace(tiny(), env="sokoban:6", memory="none", num_steps=2))
    next(iter(system.train_batches(system.initial_model(), start_step=0)))
    assert system._games is not None and isinstance(system._games.task, TensorEnv)
    environment = system._games.task.environment
    assert isinstance(environment, SokobanVectorEnv)
    had = {canonical_form(environment.board(game)) for game in range(environment.num_envs)}
    assert had <= known_levels(6, 3) and not had <= known_levels(6, 4)


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
