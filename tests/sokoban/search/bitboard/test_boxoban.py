"""Boxoban: every level solved, two independent searches agreed, lost states proved lost again."""

from pathlib import Path

import numpy as np
import pytest
import torch

from benchmarks.unsolvable import ends_solved
from tests.sokoban.formats.archive import published
from tests.sokoban.labels.play_of import label_all
from tests.sokoban.search.bitboard.swept import labels_of
from tests.sokoban.unpacked import to_board
from tokoban.sokoban import rules
from tokoban.sokoban.board import Board
from tokoban.sokoban.formats.boxoban import parse_boxoban
from tokoban.sokoban.labels.samples import Origin, PlayedStates
from tokoban.sokoban.search.bitboard.batch import solve_many
from tokoban.sokoban.search.bitboard.driver import Verdict
from tokoban.sokoban.search.bitboard.labels import DEADLOCKED
from tokoban.sokoban.search.bitboard.levels import from_bitboards
from tokoban.sokoban.simulation.bitboards import pack, step

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module", params=["unfiltered/test/000", "medium/valid/000", "hard/003"])
def boards(request: pytest.FixtureRequest, shared_data: Path) -> list[Board]:
    """The levels of one file."""
    levels = parse_boxoban(published(shared_data, f"{request.param}.txt")).levels
    return [level.board for level in levels]


@pytest.mark.parametrize("unit", ["moves", "pushes"])
def test_every_level_is_solved_as_the_sweep_says(boards: list[Board], unit: str) -> None:
    levels = from_bitboards(pack(boards))
    answers = solve_many(levels, unit)
    labels = labels_of(levels, unit)
    assert set(answers.verdict) == {Verdict.SOLVED}
    lengths = answers.num_moves if unit == "moves" else answers.num_pushes
    assert np.array_equal(labels.distance, lengths)
    for i, board in enumerate(boards):
        assert rules.play(board, answers.directions(i))[-1].is_solved


def test_deadlocked_states_of_play_are_unsolvable_and_no_play_of_them_ends_solved(
    boards: list[Board],
) -> None:
    words = pack(boards)
    draw = torch.Generator().manual_seed(29)
    for _ in range(97):
        words = step(words, torch.randint(4, (len(boards),), generator=draw))
    states = from_bitboards(words)
    played = PlayedStates(states.boxes, states.player, np.arange(1, len(boards) + 1))
    found = label_all(boards, played=played)
    is_played = found.samples.origin == Origin.POLICY
    is_deadlocked = found.by_moves.distance[is_played] == DEADLOCKED
    answers = solve_many(states, "pushes")
    assert np.array_equal(answers.verdict == Verdict.UNSOLVABLE, is_deadlocked)
    assert 0.1 < is_deadlocked.mean() < 0.9
    proofs = [
        ends_solved(to_board(words, (int(i),)), 50_000)[0]
        for i in np.flatnonzero(is_deadlocked)[:29]
    ]
    assert set(proofs) <= {False, None}
    assert proofs.count(False) > 5
