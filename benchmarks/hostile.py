"""Reads hundreds of hostile files with the commands that they are for, and counts what goes wrong.

Each case runs in a process of its own, forked from one in which all has been used once, so that
imports and compilation count for nothing. It may take a gigabyte of address space more than it
begins with. Prints one JSON object: the cases by kind, and each one that ended with a traceback or
another status than 0, 1 or 2, ran code, wrote outside its folder, lacked memory or took more than
five seconds of the processor or sixty on the clock; then exits with 1.
"""

import argparse
import contextlib
import json
import os
import resource
import shlex
import shutil
import signal
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from benchmarks.hostile_files import status_bytes
from benchmarks.hostile_folders import CANARY_MODULE, KINDS, LEVEL, Case, write_case, write_picture
from tokoban import cli

MAX_CPU_S = 5.0
# On the clock: a machine that is shared may be slower, but what waits for something never ends.
MAX_S = 60.0
_KILLED_AFTER_S = 90.0
MAX_GROWTH_BYTES = 10**9
# How many cases of each kind; 600 together.
COUNTS = {"weights": 280, "levels": 90, "pictures": 90, "texts": 50, "runs": 80, "labels": 10}

# Each is run once before all cases, on what is as it should be.
_WARMING = (
    *("check level.xsb", "rate level.xsb", "explain level.xsb", "convert level.xsb out.sok"),
    *("convert level.xsb out.png", "solve level.xsb --by search", "solve level.xsb --by rollout"),
    *("solve level.xsb", "optimise out.sok --time-limit 0.3", "translate Zwei"),
    "translate Zwei --beam 1",
    *("generate-text The --max-tokens 3", "life --steps 1", "classify board.png"),
    *("classify board.png --attention out.html", "label level.xsb --output labels --states 2"),
    *("train vit --preset tiny --steps 1 --output vit", "check level.xsb --duplicates"),
    "train translation --preset toy --steps 1 --output translation",
    "train sokoban --preset tiny --steps 1 --output sokoban",
)


_STREAMS = ((0, "r"), (1, "w"), (2, "w"))


@contextlib.contextmanager
def traps(folder: Path) -> Iterator[None]:
    """Lays what writes ``folder / "canary"`` if it is imported, or run as Ghostscript."""
    (folder / f"{CANARY_MODULE}.py").write_text(f"open({str(folder / 'canary')!r}, 'w').close()\n")
    for name in ("gs", "gswin32c", "gswin64c"):
        (folder / name).write_text(f"#!/bin/sh\ntouch {shlex.quote(str(folder / 'canary'))}\n")
        (folder / name).chmod(0o755)
    before = os.environ.get("PATH", "")
    os.environ.update(PATH=f"{folder}:{before}", TOKOBAN_CANARY=str(folder))
    sys.path.insert(0, str(folder))
    try:
        yield
    finally:
        sys.path.remove(str(folder))
        os.environ["PATH"] = before
        del os.environ["TOKOBAN_CANARY"]


def run_command(words: Sequence[str]) -> int:
    """The status of a command; help and wrong arguments leave through SystemExit."""
    try:
        return cli.main(words)
    except SystemExit as left:
        return left.code if isinstance(left.code, int) else 1


def examine(case: Case, place: Path) -> dict[str, Any]:
    """Runs one case in the folder ``place`` and in a process of its own; what became of it."""
    began_s = time.monotonic()
    process = os.fork()
    if process == 0:
        _run_and_leave(case, place)
    status, usage = _wait(process, began_s)
    said = (place / ".stderr").read_text(errors="replace")
    growth = (place / ".growth").read_text() if (place / ".growth").exists() else "0"
    return {
        "status": os.waitstatus_to_exitcode(status),
        "elapsed_s": round(time.monotonic() - began_s, 2),
        "cpu_s": round(usage.ru_utime + usage.ru_stime, 2),
        "growth_bytes": int(growth),
        "said": said,
    }


def faults(found: dict[str, Any], *, was_run: bool, is_outside: bool) -> list[str]:
    """The faults of a case: what no file may bring about."""
    lacks_memory = "not memory enough" in found["said"] or "MemoryError" in found["said"]
    return [
        name
        for name, is_so in {
            "traceback": "Traceback" in found["said"] or found["status"] not in (0, 1, 2),
            "silent": found["status"] == 2 and not found["said"].strip(),
            "code run": was_run,
            "written outside": is_outside,
            "memory": lacks_memory or found["growth_bytes"] > MAX_GROWTH_BYTES,
            "slow": found["cpu_s"] > MAX_CPU_S or found["elapsed_s"] > MAX_S,
        }.items()
        if is_so
    ]


