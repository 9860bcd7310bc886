"""Moves a second of rollouts by the policy: boards stepped on the CPU, the post's method, ours.

30 moves of every game by the shipped one-box policy (the ``blog`` network), all ways with the same
weights, levels and Gumbel noise, in float32 unless a row says otherwise. Every way must have played
the same games as the post's method, move for move; only a game with a close call (two moves within
``CLOSE_NATS``) may differ, since another order of additions may decide it. Nothing stops early, and
undo is not allowed, since the post's method on the GPU has none.
"""

import sys
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any, NamedTuple

import torch
from torch import Tensor

from benchmarks import cpu_stepped, posted
from benchmarks.harness import Report, parser
from tokoban import pretrained
from tokoban.decoding import gumbel_noise, sample
from tokoban.sokoban.puzzles.random_levels import sample_one_box
from tokoban.sokoban.simulation import bitboards
from tokoban.sokoban.simulation.bitboards import Bitboards
from tokoban.systems.sokoban_policy.cuda_graphs import CapturedRollouts
from tokoban.systems.sokoban_policy.episodes import NUM_ACTIONS
from tokoban.systems.sokoban_policy.model import SokobanPolicy
from tokoban.systems.sokoban_policy.stepper import PolicyStepper
from tokoban.training.metrics import clock_s

POSTED = "posted: whole sequence, boolean planes"
COMPILED_CAPTURED = "ours, compiled and captured"
CLOSE_NATS = 1e-4  # far above what rounding changes, far below what most choices are won by


class Played(NamedTuple):
    """The actions [B, T], and the planes of the boards after all moves where the way keeps them."""

    actions: Tensor
    last_boards: Tensor | None = None


Play = Callable[[Bitboards, Tensor], Played]  # levels, noise [T, B, A]


def load_policy(device: torch.device) -> SokobanPolicy:
    """The shipped weights in float32 and eval mode."""
    model, _ = pretrained.load("sokoban-8x8", system="sokoban")
    assert isinstance(model, SokobanPolicy)
    # Float32 is float32 everywhere: TensorFloat-32 would make other moves in close calls.
    torch.backends.cudnn.allow_tf32 = False
    return model.to(device)


def play_eagerly(
    model: SokobanPolicy, levels: Bitboards, noise: Tensor, *, compiled: bool = False
) -> Played:
    """Ours, by the parts that ``tokoban solve`` uses."""
    stepper = PolicyStepper(model, levels, allow_undo=False, compiled=compiled)
    num_rows = len(levels.boxes)
    answers = sample(
        stepper, num_rows=num_rows, max_steps=len(noise), noise=noise, stop_check_every=0
    )
    return Played(answers.actions, bitboards.planes(stepper.game.current()).bool())


def captured(model: SokobanPolicy, num_games: int, *, compiled: bool) -> Play:
    """Ours as one CUDA graph, which is made here."""
    graph = CapturedRollouts(
        model,
        num_rows=num_games,
        max_moves=model.max_positions - 2,
        allow_undo=False,
        compiled=compiled,
    )

    def play(levels: Bitboards, noise: Tensor) -> Played:
        answers = graph(levels, noise)
        return Played(answers.samples.actions, bitboards.planes(answers.boards).bool())

    return play


def ways(
    model: SokobanPolicy, num_games: int, *, is_quick: bool, is_headline: bool
) -> Iterator[tuple[str, Callable[[], Play]]]:
    """All ways of playing but the post's, ours first, each with what prepares it."""
    is_on_gpu = model.mask.device.type == "cuda"
    yield "ours, eager", lambda: partial(play_eagerly, model)
    if is_on_gpu:
        yield "ours, captured", partial(captured, model, num_games, compiled=False)
    if is_headline and not is_quick:
        yield "ours, compiled", lambda: partial(play_eagerly, model, compiled=True)
        if is_on_gpu:
            yield COMPILED_CAPTURED, partial(captured, model, num_games, compiled=True)
    if is_on_gpu or not is_quick:
        yield "CPU-stepped, Python loop", lambda: partial(_on_cpu, model, cpu_stepped.step_all)
    compiled = cpu_stepped.compiled_step_all
    yield "CPU-stepped, compiled loop", lambda: partial(_on_cpu, model, compiled)


