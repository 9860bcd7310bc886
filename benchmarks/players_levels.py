"""Solves the levels of players' collections and lists which were solved.

``--minimise any`` runs bidirectional FESS alone, the others what ``tokoban solve`` runs.

One core, so many seconds of it for each level (of the process, so that a busy machine does not
count). Every solution is replayed by the plain rules. Exits with 1 below ``--at-least``.
"""

import argparse
import json
import platform
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path

from tokoban.sokoban.board import Board
from tokoban.sokoban.formats.levels import read_levels
from tokoban.sokoban.search.answer import OBJECTIVES
from tokoban.sokoban.search.bidirectional.solver import Progress, solve_any
from tokoban.sokoban.search.solver import prepare, solve

HEADER = (
    f"{'level':<28} {'boxes':>5} {'answer':<10} {'moves':>6} {'pushes':>6} {'expansions':>10} s"
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

    def __str__(self) -> str:
        moves, pushes = self.moves or "-", self.pushes or "-"
        return (
            f"{self.file[:22] + ' ' + str(self.number):<28} {self.boxes:>5} {self.answer:<10} "
            f"{moves:>6} {pushes:>6} {self.expansions:>10} {self.elapsed_s:.2f}"
        )


def show(progress: Progress) -> None:
    print(
        f"\r{progress.elapsed_s:5.1f} s {progress.expansions} expansions ",
        end="",
        file=sys.stderr,
        flush=True,
    )


def run(file: str, number: int, board: Board, arguments: argparse.Namespace) -> Row:
    """Solves one level; the clock leaves the replay out."""
    is_any = arguments.minimise == "any"
    answer = (solve_any if is_any else partial(solve, minimise=arguments.minimise))(
        board,
        time_limit_s=arguments.time_limit,
        memory_limit_mb=arguments.memory_limit,
        report=show if sys.stderr.isatty() else None,
        clock=time.process_time,
    )
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
        elapsed_s=round(answer.elapsed_s, 3),
    )


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs="+", metavar="FILE")
    parser.add_argument("--minimise", choices=OBJECTIVES, default="any")
    parser.add_argument("--time-limit", type=float, default=60, metavar="SECONDS", help="a level")
    parser.add_argument("--memory-limit", type=float, default=4000, metavar="MB", help="a level")
    parser.add_argument("--levels", type=int, nargs="+", metavar="N", help="only these, from 1")
    parser.add_argument("--at-least", type=int, default=0, metavar="N", help="solved in all")
    parser.add_argument("--json", metavar="OUT", help="write the rows here too")
    arguments = parser.parse_args(argv)
    prepare()
    rows: list[Row] = []
    print(HEADER)
    for file in arguments.files:
        here = len(rows)
        for number, level in enumerate(read_levels(file).levels, 1):
            if arguments.levels is None or number in arguments.levels:
                rows.append(run(file, number, level.board, arguments))
                print(rows[-1], flush=True)
        unsolved = [row.number for row in rows[here:] if row.answer != "solved"]
        num_levels = len(rows) - here
        print(f"{file}: {num_levels - len(unsolved)} of {num_levels} solved; not {unsolved}")
    num_solved = sum(row.answer == "solved" for row in rows)
    if arguments.json:
        summary = {
            "machine": platform.processor() or platform.machine(),
            "minimise": arguments.minimise,
            "time_limit_s": arguments.time_limit,
            "memory_limit_mb": arguments.memory_limit,
            "solved": num_solved,
            "levels": [asdict(row) for row in rows],
        }
        Path(arguments.json).write_text(json.dumps(summary, indent=1) + "\n", encoding="utf-8")
    return int(num_solved < arguments.at_least)


if __name__ == "__main__":
    sys.exit(main())
