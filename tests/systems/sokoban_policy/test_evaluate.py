"""The table's counts: by hand on a policy that is told what to say, and shared among processes."""

from pathlib import Path
from typing import Any

import pytest
import torch

from tokoban.sokoban.board import Direction
from tokoban.sokoban.formats.xsb import parse_board
from tokoban.sokoban.puzzles.random_levels import GeneratedLevel, generate
from tokoban.sokoban.simulation.bitboards import Bitboards
from tokoban.systems.sokoban_policy import evaluate
from tokoban.systems.sokoban_policy.config import tiny
from tokoban.systems.sokoban_policy.model import PolicyOutput, SokobanPolicy
from tokoban.systems.sokoban_policy.solve import Play
from tokoban.training.spec import Trained

RIGHT = Direction.RIGHT
LEVELS = [
    GeneratedLevel(parse_board("########|#@$   .#|########"), (RIGHT,) * 4),
    GeneratedLevel(parse_board("########|#.@$   #|########"), None),
]


@pytest.fixture
def always_right(make_policy, fake_output) -> SokobanPolicy:
    """Says "right, or else left", and "4 to 11 moves, or else 1 to 3" of every board."""

    def of_boards(boards: Bitboards) -> PolicyOutput:
        actions = torch.tensor([0.0, 2.0, 0.0, 3.0, 1.0]).expand(len(boards.boxes), 5)
        bins = torch.tensor([0.0, 2.0, 3.0, 0, 0, 0, 0]).expand(len(boards.boxes), 7)
        return PolicyOutput(actions, bins)

    fake_output(of_boards)
    return make_policy()


def test_every_count_of_two_levels_is_the_one_counted_by_hand(always_right: SokobanPolicy) -> None:
    metrics = evaluate.metrics_of(always_right, LEVELS, Play(width=2))
    expected = {
        "levels": 2,
        "solvable_levels": 1,
        "solvability_accuracy": 1 / 2,  # it calls neither unsolvable
        "top1_policy": 1.0,
        "top2_policy": 1.0,
        "top1_optimal_set": 1.0,
        "top1_steps_left": 1 / 6,  # 4 moves to go, of 4, 3, 2, 1, 0 and unsolvable
        "top2_steps_left": 4 / 6,
        "beam_solve_rate": 1.0,
        "greedy_solve_rate": 1.0,
        "beam_optimal_share": 1.0,
        "beam_mean_moves": 4.0,
        "beam_mean_excess": 0.0,
        "optimal_mean_moves": 4.0,
    }
    assert {name: metrics[name] for name in expected} == pytest.approx(expected)


def test_a_detour_counts_as_excess_and_a_wrong_solution_as_a_miss(
    always_right: SokobanPolicy, monkeypatch: pytest.MonkeyPatch
) -> None:
    detour = (Direction.LEFT, RIGHT, RIGHT, RIGHT, RIGHT, RIGHT)
    monkeypatch.setattr(evaluate.solve, "by_beam", lambda *_, **__: [detour])
    monkeypatch.setattr(evaluate.solve, "by_rollout", lambda *_, **__: [None])
    metrics = evaluate.metrics_of(always_right, LEVELS, Play(width=2))
    assert metrics["beam_solve_rate"] == 1.0
    assert metrics["beam_optimal_share"] == 0.0
    assert metrics["beam_mean_excess"] == 2.0
    assert metrics["greedy_solve_rate"] == 0.0


def test_shares_of_two_processes_add_up_to_the_figures_of_one(
    policy: SokobanPolicy, monkeypatch: pytest.MonkeyPatch
) -> None:
    levels = list(generate(22, seed=1))
    alone = evaluate.metrics_of(policy, levels, Play(width=2))
    counted: list[dict[str, float]] = []

    def collect(counts: dict[str, float]) -> dict[str, float]:
        counted.append(dict(counts))
        if len(counted) < 2:
            return dict(counts)
        return {name: counted[0][name] + counted[1][name] for name in counts}

    monkeypatch.setattr(evaluate.processes, "world_size", lambda: 2)
    monkeypatch.setattr(evaluate.processes, "sum_over_processes", collect)
    for rank in (0, 1):
        monkeypatch.setattr(evaluate.processes, "rank", lambda rank=rank: rank)
        together = evaluate.metrics_of(policy, levels, Play(width=2))
    assert together == pytest.approx(alone, nan_ok=True)


def _measured(policy: SokobanPolicy, **options: Any) -> dict[str, float]:
    options = {"beam": 2} | options
    asked = evaluate.SokobanEvaluation(**options)
    return evaluate.evaluate(Trained(policy, tiny(), Path("x")), asked)


def test_levels_that_are_invalid_or_do_not_fit_are_named_and_the_others_measured(
    policy: SokobanPolicy, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "levels.xsb"
    path.write_text(
        "####\n#@ #\n####\n\n#####\n#@$.#\n#####\n\n########\n#@$$.. #\n########\n\n"
        "########\n#@  #$.#\n########\n"  # lost, for nothing can move the box
    )
    metrics = _measured(policy, levels=path)
    assert (metrics["levels"], metrics["solvable_levels"], metrics["invalid_levels"]) == (2, 1, 2)
    assert capsys.readouterr().err.splitlines() == [
        f'{path}:1: level 1 "": no box',
        f'{path}:9: level 3 "": 2 boxes and 2 goals; the policy knows 1 of each',
    ]


@pytest.mark.parametrize(
    ("wish", "message"),
    [
        ({"levels": Path("x"), "generated": 2}, "give --levels or --generated, not both"),
        ({"seed": 7}, "--seed is for levels that --generated asks for"),
        ({"seed": 7, "levels": Path("x")}, "--seed is for levels that --generated asks for"),
    ],
)
def test_what_cannot_be_measured_is_refused(
    policy: SokobanPolicy, wish: dict[str, Any], message: str
) -> None:
    with pytest.raises(ValueError) as caught:
        _measured(policy, **wish)
    assert str(caught.value) == message
