"""The post's methods as they stand in the benchmarks: right, and about the same games as ours."""

import random
from dataclasses import replace

import pytest
import torch

from benchmarks import beam, cpu_stepped, posted, rollouts
from benchmarks.random_boards import KINDS, random_board
from tokoban.decoding import gumbel_noise
from tokoban.sokoban.board import Direction
from tokoban.sokoban.formats.xsb import parse_board
from tokoban.sokoban.puzzles.random_levels import sample_one_box
from tokoban.sokoban.simulation import bitboards, tensor_boards
from tokoban.sokoban.simulation.bitboards import Bitboards
from tokoban.sokoban.simulation.tensor_boards import Plane
from tokoban.systems.sokoban_policy.config import tiny
from tokoban.systems.sokoban_policy.model import SokobanPolicy
from tokoban.systems.sokoban_policy.train import build_model

NUM_GAMES, WIDTH = 7, 5


def step_loops() -> list[cpu_stepped.StepAll]:
    return [cpu_stepped.step_all, cpu_stepped.compiled_step_all()]


@pytest.fixture(scope="module")
def model() -> SokobanPolicy:
    """The smallest network, with random weights, for games of 9 moves."""
    torch.manual_seed(1)
    return build_model(replace(tiny(), max_positions=11)).eval()


@pytest.fixture(scope="module")
def levels() -> Bitboards:
    return sample_one_box(NUM_GAMES, generator=torch.Generator().manual_seed(2))


@pytest.mark.parametrize("is_bordered", [True, False])
def test_its_step_is_our_step_at_open_edges_too(is_bordered: bool) -> None:
    chance, draw = random.Random(3), torch.Generator().manual_seed(3)
    kind = KINDS["crowded"]
    boards = tensor_boards.from_boards(
        [random_board(chance, 5, 7, kind=kind, is_bordered=is_bordered) for _ in range(97)]
    )
    for _ in range(20):
        actions = torch.randint(4, (97,), generator=draw)
        after = posted.advance_boards(tensor_boards.planes(boards), actions)
        boards = tensor_boards.step(boards, actions)
        assert torch.equal(after, tensor_boards.planes(boards))


@pytest.mark.parametrize("step", step_loops())
def test_the_hosts_step_is_our_step(step: cpu_stepped.StepAll) -> None:
    chance, draw = random.Random(3), torch.Generator().manual_seed(3)
    boards = bitboards.pack(
        [random_board(chance, 6, 6, kind=KINDS["crowded"], is_bordered=True) for _ in range(31)]
    )
    on_host = cpu_stepped.HostBoards(boards, step)
    for _ in range(40):
        actions = torch.randint(4, (31,), generator=draw)
        on_host.advance(actions.numpy())
        boards = bitboards.step(boards, actions)
        assert torch.equal(on_host.planes(), bitboards.planes(boards).bool())
        assert torch.equal(on_host.legal_moves(), bitboards.is_legal(boards))
        assert on_host.is_solved().tolist() == bitboards.is_solved(boards).tolist()


def test_a_game_ends_at_its_first_solved_board(model: SokobanPolicy) -> None:
    # In the first the second push takes the box from the goal again; the other is never solved.
    rows = ("-#@$.-#-", "-#.@$-#-")
    drawings = ["|".join(["-" * 8, "-######-", row, "-######-", *["-" * 8] * 4]) for row in rows]
    levels = bitboards.pack([parse_board(drawing) for drawing in drawings])
    noise = torch.zeros(model.max_positions - 2, 2, 5)
    noise[..., Direction.RIGHT] = 1e6
    played = posted.rollouts(model, levels, noise).actions
    assert played[0].tolist() == [Direction.RIGHT] + [-1] * (len(noise) - 1)
    assert (played[1] >= 0).all()
    assert torch.equal(rollouts.play_eagerly(model, levels, noise).actions, played)
    for loop in step_loops():
        assert torch.equal(cpu_stepped.rollouts(model, levels, noise, loop), played)


def test_a_walled_in_player_has_no_move_in_any_method(model: SokobanPolicy) -> None:
    drawing = "|".join(["-" * 8, "-######-", "-#@#$.#-", "-######-", *["-" * 8] * 4])
    levels = bitboards.pack([parse_board(drawing.replace("--------", "########"))])
    noise = torch.zeros(model.max_positions - 2, 1, 5)
    played = posted.rollouts(model, levels, noise).actions
    assert (played == -1).all()
    assert torch.equal(rollouts.play_eagerly(model, levels, noise).actions, played)
    for loop in step_loops():
        assert torch.equal(cpu_stepped.rollouts(model, levels, noise, loop), played)


