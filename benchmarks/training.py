"""Boards a second of training the policy (preset ``blog``), and the share of the matrix rate.

The whole loop (games drawn, played and labelled, steps, logging), and its two halves alone. A board
is a position that a batch uses. Multiplications and additions are counted by torch for the forward
and backward pass; their share is of what large matrix products reach on the same device in the same
run, in the precision of the step. The post gives no figures to compare with.
"""

import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

import torch
from torch import nn
from torch.utils.flop_counter import FlopCounterMode

from benchmarks.harness import Report, parser, quantity, timed
from tokoban.systems.sokoban_policy.config import blog
from tokoban.systems.sokoban_policy.dataset import BATCHES_A_DRAWING
from tokoban.systems.sokoban_policy.episodes import TrainingBatch
from tokoban.systems.sokoban_policy.spec import SPEC
from tokoban.systems.sokoban_policy.train import SokobanSystem, make_system
from tokoban.training.config import to_dict
from tokoban.training.device import DeviceChoice
from tokoban.training.loop import fit
from tokoban.training.run_directory import RunDirectory, read_metrics
from tokoban.training.state import initial_state

PRECISIONS = {"fp32": torch.float32, "bf16": torch.bfloat16}


def matrix_rate(
    device: torch.device, dtype: torch.dtype, *, side: int, min_run_time_s: float
) -> float:
    """Multiplications and additions a second of products of two large square matrices."""
    left, right = (torch.randn(side, side, device=device, dtype=dtype) for _ in range(2))
    timing = timed(lambda: left @ right, device, min_run_time_s=min_run_time_s)
    return 2 * side**3 / timing.median_s


def step_function(
    system: SokobanSystem, model: nn.Module, precision: str
) -> Callable[[TrainingBatch], None]:
    """One update of the weights as the loop makes it, without its figures and its schedule."""
    run = SPEC.presets["blog"].run
    optimizer = initial_state(model, run).optimizer
    device_type = next(model.parameters()).device.type

    def step(batch: TrainingBatch) -> None:
        with torch.autocast(device_type, torch.bfloat16, enabled=precision == "bf16"):
            loss = system.loss(model, batch).total
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), run.clip_norm)
        optimizer.step()

    return step


def flops_a_step(
    system: SokobanSystem, model: nn.Module, batches: Sequence[TrainingBatch]
) -> float:
    """Multiplications and additions of a forward and a backward pass: the mean of ``batches``."""
    with FlopCounterMode(display=False) as counter:
        for batch in batches:
            system.loss(model, batch).total.backward()
    return counter.get_total_flops() / len(batches)


def one_drawing(batches: Iterator[TrainingBatch]) -> list[TrainingBatch]:
    """The batches that one drawing of levels gives: short and long ones in their proportion."""
    return [next(batches) for _ in range(BATCHES_A_DRAWING)]


def all_steps(step: Callable[[TrainingBatch], None], batches: Sequence[TrainingBatch]) -> None:
    """A step on each batch."""
    for batch in batches:
        step(batch)


def measure(report: Report, *, num_games: int, num_steps: int, min_run_time_s: float) -> None:
    """The rows of one size of batch."""
    device = report.device
    # Two validation levels: the loop ends with an evaluation, which is not what is timed.
    system = make_system(replace(blog(), batch_games=num_games, num_validation_levels=2))
    model = system.initial_model().to(device).train()
    drawings = system.train_batches(model, start_step=0)
    batches = one_drawing(drawings)
    num_boards = sum(len(batch.used) for batch in batches)
    drawing = timed(lambda: one_drawing(drawings), device, min_run_time_s=min_run_time_s)
    report.add("drawing batches alone", batch=num_games, per_second=num_boards / drawing.median_s)
    flops = flops_a_step(system, model, batches)
    for precision in PRECISIONS:
        step = step_function(system, model, precision)
        call = partial(all_steps, step, batches)
        timing = timed(call, device, min_run_time_s=min_run_time_s)
        rate = flops * len(batches) / timing.median_s
        report.add(
            f"steps alone, {precision}",
            batch=num_games,
            per_second=num_boards / timing.median_s,
            steps_per_s=len(batches) / timing.median_s,
            flops_per_board=flops * len(batches) / num_boards,
            flops_per_s=rate,
            share_of_matrix_rate=rate / report.about["matrix_flops_per_s"][precision],
        )
    report.profile(f"steps on {num_games} games, {precision}", call)
    steps_per_s = loop_steps_per_s(system, report.device, num_steps=num_steps)
    report.add(
        "the whole loop",
        batch=num_games,
        per_second=steps_per_s * num_boards / len(batches),
        steps_per_s=steps_per_s,
    )


def loop_steps_per_s(system: SokobanSystem, device: torch.device, *, num_steps: int) -> float:
    """Steps per second as the training loop logs them, in the preset's precision, once warm."""
    lines = 4
    choice: DeviceChoice = "cuda" if device.type == "cuda" else "cpu"
    log_every = max(1, num_steps // lines)
    run = replace(SPEC.presets["blog"].run, steps=num_steps, device=choice, log_every=log_every)
    with tempfile.TemporaryDirectory() as folder:
        config = to_dict(system.config)
        directory = RunDirectory(Path(folder) / "run", system="sokoban", config=config)
        fit(system, run, directory)
        rates = [
            line["loop/steps_per_s"]
            for line in read_metrics(directory.metrics)
            if "loop/steps_per_s" in line
        ]
    warm = rates[1:]
    # The lines are equally many steps long, so that their times add up, not their rates.
    return len(warm) / sum(1 / rate for rate in warm)


def main(argv: Sequence[str] | None = None) -> int:
    """Answers 0 once all rows are measured."""
    options = parser(__doc__, num_threads=None)
    options.add_argument("--games", type=int, nargs="+", metavar="N", help="of a batch")
    options.add_argument("--steps", type=int, metavar="N", help="of the whole loop")
    arguments = options.parse_args(argv)
    report = Report(arguments, unit="boards", posted=())
    is_on_gpu, is_quick = report.device.type == "cuda", arguments.quick
    # Float32 is float32, or its share would be of another rate.
    torch.backends.cudnn.allow_tf32 = False
    min_run_time_s = 0.2 if is_quick else 1.0
    side = 8192 if is_on_gpu else 64 if is_quick else 1024
    rates = {
        name: matrix_rate(report.device, dtype, side=side, min_run_time_s=min_run_time_s)
        for name, dtype in PRECISIONS.items()
    }
    report.note(matrix_flops_per_s=rates)
    for name, rate in rates.items():
        print(f"matrix products, {name}: {quantity(rate)} flops/s", file=sys.stderr)
    sizes = [16] if is_quick else [128, 2048] if is_on_gpu else [128]
    for num_games in arguments.games or sizes:
        many = 64 * 128 // num_games if is_on_gpu else 4
        num_steps = arguments.steps or BATCHES_A_DRAWING * (1 if is_quick else many)
        measure(report, num_games=num_games, num_steps=num_steps, min_run_time_s=min_run_time_s)
    report.finish()
    return 0


if __name__ == "__main__":
    sys.exit(main())
