"""Whole games in one call: each is the rules of one word, move after move."""

import random
from itertools import product

import numpy as np
import pytest
import torch

from benchmarks import games
from benchmarks.games import NEVER
from benchmarks.random_boards import KINDS, Kind, random_board
from tokoban.sokoban.simulation import bitboards
from tokoban.sokoban.simulation.bitboards import Bitboards


def random_boards(num_boards: int) -> Bitboards:
    """Open boards with many boxes and, so that some games are solved, small ones with one."""
    chance = random.Random(43)
    one_box = Kind(borders=(False,), max_box_share=0.0)
    boards = [
        random_board(chance, *shape, kind=kind, is_bordered=False)
        for shapes, kinds in (
            (((8, 8), (3, 7), (8, 2)), KINDS.values()),
            (((3, 3), (2, 5), (4, 3)), [one_box] * 9),
        )
        for shape, kind in product(shapes, kinds)
    ]
    return bitboards.pack(boards).at(torch.arange(num_boards) % len(boards))


def stepped(boards: Bitboards, actions: np.ndarray) -> games.Played:
    """The same games by ``bitboards.step``."""
    solved_after = torch.where(bitboards.is_solved(boards), 0, NEVER)
    for number, row in enumerate(actions, 1):
        boards = bitboards.step(boards, torch.from_numpy(row))
        is_first = bitboards.is_solved(boards) & (solved_after == NEVER)
        solved_after[is_first] = number
    return games.Played(boards, solved_after)


def assert_same(played: games.Played, expected: games.Played) -> None:
    for word, expected_word in zip(played.boards, expected.boards, strict=True):
        assert torch.equal(word, expected_word)
    assert torch.equal(played.solved_after, expected.solved_after)


# Games are played in blocks: fewer than one, one and a little, several.
@pytest.mark.parametrize("num_games", [0, 1, 7, 257, 1031])
def test_a_game_is_its_steps(num_games: int) -> None:
    boards = random_boards(num_games)
    actions = np.random.default_rng(num_games).integers(0, 4, (53, num_games), dtype=np.int8)
    expected = stepped(boards, actions)
    assert_same(games.play(boards, actions), expected)
    assert_same(games.play(boards, torch.from_numpy(actions)), expected)
    if num_games > 256:
        assert len(expected.solved_after.unique()) > 5
        assert (expected.boards.boxes != boards.boxes).any()


def test_random_games_are_games_of_random_actions() -> None:
    boards = random_boards(523)
    actions = games.random_actions(523, 71, seed=5)
    played = games.play_random(boards, 71, seed=5)
    assert_same(played, games.play(boards, actions))
