"""What the benchmarks share: their options, their clock, their rows, one file and one table.

A row says how many a second one way of doing a thing does, on one device, in batches of one size.
The file holds {"hardware", "commit", "rows", ...} and is written anew with each row, so that a
benchmark that is cut short leaves what it has measured.
"""

import argparse
import json
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import date
from statistics import median
from typing import Any, Generic, NamedTuple, TypeVar

import torch
from torch import Tensor
from torch.utils.benchmark import Timer

from tokoban.cli.options import add
from tokoban.cli.output import check_destination, write_output
from tokoban.cli.parser import whole
from tokoban.training import run_directory
from tokoban.training.device import find_device
from tokoban.training.metrics import clock_s

Answer = TypeVar("Answer")
_CPU = torch.device("cpu")


def parser(
    description: str | None, *, num_threads: int | None, is_of_cpu: bool = False
) -> argparse.ArgumentParser:
    """The options of every benchmark; by default it uses ``num_threads`` (None: all) of the CPU.

    Where ``is_of_cpu``, no other device can be asked for.
    """
    options = argparse.ArgumentParser(
        description=description, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument("--quick", action="store_true", help="smaller, within a minute on 2 cores")
    options.add_argument("--json", metavar="OUT", help="write the rows here too (-: to stdout)")
    if is_of_cpu:
        add(options, "--device", choices=("cpu",), default="cpu")
    else:
        add(options, "--device")
    options.add_argument(
        "--threads", type=whole(1), default=num_threads, metavar="N", help="of the CPU"
    )
    return options


def now_s(device: torch.device) -> float:
    """Seconds: of the processor on a CPU, which other work stretches little, else of the clock."""
    return time.process_time() if device.type == "cpu" else clock_s(device)


class Timing(NamedTuple, Generic[Answer]):
    """The seconds of a warm call, those of the first one, and its answer."""

    median_s: float
    first_s: float  # with all that is compiled or captured on the way
    answer: Answer


def timed(
    call: Callable[[], Answer], device: torch.device, *, min_run_time_s: float
) -> Timing[Answer]:
    """The median of as many calls as fit ``min_run_time_s``, after one that is not counted."""
    before_s = clock_s(device)
    answer = call()
    first_s = clock_s(device) - before_s
    once_s = _once_s(call, device)
    if once_s < min_run_time_s / 8:
        timer = Timer("call()", globals={"call": call}, num_threads=torch.get_num_threads())
        measured_s = timer.blocked_autorange(min_run_time=min_run_time_s).median
        return Timing(measured_s, first_s, answer)
    # A slow call is not called more often than it must be.
    all_s = [once_s]
    while sum(all_s) < min_run_time_s:
        all_s.append(_once_s(call, device))
    return Timing(median(all_s), first_s, answer)


def in_turns(
    ways: Mapping[str, Callable[[], object]],
    device: torch.device,
    *,
    rounds: int,
    calls: int | None = None,
) -> dict[str, list[float]]:
    """Seconds (``now_s``) of a call of each way: in every round each has its turn.

    A turn is so many ``calls`` after one that is not counted, or one call alone.
    """
    all_s: dict[str, list[float]] = {name: [] for name in ways}
    for _ in range(rounds):
        for name, way in ways.items():
            if calls is not None:
                way()
            before_s = now_s(device)
            for _ in range(calls or 1):
                way()
            all_s[name].append((now_s(device) - before_s) / (calls or 1))
    return all_s


def _once_s(call: Callable[[], object], device: torch.device) -> float:
    before_s = clock_s(device)
    call()
    return clock_s(device) - before_s


def peak_bytes(call: Callable[[], object], device: torch.device) -> int | None:
    """The most bytes that a call holds on a GPU beyond those held before; None on the CPU."""
    if device.type != "cuda":
        return None
    torch.cuda.synchronize(device)
    torch.cuda.reset_peak_memory_stats(device)
    before = torch.cuda.memory_allocated(device)
    call()
    torch.cuda.synchronize(device)
    return torch.cuda.max_memory_allocated(device) - before


def _tensors(parts: Any) -> Iterator[Tensor]:
    """All tensors in nested tuples."""
    if isinstance(parts, Tensor):
        yield parts
    elif isinstance(parts, tuple):
        for part in parts:
            yield from _tensors(part)


def least_bytes(read: Any, written: Any) -> int:
    """The size of all that a call reads and writes; what it hands through is not written."""
    sources = {tensor.data_ptr(): tensor.nbytes for tensor in _tensors(read)}
    new = {tensor.data_ptr(): tensor.nbytes for tensor in _tensors(written)}
    return sum((sources | new).values())


def copy_bandwidth(device: torch.device, *, min_run_time_s: float) -> float:
    """Bytes read and written a second by copying what no cache holds."""
    source = torch.ones(2**27 if device.type == "cuda" else 2**25, device=device)
    copy = torch.empty_like(source)
    timing = timed(lambda: copy.copy_(source), device, min_run_time_s=min_run_time_s)
    return 2 * source.nbytes / timing.median_s


class Report:
    """The rows measured so far; storage, that each row is added to."""

    def __init__(self, options: argparse.Namespace, *, unit: str, posted: Sequence[str]) -> None:
        """``posted`` names the rows of the post's method: the best at a batch is its baseline.

        Sets the number of threads that ``options`` ask for. ``ValueError`` or ``OSError`` for a
        device that is not there, or a file that cannot be written.
        """
        check_destination(options.json)
        self.device = find_device(options.device)
        self.path, self.unit, self.posted = options.json, unit, tuple(posted)
        self.measured: list[dict[str, Any]] = []
        more = {"torch": torch.__version__, "unit": unit}
        self.about: dict[str, Any] = about(self.device) | more
        if options.threads is not None:
            torch.set_num_threads(options.threads)

    def add(
        self,
        name: str,
        *,
        batch: int,
        per_second: float,
        device: torch.device | None = None,
        **more: Any,
    ) -> None:
        """One more row, with whatever ``more`` is to say of it; None says nothing."""
        device = self.device if device is None else device
        row = {"name": name, "device": device.type, "batch": batch, "per_second": per_second}
        if device.type == "cpu":
            row["threads"] = torch.get_num_threads()
        row |= {key: value for key, value in more.items() if value is not None}
        self.measured.append(row)
        print(f"{batch:>10,}  {quantity(per_second):>9} {self.unit}/s  {name}", file=sys.stderr)
        self._write()

    def time(
        self,
        name: str,
        call: Callable[[], Answer],
        *,
        batch: int,
        count: int,
        min_run_time_s: float,
        describe: Callable[[Answer], Mapping[str, Any]] = lambda _: {},
        **more: Any,
    ) -> Timing[Answer]:
        """A row of a call that does ``count`` things, with what ``describe`` says of its answer."""
        timing = timed(call, self.device, min_run_time_s=min_run_time_s)
        self.add(
            name,
            batch=batch,
            per_second=count / timing.median_s,
            ms_per_call=1e3 * timing.median_s,
            first_call_s=timing.first_s,
            # A graph's memory was taken when it was made.
            peak_bytes=None if "captured" in name else peak_bytes(call, self.device),
            **more | dict(describe(timing.answer)),
        )
        return timing

    def note(self, **more: Any) -> None:
        """Says more beside the rows: a profile, a bandwidth."""
        self.about |= more
        self._write()

    def profile(self, name: str, call: Callable[[], object]) -> None:
        """Notes what the time of a call goes to, and prints it, one operation a line."""
        figures = _profile(call, self.device)
        self.note(**{f"profile of {name}": figures})
        busy = f", the device busy {figures['busy_share']:.0%}" if "busy_share" in figures else ""
        print(f"where the time goes: {name}{busy}", file=sys.stderr)
        for operation in figures["operations"]:
            share, calls = operation["share"], operation["calls"]
            print(f"  {share:>6.1%}  {calls:>6} x  {operation['name'][:80]}", file=sys.stderr)

    def rows(self) -> list[dict[str, Any]]:
        """The rows with what they are to the post's method: None where that was not measured."""
        baselines: dict[tuple[str, int], float] = {}
        for row in self.measured:
            if row["name"] in self.posted:
                place = row["device"], row["batch"]
                baselines[place] = max(baselines.get(place, 0.0), row["per_second"])
        rows = []
        for row in self.measured:
            baseline = baselines.get((row["device"], row["batch"]))
            ratio = None if baseline is None else row["per_second"] / baseline
            rows.append(_in_order(row | {"ratio_to_posted": ratio}))
        return rows

    def exit_code(self) -> int:
        """1 if a row did other work than the post's method, which a row then says, else 0."""
        wrong = [row for row in self.measured if row.get("num_unexplained")]
        for row in wrong:
            told = f"{row['name']}, batch {row['batch']}: {row['num_unexplained']}"
            print(f"{told} of its results are not the post's", file=sys.stderr)
        return 1 if wrong else 0

    def finish(self) -> None:
        """Prints the table; or the file, where that was to go to standard output."""
        if self.path == "-":
            write_output("-", self._text())
            return
        print(f"\n{self.about['hardware']}, commit {self.about['commit']}, {self.about['date']}")
        print(f"{'batch':>10}  {self.unit + '/s':>12}  {'x posted':>9}  name")
        for row in sorted(self.rows(), key=lambda row: row["batch"]):
            ratio, rate = row["ratio_to_posted"], quantity(row["per_second"])
            shown = "" if ratio is None else f"{ratio:,.{0 if ratio >= 100 else 1}f}"
            where = "" if row["device"] == self.device.type else f" ({row['device']})"
            print(f"{row['batch']:>10,}  {rate:>12}  {shown:>9}  {row['name']}{where}")

    def _write(self) -> None:
        if self.path is not None and self.path != "-":
            write_output(self.path, self._text())

    def _text(self) -> str:
        return json.dumps(self.about | {"rows": self.rows()}, indent=1) + "\n"


def _in_order(row: dict[str, Any]) -> dict[str, Any]:
    first = ("name", "device", "batch", "per_second", "ratio_to_posted")
    return {key: row[key] for key in first} | row


def quantity(value: float) -> str:
    """Three digits and a letter: 183 M."""
    for letter, size in (("T", 1e12), ("G", 1e9), ("M", 1e6), ("k", 1e3)):
        if value >= size:
            return f"{value / size:.3g} {letter}"
    return f"{value:.3g}"


def hardware(device: torch.device) -> str:
    """The device's name; a GPU's with the CPU's, which steps boards too."""
    names = [run_directory.hardware_name(device)]
    if device.type == "cuda":
        names.append(run_directory.hardware_name(torch.device("cpu")))
    return ", ".join(names)


def about(device: torch.device = _CPU) -> dict[str, Any]:
    """What every file of figures says of them: the hardware, the commit and the date."""
    return {
        "hardware": hardware(device),
        "commit": run_directory.current_commit(),
        "date": date.today().isoformat(),
    }


def write_rows(destination: str | None, rows: Sequence[object], **more: Any) -> None:
    """The figures of a script that has no ``Report``: dataclasses, and what is to be said of all.

    Writes nothing where no ``destination`` was given.
    """
    if destination is not None:
        content = about() | more | {"rows": [vars(row) for row in rows]}
        write_output(destination, json.dumps(content, indent=1) + "\n")


def _profile(call: Callable[[], object], device: torch.device) -> dict[str, Any]:
    """What the time of a call goes to, once warm: the longest operations, and how busy a GPU is.

    On the CPU an operation's own time, without what it calls; on a GPU that of its kernels.
    """
    from torch.autograd import DeviceType
    from torch.profiler import ProfilerActivity
    from torch.profiler import profile as torch_profile

    is_on_gpu = device.type == "cuda"
    activities = [ProfilerActivity.CPU] + [ProfilerActivity.CUDA] * is_on_gpu
    with torch_profile(activities=activities) as profiled:
        elapsed_s = _once_s(call, device)
    wanted = DeviceType.CUDA if is_on_gpu else DeviceType.CPU
    times_us: dict[str, tuple[float, int]] = {}
    for event in profiled.key_averages():
        if event.device_type == wanted:
            own_us = event.self_device_time_total if is_on_gpu else event.self_cpu_time_total
            times_us[event.key] = own_us, event.count
    total_us = sum(own_us for own_us, _ in times_us.values())
    longest = sorted(times_us.items(), key=lambda item: -item[1][0])[:12]
    shares = [
        {"name": name, "share": round(own_us / max(total_us, 1e-9), 4), "calls": count}
        for name, (own_us, count) in longest
    ]
    # The rest of a GPU's time it waits for the host.
    busy = {"busy_share": round(total_us / 1e6 / elapsed_s, 4)} if is_on_gpu else {}
    return {"elapsed_s": elapsed_s, **busy, "operations": shares}
