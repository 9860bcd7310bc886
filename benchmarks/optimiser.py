"""Makes solutions of the fast mode shorter, and compares them with what the exact mode proves.

Levels that the fast mode solves are taken spread evenly over the files. The optimiser never asks
the exact mode. Its time and that of the fast mode are of the process, so that a busy machine does
not count; the limit of the exact mode is of the clock on the wall. Exits with 1 if any solution got
longer, or fewer than 80 % of those are optimal of which the exact mode proves what that is.
"""

import argparse
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks import harness
from tokoban.sokoban import rules
from tokoban.sokoban.board import Board
from tokoban.sokoban.formats.level import Solution
from tokoban.sokoban.formats.levels import read_levels
from tokoban.sokoban.search.combine.optimiser import FIGURES, optimise
from tokoban.sokoban.search.combine.solver import solve
from tokoban.sokoban.search.limits import Limits

_LEAST_SHARE = 0.8
_FAST_LIMIT_S = 4  # of the fast mode, a level
_MEMORY_LIMIT_MB = 2000  # of the optimiser
HEADER = f"{'level':<26} {'boxes':>5} {'by':<6} {'before':>6} {'after':>6} {'exact':>6} {'s':>7}"


@dataclass(frozen=True)
class Row:
    """One solution made shorter by one figure; ``number`` counts from 1 in the file."""

    file: str
    number: int
    boxes: int
    by: str  # moves or pushes
    before: int  # so many of these
    after: int
    is_proved: bool  # by the optimiser
    exact: int | None  # the fewest; None if the exact mode did not finish
    elapsed_s: float

    def __str__(self) -> str:
        exact = self.exact if self.exact is not None else "-"
        return (
            f"{self.file[:21] + ' ' + str(self.number):<26} {self.boxes:>5} {self.by:<6} "
            f"{self.before:>6} {self.after:>6} {exact:>6} {self.elapsed_s:>7.2f}"
            f"{' proved' * self.is_proved}"
        )


def fast_solutions(
    files: Sequence[str], count: int | None
) -> Iterator[tuple[str, int, Board, Solution]]:
    """So many levels that the fast mode solves, with its solutions."""
    solved = []
    limits = Limits(time_limit_s=_FAST_LIMIT_S, clock=time.process_time)
    for file in files:
        for number, level in enumerate(read_levels(file).levels, 1):
            answer = solve(level.board, minimise="any", limits=limits)
            if answer.solution is not None:
                solved.append((Path(file).name, number, level.board, answer.solution))
    count = min(count or len(solved), len(solved))
    print(f"{len(solved)} levels solved by the fast mode, of which {count} are taken")
    for i in range(count):
        yield solved[i * len(solved) // count]


def run(
    place: tuple[str, int],
    board: Board,
    given: Solution,
    by: str,
    arguments: argparse.Namespace,
) -> Row:
    """Makes one solution shorter, replays it, and asks the exact mode."""
    best = optimise(
        board,
        given.directions,
        minimise=by,
        limits=Limits(
            time_limit_s=arguments.time_limit,
            memory_limit_mb=_MEMORY_LIMIT_MB,
            clock=time.process_time,
        ),
    )
    assert best.solution is not None
    if not rules.play(board, best.solution.directions)[-1].is_solved:
        raise RuntimeError(f"{place}: the solution does not solve the level")
    exact = solve(board, minimise=by, limits=Limits(time_limit_s=arguments.exact_limit)).solution

    def figure(solution: Solution) -> int:
        return solution.num_moves if by == "moves" else solution.num_pushes

    return Row(
        *place,
        boxes=len(board.boxes),
        by=by,
        before=figure(given),
        after=figure(best.solution),
        is_proved=best.optimum is not None,
        exact=None if exact is None else figure(exact),
        elapsed_s=round(best.elapsed_s, 3),
    )


def summarise(rows: list[Row], by: str) -> bool:
    """Prints what came of all levels by one figure; returns whether it is as good as is claimed."""
    rows = [row for row in rows if row.by == by]
    no_longer = sum(row.after <= row.before for row in rows)
    finished = [row for row in rows if row.exact is not None]
    optimal = sum(row.after == row.exact for row in finished)
    wrong = [row for row in finished if row.is_proved and row.after != row.exact]
    known = sum(row.is_proved or row.exact is not None for row in rows)
    print(
        f"by {by}: no longer {no_longer} of {len(rows)}, shorter "
        f"{sum(row.after < row.before for row in rows)}, mean {by} "
        f"{sum(row.before for row in rows) / len(rows):.2f} -> "
        f"{sum(row.after for row in rows) / len(rows):.2f}; proved by the optimiser itself "
        f"{sum(row.is_proved for row in rows)}; optimal {optimal} of {len(finished)} where the "
        f"exact mode finishes; with its answers taken too, optimal and proved {known} of "
        f"{len(rows)}"
    )
    if wrong:
        print(f"proved, and not optimal: {wrong}")
    is_good = no_longer == len(rows) and optimal >= _LEAST_SHARE * len(finished)
    return is_good and not wrong


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs="+", metavar="FILE")
    parser.add_argument("--count", type=int, metavar="N", help="solutions; all if not given")
    for name, of in (("--time-limit", "a solution"), ("--exact-limit", "of the exact mode")):
        parser.add_argument(name, type=float, default=10, metavar="SECONDS", help=of)
    parser.add_argument("--json", metavar="OUT", help="write the rows here too")
    arguments = parser.parse_args(argv)
    rows: list[Row] = []
    solutions = list(fast_solutions(arguments.files, arguments.count))
    print(HEADER)
    for file, number, board, given in solutions:
        for by in FIGURES:
            rows.append(run((file, number), board, given, by, arguments))
            print(rows[-1], flush=True)
    are_good = [summarise(rows, by) for by in FIGURES]
    limits = {"time_limit_s": arguments.time_limit, "exact_limit_s": arguments.exact_limit}
    harness.write_rows(arguments.json, rows, **limits)
    return int(not all(are_good))


if __name__ == "__main__":
    sys.exit(main())
