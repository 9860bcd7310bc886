"""``tokoban prepare``: compiles what the other commands need, so that none of them has to wait."""

import argparse
import contextlib
import io
import os
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import BrokenExecutor, Future, as_completed
from functools import partial
from pathlib import Path

from tokoban import cli
from tokoban.api import extras
from tokoban.cli.exit_codes import ExitCode

SUMMARY = "compile the searches for this machine now, so that the first use is fast"
UNDECIDED = "some commands cannot run here"

# Small levels for every search: those on one 64-bit word and those on numbered squares, solvable
# and not, one box and several.
_LEVELS = """One box, and a solution with pushes in vain

########
#      #
#      #
#  $@. #
#      #
#      #
########

Solution
ulDlddrUluRR

Four boxes

########
#. .   #
# $$   #
#   @  #
# $$   #
#. .   #
########

A pair that is stuck

########
#@$.$ .#
########

Too wide for one word

############
#@         #
#  $   $   #
#.        .#
############

Too wide, and no box may cross

###############
#@ $ $  #   ..#
# #### ##     #
#             #
###############
"""
# Commands are run on small input, which compiles what they need besides the searches. The runs go
# through the command line, so that nothing is missing.
_RUNS: Mapping[str, Sequence[str]] = {
    "policy": ("solve {file} --by policy",),
    "label, train, evaluate": (
        "label {file} --output {folder}/labels",
        "train push --preset tiny --steps 1 --output {folder}/first",
        "train push --preset tiny --steps 1 --labels {folder}/labels --output {folder}/second",
        "train push --preset tiny --steps 1 --labels {folder}/labels --large-share 1 "
        "--output {folder}/third",
        "evaluate push --weights {folder}/first --levels {file} --states 2 --most-evaluated 10",
    ),
    "translate, generate-text": (
        "translate --beam 1 Hallo",
        "translate --beam 1 Hallo Welt",
        "translate Hallo Welt",
        "generate-text --max-tokens 4 Hallo",
    ),
    "optimise": ("optimise {file}",),
    "generate": (
        "generate --levels 1 --seed 1 --boxes 2 --fewest-moves --rows 8 --columns 8 --output -",
        "generate --levels 1 --seed 1 --boxes 2 --fewest-moves --rows 12 --columns 12 --output -",
    ),
    "rate": ("rate {file}",),
    "instructions": ("instructions --levels 2 --output {folder}/instructions",),
    "explain": ("explain {file}",),
    "solve": ("solve {file} --by search",),
}
_OF_NETWORKS = "train", "evaluate", "translate", "generate-text"
# The longest part takes a fifth of all the work, so more processes would only wait for it.
_MOST_PROCESSES = 4


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares nothing: there is nothing to choose."""
    parser.epilog = (
        "Compiled code is cached beside the package or in NUMBA_CACHE_DIR until the package "
        "changes. If all of it is cached already, this takes seconds. Without this command, each "
        "command compiles what it needs at its first use."
    )


def run(arguments: argparse.Namespace) -> int:
    """Compiles part by part, on several cores; 1 if a command cannot run."""
    from tokoban import compiling

    searches = _searches()
    if not compiling.is_cached():  # of what has been imported
        raise ValueError(compiling.NOT_KEPT)
    failures: list[str] = []
    is_new = False
    with tempfile.TemporaryDirectory(prefix="tokoban-") as folder:
        file = Path(folder) / "levels.sok"
        file.write_text(_LEVELS, encoding="utf-8")
        for name, future in _side_by_side({**searches, **_commands(file)}, file):
            try:
                failure, elapsed_s, has_compiled = future.result()
            except BrokenExecutor:
                failures.append(f"{name}: not compiled: its process ended; was memory short?")
                continue
            print(f"{name}: {elapsed_s:.1f} s", flush=True)
            is_new |= has_compiled
            if failure is not None:
                failures.append(f"{name}: not compiled: {failure}")
    for line in failures:
        print(line)
    if not failures and not is_new:
        print("Everything had been compiled before.")
    print(f"Compiled code lies in {_describe(compiling.cache_folders())}.")
    return int(bool(failures))


def _searches() -> dict[str, Callable[[], None]]:
    """By the name of each search, the function that compiles it; the longest first."""
    from tokoban.sokoban.proofs import explainer
    from tokoban.sokoban.search.bitboard import batch
    from tokoban.sokoban.search.searches.astar import solver as astar
    from tokoban.sokoban.search.searches.beam import pull_beam, push_beam
    from tokoban.sokoban.search.searches.fess import solver as fess

    return {
        "FESS": fess.prepare,
        "A*": astar.prepare,
        "beam of pushes": push_beam.prepare,
        "small levels": batch.prepare,
        "beam of pulls": pull_beam.prepare,
        "proofs": explainer.prepare,
    }


def _commands(file: Path) -> dict[str, Callable[[], str | None]]:
    """Runs of the commands by their names; each returns the reason if one cannot run."""
    has_networks = extras.is_installed("networks")
    found: dict[str, Callable[[], str | None]] = {}
    for name, runs in _RUNS.items():
        words = [run.split() for run in runs]
        if own := [argv for argv in words if has_networks or argv[0] not in _OF_NETWORKS]:
            found[name] = partial(_run_all, own, file)
    return found


def _side_by_side(
    parts: Mapping[str, Callable[[], str | None]], file: Path
) -> Iterator[tuple[str, Future[tuple[str | None, float, bool]]]]:
    """Runs the parts in several processes; the name and the result of each, once it is done.

    The processes end once ``file`` is gone, which this deletes. What two of them share, and neither
    finds in the cache, is compiled twice.
    """
    import multiprocessing
    from concurrent.futures import ProcessPoolExecutor

    from tokoban.training.ahead import leave_to_parent

    # Not forked: the caller's torch may have threads.
    context = multiprocessing.get_context("spawn")
    num_processes = min(os.cpu_count() or 1, _MOST_PROCESSES)
    with ProcessPoolExecutor(num_processes, context, leave_to_parent, (file,)) as pool:
        names = {pool.submit(_timed, part): name for name, part in parts.items()}
        try:
            for future in as_completed(names):
                yield names[future], future
        finally:
            file.unlink()  # which ends the processes, whatever they are compiling


def _timed(part: Callable[[], str | None]) -> tuple[str | None, float, bool]:
    """A part's failure, its seconds, and whether this process has compiled anything so far."""
    from tokoban import compiling

    begun_s = time.perf_counter()
    with contextlib.redirect_stderr(io.StringIO()):
        failure = part()
    return failure, time.perf_counter() - begun_s, compiling.NOTICE.was_given


def _run_all(runs: Sequence[Sequence[str]], file: Path) -> str | None:
    """Runs commands without their output, up to the first that fails; then the reason."""
    for words in runs:
        argv = [word.format(file=file, folder=file.parent) for word in words]
        complaints = io.StringIO()
        with (
            contextlib.redirect_stdout(io.StringIO()),
            contextlib.redirect_stderr(complaints),
        ):
            status = cli.main(argv)
        if status == ExitCode.INTERRUPTED:
            raise KeyboardInterrupt
        if status == ExitCode.INVALID_INPUT:
            return complaints.getvalue().splitlines()[-1].removeprefix("tokoban: ")
    return None


def _describe(folders: set[Path]) -> str:
    """Folders in words; those beside the package's files are one name."""
    if all(folder.name == "__pycache__" for folder in folders):
        return f"{Path(cli.__file__).parents[1]}, in the folders __pycache__"
    return os.path.commonpath(folders)
