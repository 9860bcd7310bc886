"""The verifier of held-out levels finds what a training drew, wherever it lay, and only that."""

from dataclasses import replace

import torch

from benchmarks.unseen import is_drawn, unseen
from tests.sokoban.unpacked import to_board
from tokoban.sokoban.puzzles.random_levels import GeneratedLevel, generate
from tokoban.sokoban.simulation import bitboards
from tokoban.sokoban.symmetry import SYMMETRIES
from tokoban.systems.sokoban_policy.config import tiny
from tokoban.systems.sokoban_policy.dataset import BATCHES_A_DRAWING, ExactGames

CONFIG = replace(tiny(), batch_games=3, data_seed=5)


def _drawn_in(drawing: int) -> list[GeneratedLevel]:
    games = ExactGames(
        batch_games=3,
        num_positions=13,
        seed=5,
        held_out=torch.zeros(0, dtype=torch.int64),
        device=torch.device("cpu"),
    )
    levels, _ = games.draw(drawing)
    moved = bitboards.to_corner(bitboards.image(levels, SYMMETRIES[5]))
    return [GeneratedLevel(to_board(moved, (row,)), None) for row in range(7)]


def test_levels_of_a_training_are_found_turned_and_moved() -> None:
    levels = _drawn_in(1)
    two_drawings = BATCHES_A_DRAWING + 1
    assert all(is_drawn(levels, CONFIG, num_steps=two_drawings))
    assert not any(is_drawn(levels, CONFIG, num_steps=BATCHES_A_DRAWING))


def test_levels_not_met_are_kept_half_of_them_solvable() -> None:
    levels = list(generate(16, seed=1))
    kept = unseen(levels, [index % 4 == 0 for index in range(16)], 6)
    assert all(level in levels and levels.index(level) % 4 for level in kept)
    assert [level.solution is None for level in kept] == [False] * 3 + [True] * 3
