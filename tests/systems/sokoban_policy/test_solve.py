"""Solutions by beam search and rollouts, alone and in batches, each replayed by the rules."""

from collections.abc import Callable

import pytest
import torch
from torch import Tensor

from tests.crossings import Crossings
from tokoban.sokoban import rules
from tokoban.sokoban.board import UNDO, Direction
from tokoban.sokoban.formats.xsb import parse_board
from tokoban.sokoban.puzzles.random_levels import generate
from tokoban.sokoban.simulation import bitboards
from tokoban.sokoban.simulation.bitboards import Bitboards
from tokoban.systems.sokoban_policy import solve
from tokoban.systems.sokoban_policy.episodes import NUM_BINS
from tokoban.systems.sokoban_policy.fitting import fit
from tokoban.systems.sokoban_policy.model import PolicyOutput, SokobanPolicy

CPU = torch.device("cpu")
BOARDS = [fit(level.board) for level in generate(23, seed=9, solvable_share=0.8)]


def test_solutions_solve_their_levels(policy: SokobanPolicy) -> None:
    solutions = solve.by_beam(policy, solve.pack(BOARDS, CPU), solve.Play(width=8))
    solved = [
        (board, solution)
        for board, solution in zip(BOARDS, solutions, strict=True)
        if solution is not None
    ]
    assert len(solved) > 1
    for board, solution in solved:
        assert rules.play(board, solution)[-1].is_solved
        assert len(solution) <= policy.max_positions - 2


def test_a_wide_beam_finds_what_is_near(make_policy) -> None:
    """Width 64 holds every different board that a few moves can reach, whatever the policy says."""
    levels = [level for level in generate(41, seed=3) if level.solution is not None]
    near = [level for level in levels if len(level.solution or ()) <= 4]
    assert len(near) > 4
    boards = [fit(level.board) for level in near]
    packed = solve.pack(boards, CPU)
    solutions = solve.by_beam(make_policy(max_positions=6), packed, solve.Play(width=64))
    lengths = [None if solution is None else len(solution) for solution in solutions]
    assert lengths == [len(level.solution or ()) for level in near]


Thought = Callable[[Bitboards], Tensor]


@pytest.fixture
def told(make_policy, fake_output) -> Callable[..., SokobanPolicy]:
    """``told(moves, bins)``: a policy that says of a board the logits that two functions give."""

    def make(moves: Thought, bins: Thought) -> SokobanPolicy:
        fake_output(lambda boards: PolicyOutput(moves(boards), bins(boards)))
        return make_policy()

    return make


def always(*logits: float) -> Thought:
    return lambda boards: torch.tensor(logits).expand(len(boards.boxes), -1)


def test_a_search_goes_back_to_no_board_it_has_been_on(told) -> None:
    def back_and_forth(boards: Bitboards) -> Tensor:
        """Left from every second column, right from the others."""
        is_odd = (bitboards.index(boards.player) % 2 == 1).unsqueeze(1)
        left, right = torch.tensor([0, 2.0, 0, 1.0, 0]), torch.tensor([0, 1.0, 0, 2.0, 0])
        return torch.where(is_odd, right, left)

    model = told(back_and_forth, always(*[0.0] * NUM_BINS))
    levels = solve.pack([parse_board("########|#@   $.#|########")], CPU)
    onwards = solve.by_beam(model, levels, solve.Play(width=1))
    assert onwards == [(Direction.RIGHT,) * 4]


