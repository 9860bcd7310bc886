"""Captured play is plain play: nothing is left of another call, and nothing waits for the host."""

import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest
import torch

from tests.crossings import Crossings
from tokoban.decoding import beam_search, gumbel_noise, sample
from tokoban.sokoban.puzzles.random_levels import sample_one_box
from tokoban.sokoban.simulation.bitboards import Bitboards
from tokoban.systems.sokoban_policy.cuda_graphs import CapturedRollouts, Rollouts
from tokoban.systems.sokoban_policy.engine import engine_of
from tokoban.systems.sokoban_policy.model import SokobanPolicy
from tokoban.systems.sokoban_policy.stepper import PolicyStepper

NUM_MOVES = 11
DEVICES = ["cpu", pytest.param("cuda", marks=pytest.mark.gpu)]
# A cut, and what was visited.
SEARCH: dict[str, Any] = {"width": 12, "keep": 3, "stop_at_first": True}


def _levels(num_levels: int, seed: int, device: str) -> Bitboards:
    levels = sample_one_box(num_levels, generator=torch.Generator().manual_seed(seed))
    return levels.map(lambda word: word.to(device))


def _noise(num_rows: int, seed: int, device: str) -> torch.Tensor:
    generator = torch.Generator().manual_seed(seed)
    return gumbel_noise(NUM_MOVES, num_rows, 5, generator=generator, device=device)


def _plain_rollouts(
    policy: SokobanPolicy, levels: Bitboards, noise: torch.Tensor | None
) -> Rollouts:
    num_rows = len(levels.boxes)
    stepper = PolicyStepper(policy, levels, allow_undo=True)
    samples = sample(
        stepper, num_rows=num_rows, max_steps=NUM_MOVES, noise=noise, stop_check_every=0
    )
    return Rollouts(samples, stepper.game.current())


def _assert_equal(found: Rollouts, expected: Rollouts) -> None:
    for name, tensor in vars(expected.samples).items():
        if name == "scores_nats":  # another size of batch may round otherwise
            torch.testing.assert_close(found.samples.scores_nats, tensor, atol=1e-4, rtol=0)
        else:
            assert torch.equal(getattr(found.samples, name), tensor)
    for word, other in zip(found.boards, expected.boards, strict=True):
        assert torch.equal(word, other)


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("is_greedy", [True, False])
def test_captured_rollouts_are_plain_ones_call_after_call_and_fewer_than_there_are_places(
    policy: SokobanPolicy, device: str, is_greedy: bool
) -> None:
    policy.to(device)
    play = CapturedRollouts(
        policy, num_rows=13, max_moves=NUM_MOVES, allow_undo=True, is_greedy=is_greedy
    )
    found, expected = [], []
    for num_levels, seed in (13, 1), (7, 2), (13, 3):
        levels = _levels(num_levels, seed, device)
        noise = None if is_greedy else _noise(num_levels, seed, device)
        found.append(play(levels, noise))
        expected.append(_plain_rollouts(policy, levels, noise))
    # Afterwards, since no call may write over what an earlier one handed out.
    for one, other in zip(found, expected, strict=True):
        _assert_equal(one, other)


# In a process of its own, since the checks of shapes that tests switch on cannot be compiled.
CAPTURED_AND_COMPILED = """
import torch
from tokoban import pretrained
from tokoban.decoding import gumbel_noise
from tokoban.sokoban.puzzles.random_levels import sample_one_box
from tokoban.systems.sokoban_policy.cuda_graphs import CapturedRollouts

torch.backends.cudnn.allow_tf32 = False
model = pretrained.load("sokoban-8x8", system="sokoban")[0].cuda()
plain, fast = (
    CapturedRollouts(model, num_rows=257, max_moves=30, allow_undo=True, compiled=compiled)
    for compiled in (False, True)
)
for seed in 1, 2:
    generator = torch.Generator().manual_seed(seed)
    levels = sample_one_box(257, generator=generator).map(torch.Tensor.cuda)
    noise = gumbel_noise(30, 257, 5, generator=generator, device="cuda")
    one, other = (play(levels, noise) for play in (plain, fast))
    assert torch.equal(one.samples.actions, other.samples.actions)
    assert torch.equal(one.boards.player, other.boards.player)
"""


@pytest.mark.gpu
@pytest.mark.slow
def test_compiled_and_captured_rollouts_are_captured_ones() -> None:
    subprocess.run([sys.executable, "-c", CAPTURED_AND_COMPILED], check=True)


def test_noise_is_requested_by_its_shape_and_greedy_play_takes_none(policy: SokobanPolicy) -> None:
    sizes: dict[str, Any] = {"num_rows": 5, "max_moves": NUM_MOVES, "allow_undo": True}
    levels = _levels(3, 1, "cpu")
    with pytest.raises(ValueError, match=r"noise of shape None; expected \(11, 3, 5\)"):
        CapturedRollouts(policy, **sizes)(levels)
    with pytest.raises(ValueError, match=r"noise of shape \(11, 3, 5\); expected None"):
        CapturedRollouts(policy, **sizes, is_greedy=True)(levels, _noise(3, 1, "cpu"))


def _plays(policy: SokobanPolicy, device: str) -> list[Callable[[], object]]:
    engine = engine_of(policy, fixed_shapes=True)  # the one that is captured, on a CPU too

    def rollouts() -> object:
        stepper = PolicyStepper(policy, _no_levels(13, device), allow_undo=True, engine=engine)
        noise = torch.zeros(NUM_MOVES, 13, 5, device=device)
        return sample(stepper, num_rows=13, max_steps=NUM_MOVES, noise=noise, stop_check_every=0)

    def beams() -> object:
        stepper = PolicyStepper(
            policy,
            _no_levels(7, device),
            width=SEARCH["width"],
            allow_undo=False,
            engine=engine,
        )
        return beam_search(
            stepper,
            num_searches=7,
            max_steps=NUM_MOVES,
            stop_check_every=0,
            merge_equal=True,
            **SEARCH,
        )

    return [rollouts, beams]


def _no_levels(num_levels: int, device: str) -> Bitboards:
    return Bitboards(*torch.zeros(4, num_levels, dtype=torch.int64, device=device))


def test_what_is_captured_never_waits_for_the_device(policy: SokobanPolicy) -> None:
    for play in _plays(policy, "cpu"):
        play()  # tables are made once, before the capture
        with Crossings() as crossings:
            play()
        assert not crossings.names


def test_what_is_captured_needs_no_number_and_no_tensor_of_the_host(policy: SokobanPolicy) -> None:
    """On the device ``meta``, which holds no numbers, and refuses tensors from elsewhere."""
    for play in _plays(policy.to("meta"), "meta"):
        play()
