"""Plays by a lower policy: every plan is replayed, refusals are struck out, levels stay apart."""

import math
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tokoban import cli, pretrained
from tokoban.sokoban import rules
from tokoban.sokoban.board import Board, Square
from tokoban.systems.subgoals import evaluate as evaluate_module
from tokoban.systems.subgoals.config import tiny
from tokoban.systems.subgoals.evaluate import FLAT, LOWER, SubgoalsEvaluation, evaluate
from tokoban.systems.subgoals.model import SubgoalNet
from tokoban.systems.subgoals.play import Game, Moves, Node, command, exactly, play_all
from tokoban.training.spec import Trained

LOST = Board.from_xsb("#######|#@   .#|#$ $ .#|#######")


def test_an_untrained_network_that_may_evaluate_all_solves_what_can_be_solved(
    model: SubgoalNet, boards: list[Board]
) -> None:
    boards = [board for board in boards if len(board.boxes) == 2]
    *games, lost = play_all(model, [*boards, LOST], exactly, most_evaluated=10**6)
    assert lost.moves is None
    for board, game in zip(boards, games, strict=True):
        assert game.moves is not None
        assert rules.play(board, game.moves)[-1].is_solved


def test_equally_likely_subgoals_come_first_where_fewer_pushes_are_left() -> None:
    board = Board.from_xsb("########|#. $@$.#|########")
    game = Game(board)
    start = Node(0.0, 0, 0.0, 0, board, (), None)
    nearer = start._replace(board=replace(board, player=Square(1, 2)), depth=1)
    number = game.tokens.squares.number
    subgoals = np.full((len(number), len(number)), -np.inf, np.float32)
    subgoals[number[Square(1, 5)], number[Square(1, 6)]] = -1.0
    game.expand(start, subgoals, 9)
    game.expand(nearer, subgoals, 1)
    assert [node.board for node in sorted(game.waiting)] == [nearer.board, start.board]


@pytest.mark.parametrize("is_greedy", [True, False])
def test_levels_side_by_side_are_played_as_each_alone(
    model: SubgoalNet, boards: list[Board], is_greedy: bool
) -> None:
    together = play_all(model, boards, exactly, most_evaluated=9, is_greedy=is_greedy)
    assert len({game.num_evaluated for game in together}) > 1
    for board, game in zip(boards, together, strict=True):
        [alone] = play_all(model, [board], exactly, most_evaluated=9, is_greedy=is_greedy)
        for name in ("moves", "num_evaluated", "num_commands"):
            assert getattr(alone, name) == getattr(game, name)


def test_a_lower_policy_that_refuses_is_asked_for_the_next_best(model: SubgoalNet) -> None:
    board = Board.from_xsb("#######|#.$@$.#|#######")
    asked: list[Board] = []

    def only_left(boards: Sequence[Board]) -> list[Moves | None]:
        asked.extend(boards)
        is_left = [min(each.boxes).column < 3 for each in boards]
        return [can if left else None for can, left in zip(exactly(boards), is_left, strict=True)]

    [game] = play_all(model, [board], only_left, most_evaluated=99, is_greedy=True)
    assert game.moves is None and game.num_evaluated == 2 and game.num_refused > 1
    assert game.num_commands == len(asked)
    seen = command(board, (min(board.boxes), min(board.goals)))
    assert str(seen) == "#######\n#.$@# #\n#######" and seen in asked


def test_a_lower_policy_that_does_something_else_is_found_out(
    model: SubgoalNet, boards: list[Board]
) -> None:
    with pytest.raises(RuntimeError, match="the lower policy did not do"):
        play_all(model, boards, lambda asked: [()] * len(asked), most_evaluated=9)


def test_the_shipped_policy_of_one_box_carries_out_most_that_an_exact_search_can(
    boards: list[Board],
) -> None:
    lower = pretrained.players([LOWER])[LOWER]
    commands = [
        command(board, (box, goal))
        for board in boards
        for box in board.boxes
        for goal in board.goals - board.boxes
    ]
    wanted, found = exactly(commands), lower(commands, None)
    num_done, num_can = (sum(moves is not None for moves in each) for each in (found, wanted))
    assert 0.9 * num_can <= num_done <= num_can < len(commands)
    for board, moves in zip(commands, found, strict=True):
        assert moves is None or rules.play(board, moves)[-1].is_solved


@pytest.mark.usefixtures("small_drawings")
def test_the_command_trains_from_a_push_policy_and_evaluates(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    train = ["--steps", "1", "--device", "cpu", "--output"]
    assert cli.main(["train", "push", "--preset", "tiny", *train, f"{tmp_path}/push"]) == 0
    grown = ["train", "subgoals", "--preset", "tiny", "--start-from", f"{tmp_path}/push"]
    assert cli.main([*grown, *train, f"{tmp_path}/grown"]) == 0
    weights = ["--weights", f"{tmp_path}/grown", "--device", "cpu", "--levels", "3"]
    capfd.readouterr()
    assert cli.main(["evaluate", "subgoals", *weights, "--most-evaluated", "2"]) == 0
    printed = capfd.readouterr().out
    for name in ("2_greedy", "3_by_search", "4_flat_greedy", "4_one_at_a_time"):
        assert f"boxes_{name}" in printed


def test_a_number_of_boxes_of_which_there_is_no_level_has_no_shares(
    model: SubgoalNet, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(evaluate_module, "held_out", lambda config: [LOST])
    players = {name: lambda boards, _: [None for _ in boards] for name in (LOWER, FLAT)}
    trained = Trained(model, tiny(), Path("x"), players=players)
    found = evaluate(trained, SubgoalsEvaluation(most_evaluated=1))
    assert [found[f"boxes_{count}_levels"] for count in (2, 3, 4)] == [1, 0, 0]
    assert math.isnan(found["boxes_4_safe_auc"]) and math.isnan(found["boxes_4_greedy"])
