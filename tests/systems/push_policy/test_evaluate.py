"""The evaluation: its positions against the solver, its searches against single ones, its sums."""

import math
from pathlib import Path

import numpy as np
import pytest

from tokoban.sokoban.board import Board
from tokoban.sokoban.deadlocks import dead_squares, frozen_boxes
from tokoban.sokoban.formats.packed import PackedLevels
from tokoban.sokoban.search.combine.solver import solve
from tokoban.sokoban.search.level.ground import Squares, build_ground
from tokoban.sokoban.search.pauses import Budget, underway
from tokoban.sokoban.search.searches.guided.search import GuidedOptions, GuidedSearch
from tokoban.systems.push_policy.config import PushPolicyConfig, tiny
from tokoban.systems.push_policy.dataset import random_levels
from tokoban.systems.push_policy.evaluate import (
    PushEvaluation,
    evaluate,
    metrics_of,
)
from tokoban.systems.push_policy.guide import NetworkGuide, as_judge
from tokoban.systems.push_policy.held_out import (
    UNKNOWN,
    boards_of,
    label_boards,
    recall_at_precision,
)
from tokoban.systems.push_policy.lockstep import play_all
from tokoban.systems.push_policy.model import PushNet
from tokoban.systems.push_policy.positions import BOXES, FLOOR, GOALS, ZONE
from tokoban.systems.push_policy.results import DEADLOCK_CLASS
from tokoban.training.spec import Trained

LARGE = Board.from_xsb("############|#@$      . #|############")


@pytest.fixture(scope="module")
def levels() -> list[Board]:
    """Random ones of two boxes, some without solution, and one that does not fit 8x8."""
    shard = random_levels(seed=5, number=0)
    is_solvable = shard.level_verdict == 1
    chosen = np.concatenate([np.flatnonzero(is_solvable)[:16], np.flatnonzero(~is_solvable)[:4]])
    packed = PackedLevels.of(
        shard.level_walls[chosen],
        shard.level_goals[chosen],
        shard.level_boxes[chosen],
        shard.level_player[chosen],
    )
    return [*(packed.board(number) for number in range(len(chosen))), LARGE]


def test_recall_at_precision_is_that_of_the_lowest_precise_threshold() -> None:
    """By scores .9 + .8 + .7 - .6 + .5 +: precisions 1, 1, 1, .75, .8, recalls .25 to 1."""
    scores = np.array([0.9, 0.6, 0.7, 0.5, 0.8], np.float32)
    is_positive = np.array([True, False, True, True, True])
    assert recall_at_precision(scores, is_positive, 0.999) == 0.75
    assert recall_at_precision(scores, is_positive, 0.8) == 1.0
    assert recall_at_precision(scores, ~is_positive, 0.5) == 0.0
    assert math.isnan(recall_at_precision(scores, np.zeros(5, np.bool_), 0.5))
    weights = np.array([1.0, 0.0, 1.0, 2.0, 1.0])  # without the false one
    assert recall_at_precision(scores, is_positive, 0.999, weights) == 1.0


def test_equal_scores_are_on_one_side_of_every_threshold() -> None:
    scores, is_positive = np.full(4, 0.5, np.float32), np.array([True, True, True, False])
    assert recall_at_precision(scores, is_positive, 0.9) == 0.0
    assert recall_at_precision(scores, is_positive, 0.75) == 1.0


def test_the_fewest_pushes_are_the_solvers(levels: list[Board]) -> None:
    _, optima = label_boards(levels, num_states=8, seed=0)
    assert optima[-1] == UNKNOWN
    for board, fewest in zip(levels[:-1], optima.tolist(), strict=False):
        answer = solve(board, minimise="pushes")
        expected = UNKNOWN if answer.solution is None else answer.solution.num_pushes
        assert fewest == (UNKNOWN if board.is_solved else expected)
    assert len(set(optima.tolist())) > 3 and UNKNOWN in optima[:-1]


def test_positions_become_boards_that_need_the_pushes_of_their_labels(levels: list[Board]) -> None:
    labelled, _ = label_boards(levels, num_states=2, seed=0)
    for board, bound, pushes_class in zip(
        boards_of(labelled.words), labelled.bound, labelled.classes, strict=True
    ):
        answer = solve(board, minimise="pushes")
        found = answer.solution and answer.solution.num_pushes
        assert found == (None if pushes_class == DEADLOCK_CLASS else bound + 2 * pushes_class)


def test_no_deadlock_is_missed_where_a_search_solves_all_else(
    levels: list[Board], random_net: PushNet
) -> None:
    """Judgements that know nothing, and searches without end: the recall is 0, then 1."""
    found = metrics_of(random_net, levels, PushEvaluation(most_evaluated=1, refute=10**6))
    assert found["hidden_deadlocks"] > 0
    assert found["lost_recall_at_precision_0999"] < 0.5
    assert found["lost_recall_at_precision_0999_with_search"] == 1