def _on_cpu(
    model: SokobanPolicy, step: cpu_stepped.StepAll, levels: Bitboards, noise: Tensor
) -> Played:
    actions = cpu_stepped.rollouts(model, levels, noise, step)
    return Played(actions.to(levels.boxes.device))


def compared(baseline: posted.Rollouts, played: Played) -> dict[str, Any]:
    """The number of games that differ, and of those without a close call: 0."""
    differs = (baseline.actions != played.actions).any(1)
    if played.last_boards is not None:
        differs |= (baseline.inputs[:, -1] != played.last_boards).flatten(1).any(1)
    is_close = baseline.closest_nats < CLOSE_NATS
    is_unexplained = differs & ~is_close
    return {
        "num_games_differing": int(differs.sum()),
        "num_close_calls": int(is_close.sum()),
        "num_unexplained": int(is_unexplained.sum()),
    }


def check_boards(levels: Bitboards, played: posted.Rollouts) -> None:
    """RuntimeError unless the post's boards are those that our rules make of its actions."""
    boards = levels
    for move, actions in enumerate(played.actions.unbind(1)):
        after = bitboards.step(boards, actions.clamp(min=0))
        boards = bitboards.select(actions >= 0, after, boards)
        reached = played.inputs[:, move + 2]
        differs = (bitboards.planes(boards).bool() != reached).flatten(1).any(1)
        if bool((differs & (actions >= 0)).any()):
            raise RuntimeError(f"the post's boards are wrong after move {move + 1}")


def measure(
    report: Report, model: SokobanPolicy, batch: int, *, is_quick: bool, is_headline: bool
) -> None:
    """The rows of one batch, and where the time goes in the post's method and our fastest."""
    device = report.device
    draw = torch.Generator().manual_seed(batch)
    levels = sample_one_box(batch, generator=draw).map(lambda word: word.to(device))
    num_moves = model.max_positions - 2
    noise = gumbel_noise(num_moves, batch, NUM_ACTIONS, generator=draw, device=device)
    add = partial(
        report.time, batch=batch, count=num_moves * batch, min_run_time_s=0.2 if is_quick else 1.0
    )
    play_posted = partial(posted.rollouts, model, levels, noise)
    baseline = add(POSTED, play_posted).answer
    check_boards(levels, baseline)
    calls: dict[float, tuple[str, Callable[[], Any]]] = {}
    for name, prepare in ways(model, batch, is_quick=is_quick, is_headline=is_headline):
        before_s = clock_s(device)
        call = partial(prepare(), levels, noise)
        prepared_s = clock_s(device) - before_s
        timing = add(name, call, describe=partial(compared, baseline), prepared_s=prepared_s)
        calls[timing.median_s] = name, call
    fastest = calls[min(calls)]
    for name, profiled in ((POSTED, play_posted), fastest):
        report.profile(f"{name}, batch {batch}", profiled)


def main(argv: Sequence[str] | None = None) -> int:
    """Answers 0 once all rows are measured and all games were the same."""
    options = parser(__doc__, num_threads=None)
    options.add_argument("--batches", type=int, nargs="+", metavar="N", help="games at once")
    arguments = options.parse_args(argv)
    report = Report(arguments, unit="moves", posted=(POSTED,))
    is_on_gpu, is_quick = report.device.type == "cuda", arguments.quick
    batches = [4096, 8192, 1024, 64] if is_on_gpu else [256, 64]
    model = load_policy(report.device)
    batches = arguments.batches or ([32] if is_quick else batches)
    for batch in batches:
        measure(report, model, batch, is_quick=is_quick, is_headline=batch == batches[0])
    report.finish()
    return report.exit_code()


if __name__ == "__main__":
    sys.exit(main())
