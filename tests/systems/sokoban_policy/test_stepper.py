"""The player on the device against the policy asked from the beginning, and the plain rules."""

import pytest
import torch

from tokoban.decoding.stepper import MergingStepper
from tokoban.sokoban import bitboards
from tokoban.sokoban.bitboards import Bitboards
from tokoban.sokoban.formats.xsb import parse_board
from tokoban.sokoban.generator import draw_one_box
from tokoban.sokoban.rules import step
from tokoban.systems.sokoban_policy.model import SokobanPolicy
from tokoban.systems.sokoban_policy.stepper import PolicyStepper


def _levels(num_levels: int) -> Bitboards:
    return draw_one_box(num_levels, generator=torch.Generator().manual_seed(4))


@pytest.mark.parametrize("allow_undo", [True, False])
def test_log_probs_are_those_of_a_fresh_pass_over_the_whole_game(
    policy: SokobanPolicy, allow_undo: bool
) -> None:
    generator = torch.Generator().manual_seed(8)
    stepper = PolicyStepper(policy, _levels(7), allow_undo=allow_undo)
    for _ in range(stepper.max_moves - 1):
        parents = torch.randint(7, (7,), generator=generator)
        actions = torch.randint(5 if allow_undo else 4, (7,), generator=generator)
        stepper.advance(parents, actions)
        with torch.no_grad():
            logits = policy(stepper.game.all_boards()).action_logits[:, -1]
        allowed = stepper.log_probs().isfinite()
        expected = logits.masked_fill(~allowed, -torch.inf).log_softmax(1)
        torch.testing.assert_close(stepper.log_probs(), expected, atol=1e-5, rtol=0)


def test_asking_twice_changes_nothing(policy: SokobanPolicy) -> None:
    stepper = PolicyStepper(policy, _levels(5), allow_undo=True)
    assert isinstance(stepper, MergingStepper)
    assert torch.equal(stepper.log_probs(), stepper.log_probs())
    assert torch.equal(stepper.successor_keys(), stepper.successor_keys())


def test_exactly_the_moves_that_change_the_board_are_allowed(policy: SokobanPolicy) -> None:
    levels = _levels(31)
    allowed = PolicyStepper(policy, levels, allow_undo=False).log_probs().isfinite()
    for row in range(31):
        board = bitboards.to_board(levels, (row,))
        changes = [step(board, direction) != board for direction in range(4)]
        assert allowed[row].tolist() == [*changes, False]


def test_a_walled_in_player_has_no_action_and_no_nan(policy: SokobanPolicy) -> None:
    walled_in = bitboards.pack([parse_board("#######|#@#   #|### $.#|#######")])
    log_probs = PolicyStepper(policy, walled_in, allow_undo=False).log_probs()
    assert log_probs.tolist() == [[-torch.inf] * 5]


def test_keys_of_successors_are_equal_exactly_for_equal_boards(policy: SokobanPolicy) -> None:
    room = bitboards.pack([parse_board("#######|#     #|# .$  #|#   @ #|#     #|#######")] * 2)
    stepper = PolicyStepper(policy, room, allow_undo=True)
    stepper.advance(torch.tensor([0, 1]), torch.tensor([2, 3]))  # one goes down, one right
    down, right = stepper.successor_keys().tolist()
    assert down[3] == right[2]  # down right is right down
    assert down[0] == right[1] == down[4] == right[4]  # back, or undone
    different = {down[0], down[1], down[2], down[3], right[0], right[3]}
    assert len(different) == 6


def test_finished_are_the_solved(policy: SokobanPolicy) -> None:
    levels = bitboards.pack([parse_board("#####|#@$.#|#####"), parse_board("######|# @$.#|######")])
    stepper = PolicyStepper(policy, levels, allow_undo=False)
    assert stepper.advance(torch.tensor([0, 1]), torch.tensor([3, 1])).tolist() == [True, False]


def test_the_last_move_needs_no_further_board(policy: SokobanPolicy) -> None:
    stepper = PolicyStepper(policy, _levels(2), allow_undo=True)
    for _ in range(stepper.max_moves):
        stepper.advance(torch.arange(2), torch.tensor([4, 4]))
    assert stepper.game.position == policy.max_positions - 1