@pytest.mark.parametrize("is_greedy", [True, False])
def test_same_weights_and_noise_are_the_same_games_by_all_methods(
    model: SokobanPolicy, levels: Bitboards, is_greedy: bool
) -> None:
    num_moves = model.max_positions - 2
    noise = gumbel_noise(
        num_moves, NUM_GAMES, 5, generator=torch.Generator().manual_seed(5), device="cpu"
    ) * (0.0 if is_greedy else 1.0)
    played = posted.rollouts(model, levels, None if is_greedy else noise)
    rollouts.check_boards(levels, played)
    assert (played.actions[:, -1] >= 0).any()
    ours = [
        rollouts.play_eagerly(model, levels, noise),
        rollouts.captured(model, NUM_GAMES, compiled=False)(levels, noise),
    ]
    for other in ours:
        assert torch.equal(other.actions, played.actions)
        assert other.last_boards is not None
        assert torch.equal(other.last_boards, played.inputs[:, -1])
    for loop in step_loops():
        theirs = cpu_stepped.rollouts(model, levels, None if is_greedy else noise, loop)
        assert torch.equal(theirs, played.actions)


def test_boards_that_its_actions_do_not_lead_to_are_found_out(
    model: SokobanPolicy, levels: Bitboards
) -> None:
    played = posted.rollouts(model, levels, None)
    inputs = played.inputs.clone()
    inputs[0, 2, Plane.PLAYER] = inputs[0, 1, Plane.PLAYER]
    played = played._replace(inputs=inputs)
    with pytest.raises(RuntimeError, match="wrong after move 1"):
        rollouts.check_boards(levels, played)


def test_another_game_without_a_close_call_is_found_out() -> None:
    actions = torch.tensor([[0, 1], [2, 3]])
    last_boards = torch.zeros(2, 5, 3, 7, dtype=torch.bool)
    baseline = posted.Rollouts(actions, last_boards.unsqueeze(1), torch.tensor([1e-6, 1.0]))
    same = rollouts.Played(actions, last_boards)
    close = same._replace(actions=torch.tensor([[0, 2], [2, 3]]))
    counts = rollouts.compared("ours", baseline, close)
    assert counts == {"num_games_differing": 1, "num_close_calls": 1, "num_unexplained": 0}
    moved = last_boards.clone()
    moved[1, 4, 2, 6] = True
    other = same._replace(actions=torch.tensor([[0, 1], [2, 0]]))
    for played in (same._replace(last_boards=moved), other):
        assert rollouts.compared("ours", baseline, played)["num_unexplained"] == 1
    counts = rollouts.compared("ours, bf16", baseline, other)
    assert (counts["num_games_differing"], counts["num_unexplained"]) == (1, 0)


def test_same_weights_are_the_same_plans_by_all_methods(
    model: SokobanPolicy, levels: Bitboards
) -> None:
    found = posted.beam_search(model, levels, width=WIDTH)
    assert 0 < found.is_finished.sum() < NUM_GAMES
    others = [
        beam.search_eagerly(model, WIDTH, levels),
        beam.one_a_call(model, WIDTH, levels),
        *(cpu_stepped.beam_search(model, levels, width=WIDTH, step=loop) for loop in step_loops()),
    ]
    merging = beam.search_eagerly(model, WIDTH, levels, merges=True)
    by_graph = beam.captured(model, WIDTH, NUM_GAMES, compiled=False)(levels)
    for one, other in (*((found, other) for other in others), (merging, by_graph)):
        counts = beam.compared(one, other)
        assert set(counts.values()) == {0}


def test_its_plans_solve_their_levels(model: SokobanPolicy, levels: Bitboards) -> None:
    found = posted.beam_search(model, levels, width=WIDTH)
    boards = levels
    for actions in found.actions.unbind(1):
        boards = bitboards.select(actions >= 0, bitboards.step(boards, actions.clamp(0)), boards)
    assert torch.equal(bitboards.is_solved(boards), found.is_finished)


def test_searches_that_end_otherwise_are_found_out() -> None:
    actions, scores = torch.tensor([[0, 1], [2, 3]]), torch.tensor([-1.0, -2.0])
    found = posted.Beams(actions, scores, torch.tensor([True, True]))
    less = found._replace(is_finished=torch.tensor([True, False]))
    worse = found._replace(scores_nats=torch.tensor([-1.0, -3.0]))
    for other in (less, worse):
        assert beam.compared(found, other)["num_unexplained"] == 1
    tie = found._replace(actions=torch.tensor([[0, 1], [3, 2]]))
    counts = beam.compared(found, tie)
    expected = {"num_searches_differing": 0, "num_plans_differing": 1, "num_unexplained": 0}
    assert counts == expected
