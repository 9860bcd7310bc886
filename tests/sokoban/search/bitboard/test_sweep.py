"""The sweep against the tables of one box; ``labels.test_driver`` has all possible plays."""

import numpy as np
import pytest
import torch

from tests.sokoban.brute_force import Shape, random_boards
from tests.sokoban.search.bitboard.swept import LARGE, distances, labels_of, words_of
from tokoban.sokoban.board import Direction
from tokoban.sokoban.formats.xsb import parse_board
from tokoban.sokoban.search.bitboard.driver import Verdict
from tokoban.sokoban.search.bitboard.labels import DEADLOCKED
from tokoban.sokoban.search.bitboard.levels import Levels, from_bitboards
from tokoban.sokoban.search.bitboard.sweep import Sweeping
from tokoban.sokoban.search.limits import Limits
from tokoban.sokoban.simulation.bitboards import pack
from tokoban.sokoban.simulation.distances import one_box_tables


def test_distances_of_one_box_are_those_of_the_tables() -> None:
    drawn = list(random_boards(Shape(8, 8, 1, is_closed=False), 17, seed=19))
    boards = pack([board for board in drawn if board.goals <= board.inside()])
    tables, levels = one_box_tables(boards), from_bitboards(boards)
    box, player = torch.meshgrid(torch.arange(64), torch.arange(64), indexing="ij")
    num_states = labels_of(levels, "moves").num_states
    assert levels.num_levels > 11
    for i in range(levels.num_levels):
        level = boards.at(slice(i, i + 1)).map(lambda word: word.expand(1, 64 * 64))
        states = level._replace(boxes=1 << box.reshape(1, -1), player=1 << player.reshape(1, -1))
        expected = tables.rows(torch.tensor([i])).distance(states).reshape(64, 64).numpy()
        distance = np.full((64, 64), -1)
        level_words = Levels(*(word[i : i + 1] for word in levels))
        for boxes, row in distances(level_words, "moves").items():
            distance[boxes.bit_length() - 1] = row
        assert num_states[i] == (distance >= 0).sum()
        # The tables also know boxes and players behind walls, where the start's player never is.
        inside = np.any(distance >= 0, axis=0)
        assert np.array_equal(distance[inside][:, inside], expected[inside][:, inside])


def test_boxes_out_of_reach_are_part_of_no_set() -> None:
    words = words_of([parse_board("@$.-#*#|-----##")])
    labels = labels_of(words, "moves")
    assert distances(words, "moves").keys() <= {1 << cell for cell in range(64) if cell != 5}
    assert (labels.distance[0], labels.best_moves[0]) == (1, 1 << Direction.RIGHT)
    assert list(labels.best_pushes[0]) == [0, 0, 0, 0b10]


@pytest.mark.parametrize(
    ("limits", "verdict"),
    [
        (Limits(memory_limit_mb=3.0), Verdict.OUT_OF_MEMORY),
        (Limits(time_limit_s=0.03), Verdict.OUT_OF_TIME),
    ],
)
def test_a_level_over_the_limits_is_given_up_and_the_others_are_not(
    limits: Limits, verdict: Verdict
) -> None:
    small = parse_board("@$.")
    labels = labels_of(words_of([small, LARGE, small]), "moves", limits)
    assert list(labels.verdict) == [Verdict.SOLVED, verdict, Verdict.SOLVED]
    assert list(labels.distance) == [1, DEADLOCKED, 1]


def test_another_unit_is_refused() -> None:
    with pytest.raises(ValueError, match="unit is 'steps'; expected 'moves' or 'pushes'"):
        Sweeping(words_of([LARGE]), "steps")
