"""All the rules on random boards, and that the comparison would see a difference."""

import json
import random
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
import torch

from benchmarks import agreement
from benchmarks.agreement import Counts
from benchmarks.random_boards import KINDS, random_board
from tokoban.sokoban.simulation import bitboards, wide_bitboards

REPOSITORY = Path(__file__).resolve().parents[3]


# Whose disagreements are which.
FAST_RULES = {bitboards: "word", wide_bitboards: "wide"}
EVERY_FAST_RULES = pytest.mark.parametrize("rules", FAST_RULES)


def disagreements(counts: Counts) -> dict[str, int]:
    """Those that there are, by whose they are."""
    found = {name: getattr(counts, f"{name}_disagreements") for name in FAST_RULES.values()}
    return {name: number for name, number in found.items() if number}


# Every shape comes up, and each kind of border.
@pytest.mark.parametrize(
    ("num_boards", "num_moves"),
    [(50, 14_000), pytest.param(200, 1_000_000, marks=pytest.mark.slow)],
)
def test_all_the_rules_agree(
    num_boards: int,
    num_moves: int,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(agreement, "NUM_BOARDS", num_boards)
    monkeypatch.setattr(sys, "argv", ["agreement", "--moves", str(num_moves)])
    status, printed = agreement.main(), capsys.readouterr().out
    assert status == 0, printed
    rows = json.loads(printed)["rows"]
    assert set(rows) == set(KINDS)
    for row in rows.values():
        assert row["moves"] == row["one_word_moves"] >= num_moves
        # At least 2,300 pushes in 80,000 moves, or the games would say little about boxes.
        assert row["pushes"] >= num_moves * 2_300 / 80_000
        assert row["solved"] > 0
        assert [row[name] for name in row if name.endswith("disagreements")] == [0] * 2


@pytest.mark.slow
def test_all_the_rules_agree_on_real_levels(shared_data: Path) -> None:
    files = sorted(str(file) for file in (shared_data / "levels").iterdir())
    command = [sys.executable, "-m", "benchmarks.agreement", "--moves", "100000", "--levels"]
    done = subprocess.run([*command, *files], cwd=REPOSITORY, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    rows = json.loads(done.stdout)["rows"]
    assert set(rows) == {*KINDS, "levels drawn", "levels cut"}
    for name in ("levels drawn", "levels cut"):
        assert 0 < rows[name]["one_word_moves"] < rows[name]["moves"]
        assert rows[name]["pushes"] > 1_000


def random_games() -> Counts:
    chance = random.Random(3)
    kind = KINDS["crowded"]
    boards = [random_board(chance, 5, 7, kind=kind, is_bordered=False) for _ in range(11)]
    return agreement.play(boards, np.random.default_rng(3).integers(0, 4, (23, 11)))


def swapped(step: Callable) -> Callable:
    return lambda boards, actions: step(boards, torch.tensor([0, 3, 2, 1])[actions])


@EVERY_FAST_RULES
def test_swapped_directions_are_found_out(
    rules: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rules, "step", swapped(rules.step))
    counts = random_games()
    found = disagreements(counts)
    assert set(found) == {FAST_RULES[rules]}
    assert found[FAST_RULES[rules]] >= counts.pushes > 0
