"""Runs the benchmarks one after the other, each a process of its own with a time of its own.

What a part prints goes to OUT/<part>.log and its rows to OUT/<part>.json as they are measured. A
part that fails, or is not over in time, is reported and does not stop the others; the exit code is
then 1. Time that a part leaves goes to those behind it. A part whose packages are not installed is
left out. Needs no network and no installation: `python3 -m benchmarks.together --device cuda --out
results` from the repository, wherever its dependencies can be imported.
"""

import argparse
import io
import os
import shutil
import signal
import subprocess
import sys
import tarfile
import tempfile
import time
import zipfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from threading import Event, Thread

REPOSITORY = Path(__file__).resolve().parents[1]
ARCHIVE_BYTES = 15 * 2**20  # what goes into one, before it is compressed
MAX_ARCHIVES = 7
GRACE_S = 8.0  # for a part to write what it has, once it is asked to end


@dataclass(frozen=True)
class Part:
    """One command: ``arguments`` of python, of which those in OUT/ are in the folder."""

    name: str
    limit_s: float
    arguments: tuple[str, ...]
    needs: tuple[str, ...] = ()  # packages
    files: tuple[str, ...] = ()  # and data, without which it is left out
    beside: tuple[tuple[str, ...], ...] = ()  # more commands, at the same time


def benchmark(name: str, limit_s: float, *options: str, needs: tuple[str, ...] = ()) -> Part:
    """A script that writes its rows to a file."""
    arguments = ("-m", f"benchmarks.{name}", "--json", f"OUT/{name}.json", *options)
    return Part(name, limit_s, arguments, needs)


def cpu_parts(*, is_quick: bool, levels: Sequence[str] = ()) -> list[Part]:
    """All that is to be run on a CPU; ``levels`` are files of real ones."""
    common = ("--device", "cpu", *(["--quick"] if is_quick else []))
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


GROUPS = (
    "proof", "push", "push-more", "trainings", "multi30k", "language", "instructions", "scale",
)  # fmt: skip


def gpu_parts(group: str, *, device: str, is_quick: bool, data: Path | None = None) -> list[Part]:
    """What is run on a GPU in one call of ten minutes; on a CPU to try it out, with ``is_quick``.

    ``data`` is a folder laid out as that of ``TOKOBAN_DATA``: parts whose data it has not are left
    out.
    """
    common = ("--device", device, *(["--quick"] if is_quick else []))

    def unless_quick(*options: str) -> tuple[str, ...]:
        return () if is_quick else options

    def training(system: str, preset: str, minutes: str, *options: str) -> tuple[str, ...]:
        run = ("-m", "tokoban", "train", system, "--preset", preset, "--device", device)
        return *run, "--minutes", "0.05" if is_quick else minutes, *options

    # Each of these is solved by the host before the training, and played and replayed behind it.
    few_levels = ("--num-validation-levels", "256")
    if group == "proof":
        rollouts = unless_quick("--batches", "4096")
        simulator = unless_quick("--batches", str(2**24), str(2**20))
        # What is compiled there is slow; rollouts and beam hold the same against the post.
        tests = ("-m", "pytest", "-v", "-W", "default", "-m", "gpu and not slow")
        return [
            Part("versions", 25, ("-m", "benchmarks.versions")),
            benchmark("rollouts", 120, *common, *rollouts),
            benchmark("simulator", 195, *common, *simulator),
            benchmark("beam", 90, *common),
            Part("tests", 70, tests, ("pytest",)),
            benchmark("planning", 40, *common),
        ]
    if group in ("push", "push-more"):
        return _push_parts(device, is_more=group == "push-more", is_quick=is_quick, data=data)
    if group == "language":
        return _language_parts(training, device=device, is_quick=is_quick, data=data)
    if group == "instructions":
        others = max(1, (os.cpu_count() or 2) - 2)  # draw the examples
        train = training(
            *("instructions", "tiny" if is_quick else "base", "8.3"),
            *unless_quick("--start-from", "sokoban-instructions", "--batch-examples", "1024"),
            *unless_quick("--readings", "8", "--schedule", "linear", "--warmup-steps", "200"),
            *unless_quick("--learning-rate", "0.0015"),
            *("--workers", str(others), "--checkpoint-every-s", "60", "--output", "OUT/train"),
        )
        ship = ("-m", "benchmarks.ship", "OUT/train", "OUT/ship/sokoban-instructions.safetensors")
        return [Part("train", 575, train), Part("ship", 15, ship)]
    if group == "trainings":
        text = _file(data, "tinyshakespeare/input.txt")
        pictures = _file(data, "fashion-mnist")
        # Evaluated at the end alone: each time it reads the whole validation text.
        gpt = training(
            *("gpt", "shakespeare_small" if is_quick else "shakespeare", "2.8"),
            *("--text", text, "--evaluate-every", "0", "--monitor", ""),
            *(("--validation-share", "0.003") if is_quick else ()),
        )
        vit = training(
            *("vit", "fashion-mnist", "4.2"),
            *("--data", pictures),
        )
        seeds = [(*vit, "--seed", seed, "--output", f"OUT/vit/{seed}") for seed in "012"]
        return [
            benchmark("training", 80, *common, *unless_quick("--games", "2048", "8192")),
            Part("gpt", 200, (*gpt, "--output", "OUT/gpt"), files=(text,)),
            Part("vit", 290, seeds[0], files=(pictures,), beside=tuple(seeds[1:])),
        ]
    if group == "multi30k":
        folder = _file(data, "multi30k")
        papers = (
            *("-m", "benchmarks.multi30k", folder, "--device", device, "--folder", "OUT/multi30k"),
            *("--directions", "en-de", "--text", "papers", "--recipe", "published"),
            *("--precision", "fp32"),
            *(("--steps", "4", "--seeds", "0") if is_quick else ()),
        )
        slow_tests = ("-m", "pytest", "-v", "-W", "default", "-m", "gpu and slow")
        return [Part("multi30k", 570, papers, ("sacremoses",), (folder,), (slow_tests,))]
    preset = "tiny" if is_quick else "blog"
    boards = training("sokoban", preset, "4.4", *unless_quick("--batch-games", "4096"), *few_levels)
    small = unless_quick("--batches", "1024", "64")
    rounds = ("--sentences", "64", "--rounds", "1")
    return [
        Part("train", 300, (*boards, "--output", "OUT/train")),
        benchmark("marian", 80, *common, *rounds, needs=("transformers",)),
        # Its many rows are of the CPU, which `--device cpu` has measured at length.
        benchmark("environment", 20, "--device", device, "--quick", needs=("gymnasium",)),
        benchmark("rollouts", 150, *common, *small),
    ]


