"""Solves the levels of players' collections and lists which were solved.

What ``tokoban solve --minimise`` runs; ``--without`` leaves members of its portfolio out, or parts
of them. ``--seed`` changes the order of equal positions in the beams, which shows how much results
vary.

One core, so many seconds of it for each level (of the process, so that a busy machine does not
count). Every solution is replayed by the plain rules. Prints a table in the form of the field's
statistics pages at the end. ``--festival`` has Festival solve the levels instead, a process for
each, whose start is counted (some 0.5 s, which it takes to lay out its memory).
"""

import argparse
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from statistics import median

from benchmarks import harness
from tokoban.sokoban.board import Board
from tokoban.sokoban.formats.levels import read_levels
from tokoban.sokoban.search.answer import OBJECTIVES
from tokoban.sokoban.search.combine import portfolio
from tokoban.sokoban.search.combine.solver import prepare, solve
from tokoban.sokoban.search.limits import Limits
from tokoban.sokoban.search.run import find_answer

# Festival shares whole seconds among its eight searches: of fewer some get none.
FESTIVAL_LEAST_S = 60

HEADER = (
    f"{'level':<28} {'boxes':>5} {'answer':<10} {'moves':>6} {'pushes':>6} {'expansions':>10} "
    f"{'s':>7} by"
)


@dataclass(frozen=True)
class Row:
    """One level; ``number`` counts from 1 in its file, moves and pushes are None if not solved."""

    file: str
    number: int
    boxes: int
    answer: str
    limit: str | None
    moves: int | None
    pushes: int | None
    expansions: int
    elapsed_s: float
    solver: str

    def __str__(self) -> str:
        moves, pushes = self.moves or "-", self.pushes or "-"
        return (
            f"{self.file[:22] + ' ' + str(self.number):<28} {self.boxes:>5} {self.answer:<10} "
            f"{moves:>6} {pushes:>6} {self.expansions:>10} {self.elapsed_s:>7.2f} {self.solver}"
        )


def run(
    file: str,
    number: int,
    board: Board,
    limits: Limits,
    *,
    minimise: str = "any",
    without: frozenset[str] = frozenset(),
    seed: int = 0,
) -> Row:
    """Solves one level; the clock leaves the replay out."""
    limits = replace(limits, clock=time.process_time)
    if without or seed:
        search = partial(portfolio.search, board=board, limits=limits, without=without, seed=seed)
        answer = find_answer(board, search, limits)
    else:
        answer = solve(board, minimise=minimise, limits=limits)
    moves = pushes = None
    if answer.solution is not None:
        moves, pushes = answer.solution.num_moves, answer.solution.num_pushes
    return Row(
        file=Path(file).name,
        number=number,
        boxes=len(board.boxes),
        answer=answer.status,
        limit=answer.reason,
        moves=moves,
        pushes=pushes,
        expansions=answer.num_expansions,
        elapsed_s=answer.elapsed_s,
        solver=answer.solver,
    )


def run_festival(file: str, number: int, board: Board, *, binary: Path, limit_s: int) -> Row:
    """Solves one level by a program of Yaron Shoham (https://festival-solver.site), on one core.

    It divides at least a minute among its searches, and is ended after ``limit_s`` of the
    processor. It measures its time by the clock, so the core must be free.
    """
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "level.sok").write_text(f"Level\n\n{board}\n\n", encoding="ascii")
        seconds = str(max(limit_s, FESTIVAL_LEAST_S))
        words = ["level.sok", "-cores", "1", "-time", seconds, "-out_file", "solved.sok"]
        with subprocess.Popen(
            [binary, *words],
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (limit_s, limit_s)),
        ) as running:
            _, _, used = os.wait4(running.pid, 0)
        written = read_levels(Path(folder) / "solved.sok")
    if written.problems:  # such as a solution that does not solve its level
        raise RuntimeError(f"{file} {number}: {written.problems[0]}")
    found = next((solution for level in written.levels for solution in level.solutions), None)
    return Row(
        file=Path(file).name,
        number=number,
        boxes=len(board.boxes),
        answer="gave up" if found is None else "solved",
        limit=None,
        moves=None if found is None else found.num_moves,
        pushes=None if found is None else found.num_pushes,
        expansions=0,
        elapsed_s=used.ru_utime + used.ru_stime,
        solver="Festival",
    )


