"""The ways of stepping that are timed: all play the same moves, and are counted rightly."""

from typing import Any, cast

import numpy as np
import pytest
import torch

from benchmarks import peers, simulator
from benchmarks.harness import least_bytes
from benchmarks.simulator import draw_levels, play_posted, repeated, ways
from tokoban.sokoban.simulation import bitboards, tensor_boards, wide_bitboards
from tokoban.sokoban.simulation.tensor_boards import Plane

CPU = torch.device("cpu")
LEVELS = draw_levels(11, seed=1)


def test_levels_are_boxobans_size_closed_and_have_four_boxes() -> None:
    for board in LEVELS:
        assert (board.height, board.width, len(board.boxes), len(board.goals)) == (10, 10, 4, 4)
        assert all(
            square in board.walls for square in board.squares() if 0 in square or 9 in square
        )
    assert len(set(LEVELS)) == 11
    assert draw_levels(11, seed=1) == LEVELS != draw_levels(11, seed=2)


def boxes_and_player(boards: Any) -> torch.Tensor:
    """[B, 2, 8, 8]: what a step changes, of the squares inside the ring."""
    if isinstance(boards, torch.Tensor):
        return boards[:, [Plane.BOX, Plane.PLAYER], 1:-1, 1:-1]
    for rules in (bitboards, wide_bitboards):
        if type(boards).__module__ == rules.__name__:
            return rules.planes(boards)[:, [Plane.BOX, Plane.PLAYER]].bool()
    return tensor_boards.planes(boards)[:, [Plane.BOX, Plane.PLAYER], 1:-1, 1:-1]


def test_all_ways_play_the_same_games() -> None:
    actions = torch.randint(4, (23, 13), generator=torch.Generator().manual_seed(1))
    results = {}
    for way in ways():
        boards = repeated(way.boards(LEVELS, CPU), len(LEVELS), 13)
        after = way.play(boards, actions)
        results[way.name] = boxes_and_player(after if way.play is play_posted else after[0])
    first = next(iter(results.values()))
    assert len(results) >= 9
    for name, result in results.items():
        assert torch.equal(result, first), name


def test_repeated_boards_are_the_levels_over_and_over() -> None:
    boards = bitboards.pack(LEVELS)
    many = repeated(boards, len(LEVELS), 29)
    assert [bitboards.to_board(many, (row,)) for row in (0, 11, 28)] == [
        bitboards.to_board(boards, (row,)) for row in (0, 0, 6)
    ]
    assert repeated(wide_bitboards.pack(LEVELS), len(LEVELS), 29).boxes.shape[-1] == 29


def test_bytes_are_those_read_and_those_written_anew() -> None:
    boards = bitboards.pack(LEVELS)
    actions = torch.zeros(1, 11, dtype=torch.int8)
    written = simulator.play(bitboards, boards, actions)
    # Four words and a byte are read, two words and a flag written; walls and goals handed through.
    assert least_bytes((boards, actions), written) == 11 * (4 * 8 + 1 + 2 * 8 + 1)


@pytest.mark.filterwarnings("ignore")
def test_jumanji_has_the_codes_of_its_own_drawings() -> None:
    pytest.importorskip("jumanji", exc_type=ImportError)
    board = LEVELS[0]
    fixed, variable, player = peers.jumanji_grids([board])
    assert (fixed == 1).sum() == len(board.walls)
    assert (variable == 4).sum() == 4
    assert variable[0][tuple(player[0])] == 3


@pytest.mark.filterwarnings("ignore")  # what JAX warns about is not ours to mend
def test_jumanji_plays_the_same_games() -> None:
    pytest.importorskip("jumanji", exc_type=ImportError)
    jumanji = peers.Jumanji()
    actions = np.random.default_rng(1).integers(0, 4, (16, len(LEVELS)))
    boards, _ = simulator.play(bitboards, bitboards.pack(LEVELS), torch.from_numpy(actions))
    expected = boxes_and_player(boards)
    for peer in jumanji.in_one_scan(LEVELS, actions):
        state, _ = cast(tuple[Any, Any], peer.call())
        grid = torch.from_numpy(np.array(state.variable_grid))[:, 1:-1, 1:-1]
        assert torch.equal(torch.stack([grid == 4, grid == 3], dim=1), expected), peer.name
