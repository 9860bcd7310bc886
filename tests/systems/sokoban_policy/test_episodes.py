"""The post's bins by hand, and a game on a device that is the game of the plain rules."""

import math
import random

import pytest
import torch

from tokoban.sokoban import rules
from tokoban.sokoban.formats.xsb import parse_board
from tokoban.sokoban.simulation import bitboards
from tokoban.systems.sokoban_policy.episodes import (
    FIRST_BOARD,
    UNSOLVABLE_BIN,
    Game,
    expected_moves_left,
    goal_boards,
    steps_left_bin,
    unsolvable_probability,
)

ROOM = parse_board("########|#      #|# .$ # #|#   @  #|#  #   #|#      #|########")
CORRIDOR = parse_board("#######|#  $@.#|#######")


@pytest.mark.parametrize(
    ("first", "last", "expected"),
    [
        *((0, 0, 0), (1, 3, 1), (4, 11, 2), (12, 32, 3), (33, 89, 4), (90, 500, 5)),
        (-1, -1, UNSOLVABLE_BIN),
    ],
)
def test_bins_of_moves_to_go_are_the_posts(first: int, last: int, expected: int) -> None:
    distances = torch.tensor([first, last])
    assert steps_left_bin(distances).tolist() == [expected, expected]


def test_moves_left_are_a_mean_of_what_the_bins_stand_for_if_there_is_a_solution() -> None:
    # One to one between "0" and "1 to 3" moves, which stand for 0 and e - 1; and half unsolvable.
    logits = torch.full((7,), -torch.inf)
    logits[0] = logits[1] = 0.0
    logits[UNSOLVABLE_BIN] = math.log(2)
    assert expected_moves_left(logits).item() == pytest.approx((math.e - 1) / 2)
    assert unsolvable_probability(logits).item() == pytest.approx(0.5)


@pytest.mark.parametrize("bin_number", range(UNSOLVABLE_BIN))
def test_what_a_bin_stands_for_lies_in_it(bin_number: int) -> None:
    certain = torch.full((7,), -torch.inf).index_fill(0, torch.tensor([bin_number]), 0.0)
    moves = expected_moves_left(certain).round().int()
    assert steps_left_bin(moves).item() == bin_number


@pytest.mark.parametrize("seed", range(5))
def test_a_game_with_undo_is_the_game_of_the_plain_rules(seed: int) -> None:
    chance = random.Random(seed)
    starts = [ROOM, CORRIDOR, ROOM]
    actions = [[chance.choice((0, 1, 2, 3, 4, 4)) for _ in range(29)] for _ in starts]
    game = Game(bitboards.pack(starts), 2 + 29)
    for step in range(29):
        game.advance(torch.tensor([row[step] for row in actions]))
    packed = game.all_boards()
    for row, (start, played) in enumerate(zip(starts, actions, strict=True)):
        expected = bitboards.pack(rules.play(start, played))
        for word, truth in zip(packed, expected, strict=True):
            assert torch.equal(word[row, FIRST_BOARD:], truth)


def test_the_goal_board_has_its_boxes_on_goals_and_no_player() -> None:
    goals = goal_boards(bitboards.pack([ROOM]))
    assert torch.equal(goals.boxes, goals.goals)
    assert not goals.player.any()


def test_reordered_games_go_on_as_their_parents() -> None:
    starts = bitboards.pack([ROOM, CORRIDOR])
    game, parent = Game(starts, 7), Game(starts, 7)
    for actions in ([1, 0], [0, 3]):
        game.advance(torch.tensor(actions))
        parent.advance(torch.tensor(actions))
    game.reorder(torch.tensor([1, 1]))
    game.advance(torch.tensor([4, 2]))
    parent.advance(torch.tensor([0, 4]))
    for word, other in zip(game.all_boards(), parent.all_boards(), strict=True):
        assert torch.equal(word[0], other[1])