def table(rows: Sequence[Row], limits_s: Sequence[float]) -> str:
    """Levels solved within so many seconds, a collection in each row: as statistics pages have it.

    Also the medians of seconds and expansions of the solved levels, and by whom they were solved.
    """
    files = list(dict.fromkeys(row.file for row in rows))
    width = max(map(len, files), default=0)
    within = " ".join(f"{f'{limit:g} s':>7}" for limit in limits_s)
    lines = [
        f"{'collection':<{width}} {'levels':>6} {within} {'median s':>9} {'expansions':>10} by"
    ]
    for file in files:
        here = [row for row in rows if row.file == file]
        solved = [row for row in here if row.answer == "solved"]
        counts = (sum(row.elapsed_s <= limit for row in solved) for limit in limits_s)
        counted = " ".join(f"{count:>7}" for count in counts)
        seconds = median([row.elapsed_s for row in solved] or [0.0])
        expansions = median([row.expansions for row in solved] or [0])
        solvers = ", ".join(
            f"{name} {count}" for name, count in Counter(row.solver for row in solved).most_common()
        )
        spent = f"{seconds:>9.2f} {expansions:>10.0f}"
        lines.append(f"{file:<{width}} {len(here):>6} {counted} {spent} {solvers}")
    return "\n".join(lines)


def rates(rows: Sequence[Row]) -> str:
    """Expansions a second, of the levels that have at least a thousand expansions."""
    found = sorted(
        (row.expansions / row.elapsed_s, f"{row.file} {row.number}")
        for row in rows
        if row.expansions >= 1_000
    )
    if not found:
        return "expansions a second: no level has 1,000 expansions"
    middle = median(rate for rate, _ in found)
    return (
        f"expansions a second on {len(found)} levels of 1,000 expansions or more: "
        f"at least {found[0][0]:.0f} ({found[0][1]}), {middle:.0f} in the median"
    )


def numbers(text: str) -> list[int]:
    """The type of ``--levels``: such as 3 or 5-9."""
    first, _, last = text.partition("-")
    return list(range(int(first), int(last or first) + 1))


def _parsed(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs="+", metavar="FILE")
    parser.add_argument("--minimise", choices=OBJECTIVES, default="any")
    parser.add_argument("--max-expansions", type=int, metavar="N", help="a level")
    parser.add_argument(
        "--without",
        nargs="+",
        default=[],
        choices=sorted(portfolio.PARTS),
        metavar="PART",
        help=f"for ablations: {', '.join(sorted(portfolio.PARTS))}",
    )
    parser.add_argument("--seed", type=int, default=0, help="of the order of equal positions")
    parser.add_argument("--time-limit", type=float, default=60, metavar="SECONDS", help="a level")
    parser.add_argument("--memory-limit", type=float, default=4000, metavar="MB", help="a level")
    parser.add_argument(
        "--levels", type=numbers, nargs="+", metavar="N", help="only these, from 1, such as 3 5-9"
    )
    parser.add_argument("--json", metavar="OUT", help="write the rows here too")
    parser.add_argument("--festival", metavar="BINARY", help="Festival, which solves them instead")
    arguments = parser.parse_args(argv)
    if (arguments.without or arguments.seed) and arguments.minimise != "any":
        parser.error("--without and --seed are about --minimise any")
    if arguments.festival is not None:
        if arguments.without or arguments.seed or arguments.max_expansions is not None:
            parser.error("--without, --seed and --max-expansions have no effect on Festival")
        if arguments.minimise != "any":
            parser.error("Festival finds any solution")
        if not Path(arguments.festival).is_file():
            parser.error(f"{arguments.festival}: no such file")
    return arguments


def main(argv: Sequence[str] | None = None) -> int:
    arguments = _parsed(argv)
    limits = Limits(
        time_limit_s=arguments.time_limit,
        memory_limit_mb=arguments.memory_limit,
        max_expansions=arguments.max_expansions,
    )
    solve_one = partial(
        run,
        limits=limits,
        minimise=arguments.minimise,
        without=frozenset(arguments.without),
        seed=arguments.seed,
    )
    if arguments.festival is not None:
        binary, limit_s = Path(arguments.festival).resolve(), int(arguments.time_limit)
        solve_one = partial(run_festival, binary=binary, limit_s=limit_s)
    levels_of = {file: read_levels(file).levels for file in arguments.files}
    chosen = {number for some in arguments.levels or [] for number in some}
    prepare()
    rows: list[Row] = []
    print(HEADER)
    for file in arguments.files:
        here = len(rows)
        for number, level in enumerate(levels_of[file], 1):
            if chosen and number not in chosen:
                continue
            rows.append(row := solve_one(file, number, level.board))
            print(row, flush=True)
        unsolved = [row.number for row in rows[here:] if row.answer != "solved"]
        num_levels = len(rows) - here
        print(f"{file}: {num_levels - len(unsolved)} of {num_levels} solved; not {unsolved}")
    print(
        table(
            rows, [s for s in (1, 10, 60, 600) if s < arguments.time_limit] + [arguments.time_limit]
        )
    )
    print(rates(rows))
    names = [
        "minimise",
        "without",
        "seed",
        "max_expansions",
        "time_limit",
        "memory_limit",
        "festival",
    ]
    harness.write_rows(arguments.json, rows, **{name: vars(arguments)[name] for name in names})
    return 0


if __name__ == "__main__":
    sys.exit(main())
