"""The fewest pushes of Boxoban's levels beside a plain A* in C, on one core.

``push_astar.c`` has the same lower bound and the same rule for deadlocks. It lacks what was tuned
here: it tests each child for frozen boxes, matches all boxes anew for each child, walks before it
looks a position up, and finds push distances square by square. It writes no solutions; ours writes
and replays each.

It is compiled with ``cc``. The two take turns of ``--passes`` passes over all levels of a file;
levels a second are those of the fastest pass, by the clock of the processor, and the ratio is ours
over C's. Exits with 1 if a level has not the same number of pushes in both.
"""

import argparse
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from statistics import median

import numpy as np
from jaxtyping import Int64

from tokoban.cli.parser import whole
from tokoban.sokoban.formats.levels import read_levels
from tokoban.sokoban.search.bitboard.batch import prepare, solve_many
from tokoban.sokoban.search.bitboard.driver import Verdict
from tokoban.sokoban.search.bitboard.levels import Levels, from_bitboards
from tokoban.sokoban.simulation.bitboards import pack

SOURCE = Path(__file__).with_name("push_astar.c")
HEADER = f"{'file':<28} {'levels':>6} {'here/s':>8} {'C/s':>8} {'ratio':>6} {'of medians':>10}"


def read_file(file: str) -> Levels:
    """The levels of a file; raises ``ValueError`` if it has none or one beyond 8x8."""
    boards = [level.board for level in read_levels(file).levels]
    if not boards:
        raise ValueError(f"{file} has no levels")
    try:
        return from_bitboards(pack(boards))
    except ValueError as error:
        raise ValueError(f"{file}: {error}") from error


def compile_peer(folder: Path, *options: str) -> Path:
    """The program of ``SOURCE``, for this machine where the compiler can do that."""
    if shutil.which("cc") is None:
        raise SystemExit("c_solver needs a C compiler that is called cc")
    program = folder / "push_astar"
    command = ["cc", "-O3", *options, "-o", str(program), str(SOURCE)]
    for own in ["-march=native"], []:
        run = subprocess.run([*command, *own], capture_output=bool(own), check=False)
        if run.returncode == 0:
            return program
    raise SystemExit(f"cc cannot compile {SOURCE}")


def run_peer(
    program: Path, levels: Levels, passes: int
) -> tuple[list[float], Int64[np.ndarray, " N"]]:
    """The seconds of each pass, and the pushes of each level, -1 without a solution."""
    words = np.concatenate([[np.uint64(levels.num_levels)], np.stack(levels, axis=1).ravel()])
    run = subprocess.run(
        [str(program), str(passes)], input=words.tobytes(), stdout=subprocess.PIPE, check=False
    )
    if run.returncode:
        raise SystemExit(f"push_astar ended with code {run.returncode}")
    told = run.stdout.split()
    return [float(one) for one in told[:passes]], np.array(told[passes:], np.int64)


def run_here(levels: Levels, passes: int) -> tuple[list[float], Int64[np.ndarray, " N"]]:
    """As ``run_peer``."""
    seconds = []
    for _ in range(passes):
        started_s = time.process_time()
        answers = solve_many(levels, "pushes")
        seconds.append(time.process_time() - started_s)
    return seconds, np.where(answers.verdict == Verdict.SOLVED, answers.num_pushes, -1)


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs="+", metavar="FILE")
    parser.add_argument("--turns", type=whole(1), default=5, metavar="N", help="of each program")
    parser.add_argument("--passes", type=whole(1), default=30, metavar="N", help="in each turn")
    arguments = parser.parse_args(argv)
    try:
        levels_of = {file: read_file(file) for file in arguments.files}
    except (OSError, ValueError) as error:
        parser.error(str(error))
    prepare()
    num_apart = 0
    print(HEADER)
    with tempfile.TemporaryDirectory() as folder:
        program = compile_peer(Path(folder))
        for file, levels in levels_of.items():
            here_s: list[float] = []
            peer_s: list[float] = []
            for _ in range(arguments.turns):
                seconds, pushes = run_here(levels, arguments.passes)
                here_s += seconds
                seconds, pushes_of_peer = run_peer(program, levels, arguments.passes)
                peer_s += seconds
            apart = np.flatnonzero(pushes != pushes_of_peer) + 1
            num_apart += len(apart)
            count = levels.num_levels
            print(
                f"{file[-28:]:<28} {count:>6} {count / min(here_s):>8.0f} "
                f"{count / min(peer_s):>8.0f} {min(peer_s) / min(here_s):>6.2f} "
                f"{median(peer_s) / median(here_s):>10.2f}",
                flush=True,
            )
            if len(apart):
                print(f"{file}: not the same pushes in levels {apart.tolist()}")
    return int(num_apart > 0)


if __name__ == "__main__":
    sys.exit(main())
