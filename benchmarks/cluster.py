"""Labels, puzzles and answers by a Dask cluster on this machine, beside those of threads.

Labels of generated levels come from one thread, one worker and two workers (processes of one thread
each), from two of which one is killed in the middle and another joins late, from a coordinator
that is killed and resumed, and from a pool of two processes. All must be equal byte for byte; so
must puzzles, and answers in all but the seconds. Exits with 1 if one differs. The seconds include
the start of each command. With ``--rate-of FILE...`` the labels of these levels are made by one
worker and by two, three times in turn; their rate leaves out the start and the end of the command.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing import get_context
from pathlib import Path

from tokoban.sokoban.labels.folder import LabelFolder
from tokoban.sokoban.labels.job import LabelConfig, read_job
from tokoban.sokoban.work import Workers


def start(*words: str) -> subprocess.Popen[bytes]:
    """Starts a module of Python, such as this package's command, as a process of one thread."""
    environment = os.environ | {"OMP_NUM_THREADS": "1", "DASK_LOGGING__DISTRIBUTED": "error"}
    command = [sys.executable, "-m", *words]
    return subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL)


def run(*words: str) -> float:
    """Runs a command, and returns the seconds it took; some levels may be given up."""
    started_s = time.perf_counter()
    status = start("tokoban", *words).wait()
    assert status in (0, 1), (words, status)
    return time.perf_counter() - started_s


class Cluster:
    """A scheduler and workers of one thread."""

    def __init__(self, folder: Path) -> None:
        self._file, self._local = str(folder / "scheduler.json"), str(folder / "workers")
        self.given = "--cluster", self._file
        self.processes = [self._start("scheduler", "--host", "127.0.0.1", "--port", "0")]
        while not Path(self._file).exists():
            if self.processes[0].poll() is not None:
                raise SystemExit("Dask's scheduler did not start; expected tokoban[cluster]")
            time.sleep(0.1)

    def add_worker(self) -> subprocess.Popen[bytes]:
        words = "--nthreads", "1", "--no-nanny", "--local-directory", self._local
        self.processes.append(self._start("worker", *words))
        return self.processes[-1]

    def _start(self, what: str, *words: str) -> subprocess.Popen[bytes]:
        return start("dask", what, "--scheduler-file", self._file, "--no-dashboard", *words)


@contextmanager
def cluster_in(folder: Path, num_workers: int) -> Iterator[Cluster]:
    folder.mkdir()
    cluster = Cluster(folder)
    try:
        for _ in range(num_workers):
            cluster.add_worker()
        yield cluster
    finally:
        for process in reversed(cluster.processes):
            process.kill()
            process.wait()


def started_to_half(out: Path, num_shards: int, *words: str) -> subprocess.Popen[bytes]:
    """A command that labels, once half of the shards are there."""
    running = start("tokoban", *words)
    while len([*out.glob("[0-9]*.safetensors")]) < num_shards // 2 and running.poll() is None:
        time.sleep(0.02)
    return running


def contents(place: Path) -> object:
    """A file of levels, or all that is in a folder; of answers without their seconds."""
    if place.is_file():
        return place.read_bytes()
    if not (place / "answers.jsonl").exists():
        return {file.name: file.read_bytes() for file in place.iterdir()}
    answers = [json.loads(line) for line in (place / "answers.jsonl").read_text().splitlines()]
    return [{k: v for k, v in one.items() if k not in ("seconds", "elapsed_s")} for one in answers]


def labels_per_second(out: Path, per_shard: int, num_workers: int) -> float:
    """From as many shards as workers to the last: without the start and the end of the command.

    From the first shard on, the half-done ones of the other workers would count as done.
    """
    written_s = sorted(shard.stat().st_mtime for shard in out.glob("[0-9]*.safetensors"))
    counted_s = written_s[num_workers - 1 :]
    return per_shard * (len(counted_s) - 1) / (counted_s[-1] - counted_s[0])


