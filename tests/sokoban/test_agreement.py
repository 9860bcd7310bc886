"""The three rules on random boards, and that the comparison would see a difference."""

import json
import random
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor

from benchmarks import agreement
from benchmarks.agreement import KINDS, Counts, random_board
from tokoban.sokoban import bitboards, tensor_boards
from tokoban.sokoban.formats.xsb import parse_board

REPOSITORY = Path(__file__).resolve().parents[2]


# Every shape comes up in 56,000 moves, and each kind of border.
@pytest.mark.parametrize("num_moves", [56_000, pytest.param(1_000_000, marks=pytest.mark.slow)])
def test_the_three_rules_agree(num_moves: int) -> None:
    # A process of its own is ten times as fast: it does not check the shapes of every square.
    command = [sys.executable, "-m", "benchmarks.agreement", "--moves", str(num_moves)]
    done = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    rows = json.loads(done.stdout)
    assert set(rows) == set(KINDS)
    for row in rows.values():
        assert row["moves"] >= num_moves
        # At least 2,300 pushes in 80,000 moves, or the games would say little about boxes.
        assert row["pushes"] >= num_moves * 2_300 / 80_000
        assert row["solved"] > 0
        assert (row["plane_disagreements"], row["word_disagreements"]) == (0, 0)


def random_games() -> Counts:
    chance = random.Random(3)
    kind = KINDS["crowded"]
    boards = [random_board(chance, 5, 7, kind=kind, is_bordered=False) for _ in range(11)]
    return agreement.play(boards, np.random.default_rng(3).integers(0, 4, (23, 11)))


def test_right_rules_do_not_disagree() -> None:
    counts = random_games()
    assert (counts.plane_disagreements, counts.word_disagreements) == (0, 0)


def swapped(step: Callable) -> Callable:
    return lambda boards, actions: step(boards, torch.tensor([0, 3, 2, 1])[actions])


@pytest.mark.parametrize("rules", [tensor_boards, bitboards])
def test_swapped_directions_are_found_out(
    rules: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rules, "step", swapped(rules.step))
    counts = random_games()
    found, others = counts.plane_disagreements, counts.word_disagreements
    if rules is bitboards:
        found, others = others, found
    assert found >= counts.pushes > 0
    assert others == 0


@pytest.mark.parametrize(("part", "num_disagreements"), [("boxes", 1), ("player", 2)])
@pytest.mark.parametrize("rules", [tensor_boards, bitboards])
def test_each_board_where_one_part_stays_behind_is_a_disagreement(
    rules: ModuleType, part: str, num_disagreements: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    step = rules.step

    def forgetful(boards: Any, actions: Tensor) -> Any:
        return step(boards, actions)._replace(**{part: getattr(boards, part)})

    monkeypatch.setattr(rules, "step", forgetful)
    # One board is left by a push, one by a step, and one not at all.
    boards = [parse_board("@$-."), parse_board("@-$."), parse_board("@#$.")]
    counts = agreement.play(boards, np.array([[3, 3, 3]]))
    disagreements = (counts.plane_disagreements, counts.word_disagreements)
    expected = (num_disagreements, 0) if rules is tensor_boards else (0, num_disagreements)
    assert disagreements == expected


@pytest.mark.parametrize("rules", [tensor_boards, bitboards])
def test_a_wrong_verdict_is_found_out(rules: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    right: Callable[..., Tensor] = rules.is_solved
    monkeypatch.setattr(rules, "is_solved", lambda boards: ~right(boards))
    counts = random_games()
    disagreements = (counts.plane_disagreements, counts.word_disagreements)
    assert disagreements == ((253, 0) if rules is tensor_boards else (0, 253))


@pytest.mark.parametrize("rules", [tensor_boards, bitboards])
def test_the_command_fails_on_any_disagreement(
    rules: ModuleType, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(agreement, "NUM_BOARDS", 3)
    monkeypatch.setattr(sys, "argv", ["agreement", "--moves", "1"])
    assert agreement.main() == 0
    monkeypatch.setattr(rules, "step", swapped(rules.step))
    assert agreement.main() == 1
    assert capsys.readouterr().out.count('"moves": 120') == 2 * len(KINDS)


def test_moves_are_steps_pushes_and_bumps() -> None:
    # Two steps, a push, two bumps: the box is on its goal after the last three moves.
    board = parse_board("#######|#@--$.#|#######")
    counts = agreement.play([board], np.array([[3], [3], [3], [3], [0]]))
    assert counts == Counts(moves=5, steps=2, pushes=1, solved=3)


@pytest.mark.parametrize("name", KINDS)
@pytest.mark.parametrize("is_bordered", [False, True])
def test_random_boards_are_what_their_kind_says(name: str, is_bordered: bool) -> None:
    chance, kind = random.Random(11), KINDS[name]
    shares = []
    for _ in range(50):
        board = random_board(chance, 5, 7, kind=kind, is_bordered=is_bordered)
        assert (board.height, board.width) == ((7, 9) if is_bordered else (5, 7))
        edge = {
            (row, column)
            for row in range(board.height)
            for column in range(board.width)
            if row in (0, board.height - 1) or column in (0, board.width - 1)
        }
        assert (edge <= board.walls) is is_bordered
        assert len(board.boxes) == len(board.goals)
        shares.append(len(board.boxes) / 35)
    assert kind.max_box_share - 0.1 < max(shares) <= kind.max_box_share + 1 / 35
