"""The sweep against every possible play, and against the tables of one box."""

import numpy as np
import pytest
import torch

from tests.sokoban.brute_force import Shape, best_pushes, random_boards, reachable, to_go
from tokoban.sokoban.board import Board, Direction
from tokoban.sokoban.formats.xsb import parse_board
from tokoban.sokoban.search.bitboard.driver import Verdict
from tokoban.sokoban.search.bitboard.labels import DEADLOCKED, Labels, States
from tokoban.sokoban.search.bitboard.levels import Levels, from_bitboards
from tokoban.sokoban.search.bitboard.sweep import label_many, sweep
from tokoban.sokoban.search.limits import Limits
from tokoban.sokoban.simulation.bitboards import pack
from tokoban.sokoban.simulation.distances import one_box_tables

SHAPES = [
    Shape(4, 5, 1, is_closed=False),
    Shape(3, 5, 2, is_closed=False),
    Shape(3, 4, 3, is_closed=True),
]
BOARDS = [board for shape in SHAPES for board in random_boards(shape, 4, seed=13)]
LARGE = parse_board("@-------|-$-$-$--|--------|-$-$-$--|--------|--#-....|-----..-")


def words_of(boards: list[Board]) -> Levels:
    return from_bitboards(pack(boards))


def labels_of_plays(boards: list[Board], unit: str) -> tuple[list[list[Board]], Labels]:
    """All boards that play can reach from each, and their labels."""
    plays = [list(reachable(board)) for board in boards]
    words = words_of([board for play in plays for board in play])
    states = States(words.boxes, words.player, np.cumsum([len(play) for play in plays]))
    return plays, label_many(words_of(boards), states, unit)


@pytest.mark.parametrize("unit", ["moves", "pushes"])
def test_labels_are_what_every_possible_play_shows(unit: str) -> None:
    plays, labels = labels_of_plays(BOARDS, unit)
    state, num_lost = 0, 0
    for start, play in enumerate(plays):
        after, total = reachable(play[0]), to_go(play, unit)
        is_solvable = play[0] in total
        assert labels.verdict[start] == (Verdict.SOLVED if is_solvable else Verdict.UNSOLVABLE)
        for board in play:
            assert labels.distance[state] == total.get(board, DEADLOCKED)
            moves, pushes = 0, set()
            if total.get(board, 0) > 0:
                pushes = best_pushes(board, after, total, unit)
                if unit == "moves":
                    moves = sum(
                        1 << direction
                        for direction in Direction
                        if total.get(after[board][direction]) == total[board] - 1
                    )
            assert labels.best_moves[state] == moves
            found = {
                (cell, direction)
                for direction in Direction
                for cell in range(64)
                if int(labels.best_pushes[state, direction]) >> cell & 1
            }
            assert found == pushes
            num_lost += board not in total
            state += 1
    assert 0 < num_lost < state == len(labels.distance)


def test_distances_of_one_box_are_those_of_the_tables() -> None:
    drawn = list(random_boards(Shape(8, 8, 1, is_closed=False), 17, seed=19))
    boards = pack([board for board in drawn if board.goals <= board.inside()])
    tables, levels = one_box_tables(boards), from_bitboards(boards)
    box, player = torch.meshgrid(torch.arange(64), torch.arange(64), indexing="ij")
    assert levels.num_levels > 11
    for i in range(levels.num_levels):
        level = boards.at(slice(i, i + 1)).map(lambda word: word.expand(1, 64 * 64))
        states = level._replace(boxes=1 << box.reshape(1, -1), player=1 << player.reshape(1, -1))
        expected = tables.rows(torch.tensor([i])).distance(states).reshape(64, 64).numpy()
        found = sweep(levels.part(i, i + 1), "moves")
        assert found is not None
        distance = np.full((64, 64), -1)
        for boxes, row in zip(found.boxes, found.distance.astype(int), strict=True):
            distance[int(boxes).bit_length() - 1] = np.where(row == DEADLOCKED, -1, row)
        # The tables also know boxes and players behind walls, where the start's player never is.
        inside = np.any(distance >= 0, axis=0)
        assert np.array_equal(distance[inside][:, inside], expected[inside][:, inside])


def test_boxes_out_of_reach_are_part_of_no_set() -> None:
    words = words_of([parse_board("@$.-#*#|-----##")])
    found = sweep(words, "moves")
    labels = label_many(words, States(words.boxes, words.player, np.array([1])), "moves")
    assert found is not None
    assert set(found.boxes) <= {1 << cell for cell in range(64) if cell != 5}
    assert (labels.distance[0], labels.best_moves[0]) == (1, 1 << Direction.RIGHT)
    assert list(labels.best_pushes[0]) == [0, 0, 0, 0b10]


def test_the_arrays_of_one_level_hold_what_labels_say() -> None:
    plays, labels = labels_of_plays(BOARDS, "moves")
    words = words_of([board for play in plays for board in play])
    levels, state = words_of(BOARDS), 0
    for start, play in enumerate(plays):
        found = sweep(levels.part(start, start + 1), "moves")
        assert found is not None
        assert labels.num_states[start] == (found.distance != DEADLOCKED).sum()
        assert labels.num_states[start] == np.bitwise_count(found.cells).sum()
        rows = dict(zip(map(int, found.boxes), found.distance, strict=True))
        for _ in play:
            row = rows.get(int(words.boxes[state]))
            cell = int(words.player[state]).bit_length() - 1
            assert labels.distance[state] == (DEADLOCKED if row is None else row[cell])
            state += 1


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
    words = words_of([small, LARGE, small])
    states = States(words.boxes, words.player, np.array([1, 2, 3]))
    labels = label_many(words, states, "moves", limits=limits)
    assert list(labels.verdict) == [Verdict.SOLVED, verdict, Verdict.SOLVED]
    assert list(labels.distance) == [1, DEADLOCKED, 1]
    assert sweep(words.part(1, 2), "moves", limits=limits) is None


def test_what_is_requested_wrongly_is_refused() -> None:
    words = words_of(BOARDS[:2])
    with pytest.raises(ValueError, match="expected one level, got 2"):
        sweep(words, "moves")
    with pytest.raises(ValueError, match="unit is 'steps'; expected 'moves' or 'pushes'"):
        sweep(words.part(0, 1), "steps")
