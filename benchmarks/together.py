"""Runs the benchmarks one after the other, each a process of its own with a time of its own.

What a part prints goes to OUT/<part>.log and its rows to OUT/<part>.json as they are measured. A
part that fails, or is not over in time, is reported and does not stop the others; the exit code is
then 1. Time that a part leaves goes to those behind it. A part whose packages are not installed is
left out. Needs no network and no installation: `python3 -m benchmarks.together --device cuda --out
results` from the repository, wherever its dependencies can be imported.
"""

import argparse
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[1]
GRACE_S = 8.0  # for a part to write what it has, once it is asked to end


@dataclass(frozen=True)
class Part:
    """One command: ``arguments`` of python, of which those in OUT/ are in the folder."""

    name: str
    limit_s: float
    arguments: tuple[str, ...]
    needs: tuple[str, ...] = ()


def benchmark(name: str, limit_s: float, *options: str, needs: tuple[str, ...] = ()) -> Part:
    """A script that writes its rows to a file."""
    arguments = ("-m", f"benchmarks.{name}", "--json", f"OUT/{name}.json", *options)
    return Part(name, limit_s, arguments, needs)


def parts(*, device: str, is_quick: bool, levels: Sequence[str] = ()) -> list[Part]:
    """All that is to be run, on a GPU within 530 s together; ``levels`` are files for the CPU's."""
    common = ("--device", device, *(["--quick"] if is_quick else []))
    if device == "cpu":
        moves = "100000" if is_quick else "1000000"
        real = ("--levels", *levels) if levels else ()
        named = [Part("agreement", 1200, ("-m", "benchmarks.agreement", "--moves", moves, *real))]
        for name in ("simulator", "rollouts", "beam", "training"):
            named.append(benchmark(name, 1200, *common))
        named.append(benchmark("environment", 1200, *common, needs=("gymnasium",)))
        minutes = "0.5" if is_quick else "30"
        named.append(Part("fuzz", 2400, ("-m", "benchmarks.fuzz", "--minutes", minutes)))
        named.append(benchmark("generator", 1800, *common))
        boards = "50" if is_quick else "1000"
        named.append(benchmark("unsolvable", 1800, "--boards", boards, *real))
        named.append(benchmark("attention", 1200, *common))
        if levels:
            named.append(benchmark("solver", 3600, *levels))
            limit = ("--time-limit", "1" if is_quick else "60")
            named.append(benchmark("players_levels", 7200, *levels, *limit))
            named.append(benchmark("optimiser", 7200, *levels, "--count", "200"))
        return named
    preset, minutes = ("tiny", "0.05") if is_quick else ("blog", "1.2")
    run = ("train", "sokoban", "--preset", preset, "--minutes", minutes, "--device", device)
    # Each of these is solved by the host before the training, and played and replayed behind it.
    few = ("--num-validation-levels", "256")
    return [
        # What is compiled there is slow; rollouts and beam hold the same against the post.
        Part("tests", 70, ("-m", "pytest", "-v", "-m", "gpu and not slow"), ("pytest",)),
        benchmark("rollouts", 90, *common),
        benchmark("beam", 60, *common),
        benchmark("training", 60, *common),
        benchmark("simulator", 90, *common),
        benchmark("marian", 40, *common, "--sentences", "128", needs=("transformers",)),
        # Its many rows are of the CPU, which `--device cpu` has measured at length.
        benchmark("environment", 20, "--device", device, "--quick", needs=("gymnasium",)),
        Part("train", 100, ("-m", "tokoban", *run, *few, "--output", "OUT/train")),
    ]


def run_part(part: Part, out: Path, *, limit_s: float) -> str:
    """What became of a part: "done", or what went wrong."""
    arguments = [
        f"{out}/{argument.removeprefix('OUT/')}" if argument.startswith("OUT/") else argument
        for argument in part.arguments
    ]
    # What an earlier run left would look like this one's.
    (out / f"{part.name}.json").unlink(missing_ok=True)
    shutil.rmtree(out / part.name, ignore_errors=True)
    with (out / f"{part.name}.log").open("w", encoding="utf-8") as log:
        process = subprocess.Popen(
            [sys.executable, *arguments],
            cwd=REPOSITORY,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        try:
            code = process.wait(timeout=limit_s)
        except subprocess.TimeoutExpired:
            _end(process)
            return f"cut short after {limit_s:.0f} s"
        except BaseException:
            _end(process)
            raise
    return "done" if code == 0 else f"failed with {code}"


def _end(process: subprocess.Popen) -> None:
    """Ends the part with all that it has started: compilers have workers."""
    os.killpg(process.pid, signal.SIGTERM)
    try:
        process.wait(timeout=GRACE_S)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def run_all(chosen: Sequence[Part], out: Path) -> dict[str, str]:
    """What became of each part, printed as it ends with the last lines of its log."""
    became: dict[str, str] = {}
    started_s = deadline_s = time.monotonic()
    for part in chosen:
        deadline_s += part.limit_s
        missing = [package for package in part.needs if find_spec(package) is None]
        if missing:
            became[part.name] = f"left out: no {', '.join(missing)}"
        else:
            limit_s = deadline_s - time.monotonic() - GRACE_S
            became[part.name] = run_part(part, out, limit_s=limit_s)
        print(f"\n== {part.name}: {became[part.name]}, {time.monotonic() - started_s:.0f} s so far")
        log = out / f"{part.name}.log"
        if not missing:
            lines = log.read_text(encoding="utf-8", errors="replace").splitlines()
            print("\n".join(lines[-40:]))
        sys.stdout.flush()
    return became


def main(argv: Sequence[str] | None = None) -> int:
    """Answers 0 once all parts are done or left out, else 1."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--out", type=Path, required=True, metavar="OUT", help="folder to write")
    options.add_argument("--device", choices=("cpu", "cuda"), required=True)
    options.add_argument("--quick", action="store_true", help="smaller, to try it out")
    options.add_argument("--parts", nargs="+", metavar="NAME", help="these alone")
    options.add_argument("--levels", nargs="+", default=[], metavar="FILE", help="for the CPU's")
    arguments = options.parse_args(argv)
    levels = [str(Path(file).resolve()) for file in arguments.levels]
    chosen = parts(device=arguments.device, is_quick=arguments.quick, levels=levels)
    all_parts = {part.name: part for part in chosen}
    names = arguments.parts or list(all_parts)
    unknown = sorted(set(names) - set(all_parts))
    if unknown:
        options.error(f"no part {', '.join(unknown)}; expected some of {', '.join(all_parts)}")
    out: Path = arguments.out.resolve()
    out.mkdir(parents=True, exist_ok=True)
    became = run_all([all_parts[name] for name in names], out)
    print("\n" + "\n".join(f"{name:<12} {outcome}" for name, outcome in became.items()))
    is_well = all(outcome == "done" or outcome.startswith("left") for outcome in became.values())
    return 0 if is_well else 1


if __name__ == "__main__":
    sys.exit(main())
