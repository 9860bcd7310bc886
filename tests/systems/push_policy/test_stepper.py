"""Games of pushes as rows: legal by the reference rules, and keys that tell positions apart."""

import numpy as np
import pytest
import torch

import tokoban
from tokoban.decoding.beam import beam_search
from tokoban.decoding.sampling import sample
from tokoban.decoding.stepper import MergingStepper
from tokoban.sokoban.board import OFFSETS, Board, Direction
from tokoban.sokoban.search.level.ground import Squares, build_ground
from tokoban.sokoban.search.searches.guided.guide import UniformGuide
from tokoban.systems.push_policy import config
from tokoban.systems.push_policy.guide import NetworkGuide
from tokoban.systems.push_policy.stepper import PushStepper
from tokoban.systems.push_policy.train import build_model

BOARD = Board.from_xsb("########|#  .  ##|#@$ $  #|#  #.  #|###    #|########")


def stepper(width: int, *, is_network: bool = False) -> PushStepper:
    squares = Squares(BOARD)
    if not is_network:
        return PushStepper(UniformGuide(squares.neighbours), squares, BOARD, width=width)
    torch.manual_seed(5)
    guide = NetworkGuide(build_model(config.tiny()).eval(), squares, build_ground(BOARD, squares))
    return PushStepper(guide, squares, BOARD, width=width)


def legal_by_the_rules(board: Board) -> set[int]:
    """The actions whose box has the player's area behind it and a free square ahead."""
    squares, area = Squares(board), board.area()
    return {
        squares.number[box] * len(OFFSETS) + direction
        for box in board.boxes
        for direction in Direction
        if box.neighbour(direction.opposite) in area and board.is_free(box.neighbour(direction))
    }


def test_legal_actions_and_successor_keys_follow_the_rules() -> None:
    games = stepper(3)
    assert isinstance(games, MergingStepper)
    rng = np.random.default_rng(0)
    for _ in range(20):
        boards = games.boards()
        log_probs, after = games.log_probs(), games.successor_keys()
        legal = [set(row.isfinite().nonzero()[:, 0].tolist()) for row in log_probs]
        assert legal == [legal_by_the_rules(board) for board in boards]
        actions = torch.tensor([rng.choice(sorted(of_row)) if of_row else 0 for of_row in legal])
        parents = torch.tensor([2, 0, 1])
        games.advance(parents, actions[parents])
        expected = after.gather(1, actions[:, None])[parents, 0]
        is_pushed = torch.tensor([bool(legal[parent]) for parent in parents])
        assert (games.keys() == expected)[is_pushed].all()
    # Equal keys exactly where boxes and areas are equal.
    positions = [(board.boxes, board.area()) for board in games.boards()]
    keys = games.keys().tolist()
    for one in range(3):
        for other in range(3):
            assert (keys[one] == keys[other]) == (positions[one] == positions[other])


@pytest.mark.parametrize("is_network", [False, True])
def test_beam_of_one_is_greedy_play(is_network: bool) -> None:
    num_steps = 4  # a dead end comes later, which leaves an empty beam
    games = stepper(1, is_network=is_network)
    beams = beam_search(games, num_searches=1, width=1, max_steps=num_steps)
    games = stepper(1, is_network=is_network)
    played = sample(games, num_rows=1, max_steps=num_steps)
    assert beams.actions[0].tolist() == played.actions.tolist()


def test_a_beam_that_cuts_nothing_finds_the_fewest_pushes() -> None:
    games = stepper(200)
    beams = beam_search(
        games,
        num_searches=1,
        width=200,
        max_steps=30,
        merge_equal=True,
        skip_visited=True,
        stop_at_first=True,
    )
    answer = tokoban.solve(BOARD, minimise="pushes")
    assert answer.solution is not None
    assert bool(beams.is_finished[0, 0])
    assert int(beams.lengths[0, 0]) == answer.solution.num_pushes


def test_key_tells_on_which_side_of_the_boxes_the_player_is() -> None:
    """But not on which square of that side."""
    keys = []
    for rows in ("#######|#@ $ .#|#######", "#######|# @$ .#|#######", "#######|#  $@.#|#######"):
        board = Board.from_xsb(rows)
        squares = Squares(board)
        games = PushStepper(UniformGuide(squares.neighbours), squares, board, width=1)
        keys.append(int(games.keys()))
    assert keys[0] == keys[1] != keys[2]
