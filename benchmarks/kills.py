"""Kills trainings at random moments, resumes them, and compares them with uninterrupted ones.

Each of three systems is trained once without interruption. Then it is trained again in processes
that SIGKILL ends after a time drawn from a seed, between 0 and what the uninterrupted run took; the
next process resumes the run, until one comes to its end. Weights, metrics.jsonl and result.json
must then be those of the uninterrupted run byte for byte, apart from what the clock says. Every
kill of such a run counts as survived. Prints a line for each run and one JSON object at the end;
exits with 1 if a kill was not survived.

The processes are forked from one that has trained each system before: no time goes by with imports
and compilation, and the kills fall into the training.
"""

import argparse
import json
import os
import random
import re
import signal
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

import torch

from benchmarks import harness
from tokoban import cli
from tokoban.cli.parser import whole
from tokoban.training.checkpoint import checkpoints
from tokoban.training.run_directory import RunDirectory

TRAININGS = {
    "gpt": "--preset sort --steps 60 --evaluate-every 20 --average-last 3 --keep-every 7",
    "life": "--preset tiny --steps 60 --evaluate-every 15 --patience 9 "
    "--monitor share_before_error",
    "sokoban": "--preset tiny --steps 40 --evaluate-every 20 --ema-decay 0.9 "
    "--num-validation-levels 20",
}
OFTEN = "--checkpoint-every-s 0.02 --log-every 3 --device cpu"
CLOCK = re.compile(rb'(,|\n) *"(loop/elapsed_s|loop/steps_per_s|elapsed_s)": [^,}\n]+')
COMPARED = ("weights.safetensors", "metrics.jsonl", "result.json")


def main() -> int:
    """Trains, kills, compares and counts."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--kills", type=whole(1), default=100, help="of all systems together")
    parser.add_argument("--seed", type=int, default=0, help="of the moments of the kills")
    options = parser.parse_args()
    torch.set_num_threads(1)
    chance = random.Random(options.seed)
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for number, (system, words) in enumerate(TRAININGS.items()):
            num_kills = (options.kills + number) // len(TRAININGS)
            path = Path(folder) / system
            rows.append(try_system(system, words, path, num_kills=num_kills, chance=chance))
    told = {
        "seed": options.seed,
        "kills": sum(row["kills"] for row in rows),
        "survived": sum(row["survived"] for row in rows),
        **harness.about(),
        "rows": rows,
    }
    print(json.dumps(told, indent=2))
    return int(told["survived"] < told["kills"])


def try_system(
    system: str, options: str, folder: Path, *, num_kills: int, chance: random.Random
) -> dict[str, Any]:
    """The counts of one system, whose runs lie in ``folder``."""
    folder.mkdir()
    words = ("train", system, *options.split(), *OFTEN.split())
    if cli.main([*words, "--output", str(folder / "warm")]) != 0:
        raise ChildProcessError(f"{' '.join(words)} failed")
    straight = folder / "straight"
    started_s = time.monotonic()
    _train(words, straight, log=folder / "straight.log")
    longest_s = time.monotonic() - started_s
    expected = _outcome(straight)
    moments: Counter[str] = Counter()
    killed = survived = runs = 0
    while killed < num_kills:
        path = folder / f"run-{runs}"
        kills_of_run = 0
        while True:
            limit_s = chance.uniform(0, longest_s) if killed + kills_of_run < num_kills else None
            if not _train(words, path, log=folder / f"{path.name}.log", limit_s=limit_s):
                break
            kills_of_run += 1
            moments[_moment(path)] += 1
        is_equal = _outcome(path) == expected
        runs, killed = runs + 1, killed + kills_of_run
        survived += kills_of_run * is_equal
        said = "as straight on" if is_equal else "OTHERWISE than straight on"
        print(f"{system}: run {runs}, {kills_of_run} kills, ends {said}", flush=True)
    return {
        "name": system,
        "command": " ".join(words),
        "uninterrupted_s": round(longest_s, 2),
        "runs": runs,
        "kills": killed,
        "survived": survived,
        "moments": dict(moments),
    }


def _train(words: tuple[str, ...], path: Path, *, log: Path, limit_s: float | None = None) -> bool:
    """Trains or resumes the run in ``path``; whether the process was killed after ``limit_s``."""
    if (path / "config.json").exists():
        words = (*words[:2], "--resume")
    process = os.fork()
    if process == 0:
        status = 1
        try:
            with log.open("a") as file:
                os.dup2(file.fileno(), 1)
                os.dup2(file.fileno(), 2)
            status = cli.main([*words, "--output", str(path)])
        finally:
            os._exit(status)
    end_s = None if limit_s is None else time.monotonic() + limit_s
    while True:
        ended, status = os.waitpid(process, 0 if end_s is None else os.WNOHANG)
        if ended:
            break
        if end_s is not None and time.monotonic() >= end_s:
            os.kill(process, signal.SIGKILL)
            end_s = None
        time.sleep(0.0005)
    if os.WIFSIGNALED(status):
        return True
    if status != 0:
        raise ChildProcessError(f"{' '.join(words)} failed:\n{log.read_text()[-2000:]}")
    return False


def _moment(path: Path) -> str:
    """The part of a run in which a process was killed, by the files that it left."""
    directory = RunDirectory(path, system="", config={})
    if not (path / "config.json").exists():
        return "before the record"
    if directory.result.exists():
        return "after the result"
    found = checkpoints(directory.checkpoints)
    if not found:
        return "before the first checkpoint"
    num_steps = json.loads((path / "config.json").read_text())["run"]["steps"]
    return "after the last step" if f"{num_steps:010}" in found[0].name else "between checkpoints"


def _outcome(path: Path) -> list[bytes]:
    """The bytes of the files compared, without what the clock says."""
    return [CLOCK.sub(b"", (path / name).read_bytes()) for name in COMPARED]


if __name__ == "__main__":
    sys.exit(main())