def print_rates(place: Path, files: Sequence[str], per_shard: int) -> None:
    """The rates of one worker and of two; each has loaded its compiled code before."""
    for turn, num_workers in [(turn, count) for turn in range(3) for count in (1, 2)]:
        with cluster_in(place / f"rate-{num_workers}-{turn}", num_workers) as cluster:
            label = "label", *files, "--levels-per-shard", str(per_shard), *cluster.given
            for name in ("cold", "warm"):
                out = place / f"rates-{num_workers}-{turn}-{name}"
                seconds = run(*label, "--output", str(out))
            rate = labels_per_second(out, per_shard, num_workers)
            print(f"{num_workers} workers: {seconds:.1f} s, {rate:.0f} levels a second", flush=True)


def main(argv: list[str] | None = None) -> int:
    """Makes levels, runs and compares."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--levels", type=int, default=20_000, help="to be labelled")
    parser.add_argument("--per-shard", type=int, default=200, help="levels a file")
    parser.add_argument("--puzzles", type=int, default=50)
    parser.add_argument("--answers", type=int, default=500, help="levels to be solved")
    parser.add_argument(
        "--rate-of", nargs="+", metavar="FILE", help="only the rates, of its levels"
    )
    options = parser.parse_args(argv)
    for file in options.rate_of or ():
        if not Path(file).is_file():
            parser.error(f"{file}: no such file")
    are_same: list[bool] = []
    with tempfile.TemporaryDirectory() as name:
        place = Path(name)
        if options.rate_of:
            print_rates(place, options.rate_of, options.per_shard)
            return 0
        levels, few = str(place / "levels.xsb"), str(place / "few.xsb")
        made = "generate", "--seed", "5", "--levels"
        run(*made, str(options.levels), "--output", levels)
        run(*made, str(options.answers), "--output", few)
        num_shards = options.levels // options.per_shard
        label = "label", levels, "--levels-per-shard", str(options.per_shard), "--output"
        solve = "solve", few, "--by", "search", "--max-expansions", "2000", "--folder"
        puzzles = *made, str(options.puzzles), "--style", "mixed", "--solutions", "--output"

        def row(out: Path, seconds: float) -> None:
            are_same.append(contents(out) == contents(place / out.name.partition("-")[0]))
            print(f"{out.name}: {seconds:.1f} s, {'the same' if are_same[-1] else 'OTHERWISE'}")

        run("prepare")  # or the first row alone would compile
        for words in (label, solve, puzzles):  # the others are compared with these
            out = place / {"label": "labels", "solve": "answers"}.get(words[0], "puzzles")
            row(out, run(*words, str(out), "--threads", "1"))
        for num_workers in (1, 2):
            with cluster_in(place / f"cluster-{num_workers}", num_workers) as cluster:
                # First what makes each worker load its compiled code.
                for words, noun in ((puzzles, "puzzles"), (solve, "answers"), (label, "labels")):
                    out = place / f"{noun}-{num_workers}"
                    row(out, run(*words, str(out), *cluster.given))
        with cluster_in(place / "cluster-killed", 1) as cluster:
            doomed, out = cluster.add_worker(), place / "labels-killed-worker"
            running = started_to_half(out, num_shards, *label, str(out), *cluster.given)
            doomed.kill()
            cluster.add_worker()  # which joins late
            assert running.wait() == 0
            row(out, 0.0)
            out = place / "labels-killed-coordinator"
            running = started_to_half(out, num_shards, *label, str(out), *cluster.given)
            running.kill()
            running.wait()
            row(out, run(*label, str(out), *cluster.given))
        out, started_s = place / "labels-processes", time.perf_counter()
        with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as executor:
            config = LabelConfig(levels_per_shard=options.per_shard)
            labels = LabelFolder(out, read_job([levels], config))
            labels.complete(Workers(executor=executor))
            labels.conclude()
        row(out, time.perf_counter() - started_s)
    return int(not all(are_same))


if __name__ == "__main__":
    sys.exit(main())
