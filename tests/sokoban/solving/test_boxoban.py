"""Boxoban: every level solved, two independent searches agreed, lost states proved lost again."""

import random
import tarfile
from pathlib import Path

import numpy as np
import pytest

from tests.sokoban.brute_force import reachable
from tokoban.sokoban import rules
from tokoban.sokoban.bitboards import pack
from tokoban.sokoban.board import Board, Direction
from tokoban.sokoban.formats.boxoban import parse_boxoban
from tokoban.sokoban.solving.batch import solve_many
from tokoban.sokoban.solving.driver import Verdict
from tokoban.sokoban.solving.labels import LOST, States
from tokoban.sokoban.solving.levels import from_bitboards
from tokoban.sokoban.solving.sweep import label_many

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module", params=["unfiltered/test/000", "medium/valid/007", "hard/003"])
def boards(request: pytest.FixtureRequest, shared_data: Path) -> list[Board]:
    """The levels of one file."""
    with tarfile.open(shared_data / "boxoban" / "boxoban-levels.tar.xz") as archive:
        for member in archive:
            if member.name.endswith(f"{request.param}.txt"):
                file = archive.extractfile(member)
                assert file is not None
                levels = parse_boxoban(file.read().decode(), strict=True).levels
                return [level.board for level in levels]
    raise AssertionError(f"{request.param} is not in the archive")


@pytest.mark.parametrize("unit", ["moves", "pushes"])
def test_every_level_is_solved_as_the_sweep_says(boards: list[Board], unit: str) -> None:
    levels = from_bitboards(pack(boards))
    answers = solve_many(levels, unit, num_threads=2)
    starts = States(levels.boxes, levels.player, np.arange(1, levels.num_levels + 1))
    labels = label_many(levels, starts, unit, num_threads=2)
    assert set(answers.verdict) == {Verdict.SOLVED}
    lengths = answers.num_moves if unit == "moves" else answers.num_pushes
    assert np.array_equal(labels.distance, lengths)
    for i, board in enumerate(boards):
        assert rules.play(board, answers.directions(i))[-1].is_solved


def test_lost_states_of_play_are_unsolvable_and_no_play_of_them_ends_solved(
    boards: list[Board],
) -> None:
    chance = random.Random(29)
    states = [
        rules.play(board, chance.choices(list(Direction), k=97))[-1]
        for board in boards
        for _ in range(3)
    ]
    starts, words = from_bitboards(pack(boards)), from_bitboards(pack(states))
    ends = np.arange(3, 3 * len(boards) + 1, 3)
    labels = label_many(starts, States(words.boxes, words.player, ends), "moves", num_threads=2)
    is_lost = labels.distance == LOST
    answers = solve_many(words, "pushes", num_threads=2)
    assert np.array_equal(answers.verdict == Verdict.UNSOLVABLE, is_lost)
    assert 0.1 < is_lost.mean() < 0.9
    num_proved = 0
    for i in np.flatnonzero(is_lost):
        # Other boards are too many for the plain rules.
        if labels.num_states[i // 3] < 2000 and num_proved < 7:
            assert not any(board.is_solved for board in reachable(states[i]))
            num_proved += 1
    assert num_proved > 0
