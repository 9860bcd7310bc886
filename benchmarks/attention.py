"""What attention costs over the length: full, causal, local by a mask, and local in truth.

One sequence, 4 heads of width 32, single precision. A row has its length as batch: `per_second`
counts positions. On the CPU times are of the processor, which other work on the machine stretches
little, the least of several; `peak_bytes` is what a call has allocated at once by torch's profiler.
`slopes` are of least squares in both logarithms: 1 is linear, 2 quadratic. As in training, the
process keeps the memory that it frees.
"""

import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import scaled_dot_product_attention
from torch.profiler import ProfilerActivity, profile

from benchmarks import harness
from benchmarks.harness import Report, in_turns, now_s, parser, timed
from tokoban.cli.parser import whole
from tokoban.files.atomic import atomically
from tokoban.training.allocator import keep_freed_memory
from tokoban.transformer import Window, attend, attend_locally
from tokoban.viewing.plots import COLOURS

NUM_HEADS, HEAD_WIDTH = 4, 32
SHORTEST = 1024
PASSES = ("forward", "forward and backward")
FULL_CAUSAL = "full causal"
LOCAL_CAUSAL = "local causal"

Way = Callable[[Tensor, Tensor, Tensor], Tensor]


def ways(half_width: int) -> dict[str, tuple[int, Way]]:
    """By name: the longest sequence that a way is measured on, and the way."""

    def masked(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
        mask = causal.mask(q.shape[2], q.shape[2], device=q.device)
        return scaled_dot_product_attention(q, k, v, attn_mask=mask)

    def full_causal(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
        return scaled_dot_product_attention(q, k, v, is_causal=True)

    causal, both_sides = Window(half_width, is_causal=True), Window(half_width)
    return {
        "full, all weights stored": (4096, attend),
        "full": (8192, scaled_dot_product_attention),
        FULL_CAUSAL: (16384, full_causal),
        "local causal by a mask": (8192, masked),
        LOCAL_CAUSAL: (65536, lambda q, k, v: attend_locally(q, k, v, window=causal)),
        "local": (65536, lambda q, k, v: attend_locally(q, k, v, window=both_sides)),
    }


def make_call(
    way: Way, length: int, *, is_backward: bool, device: torch.device
) -> Callable[[], Any]:
    """One pass over random numbers; backward gives the gradients of queries, keys and values."""
    shape = 1, NUM_HEADS, length, HEAD_WIDTH
    generator = torch.Generator(device).manual_seed(length)
    qkv = [
        torch.randn(shape, generator=generator, device=device, requires_grad=is_backward)
        for _ in range(3)
    ]
    if not is_backward:
        return lambda: way(*qkv)
    weighing = torch.randn(shape, generator=generator, device=device)
    return lambda: torch.autograd.grad(way(*qkv), qkv, weighing)


def elapsed_s(call: Callable[[], Any], device: torch.device, *, min_run_time_s: float) -> float:
    """The seconds of a warm call: on a GPU the median, on the CPU the least processor time."""
    if device.type != "cpu":
        return timed(call, device, min_run_time_s=min_run_time_s).median_s
    before_s = now_s(device)
    call()
    rounds = max(3, round(min_run_time_s / (now_s(device) - before_s)))
    return min(in_turns({"": call}, device, rounds=rounds)[""])


def peak_bytes(call: Callable[[], Any], device: torch.device) -> int:
    """The most bytes that a call holds beyond those held before, results included."""
    on_gpu = harness.peak_bytes(call, device)
    if on_gpu is not None:
        return on_gpu
    with profile(activities=[ProfilerActivity.CPU], profile_memory=True) as profiled:
        kept = call()
    del kept  # not before the profile is over, so that the results count
    assert profiled.profiler is not None
    events: Any = profiled.profiler.kineto_results.events()
    changes = sorted((e.start_ns(), e.nbytes()) for e in events if e.name() == "[memory]")
    return int(np.cumsum([0] + [num_bytes for _, num_bytes in changes]).max())


def slope(lengths: Sequence[float], costs: Sequence[float]) -> float:
    """The power of the length that the costs grow with."""
    return float(np.polyfit(np.log(lengths), np.log(costs), 1)[0])


def measure(
    report: Report, *, lengths: Sequence[int], half_width: int, min_run_time_s: float
) -> None:
    """A row for each way, pass and length that the way is measured on."""
    for name, (longest, way) in ways(half_width).items():
        for is_backward, passes in enumerate(PASSES):
            for length in lengths:
                if length > longest:
                    continue
                call = make_call(way, length, is_backward=bool(is_backward), device=report.device)
                call_s = elapsed_s(call, report.device, min_run_time_s=min_run_time_s)
                report.add(
                    f"{name}, {passes}",
                    batch=length,
                    per_second=length / call_s,
                    elapsed_s=call_s,
                    peak_bytes=peak_bytes(call, report.device),
                )


def conclude(rows: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """The slopes of time and memory, and local causal attention beside the full one."""
    slopes, ratios = {}, {}
    by_name: dict[str, dict[int, dict[str, Any]]] = {}
    for row in rows:
        by_name.setdefault(row["name"], {})[row["batch"]] = row
    for name, found in by_name.items():
        slopes[name] = {
            cost: slope(list(found), [row[cost] for row in found.values()])
            for cost in ("elapsed_s", "peak_bytes")
        }
    for passes in PASSES:
        full, near = (by_name[f"{name}, {passes}"] for name in (FULL_CAUSAL, LOCAL_CAUSAL))
        ratios[passes] = {
            length: full[length]["elapsed_s"] / near[length]["elapsed_s"]
            for length in full
            if length in near
        }
    return {"slopes": slopes, "local_causal_times_as_fast_as_full_causal": ratios}


def draw(rows: Sequence[dict[str, Any]], picture: str) -> None:
    """Time and memory over the length, forward and backward, as an SVG."""
    import matplotlib
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8.4, 3.6), layout="constrained")
    panels = zip(
        figure.subplots(1, 2),
        (("elapsed_s", 1.0, "seconds"), ("peak_bytes", 2.0**20, "MiB")),
        strict=True,
    )
    suffix = f", {PASSES[1]}"
    names = dict.fromkeys(row["name"] for row in rows if row["name"].endswith(suffix))
    for axes, (cost, unit, label) in panels:
        for colour, name in zip(COLOURS, names, strict=False):
            points = [(row["batch"], row[cost] / unit) for row in rows if row["name"] == name]
            axes.plot(
                *zip(*points, strict=True),
                "o-",
                ms=3,
                color=colour,
                label=name.removesuffix(suffix),
            )
        axes.set_xscale("log", base=2)
        axes.set_yscale("log")
        axes.set_xlabel("positions")
        axes.set_ylabel(f"{label}, {PASSES[1]}")
        axes.grid(alpha=0.3)
    axes.legend(fontsize=7)
    # Letters stay letters, and the same rows give the same bytes.
    with (
        matplotlib.rc_context({"svg.fonttype": "none", "svg.hashsalt": "tokoban"}),
        atomically(Path(picture)) as temporary,
    ):
        figure.savefig(temporary, format="svg", metadata={"Date": None})


def main(argv: Sequence[str] | None = None) -> int:
    options = parser(__doc__, num_threads=1)
    options.add_argument("--window", type=whole(1), default=128, metavar="W")
    options.add_argument("--longest", type=whole(2 * SHORTEST), default=65536, metavar="N")
    options.add_argument("--picture", metavar="SVG", help="draw the curves")
    arguments = options.parse_args(argv)
    keep_freed_memory()
    report = Report(arguments, unit="positions", posted=())
    longest = min(arguments.longest, 2 * SHORTEST) if arguments.quick else arguments.longest
    lengths = [SHORTEST]
    while 2 * lengths[-1] <= longest:
        lengths.append(2 * lengths[-1])
    min_run_time_s = 0.1 if arguments.quick else 1.0
    measure(report, lengths=lengths, half_width=arguments.window, min_run_time_s=min_run_time_s)
    concluded = conclude(report.measured)
    report.note(**concluded)
    if arguments.picture:
        draw(report.measured, arguments.picture)
    report.finish()
    if arguments.json != "-":
        show(concluded)
    return report.exit_code()


def show(concluded: dict[str, Any]) -> None:
    """The conclusions, a line each."""
    print("\ntime and memory grow with the length to the power of")
    for name, powers in concluded["slopes"].items():
        print(f"  {powers['elapsed_s']:.2f}  {powers['peak_bytes']:.2f}  {name}")
    for passes, ratios in concluded["local_causal_times_as_fast_as_full_causal"].items():
        told = ", ".join(f"{ratio:.1f} at {length:,}" for length, ratio in ratios.items())
        print(f"{LOCAL_CAUSAL} is so many times as fast as {FULL_CAUSAL}, {passes}: {told}")


if __name__ == "__main__":
    sys.exit(main())