def _language_parts(
    training: Callable[..., tuple[str, ...]], *, device: str, is_quick: bool, data: Path | None
) -> list[Part]:
    """Trains the translators and the GPT that ship, and writes their weights as they ship.

    The GPT trains beside the part that both translators share. DATA/everyday has the text that
    ``python -m benchmarks.everyday DATA DATA/everyday text`` writes.
    """
    folder = _file(data, "everyday")
    texts = [_file(data, f"translation/tatoeba.{language}.gz") for language in ("de", "en")]
    batch = ("--batch-tokens", "2048" if is_quick else "32768", "--checkpoint-every-s", "60")

    def everyday(direction: str, minutes: str, *options: str) -> tuple[str, ...]:
        words = ("-m", "benchmarks.everyday", str(data or "data"), folder, "train", direction)
        minutes = "0.05" if is_quick else minutes
        return (*words, "--device", device, "--minutes", minutes, *options, *batch)

    gpt = training(
        *("gpt", "everyday", "3", "--text", *texts, "--batch-size", "16" if is_quick else "256"),
        *("--warmup-steps", "200", "--evaluate-every", "500", "--monitor=-validation_nats"),
    )
    both = everyday("both", "3", "--schedule", "constant", "--beam-width", "1")
    last = ("--schedule", "linear", "--warmup-steps", "100", "--learning-rate", "0.0015")
    forth, back = (everyday(direction, "3.4", *last) for direction in ("de-en", "en-de"))
    runs = {"gpt": "OUT/both/gpt", "de-en": f"{folder}/de-en", "en-de": f"{folder}/en-de"}
    ship = [
        ("-m", "benchmarks.ship", run, f"OUT/ship/{name}.safetensors") for name, run in runs.items()
    ]
    files = (f"{folder}/everyday.de.gz", *texts)
    return [
        Part("both", 250, both, files=files, beside=((*gpt, "--output", "OUT/both/gpt"),)),
        Part("directions", 290, forth, files=files, beside=(back,)),
        Part("ship", 30, ship[0], files=files, beside=tuple(ship[1:])),
    ]


