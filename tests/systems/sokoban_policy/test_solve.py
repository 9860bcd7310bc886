"""Plans: of beam search and rollouts, alone and in batches, each one played by the plain rules."""

import pytest
import torch

from tokoban.decoding.sampling import gumbel_noise
from tokoban.sokoban import rules
from tokoban.sokoban.board import UNDO, Direction
from tokoban.sokoban.formats.xsb import parse_board
from tokoban.sokoban.generator import generate
from tokoban.systems.sokoban_policy import solve
from tokoban.systems.sokoban_policy.model import SokobanPolicy

CPU = torch.device("cpu")
BOARDS = [solve.fit(level.board) for level in generate(23, seed=9, solvable_share=0.8)]


def test_plans_solve_their_levels(policy: SokobanPolicy) -> None:
    plans = solve.by_beam(policy, solve.pack(BOARDS, CPU), width=8, max_moves=30)
    solved = [(board, plan) for board, plan in zip(BOARDS, plans, strict=True) if plan is not None]
    assert len(solved) > 1
    for board, plan in solved:
        assert rules.play(board, plan)[-1].is_solved
        assert len(plan) <= policy.max_positions - 2


def test_a_wide_beam_finds_what_is_near(make_policy) -> None:
    """Width 64 holds every different board that a few moves can reach, whatever the policy says."""
    levels = [level for level in generate(41, seed=3) if level.solution is not None]
    near = [level for level in levels if len(level.solution or ()) <= 4]
    assert len(near) > 4
    boards = [solve.fit(level.board) for level in near]
    plans = solve.by_beam(make_policy(), solve.pack(boards, CPU), width=64, max_moves=4)
    lengths = [None if plan is None else len(plan) for plan in plans]
    assert lengths == [len(level.solution or ()) for level in near]


@pytest.mark.parametrize("way", ["beam", "rollout"])
def test_many_levels_in_one_batch_are_solved_as_one_by_one(
    policy: SokobanPolicy, way: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def plans(boards: list) -> list:
        levels = solve.pack(boards, CPU)
        if way == "beam":
            return solve.by_beam(policy, levels, width=5, max_moves=11)
        return solve.by_rollout(policy, levels, max_moves=11)

    together = plans(BOARDS)
    assert together == [plans([board])[0] for board in BOARDS]
    monkeypatch.setattr(solve, "MAX_ROWS", 15)
    assert plans(BOARDS) == together


def test_noise_drawn_in_advance_gives_the_same_rollouts_again(policy: SokobanPolicy) -> None:
    def noise(max_steps: int, num_rows: int) -> torch.Tensor:
        generator = torch.Generator().manual_seed(6)
        return gumbel_noise(max_steps, num_rows, 5, generator=generator, device=CPU)

    levels = solve.pack([parse_board("#######|#@ $. #|#######")] * 29, CPU)
    first = solve.by_rollout(policy, levels, max_moves=5, noise=noise)
    assert first == solve.by_rollout(policy, levels, max_moves=5, noise=noise)
    assert {(3, 3), None} <= set(first)  # one level, and noise of its own for each row


def test_a_solved_level_needs_no_move_and_does_not_stop_the_others(policy: SokobanPolicy) -> None:
    solved, near = parse_board("#####|#@ *#|#####"), parse_board("#####|#@$.#|#####")
    levels = solve.pack([solved, near, solved], CPU)
    right = (Direction.RIGHT,)
    assert solve.by_beam(policy, levels, width=2, max_moves=3) == [(), right, ()]
    assert solve.by_beam(policy, solve.pack([solved], CPU), width=2, max_moves=3) == [()]


def test_a_walled_in_player_is_not_solved(policy: SokobanPolicy) -> None:
    walled_in = parse_board("#######|#@#   #|### $.#|#######")
    levels = solve.pack([walled_in], CPU)
    assert solve.by_beam(policy, levels, width=4, max_moves=5) == [None]
    assert solve.by_rollout(policy, levels, max_moves=5) == [None]


def test_a_plan_the_rules_refuse_is_never_returned() -> None:
    levels = solve.pack([parse_board("#######|#@ $ .#|#######")], CPU)
    with pytest.raises(RuntimeError, match="does not solve its level"):
        list(solve._checked(levels, [[Direction.RIGHT, Direction.RIGHT]], [False]))


def test_undone_moves_and_bumps_are_left_out_of_a_plan() -> None:
    board = parse_board("######|#@   #|# $ .#|######")
    actions = [3, 0, UNDO, 2, UNDO, UNDO, UNDO, 3, 3, 2]
    assert solve.without_undone(board, actions) == (3, 3, 2)


def test_no_moves_at_all_are_refused(policy: SokobanPolicy) -> None:
    with pytest.raises(ValueError, match="the most moves are 0; expected at least 1"):
        solve.by_beam(policy, solve.pack(BOARDS, CPU), width=2, max_moves=0)


@pytest.mark.parametrize(
    ("drawing", "message"),
    [
        ("########|#@$$.. #|########", "2 boxes and 2 goals; the policy knows 1 of each"),
        ("##########|#@ $    .#|##########", "interior 1x8 does not fit one 64-bit plane (6x6)"),
    ],
)
def test_levels_that_do_not_fit_are_refused(drawing: str, message: str) -> None:
    with pytest.raises(ValueError) as caught:
        solve.fit(parse_board(drawing))
    assert str(caught.value) == message


def test_a_small_level_in_a_large_drawing_fits_wherever_it_is_drawn() -> None:
    small = parse_board("#####|#@$.#|#####")
    large = parse_board("||        #####|        #@$.#     *|        #####|")
    packed = solve.pack([solve.fit(small), solve.fit(large)], CPU)
    for word in packed:
        assert word[0] == word[1]


def test_a_solved_level_is_judged_without_asking(policy: SokobanPolicy) -> None:
    levels = solve.pack([parse_board("#####|#@ *#|#####")], CPU)
    assert solve.judge(policy, levels) == [solve.Judgement(0.0, 0.0, "0")]


def test_judgements_are_a_probability_and_moves(policy: SokobanPolicy) -> None:
    for judgement in solve.judge(policy, solve.pack(BOARDS, CPU)):
        assert 0.0 < judgement.predicted_unsolvable < 1.0
        assert 0.0 < judgement.predicted_steps_left < 148.0