def test_detected_deadlocks_are_deadlocked_and_contain_the_reference_rules(
    levels: list[Board],
) -> None:
    """The compiled rules find no less than the plain ones, and nothing that can be solved."""
    labelled, _ = label_boards(levels, num_states=32, seed=0)
    assert not (labelled.is_detected & ~labelled.is_deadlocked).any()
    found = 0
    for words, is_detected in zip(labelled.words, labelled.is_detected, strict=True):
        floor, goals, boxes, zone = (
            {(cell // 8 + 1, cell % 8 + 1) for cell in range(64) if int(words[kind]) >> cell & 1}
            for kind in (FLOOR, GOALS, BOXES, ZONE)
        )
        tiles = {square: "." if square in goals else " " for square in floor}
        tiles |= {square: "*" if square in goals else "$" for square in boxes}
        player = min(zone)
        tiles[player] = "+" if player in goals else "@"
        rows = ["".join(tiles.get((row, column), "#") for column in range(10)) for row in range(10)]
        board = Board.from_xsb("|".join(rows))
        is_plain = bool(board.boxes & dead_squares(board))
        is_plain |= not frozen_boxes(board) <= board.goals
        assert is_detected or not is_plain
        found += is_plain
    assert 10 < found < len(labelled.words)


@pytest.mark.parametrize("order", ["phs", "levin", "greedy"])
def test_levels_side_by_side_are_searched_as_each_alone(
    levels: list[Board], random_net: PushNet, order: str
) -> None:
    options = GuidedOptions(order=order)
    together = play_all(as_judge(random_net), levels, options, max_evaluated=60)
    assert {game.solution is None for game in together} == {True, False}
    for board, game in zip(levels, together, strict=True):
        squares = Squares(board)
        guide = NetworkGuide(as_judge(random_net), squares, build_ground(board, squares))
        search = GuidedSearch(board, squares, guide, options, max_evaluated=60)
        alone = underway(search)
        while (found := alone.go_on(Budget(1))) is None and not search.is_at_limit:
            pass
        moves = () if game.solution is None else game.solution.directions
        assert moves == (() if found is None else found.directions)
        assert game.num_evaluated == search.num_evaluated


def test_metrics_agree_with_one_another(levels: list[Board], random_net: PushNet) -> None:
    found = metrics_of(random_net, levels, PushEvaluation(most_evaluated=100, states=16))
    shares = [found[f"solved_at_{budget}"] for budget in (10, 30, 100)]
    assert shares == sorted(shares) and "solved_at_300" not in found
    for name, value in found.items():
        if f"{name}_low" in found and not math.isnan(value):
            assert found[f"{name}_low"] <= value <= found[f"{name}_high"], name
    assert 0 < found["mean_evaluated"] <= 100
    assert found["levels"] == len(levels)
    assert found["hidden_deadlocks"] > 0
    assert 0 <= found["optimal_share"] <= 1
    counts = {name for name, value in found.items() if isinstance(value, int)}
    assert counts == {"levels", "positions", "hidden_deadlocks"}


def test_long_solutions_are_not_counted_where_moves_are_limited(random_net: PushNet) -> None:
    corridors = [
        Board.from_xsb(f"{'#' * (n + 4)}|#@${' ' * (n - 1)}.#|{'#' * (n + 4)}") for n in (120, 121)
    ]
    found = metrics_of(random_net, corridors, PushEvaluation(most_evaluated=1, states=0))
    assert found["greedy_solve_rate"] == 1.0
    assert found["greedy_solve_rate_in_120_moves"] == 0.5
    assert not [name for name in found if "optimal" in name]  # no fewest pushes are known


def test_without_solvable_positions_there_is_no_figure_of_them(random_net: PushNet) -> None:
    lost = Board.from_xsb("########|#@$  .$#|#  .   #|########")
    found = metrics_of(random_net, [lost], PushEvaluation(most_evaluated=1, states=4))
    assert found["positions"] > 0
    for name in ("top1_optimal_set", "pushes_left_mae"):
        assert math.isnan(found[name])


def test_unfit_levels_and_options_are_said_in_a_sentence(
    random_net: PushNet, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    config = tiny()
    trained: Trained[PushPolicyConfig, PushNet] = Trained(random_net, config, Path("w"))
    with pytest.raises(ValueError, match="give --levels FILES"):
        evaluate(trained, PushEvaluation())
    path = tmp_path / "levels.xsb"
    wide = "\n".join(["#" * 35, *["#" + " " * 33 + "#"] * 33, "#@$.#" + "#" * 30, "#" * 5])
    path.write_text(f"; 1\n\n#####\n#@$.#\n#####\n\n; 2\n\n{wide}\n")
    found = evaluate(trained, PushEvaluation(levels=(path,)))
    assert found["levels"] == 1 and found["invalid_levels"] == 1
    assert "1,092 squares to reach; the network reads 1,024" in capsys.readouterr().err
