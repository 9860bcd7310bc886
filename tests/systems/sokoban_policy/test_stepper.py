"""The player on the device against the policy asked from the beginning, and the plain rules."""

import shutil
import subprocess
import sys
from typing import Any

import pytest
import torch

from tests.sokoban.unpacked import to_board
from tokoban.decoding import gumbel_noise, sample
from tokoban.sokoban.formats.xsb import parse_board
from tokoban.sokoban.puzzles.random_levels import sample_one_box
from tokoban.sokoban.rules import step
from tokoban.sokoban.simulation import bitboards
from tokoban.sokoban.simulation.bitboards import Bitboards
from tokoban.systems.sokoban_policy.model import SokobanPolicy
from tokoban.systems.sokoban_policy.stepper import PolicyStepper


def _levels(num_levels: int) -> Bitboards:
    return sample_one_box(num_levels, generator=torch.Generator().manual_seed(4))


@pytest.mark.parametrize("allow_undo", [True, False])
def test_log_probs_are_those_of_a_fresh_pass_over_the_whole_game(
    policy: SokobanPolicy, allow_undo: bool
) -> None:
    generator = torch.Generator().manual_seed(8)
    stepper = PolicyStepper(policy, _levels(7), allow_undo=allow_undo)
    for _ in range(stepper.model.max_moves - 1):
        parents = torch.randint(7, (7,), generator=generator)
        actions = torch.randint(5 if allow_undo else 4, (7,), generator=generator)
        stepper.advance(parents, actions)
        with torch.no_grad():
            logits = policy(stepper.game.all_boards(stepper.num_moves + 2)).action_logits[:, -1]
        allowed = stepper.log_probs().isfinite()
        expected = logits.masked_fill(~allowed, -torch.inf).log_softmax(1)
        torch.testing.assert_close(stepper.log_probs(), expected, atol=1e-5, rtol=0)


def test_exactly_the_moves_that_change_the_board_are_allowed(policy: SokobanPolicy) -> None:
    levels = _levels(31)
    allowed = PolicyStepper(policy, levels, allow_undo=False).log_probs().isfinite()
    for row in range(31):
        board = to_board(levels, (row,))
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


def test_keys_are_those_foretold_of_the_actions_taken(policy: SokobanPolicy) -> None:
    stepper = PolicyStepper(policy, _levels(11), allow_undo=True)
    stepper.advance(None, torch.arange(11) % 4)
    actions = torch.arange(11) % 5
    foretold = stepper.successor_keys().gather(1, actions.unsqueeze(1))[:, 0]
    stepper.advance(None, actions)
    assert torch.equal(stepper.keys(), foretold)


# In a process of its own, since the checks of shapes that tests switch on cannot be compiled.
COMPILED = """
import sys, torch
from torch._dynamo.utils import counters
from tokoban import pretrained
from tokoban.decoding import beam_search, gumbel_noise, sample
from tokoban.sokoban.puzzles.random_levels import sample_one_box
from tokoban.systems.sokoban_policy.stepper import PolicyStepper

device, rows = sys.argv[1], [int(word) for word in sys.argv[2:]]
torch.backends.cudnn.allow_tf32 = False
model, _ = pretrained.load("sokoban-8x8", system="sokoban")
model.to(device)

def played(levels, noise, compiled):
    stepper = PolicyStepper(model, levels, allow_undo=True, compiled=compiled)
    sample(stepper, num_rows=len(noise[0]), max_steps=30, noise=noise, stop_check_every=0)
    return stepper.game.all_boards()

for num_rows in rows:
    generator = torch.Generator().manual_seed(num_rows)
    levels = sample_one_box(num_rows, generator=generator).map(lambda word: word.to(device))
    noise = gumbel_noise(30, num_rows, 5, generator=generator, device=device)
    eager, compiled = (played(levels, noise, flag) for flag in (False, True))
    assert all(torch.equal(one, other) for one, other in zip(eager, compiled, strict=True))
    assert not torch.equal(compiled.player[:, 1], compiled.player[:, -1])

def searched(compiled):
    stepper = PolicyStepper(model, levels, width=3, allow_undo=True, compiled=compiled)
    sizes = {"num_searches": len(levels.boxes), "width": 3, "max_steps": 30}
    return beam_search(stepper, merge_equal=True, **sizes)

assert torch.equal(searched(False).actions, searched(True).actions)
# The first batch has its size compiled in; the second makes it any size.
assert counters["stats"]["unique_graphs"] == min(2, len(rows)), counters["stats"]
"""
NEEDS_COMPILER = pytest.mark.skipif(shutil.which("c++") is None, reason="no C++ compiler")


def _run_compiled(*arguments: str) -> None:
    subprocess.run([sys.executable, "-c", COMPILED, *arguments], check=True)


@pytest.mark.slow
@NEEDS_COMPILER
def test_compiled_steps_lead_to_the_same_boards_and_are_compiled_for_all_positions_at_once() -> (
    None
):
    _run_compiled("cpu", "17", "29", "23")


@pytest.mark.gpu
@pytest.mark.slow
@NEEDS_COMPILER
def test_compiled_steps_on_a_gpu_lead_to_the_same_boards() -> None:
    _run_compiled("cuda", "1024", "512")


@pytest.mark.gpu
def test_a_gpu_plays_the_cpus_games(policy: SokobanPolicy) -> None:
    levels, boards = _levels(29), []
    noise = gumbel_noise(11, 29, 5, generator=torch.Generator().manual_seed(6), device="cpu")
    for device in ("cpu", "cuda"):
        starts = levels.map(torch.Tensor.cuda if device == "cuda" else torch.Tensor.cpu)
        stepper = PolicyStepper(policy.to(device), starts, allow_undo=True)
        sample(stepper, num_rows=29, max_steps=11, noise=noise.to(device))
        boards.append(stepper.game.all_boards().map(torch.Tensor.cpu))
    for word, other in zip(*boards, strict=True):
        assert torch.equal(word, other)


def test_single_precision_rounds_nothing_on_a_gpu_and_the_switch_is_put_back(
    policy: SokobanPolicy, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = []
    encode = SokobanPolicy.encode

    def listen(self: SokobanPolicy, *boards: Any) -> torch.Tensor:
        seen.append(torch.backends.cudnn.allow_tf32)
        return encode(self, *boards)

    monkeypatch.setattr(SokobanPolicy, "encode", listen)
    monkeypatch.setattr(torch.backends.cudnn, "allow_tf32", True)
    stepper = PolicyStepper(policy, _levels(3), allow_undo=True)
    stepper.advance(None, torch.tensor([0, 1, 2]))
    assert seen == [False, False]
    assert torch.backends.cudnn.allow_tf32