@pytest.mark.parametrize("way", ["beam", "rollout"])
def test_many_levels_in_one_batch_are_solved_as_one_by_one(
    policy: SokobanPolicy, way: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def solutions(boards: list) -> list:
        levels = solve.pack(boards, CPU)
        if way == "rollout":
            return solve.by_rollout(policy, levels, solve.Play())
        return solve.by_beam(policy, levels, solve.Play(width=3))

    together = solutions(BOARDS)
    assert together[:7] == [solutions([board])[0] for board in BOARDS[:7]]
    monkeypatch.setattr(solve, "MAX_ROWS", 15)
    assert solutions(BOARDS) == together


def test_captured_rollouts_find_what_plain_ones_do(
    policy: SokobanPolicy, monkeypatch: pytest.MonkeyPatch
) -> None:
    def solutions() -> list[solve.Moves | None]:
        return solve.by_rollout(policy, solve.pack(BOARDS, CPU), solve.Play())

    asked: list[int] = []

    def pays(device: torch.device, num_batches: int) -> bool:
        asked.append(num_batches)
        return True

    monkeypatch.setattr(solve, "MAX_ROWS", 5)
    plain = solutions()
    monkeypatch.setattr(solve, "_pays_to_capture", pays)
    assert solutions() == plain
    assert asked == [5]  # 23 levels, 5 at a time


@pytest.mark.gpu
def test_many_batches_on_a_gpu_are_rolled_out_by_a_graph_to_the_same_solutions(
    policy: SokobanPolicy, monkeypatch: pytest.MonkeyPatch
) -> None:
    def solutions() -> list[solve.Moves | None]:
        return solve.by_rollout(policy.cuda(), levels, solve.Play())

    levels = solve.pack(BOARDS * 2, torch.device("cuda"))
    plain = solutions()
    monkeypatch.setattr(solve, "MAX_ROWS", 5)
    assert solve._pays_to_capture(levels.boxes.device, num_batches=10)
    assert solutions() == plain
    assert any(solution is not None for solution in plain)


@pytest.mark.parametrize("way", ["beam", "rollout"])
def test_a_batch_is_read_from_its_device_at_once_however_many_levels_it_has(
    make_policy, way: str
) -> None:
    policy = make_policy(max_positions=5)

    def reads(num_copies: int) -> list[str]:
        solved, near = parse_board("#####|#@ *#|#####"), parse_board("#####|#@$.#|#####")
        levels = solve.pack([solved, near] * num_copies, CPU)
        with Crossings() as crossings:
            if way == "beam":
                solutions = solve.by_beam(policy, levels, solve.Play(width=2))
            else:
                solutions = solve.by_rollout(policy, levels, solve.Play())
        assert solutions[0] == () and len(solutions) == 2 * num_copies
        return crossings.names

    few, many = reads(1), reads(17)
    assert many == few
    assert 1 <= len(few) <= 4  # which are unsolved, and after each move whether all are over


def test_a_solved_level_needs_no_move_and_does_not_stop_the_others(policy: SokobanPolicy) -> None:
    solved, near = parse_board("#####|#@ *#|#####"), parse_board("#####|#@$.#|#####")
    levels = solve.pack([solved, near, solved], CPU)
    right = (Direction.RIGHT,)
    assert solve.by_beam(policy, levels, solve.Play(width=2)) == [(), right, ()]
    assert solve.by_beam(policy, solve.pack([solved], CPU), solve.Play(width=2)) == [()]


def test_a_solution_the_rules_refuse_is_never_returned() -> None:
    levels = solve.pack([parse_board("#######|#@ $ .#|#######")], CPU)
    with pytest.raises(RuntimeError, match="does not solve its level"):
        list(solve._checked(levels, [[Direction.RIGHT, Direction.RIGHT]], [False]))


def test_undone_moves_and_bumps_are_left_out_of_a_solution() -> None:
    board = parse_board("######|#@   #|# $ .#|######")
    actions = [3, 0, UNDO, 2, UNDO, UNDO, UNDO, 3, 3, 2]
    assert solve.without_undone(board, actions) == (3, 3, 2)


@pytest.mark.parametrize(
    ("drawing", "message"),
    [
        ("########|#@$$.. #|########", "2 boxes and 2 goals; the policy knows 1 of each"),
        ("##########|#@ $    .#|##########", "1x8 squares of floor; the policy knows up to 6x6"),
    ],
)
def test_levels_that_do_not_fit_are_refused(drawing: str, message: str) -> None:
    with pytest.raises(ValueError) as caught:
        fit(parse_board(drawing))
    assert str(caught.value) == message
