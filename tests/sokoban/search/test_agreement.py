"""All the rules on random boards, and that the comparison would see a difference."""

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
from benchmarks.agreement import Counts
from benchmarks.random_boards import KINDS, cut_out, padded, random_board
from tokoban.sokoban.board import Board
from tokoban.sokoban.formats.xsb import format_board, parse_board
from tokoban.sokoban.simulation import bitboards, games, tensor_boards, wide_bitboards

REPOSITORY = Path(__file__).resolve().parents[3]


# Whose disagreements are which.
FAST_RULES = {tensor_boards: "plane", bitboards: "word", wide_bitboards: "wide"}
EVERY_FAST_RULES = pytest.mark.parametrize("rules", FAST_RULES)


def disagreements(counts: Counts) -> dict[str, int]:
    """Those that there are, by whose they are."""
    names = (*FAST_RULES.values(), "game")
    found = {name: getattr(counts, f"{name}_disagreements") for name in names}
    return {name: number for name, number in found.items() if number}


# Every shape comes up in 56,000 moves, and each kind of border.
@pytest.mark.parametrize("num_moves", [56_000, pytest.param(1_000_000, marks=pytest.mark.slow)])
def test_all_the_rules_agree(num_moves: int) -> None:
    # A process of its own is ten times as fast: it does not check the shapes of every square.
    command = [sys.executable, "-m", "benchmarks.agreement", "--moves", str(num_moves)]
    done = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    rows = json.loads(done.stdout)
    assert set(rows) == set(KINDS)
    for row in rows.values():
        assert row["moves"] == row["one_word_moves"] >= num_moves
        # At least 2,300 pushes in 80,000 moves, or the games would say little about boxes.
        assert row["pushes"] >= num_moves * 2_300 / 80_000
        assert row["solved"] > 0
        assert [row[name] for name in row if name.endswith("disagreements")] == [0] * 4


@pytest.mark.slow
def test_all_the_rules_agree_on_real_levels(shared_data: Path) -> None:
    files = sorted(str(file) for file in (shared_data / "levels").iterdir())
    command = [sys.executable, "-m", "benchmarks.agreement", "--moves", "100000", "--levels"]
    done = subprocess.run([*command, *files], cwd=REPOSITORY, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    rows = json.loads(done.stdout)
    assert set(rows) == {*KINDS, "levels drawn", "levels cut"}
    for name in ("levels drawn", "levels cut"):
        assert 0 < rows[name]["one_word_moves"] < rows[name]["moves"]
        assert rows[name]["pushes"] > 1_000


def random_games() -> Counts:
    chance = random.Random(3)
    kind = KINDS["crowded"]
    boards = [random_board(chance, 5, 7, kind=kind, is_bordered=False) for _ in range(11)]
    return agreement.play(boards, np.random.default_rng(3).integers(0, 4, (23, 11)))


def test_right_rules_do_not_disagree() -> None:
    assert disagreements(random_games()) == {}


def test_boards_too_large_for_one_word_are_not_played_there() -> None:
    boards = [parse_board("@$.------"), parse_board("@-$-----.")]
    counts = agreement.play(boards, np.array([[3, 3], [3, 3]]))
    assert (counts.moves, counts.one_word_moves) == (4, 0)
    assert disagreements(counts) == {}


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


@pytest.mark.parametrize(("part", "num_disagreements"), [("boxes", 1), ("player", 2)])
@EVERY_FAST_RULES
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
    assert disagreements(counts) == {FAST_RULES[rules]: num_disagreements}


@EVERY_FAST_RULES
def test_a_wrong_verdict_is_found_out(rules: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    right: Callable[..., Tensor] = rules.is_solved
    monkeypatch.setattr(rules, "is_solved", lambda boards: ~right(boards))
    assert disagreements(random_games()) == {FAST_RULES[rules]: 253}


@pytest.mark.parametrize("part", ["boxes", "player", "solved_after"])
def test_a_game_with_a_wrong_end_is_found_out(part: str, monkeypatch: pytest.MonkeyPatch) -> None:
    play = games.play

    def wrong(boards: bitboards.Bitboards, actions: np.ndarray) -> games.Played:
        played = play(boards, actions)
        if part == "solved_after":
            return played._replace(solved_after=played.solved_after + 1)
        changed = {part: getattr(played.boards, part) ^ 1}
        return played._replace(boards=played.boards._replace(**changed))

    monkeypatch.setattr(games, "play", wrong)
    assert disagreements(random_games()) == {"game": 11}


@EVERY_FAST_RULES
def test_the_command_fails_on_any_disagreement(
    rules: ModuleType,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
) -> None:
    file = tmp_path / "two.xsb"
    file.write_text("#####\n#@$.#\n#####\n\n############\n#@  $     .#\n############\n")
    monkeypatch.setattr(agreement, "NUM_BOARDS", 3)
    monkeypatch.setattr(sys, "argv", ["agreement", "--moves", "1", "--levels", str(file)])
    assert agreement.main() == 0
    monkeypatch.setattr(rules, "step", swapped(rules.step))
    assert agreement.main() == 1
    printed = capsys.readouterr().out
    assert printed.count('"moves": 120') == 2 * len(KINDS)
    # Two levels in one batch, not both of which fit one word, and two small rectangles.
    assert printed.count('"moves": 240') == 2 * 2
    assert printed.count('"one_word_moves": 0') == printed.count('"one_word_moves": 240') == 2


def test_moves_are_steps_pushes_and_bumps() -> None:
    # Two steps, a push, two bumps: the box is on its goal after the last three moves.
    board = parse_board("#######|#@--$.#|#######")
    counts = agreement.play([board], np.array([[3], [3], [3], [3], [0]]))
    assert counts == Counts(moves=5, one_word_moves=5, steps=2, pushes=1, solved=3)


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


def test_a_rectangle_is_a_part_of_the_board_with_the_player_in_it() -> None:
    chance, sizes = random.Random(13), set()
    for _ in range(200):
        board = random_board(chance, 11, 7, kind=KINDS["crowded"], is_bordered=True)
        cut = cut_out(chance, board, max_side=5)
        sizes.add((cut.height, cut.width))
        drawn, rows = square_letters(board), square_letters(cut)
        assert any(
            rows == [row[left : left + cut.width] for row in drawn[top : top + cut.height]]
            for top in range(board.height)
            for left in range(board.width)
        )
    assert sizes <= {(height, width) for height in range(1, 6) for width in range(1, 6)}
    assert {1, 5} <= {height for height, _ in sizes} & {width for _, width in sizes}


def square_letters(board: Board) -> list[str]:
    return format_board(board).split("\n")


def test_padded_boards_are_the_same_boards_with_more_wall() -> None:
    boards = padded([parse_board("@$.|---"), parse_board("-|*|@")])
    drawn = ["@$.|---|###", "-##|*##|@##"]
    assert boards == [parse_board(rows) for rows in drawn]
