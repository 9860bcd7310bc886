"""Solves every level of some files, replays each solution by the plain rules, and counts.

Prints a row for each file. Exits with 1 if a level was given up, so that a bar can be a command.
"""

import argparse
import json
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass

from tokoban.sokoban import rules
from tokoban.sokoban.board import Board
from tokoban.sokoban.formats.levels import read_levels
from tokoban.sokoban.solver import GaveUp, Solved, Unsolvable, solve

HEADER = (
    f"{'file':<32} {'levels':>6} {'solved':>6} {'unsolv.':>7} {'gave up':>7} {'moves':>8} "
    f"{'pushes':>8} {'expansions':>10} {'mean ms':>9} {'max ms':>9} {'levels/s':>8}"
)


@dataclass
class Row:
    """Sums over the levels of one file; ``given_up`` are their numbers, from 1."""

    file: str
    minimise: str
    levels: int
    solved: int
    unsolvable: int
    given_up: list[int]
    mean_moves: float  # of the solved levels, as the next
    mean_pushes: float
    mean_expansions: float
    mean_ms: float  # of all levels, as the next
    max_ms: float
    levels_per_s: float

    def __str__(self) -> str:
        return (
            f"{self.file[-32:]:<32} {self.levels:>6} {self.solved:>6} {self.unsolvable:>7} "
            f"{len(self.given_up):>7} {self.mean_moves:>8.2f} {self.mean_pushes:>8.2f} "
            f"{self.mean_expansions:>10.0f} {self.mean_ms:>9.2f} {self.max_ms:>9.1f} "
            f"{self.levels_per_s:>8.1f}"
        )


def count_pushes(board: Board, solution: Solved) -> int:
    """The pushes of a solution; raises ``RuntimeError`` if the rules do not end solved."""
    pushes = 0
    for direction in solution.directions:
        after = rules.step(board, direction)
        pushes += after.boxes != board.boxes
        board = after
    if not board.is_solved:
        raise RuntimeError(f"not a solution: {solution}")
    return pushes


def run(file: str, minimise: str, time_limit_s: float) -> Row:
    """Solves the file's levels one after the other; the clock leaves reading and replays out."""
    boards = [level.board for level in read_levels(file).levels]
    answers = []
    started_s = time.perf_counter()
    for board in boards:
        answers.append(solve(board, minimise=minimise, time_limit_s=time_limit_s))
        if sys.stderr.isatty():
            print(f"\r{len(answers)}/{len(boards)} ", end="", file=sys.stderr, flush=True)
    elapsed_s = time.perf_counter() - started_s
    solutions = [
        (board, answer)
        for board, answer in zip(boards, answers, strict=True)
        if isinstance(answer, Solved)
    ]
    num_solved = max(len(solutions), 1)
    return Row(
        file=file,
        minimise=minimise,
        levels=len(boards),
        solved=len(solutions),
        unsolvable=sum(isinstance(answer, Unsolvable) for answer in answers),
        given_up=[i for i, answer in enumerate(answers, 1) if isinstance(answer, GaveUp)],
        mean_moves=sum(len(solution.directions) for _, solution in solutions) / num_solved,
        mean_pushes=sum(count_pushes(*solved) for solved in solutions) / num_solved,
        mean_expansions=sum(solution.expansions for _, solution in solutions) / num_solved,
        mean_ms=1e3 * sum(answer.elapsed_s for answer in answers) / len(boards),
        max_ms=1e3 * max(answer.elapsed_s for answer in answers),
        levels_per_s=len(boards) / elapsed_s,
    )


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs="+", metavar="FILE")
    parser.add_argument("--minimise", choices=("moves", "pushes"), default="moves")
    parser.add_argument("--time-limit", type=float, default=10, metavar="SECONDS", help="a level")
    parser.add_argument("--json", metavar="OUT", help="write the rows here too")
    arguments = parser.parse_args(argv)
    print(f"fewest {arguments.minimise}, at most {arguments.time_limit:g} s a level")
    print(HEADER)
    rows = []
    for file in arguments.files:
        rows.append(run(file, arguments.minimise, arguments.time_limit))
        print(rows[-1], flush=True)
    if arguments.json:
        with open(arguments.json, "w", encoding="utf-8") as out:
            json.dump([asdict(row) for row in rows], out, indent=1)
    return int(any(row.given_up for row in rows))


if __name__ == "__main__":
    sys.exit(main())
