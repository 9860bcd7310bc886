"""``tokoban prepare``: compiles what the other commands need, so that none of them has to wait."""

import argparse
import contextlib
import io
import os
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
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
# Each command is run on small input, which compiles what it needs besides the searches. The runs go
# through the command line, so that nothing is missing. What several share, the first one compiles.
_RUNS: Mapping[str, Sequence[str]] = {
    "solve": ("solve {file} --by search", "solve {file} --by policy"),
    "rate": ("rate {file}",),
    "explain": ("explain {file}",),
    "optimise": ("optimise {file}",),
    "generate": (
        "generate --levels 1 --seed 1 --boxes 2 --fewest-moves --rows 8 --columns 8 --output -",
        "generate --levels 1 --seed 1 --boxes 2 --fewest-moves --rows 12 --columns 12 --output -",
    ),
    "instructions": ("instructions --levels 2 --output {folder}/instructions",),
    "label": ("label {file} --output {folder}/labels",),
    "train": (
        "train push --preset tiny --steps 1 --output {folder}/first",
        "train push --preset tiny --steps 1 --labels {folder}/labels --output {folder}/second",
        "train push --preset tiny --steps 1 --labels {folder}/labels --large-share 1 "
        "--output {folder}/third",
    ),
    "evaluate": (
        "evaluate push --weights {folder}/first --levels {file} --states 2 --most-evaluated 10",
    ),
    "translate": (
        "translate --beam 1 Hallo",
        "translate --beam 1 Hallo Welt",
        "translate Hallo Welt",
    ),
    "generate-text": ("generate-text --max-tokens 4 Hallo",),
}


_OF_NETWORKS = "train", "evaluate", "translate", "generate-text"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares nothing: there is nothing to choose."""
    parser.epilog = (
        "Compiled code is cached beside the package or in NUMBA_CACHE_DIR until the package "
        "changes. If all of it is cached already, this takes seconds. Without this command, each "
        "command compiles what it needs at its first use."
    )


def run(arguments: argparse.Namespace) -> int:
    """Runs each command on small input; 1 if one of them cannot run."""
    from tokoban import compiling
    from tokoban.sokoban.proofs import explainer

    if not compiling.is_cached():
        raise ValueError(compiling.NOT_KEPT)
    failures: list[str] = []
    with tempfile.TemporaryDirectory(prefix="tokoban-") as folder:
        file = Path(folder) / "levels.sok"
        file.write_text(_LEVELS, encoding="utf-8")
        with _reported("searches"):
            explainer.prepare()
        for name, runs in _RUNS.items():
            if name in _OF_NETWORKS and not extras.is_installed("networks"):
                continue
            with _reported(name):
                for words in runs:
                    argv = [word.format(file=file, folder=folder) for word in words.split()]
                    if failure := _failure(argv):
                        failures.append(f"{name}: not compiled: {failure}")
                        break
    for failure in failures:
        print(failure)
    if not compiling.NOTICE.was_given:
        print("Everything had been compiled before.")
    print(f"Compiled code lies in {_describe(compiling.cache_folders())}.")
    return int(bool(failures))


@contextlib.contextmanager
def _reported(name: str) -> Iterator[None]:
    """Prints what is compiled, and once that is done how long it took."""
    print(f"{name}: ", end="", flush=True)
    begun_s = time.perf_counter()
    yield
    print(f"{time.perf_counter() - begun_s:.1f} s")


def _failure(argv: Sequence[str]) -> str | None:
    """Runs a command without its output; the reason if it cannot run."""
    complaints = io.StringIO()
    with (
        contextlib.redirect_stdout(io.StringIO()),
        contextlib.redirect_stderr(complaints),
    ):
        status = cli.main(argv)
    if status == ExitCode.INTERRUPTED:
        raise KeyboardInterrupt
    if status != ExitCode.INVALID_INPUT:
        return None
    return complaints.getvalue().splitlines()[-1].removeprefix("tokoban: ")


def _describe(folders: set[Path]) -> str:
    """Folders in words; those beside the package's files are one name."""
    if all(folder.name == "__pycache__" for folder in folders):
        return f"{os.path.commonpath(folders)}, in the folders __pycache__"
    return os.path.commonpath(folders)
