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
from benchmarks.solver import count_pushes
from tokoban.sokoban import rules
from tokoban.sokoban.board import Board, Direction
from tokoban.sokoban.formats.levels import read_levels
from tokoban.sokoban.search.answer import Answer
from tokoban.sokoban.search.combine.optimiser import FIGURES, optimise
from tokoban.sokoban.search.combine.solver import solve
from tokoban.sokoban.search.limits import Limits

_LEAST_SHARE = 0.8
HEADER = f"{'level':<26} {'boxes':>5} {'by':<6} {'before':>11} {'after':>11} {'exact':>6}  s"


@dataclass(frozen=True)
class Row:
    """One solution made shorter by one figure; ``number`` counts from 1 in the file."""

    file: str
    number: int
    boxes: int
    by: str  # moves or pushes
    moves_before: int
    pushes_before: int
    moves: int
    pushes: int
    is_proved: bool  # by the optimiser
    exact: int | None  # the fewest moves, or pushes; None if the exact mode did not finish
    found_s: float  # when the answer was there
    elapsed_s: float

    @property
    def before(self) -> int:
        """The figure that is minimised, of the given solution."""
        return self.moves_before if self.by == "moves" else self.pushes_before

    @property
    def after(self) -> int:
        """The same figure of the best solution."""
        return self.moves if self.by == "moves" else self.pushes

    def __str__(self) -> str:
        before, after = f"{self.moves_before}/{self.pushes_before}", f"{self.moves}/{self.pushes}"
        exact = self.exact if self.exact is not None else "-"
        return (
            f"{self.file[:21] + ' ' + str(self.number):<26} {self.boxes:>5} {self.by:<6} "
            f"{before:>11} {after:>11} {exact:>6}  {self.found_s:.2f} of {self.elapsed_s:.2f}"
            f"{' proved' * self.is_proved}"
        )


def fast_solutions(
    files: Sequence[str], count: int | None, time_limit_s: float
) -> Iterator[tuple[str, int, Board, tuple[Direction, ...]]]:
    """So many levels that the fast mode solves, with its solutions."""
    solved = []
    for file in files:
        for number, level in enumerate(read_levels(file).levels, 1):
            limits = Limits(time_limit_s=time_limit_s)
            answer = solve(level.board, minimise="any", limits=limits, clock=time.process_time)
            if answer.solution is not None:
                solved.append((Path(file).name, number, level.board, answer.solution.directions))
    count = min(count or len(solved), len(solved))
    print(f"{len(solved)} levels solved by the fast mode, of which {count} are taken")
    for i in range(count):
        yield solved[i * len(solved) // count]


def run(
    place: tuple[str, int],
    board: Board,
    given: tuple[Direction, ...],
    by: str,
    arguments: argparse.Namespace,
) -> Row:
    """Makes one solution shorter, replays it, and asks the exact mode."""
    found_s = 0.0
    last: Answer | None = None

    def listen(best: Answer) -> None:
        nonlocal found_s, last
        if last is None or best.solution != last.solution:
            found_s, last = best.elapsed_s, best

    best = optimise(
        board,
        given,
        minimise=by,
        limits=Limits(time_limit_s=arguments.time_limit, memory_limit_mb=arguments.memory_limit),
        report=listen,
        clock=time.process_time,
    )
    if last is None or best.solution != last.solution:
        found_s = best.elapsed_s
    assert best.solution is not None
    if not rules.play(board, best.solution.directions)[-1].is_solved:
        raise RuntimeError(f"{place}: the solution does not solve the level")
    exact = None
    if arguments.exact_limit > 0:
        answer = solve(board, minimise=by, limits=Limits(time_limit_s=arguments.exact_limit))
        if answer.solution is not None:
            moves, pushes = answer.solution.num_moves, answer.solution.num_pushes
            exact = moves if by == "moves" else pushes
    return Row(
        *place,
        boxes=len(board.boxes),
        by=by,
        moves_before=len(given),
        pushes_before=count_pushes(board, given),
        moves=best.solution.num_moves,
        pushes=best.solution.num_pushes,
        is_proved=best.optimum is not None,
        exact=exact,
        found_s=round(found_s, 3),
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
    parser.add_argument("--by", choices=FIGURES, nargs="+", default=FIGURES)
    parser.add_argument("--fast-limit", type=float, default=4, metavar="SECONDS", help="a level")
    parser.add_argument(
        "--time-limit", type=float, default=10, metavar="SECONDS", help="a solution"
    )
    parser.add_argument("--memory-limit", type=float, default=2000, metavar="MB", help="a solution")
    parser.add_argument(
        "--exact-limit", type=float, default=10, metavar="SECONDS", help="0 to leave it out"
    )
    parser.add_argument("--json", metavar="OUT", help="write the rows here too")
    arguments = parser.parse_args(argv)
    rows: list[Row] = []
    solutions = list(fast_solutions(arguments.files, arguments.count, arguments.fast_limit))
    print(HEADER)
    for file, number, board, given in solutions:
        for by in arguments.by:
            rows.append(run((file, number), board, given, by, arguments))
            print(rows[-1], flush=True)
    are_good = [summarise(rows, by) for by in arguments.by]
    limits = {"time_limit_s": arguments.time_limit, "exact_limit_s": arguments.exact_limit}
    harness.write_rows(arguments.json, rows, **limits)
    return int(not all(are_good))


if __name__ == "__main__":
    sys.exit(main())