def _push_parts(device: str, *, is_more: bool, is_quick: bool, data: Path | None) -> list[Part]:
    """The push policy: labels, half of the training or the other half, and its evaluation."""
    archive = _file(data, "boxoban/boxoban-levels.tar.xz")
    labels = "OUT/../push-labels"  # which no archive of results needs to hold
    num_levels, seconds = ("100", "60") if is_quick else ("200000", "110")
    # The time of both calls: the schedule goes on where the first is cut short.
    minutes, batch = ("0.2", "64") if is_quick else ("11", "1024")
    train = (
        *("-m", "tokoban", "train", "push", "--device", device, "--minutes", minutes),
        *("--labels", f"{labels}/unfiltered", f"{labels}/medium", "--batch-positions", batch),
        *("--accumulate", "1", "--checkpoint-every-s", "60", "--output", "OUT/push"),
        *(("--resume",) if is_more else ()),
    )
    prepare = (
        *("-m", "benchmarks.push_labels", archive, "--output", labels),
        *("--levels", num_levels, "--seconds", seconds),
    )

    def evaluation(name: str) -> tuple[str, ...]:
        return (
            *("-m", "tokoban", "evaluate", "push", "--device", device, "--weights", "OUT/push"),
            *("--levels", f"{labels}/levels/{name}/000.txt", "--states", "0"),
            *("--first", "5" if is_quick else "250"),
            *("--json", f"OUT/push-{name.split('/')[0]}.json"),
        )

    first, *others = map(evaluation, ("unfiltered/test", "medium/valid", "hard"))
    return [
        Part("labels", 145, prepare, files=(archive,)),
        Part("train", 335, train, files=(archive,)),
        Part("evaluate", 70, first, files=(archive,), beside=tuple(others)),
    ]


def _file(data: Path | None, name: str) -> str:
    return str((data or Path("data")) / name)