def _run_and_leave(case: Case, place: Path) -> None:
    """What the forked process does, and no more."""
    code = 70
    try:
        os.chdir(place)
        typed = os.open(place / ".stdin", os.O_RDWR | os.O_CREAT)
        os.write(typed, case.typed)
        os.lseek(typed, 0, os.SEEK_SET)
        os.dup2(typed, 0)
        for number, name in (1, ".stdout"), (2, ".stderr"):
            os.dup2(os.open(place / name, os.O_WRONLY | os.O_CREAT), number)
        sys.stdin, sys.stdout, sys.stderr = (os.fdopen(*each) for each in _STREAMS)
        limit = status_bytes("VmSize") + MAX_GROWTH_BYTES
        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
        Path("/proc/self/clear_refs").write_text("5")  # forgets earlier peaks
        before = status_bytes("VmRSS")
        try:
            code = run_command(case.words)
        except BaseException:
            traceback.print_exc()
            code = 71
        sys.stdout.flush()
        sys.stderr.flush()
        (place / ".growth").write_text(str(status_bytes("VmHWM") - before))
    finally:
        os._exit(code)


def _wait(process: int, began_s: float) -> tuple[int, Any]:
    while time.monotonic() - began_s < _KILLED_AFTER_S:
        found, status, usage = os.wait4(process, os.WNOHANG)
        if found:
            return status, usage
        time.sleep(0.01)
    os.kill(process, signal.SIGKILL)
    _, status, usage = os.wait4(process, 0)
    return status, usage


def warm(folder: Path) -> None:
    """Imports and compiles what the commands need; ``RuntimeError`` if one of them fails."""
    before = Path.cwd()
    os.chdir(folder)
    (folder / "level.xsb").write_text(LEVEL)
    write_picture(folder)
    with open(os.devnull, "w") as nowhere, contextlib.redirect_stdout(nowhere):
        for command in _WARMING:
            if (status := run_command(command.split())) not in (0, 1):
                raise RuntimeError(f"{command}: status {status}")
    os.chdir(before)


def attack(cases: Sequence[tuple[str, int]], *, seed: int) -> dict[str, Any]:
    """Examines the cases; their counts, the worst of them and all faults."""
    counts: Counter[str] = Counter()
    statuses: Counter[str] = Counter()
    failures: list[dict[str, Any]] = []
    slowest = busiest = greatest = 0.0
    with tempfile.TemporaryDirectory() as name, traps(Path(name)):
        folder = Path(name)
        (folder / "warm").mkdir()
        warm(folder / "warm")
        for kind, number in cases:
            place = folder / "case" / "inner"
            place.mkdir(parents=True)
            case = write_case(kind, number, place, seed=seed)
            beside = set(place.parent.iterdir())
            found = examine(case, place)
            canary = folder / "canary"
            told = faults(
                found,
                was_run=canary.exists(),
                is_outside=set(place.parent.iterdir()) != beside,
            )
            counts[kind] += 1
            statuses[str(found["status"])] += 1
            slowest, busiest = max(slowest, found["elapsed_s"]), max(busiest, found["cpu_s"])
            greatest = max(greatest, found["growth_bytes"])
            if told:
                found |= {"case": f"{kind}:{number}", "words": case.words, "faults": told}
                found["said"] = found["said"][-1500:]
                failures.append(found)
                print(json.dumps(found), file=sys.stderr)
            canary.unlink(missing_ok=True)
            shutil.rmtree(place.parent)
    totals = Counter(fault for found in failures for fault in found["faults"])
    return {
        "seed": seed,
        "cases": dict(counts),
        "statuses": dict(statuses),
        "slowest_s": slowest,
        "slowest_cpu_s": busiest,
        "greatest_growth_bytes": int(greatest),
        "faults": {
            fault: totals[fault]
            for fault in ("traceback", "silent", "code run", "written outside", "memory", "slow")
        },
        "failures": [found["case"] for found in failures],
    }


def main() -> int:
    """Answers 0 if nothing went wrong."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--kind", choices=KINDS, help="cases of this kind alone")
    parser.add_argument("--case", metavar="KIND:NUMBER", help="this one alone")
    arguments = parser.parse_args()
    cases = [
        (kind, number)
        for kind, count in COUNTS.items()
        for number in range(count)
        if arguments.kind in (None, kind)
    ]
    if arguments.case:
        kind, _, number = arguments.case.partition(":")
        if kind not in KINDS or not number.isdecimal():
            parser.error(f"no case {arguments.case}; expected one such as weights:3")
        cases = [(kind, int(number))]
    found = attack(cases, seed=arguments.seed)
    print(json.dumps(found, indent=2))
    return 1 if found["failures"] else 0


if __name__ == "__main__":
    sys.exit(main())
