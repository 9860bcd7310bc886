"""Steps a second of the Gymnasium environments under random agents, and whether a long loop leaks.

The last row plays --steps steps as PPO does, keeping 128 observations of each environment at a
time, and tells the memory that the process holds after a tenth of them and at the end; exits with 1
where it has grown by more than 1 %.
"""

import sys
import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
import torch

from benchmarks.harness import Report, parser, timed
from benchmarks.process_memory import status_bytes
from tokoban.sokoban.formats import parse_board
from tokoban.sokoban.simulation.environment import SokobanEnv
from tokoban.sokoban.simulation.vector_environment import SokobanVectorEnv

# Of one timed call, and of one rollout of the long loop.
NUM_TIMED, NUM_KEPT = 16, 128
LOOP_BATCH = 1024
MAX_GROWTH = 0.01

# More floor than one word holds: 12x12 inside.
WIDE = [parse_board("|".join(["-" * 12, "-@$.$.$.----", *["-" * 12] * 10]))]
# What differs from the defaults.
WAYS: dict[str, dict[str, Any]] = {
    "moves": {},
    "moves, without masks": {"has_action_mask": False},
    "moves, SAME_STEP": {"autoreset_mode": "SameStep"},
    "moves, several words": {"levels": WIDE},
    "pushes": {"actions": "pushes"},
}


def random_actions(count: int, batch: int, num_actions: int, device: torch.device | None) -> Any:
    """``count`` rows for a batch, as the environment takes them: tensors where it has a device."""
    draw = np.random.default_rng(1)
    rows = draw.integers(0, num_actions, (count, batch))
    return rows if device is None else torch.from_numpy(rows).to(device)


def play(environment: SokobanVectorEnv, actions: Any) -> None:
    for row in actions:
        environment.step(row)


def play_alone(environment: SokobanEnv, actions: Sequence[int]) -> None:
    for action in actions:
        _, _, is_solved, is_truncated, _ = environment.step(action)
        if is_solved or is_truncated:
            environment.reset()


def measure_alone(report: Report, *, min_run_time_s: float) -> None:
    cpu = torch.device("cpu")
    for name in ("moves", "pushes"):
        environment = SokobanEnv(**WAYS[name])
        environment.reset(seed=1)
        actions = random_actions(NUM_TIMED, 8, int(environment.action_space.n), None).flatten()
        call = partial(play_alone, environment, actions)
        timing = timed(call, cpu, min_run_time_s=min_run_time_s)
        per_second = len(actions) / timing.median_s
        report.add(f"one alone, {name}", batch=1, per_second=per_second, device=cpu)


def measure_many(
    report: Report, batch: int, device: torch.device | None, *, min_run_time_s: float
) -> None:
    """All ways of a batch; without a device with numpy arrays."""
    kind = "arrays" if device is None else "tensors"
    for name, arguments in WAYS.items():
        environment = SokobanVectorEnv(batch, device=device, **arguments)
        environment.reset(seed=1)
        num_actions = int(environment.single_action_space.n)
        actions = random_actions(NUM_TIMED, batch, num_actions, device)
        # Resets come evenly only once the episodes of the batch are out of step.
        for _ in range(8):
            play(environment, actions)
        call: Callable[[], None] = partial(play, environment, actions)
        timing = timed(call, environment.device, min_run_time_s=min_run_time_s)
        per_second = NUM_TIMED * batch / timing.median_s
        report.add(f"{kind}, {name}", batch=batch, per_second=per_second, device=environment.device)


def measure_memory(report: Report, *, num_steps: int) -> bool:
    """Plays the long loop; whether its memory stayed what it was after a tenth."""
    environment = SokobanVectorEnv(LOOP_BATCH)
    observation, _ = environment.reset(seed=1)
    kept = np.empty((NUM_KEPT, *observation.shape), dtype=observation.dtype)
    num_rollouts = max(10, -(-num_steps // (NUM_KEPT * LOOP_BATCH)))
    actions = random_actions(NUM_KEPT, LOOP_BATCH, int(environment.single_action_space.n), None)
    held_bytes = []
    start_s = time.perf_counter()
    for _ in range(num_rollouts):
        for step, row in enumerate(actions):
            kept[step], *_ = environment.step(row)
        held_bytes.append(status_bytes("VmRSS"))
    elapsed_s = time.perf_counter() - start_s
    steps = num_rollouts * NUM_KEPT * LOOP_BATCH
    early, late = held_bytes[num_rollouts // 10], held_bytes[-1]
    report.add(
        "arrays, moves, kept as PPO does",
        batch=LOOP_BATCH,
        per_second=steps / elapsed_s,
        device=torch.device("cpu"),
        steps=steps,
        early_bytes=early,
        late_bytes=late,
        peak_bytes=status_bytes("VmHWM"),
    )
    print(f"memory: {early / 1e6:.1f} MB early, {late / 1e6:.1f} MB at the end", file=sys.stderr)
    return late <= (1 + MAX_GROWTH) * early


def main(argv: Sequence[str] | None = None) -> int:
    options = parser(__doc__, num_threads=1)
    options.add_argument("--steps", type=int, metavar="N", help="of the long loop (10 million)")
    arguments = options.parse_args(argv)
    report = Report(arguments, unit="steps", posted=())
    num_steps = arguments.steps or (1_000_000 if arguments.quick else 10_000_000)
    min_run_time_s = 0.2 if arguments.quick else 1.0
    batches = [1024] if arguments.quick else [1024, 4096, 16384]
    if report.device.type == "cuda":
        batches += [2**20]
    measure_alone(report, min_run_time_s=min_run_time_s)
    for batch in batches:
        if batch <= 16384:
            measure_many(report, batch, None, min_run_time_s=min_run_time_s)
        measure_many(report, batch, report.device, min_run_time_s=min_run_time_s)
    has_stayed = measure_memory(report, num_steps=num_steps)
    report.finish()
    return 0 if has_stayed else 1


if __name__ == "__main__":
    sys.exit(main())