def run_part(part: Part, out: Path, *, limit_s: float) -> str:
    """The result of a part: "done", or what went wrong."""
    # What an earlier run left would look like this one's.
    (out / f"{part.name}.json").unlink(missing_ok=True)
    shutil.rmtree(out / part.name, ignore_errors=True)
    deadline_s = time.monotonic() + limit_s
    with (out / f"{part.name}.log").open("w", encoding="utf-8") as log:
        processes = [
            subprocess.Popen(
                [sys.executable, *_in_folder(command, out)],
                cwd=REPOSITORY,
                env=os.environ | {"PYTHONUNBUFFERED": "1"},
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
            for command in (part.arguments, *part.beside)
        ]
        try:
            codes = [
                process.wait(timeout=max(0.0, deadline_s - time.monotonic()))
                for process in processes
            ]
        except subprocess.TimeoutExpired:
            _end(processes)
            return f"cut short after {limit_s:.0f} s"
        except BaseException:
            _end(processes)
            raise
    bad = [code for code in codes if code]
    return f"failed with {bad[0]}" if bad else "done"


def _in_folder(command: Sequence[str], out: Path) -> list[str]:
    return [
        f"{out}/{argument.removeprefix('OUT/')}" if argument.startswith("OUT/") else argument
        for argument in command
    ]


def _end(processes: Sequence[subprocess.Popen]) -> None:
    """Ends them with all that they have started: compilers have workers."""
    running = [process for process in processes if process.poll() is None]
    for process in running:
        os.killpg(process.pid, signal.SIGTERM)
    deadline_s = time.monotonic() + GRACE_S
    for process in running:
        try:
            process.wait(timeout=max(0.0, deadline_s - time.monotonic()))
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def unpack_wheels(wheels: Sequence[Path], place: Path) -> None:
    """Puts what the wheels hold into the folder ``place``, where the parts will find it.

    A wheel is an archive of what is installed, so that neither pip nor a network is needed.
    """
    for wheel in wheels:
        with zipfile.ZipFile(wheel) as archive:
            archive.extractall(place)
        print(f"unpacked {wheel.name}")
    paths = os.environ.get("PYTHONPATH", "")
    os.environ["PYTHONPATH"] = f"{place}{os.pathsep}{paths}" if paths else str(place)
    sys.path.insert(0, str(place))


def pack(out: Path, folder: Path, *, with_checkpoints: bool = False) -> None:
    """What ``out`` holds, in archives of ``folder``: as few as can be, none of them large.

    Checkpoints are left out unless asked for, and what is too large for an archive; they are named
    in the first.
    """
    folder.mkdir(parents=True, exist_ok=True)
    sizes = {path: path.stat().st_size for path in out.rglob("*") if path.is_file()}
    archives: list[list[Path]] = [[]]
    left_out, free = [], ARCHIVE_BYTES
    for path in sorted(sizes, key=lambda path: (sizes[path], path)):
        is_checkpoint = path.suffix == ".pt" and not with_checkpoints
        if is_checkpoint or sizes[path] > ARCHIVE_BYTES:
            left_out.append(path)
            continue
        if sizes[path] > free:
            if len(archives) == MAX_ARCHIVES:
                left_out.append(path)
                continue
            archives.append([])
            free = ARCHIVE_BYTES
        archives[-1].append(path)
        free -= sizes[path]
    for number, paths in enumerate(archives):
        temporary = folder / "unfinished.tar.gz"
        with tarfile.open(temporary, "w:gz", compresslevel=1) as archive:
            for path in paths:
                archive.add(path, path.relative_to(out))
            if number == 0 and left_out:
                lines = "".join(f"{path.relative_to(out)}\n" for path in left_out).encode()
                about = tarfile.TarInfo("left-out.txt")
                about.size = len(lines)
                archive.addfile(about, io.BytesIO(lines))
        temporary.replace(folder / f"results-{number}.tar.gz")
    for number in range(len(archives), MAX_ARCHIVES):
        (folder / f"results-{number}.tar.gz").unlink(missing_ok=True)


@contextmanager
def packing(
    out: Path, folder: Path | None, *, every_s: float = 15.0, with_checkpoints: bool = False
) -> Iterator[None]:
    """While it runs, and at its end, ``folder`` has what ``out`` has, but for some seconds."""
    if folder is None:
        yield
        return
    is_over = Event()

    def repeat() -> None:
        while not is_over.wait(every_s):
            with suppress(OSError):  # a file that was replaced meanwhile: the next round has it
                pack(out, folder, with_checkpoints=with_checkpoints)

    packer = Thread(target=repeat, daemon=True)
    packer.start()
    try:
        yield
    finally:
        is_over.set()
        packer.join()
        pack(out, folder, with_checkpoints=with_checkpoints)


def run_all(chosen: Sequence[Part], out: Path) -> dict[str, str]:
    """The result of each part, printed as it ends with the last lines of its log."""
    became: dict[str, str] = {}
    started_s = deadline_s = time.monotonic()
    for part in chosen:
        deadline_s += part.limit_s
        missing = [package for package in part.needs if find_spec(package) is None]
        missing += [file for file in part.files if not Path(file).exists()]
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
    options.add_argument("--levels", nargs="+", default=[], metavar="FILE", help="for the CPU's")
    options.add_argument(
        "--group",
        choices=GROUPS,
        help="what a GPU runs within ten minutes (default there: proof); on a CPU to try it out",
    )
    options.add_argument("--data", type=Path, metavar="DIR", help="as TOKOBAN_DATA, for trainings")
    options.add_argument("--wheels", type=Path, metavar="DIR", help="of missing packages")
    options.add_argument("--pack", type=Path, metavar="DIR", help="archives of OUT, every 15 s")
    arguments = options.parse_args(argv)
    group = arguments.group or ("proof" if arguments.device == "cuda" else None)
    if group is not None:
        data = None if arguments.data is None else arguments.data.resolve()
        chosen = gpu_parts(group, device=arguments.device, is_quick=arguments.quick, data=data)
    else:
        levels = [str(Path(file).resolve()) for file in arguments.levels]
        chosen = cpu_parts(is_quick=arguments.quick, levels=levels)
    out: Path = arguments.out.resolve()
    out.mkdir(parents=True, exist_ok=True)
    wheels = sorted(arguments.wheels.glob("*.whl")) if arguments.wheels else []
    # A second call may find a bare machine, and go on from what the first one packed.
    packed = packing(out, arguments.pack, with_checkpoints=group == "push")
    with tempfile.TemporaryDirectory() as place, packed:
        unpack_wheels(wheels, Path(place))
        became = run_all(chosen, out)
    print("\n" + "\n".join(f"{name:<12} {outcome}" for name, outcome in became.items()))
    is_well = all(outcome == "done" or outcome.startswith("left") for outcome in became.values())
    return 0 if is_well else 1


if __name__ == "__main__":
    sys.exit(main())
