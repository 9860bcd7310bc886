"""What a search is reckoned to need, against what it is seen to take."""

import itertools
import os
import subprocess
import sys
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import pytest
import torch

from tests.systems.sokoban_policy.play_boxoban_sized import random_boards
from tokoban.systems.sokoban_policy import solve
from tokoban.systems.sokoban_policy.config import SokobanPolicyConfig
from tokoban.systems.sokoban_policy.engine import engine_of
from tokoban.systems.sokoban_policy.memory import FIXED_BYTES, row_bytes
from tokoban.systems.sokoban_policy.model import SokobanPolicy
from tokoban.systems.sokoban_policy.train import build_model

REPOSITORY = Path(__file__).resolve().parents[3]
LEVELS = random_boards(11)


# Boards of 8x8 play as well for a network that reads the 6x6 in their middle.
def _policy(max_moves: int = 5) -> SokobanPolicy:
    torch.manual_seed(0)
    return build_model(SokobanPolicyConfig(max_positions=max_moves + 2)).eval()


def _allocated_bytes(play: Callable[[], object]) -> tuple[int, int]:
    """The most that ``play`` held of torch's and numpy's memory; of torch's, what is left.

    The least of three times, as Python's own objects count among numpy's, and what ran before
    decides when they are freed.
    """
    return min(_allocated_bytes_once(play) for _ in range(3))


def _allocated_bytes_once(play: Callable[[], object]) -> tuple[int, int]:
    with torch.profiler.profile(
        activities=[torch.profiler.ProfilerActivity.CPU], profile_memory=True, acc_events=False
    ) as profile:
        tracemalloc.start()
        play()
        numpy_bytes = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    assert profile.profiler is not None and profile.profiler.kineto_results is not None
    events = profile.profiler.kineto_results.events()
    changes = sorted((e.start_ns(), e.nbytes()) for e in events if e.name() == "[memory]")
    held = list(itertools.accumulate(change for _, change in changes))
    return max(held) + numpy_bytes, held[-1]


@pytest.mark.parametrize("is_compiled", [True, False])
@pytest.mark.parametrize("width", [2, 7])
def test_a_beam_search_takes_at_most_what_was_reckoned_and_gives_it_back(
    width: int, is_compiled: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = _policy()
    if not is_compiled:
        fixed = engine_of(model, fixed_shapes=True)
        monkeypatch.setattr(solve, "engine_of", lambda *_, **__: fixed)
    num_rows = len(LEVELS.boxes) * width

    def play() -> None:
        solve.by_beam(model, LEVELS, solve.Play(width=width))

    play()  # what is set up once, such as a library's kernels, stays
    peak, left = _allocated_bytes(play)
    # Rollouts need all of it: there the first pass reads two boards of each row.
    assert 0.4 * num_rows * row_bytes(model) <= peak <= num_rows * row_bytes(model)
    assert abs(left) < 10_000


def test_rollouts_take_no_more_than_was_reckoned() -> None:
    model = _policy()

    def play() -> None:
        solve.by_rollout(model, LEVELS, solve.Play())

    play()  # as above
    peak, left = _allocated_bytes(play)
    assert peak <= len(LEVELS.boxes) * row_bytes(model)
    assert abs(left) < 10_000


def test_a_limit_for_one_level_at_a_time_changes_no_solution() -> None:
    model = _policy()

    def solutions(memory_limit: int) -> tuple[list[solve.Moves | None], set[int]]:
        batches: set[int] = set()
        handle = model.board_encoder.register_forward_pre_hook(
            lambda module, inputs: batches.add(len(inputs[0]))
        )
        found = solve.by_beam(model, LEVELS, solve.Play(width=3, memory_limit=memory_limit))
        handle.remove()
        return found, batches

    one_level = FIXED_BYTES + 3 * row_bytes(model) + 2**15
    (one_at_a_time, alone), (all_at_once, together) = solutions(one_level), solutions(2 * 10**9)
    assert one_at_a_time == all_at_once
    # The goal and the start of each level at first, then a board of each row.
    assert (alone, together) == ({2, 3}, {22, 33})


def test_a_limit_too_small_for_one_level_is_refused_with_what_it_needs() -> None:
    model = _policy()
    needed_mb = (FIXED_BYTES + 100 * row_bytes(model)) / 10**6
    with pytest.raises(ValueError) as caught:
        solve.by_beam(model, LEVELS, solve.Play(width=100, memory_limit=65 * 10**6))
    told, number = str(caught.value).removesuffix(" MB").rsplit(" ", 1)
    assert told == "a memory limit of 65 MB; one level at a time needs"
    assert needed_mb <= int(number) <= needed_mb + 1


@pytest.mark.slow
def test_a_thousand_boxoban_sized_boards_stay_within_the_limit_and_free_it() -> None:
    limit_bytes = 240 * 10**6
    script = REPOSITORY / "tests/systems/sokoban_policy/play_boxoban_sized.py"
    words = map(str, (1000, 32, 5, limit_bytes))
    if not Path("/proc/self/status").exists():
        pytest.skip("no /proc, where a process can read its memory")
    answer = subprocess.run(
        [sys.executable, str(script), *words],
        env=os.environ | {"PYTHONPATH": str(REPOSITORY)},
        capture_output=True,
        text=True,
        check=True,
    )
    before, peak, after = map(int, answer.stdout.split())
    # How much of the limit is used is the law of the tests above; here it is about a third.
    assert limit_bytes / 8 < peak - before <= limit_bytes
    assert after - before <= FIXED_BYTES


@pytest.mark.gpu
def test_on_the_gpu_too_the_limit_holds_and_is_freed() -> None:
    limit_bytes = 500 * 10**6
    model, levels = _policy(max_moves=30).cuda(), random_boards(1000).map(torch.Tensor.cuda)
    before = torch.cuda.memory_allocated()
    torch.cuda.reset_peak_memory_stats()
    solve.by_beam(model, levels, solve.Play(width=32, memory_limit=limit_bytes))
    assert torch.cuda.max_memory_allocated() - before <= limit_bytes
    assert torch.cuda.memory_allocated() - before <= FIXED_BYTES
