"""Solves or sweeps every level of some files, replays each plan by the plain rules, and counts.

Prints a row for each file and way; seconds are those of the processor, so that other work on the
machine does not count. Files whose levels all fit one word are solved as a batch. Exits with 1 if a
level was given up or two ways disagree, so that a bar can be a command.
"""

import argparse
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from benchmarks import harness
from tokoban.sokoban import rules
from tokoban.sokoban.board import Board, Direction
from tokoban.sokoban.formats.levels import read_levels
from tokoban.sokoban.formats.xsb import parse_board
from tokoban.sokoban.search.answer import OBJECTIVES
from tokoban.sokoban.search.bitboard.batch import solve_many
from tokoban.sokoban.search.bitboard.driver import Verdict
from tokoban.sokoban.search.bitboard.levels import Levels, from_bitboards
from tokoban.sokoban.search.bitboard.sweep import Sweeping, workspace_for
from tokoban.sokoban.search.bitboard.worker import complete
from tokoban.sokoban.search.combine.anytime import best_answer
from tokoban.sokoban.search.combine.solver import prepare, solve
from tokoban.sokoban.search.limits import Limits
from tokoban.sokoban.simulation.bitboards import pack

COMMAND = "astar"  # what `tokoban solve --by search` does, one level after the other
_VERDICTS = {
    "solved": Verdict.SOLVED,
    "unsolvable": Verdict.UNSOLVABLE,
    "gave up": Verdict.UNKNOWN,
}

HEADER = (
    f"{'file':<28} {'way':<12} {'levels':>6} {'solved':>6} {'unsolv.':>7} {'gave up':>7} "
    f"{'moves':>7} {'pushes':>7} {'expansions':>10} {'most':>8} {'levels/s':>9} {'states/s':>9}"
)


@dataclass
class Row:
    """Sums over the levels of one file; the means are of the solved levels."""

    file: str
    way: str
    levels: int
    solved: int
    unsolvable: int
    given_up: list[int]  # their numbers, from 1
    mean_moves: float
    mean_pushes: float
    mean_expansions: float
    max_expansions: int
    levels_per_s: float
    states_per_s: float

    def __str__(self) -> str:
        return (
            f"{self.file[-28:]:<28} {self.way:<12} {self.levels:>6} {self.solved:>6} "
            f"{self.unsolvable:>7} {len(self.given_up):>7} {self.mean_moves:>7.2f} "
            f"{self.mean_pushes:>7.2f} {self.mean_expansions:>10.0f} {self.max_expansions:>8} "
            f"{self.levels_per_s:>9.0f} {self.states_per_s:>9.2e}"
        )


@dataclass
class Found:
    """The result of one level; the plan is empty unless it is known to be solvable."""

    verdict: Verdict
    plan: Sequence[Direction]
    expansions: int


def count_pushes(board: Board, plan: Sequence[Direction]) -> int:
    """The pushes of a plan; raises ``RuntimeError`` if the rules do not end solved."""
    pushes = 0
    for direction in plan:
        after = rules.step(board, direction)
        pushes += after.boxes != board.boxes
        board = after
    if not board.is_solved:
        raise RuntimeError(f"not a plan: {plan}")
    return pushes


def find_all(
    boards: list[Board], levels: Levels | None, way: str, limits: Limits
) -> tuple[list[Found], float]:
    """Solves the boards, as a batch if they are given as words too; also the seconds spent."""
    started_s = time.process_time()
    if levels is not None and way in OBJECTIVES:
        answers = solve_many(levels, way, limits=limits)
        spent_s = time.process_time() - started_s
        return [
            Found(Verdict(answers.verdict[i]), answers.directions(i), int(answers.expansions[i]))
            for i in range(len(boards))
        ], spent_s
    found = [find(board, way, limits) for board in boards]
    return found, time.process_time() - started_s


def find(board: Board, way: str, limits: Limits) -> Found:
    """Solves one board; the seconds of its limit too are those of the processor."""
    limits = replace(limits, clock=time.process_time)
    if way == COMMAND:
        assert limits.time_limit_s is not None
        told = best_answer(board, limits=limits)
        moves = () if told.solution is None else told.solution.directions
        return Found(_VERDICTS[told.status], moves, told.num_expansions)
    answer = solve(board, minimise=way, limits=limits)
    if answer.solution is not None:
        return Found(Verdict.SOLVED, answer.solution.directions, answer.num_expansions)
    verdict = Verdict.UNKNOWN if answer.status == "gave up" else Verdict.UNSOLVABLE
    return Found(verdict, (), answer.num_expansions)


def run(file: str, boards: list[Board], levels: Levels | None, way: str, limits: Limits) -> Row:
    """Solves the file's levels; the clock leaves reading and replays out."""
    found, spent_s = find_all(boards, levels, way, limits)
    solved = [(board, one) for board, one in zip(boards, found, strict=True) if one.plan]
    is_solved = [one.verdict == Verdict.SOLVED for one in found]
    num_solved = max(sum(is_solved), 1)
    return Row(
        file=file,
        way=way,
        levels=len(boards),
        solved=sum(is_solved),
        unsolvable=sum(one.verdict == Verdict.UNSOLVABLE for one in found),
        given_up=[
            i
            for i, one in enumerate(found, 1)
            if one.verdict not in (Verdict.SOLVED, Verdict.UNSOLVABLE)
        ],
        mean_moves=sum(len(one.plan) for one in found) / num_solved,
        mean_pushes=sum(count_pushes(board, one.plan) for board, one in solved) / num_solved,
        mean_expansions=sum(one.expansions for one in found) / len(found),
        max_expansions=max(one.expansions for one in found),
        levels_per_s=len(boards) / spent_s,
        states_per_s=0.0,
    )


def run_sweep(file: str, levels: Levels, unit: str, limits: Limits) -> Row:
    """Sweeps the file's levels, and asks for the distance of each start."""
    work = Sweeping(levels, unit)
    started_s = time.process_time()
    complete(work, workspace_for(levels), limits)
    spent_s = time.process_time() - started_s
    labels = work.labels
    is_solved = labels.verdict == Verdict.SOLVED
    mean = float(labels.distance[is_solved].mean()) if is_solved.any() else 0.0
    is_known = is_solved | (labels.verdict == Verdict.UNSOLVABLE)
    return Row(
        file=file,
        way=f"sweep {unit}",
        levels=levels.num_levels,
        solved=int(is_solved.sum()),
        unsolvable=int((labels.verdict == Verdict.UNSOLVABLE).sum()),
        given_up=[int(i) + 1 for i in np.flatnonzero(~is_known)],
        mean_moves=mean if unit == "moves" else 0.0,
        mean_pushes=mean if unit == "pushes" else 0.0,
        mean_expansions=0.0,
        max_expansions=0,
        levels_per_s=levels.num_levels / spent_s,
        states_per_s=float(labels.num_states.sum()) / spent_s,
    )


def run_file(file: str, ways: list[str], limits: Limits) -> list[Row]:
    """A row for each way that the file's levels can go."""
    boards = [level.board for level in read_levels(file).levels]
    try:
        levels = from_bitboards(pack(boards))
    except ValueError:  # some level does not fit one word
        levels = None
    rows = []
    for way in ways:
        if way in (*OBJECTIVES, COMMAND):
            rows.append(run(file, boards, levels, way, limits))
        elif levels is not None:
            rows.append(run_sweep(file, levels, way.removeprefix("sweep-"), limits))
    return rows


def disagree(rows: list[Row]) -> bool:
    """Whether a sweep finds other lengths than the solver, where neither gave up."""
    by_way = {row.way: row for row in rows if not row.given_up}
    return any(
        unit in by_way
        and f"sweep {unit}" in by_way
        and abs(getattr(by_way[unit], name) - getattr(by_way[f"sweep {unit}"], name)) > 1e-6
        for unit, name in (("moves", "mean_moves"), ("pushes", "mean_pushes"))
    )


def warm_up(ways: list[str]) -> None:
    """Compiles what is compiled at its first use, before any clock starts."""
    prepare()
    level = from_bitboards(pack([parse_board("@$.")]))
    for way in ways:
        if way in OBJECTIVES:
            solve_many(level, way)
        elif way != COMMAND:
            run_sweep("", level, way.removeprefix("sweep-"), Limits())


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs="+", metavar="FILE")
    parser.add_argument(
        "--ways",
        nargs="+",
        choices=[*OBJECTIVES, COMMAND, "sweep-moves", "sweep-pushes"],
        default=["moves"],
    )
    parser.add_argument("--time-limit", type=float, default=10, metavar="SECONDS", help="a level")
    parser.add_argument("--json", metavar="OUT", help="write the rows here too")
    arguments = parser.parse_args(argv)
    limits = Limits(time_limit_s=arguments.time_limit)
    warm_up(arguments.ways)
    print(f"at most {arguments.time_limit:g} s a level")
    print(HEADER)
    rows, has_failed = [], False
    for file in arguments.files:
        found = run_file(file, arguments.ways, limits)
        has_failed |= disagree(found) or any(row.given_up for row in found)
        rows += found
        for row in found:
            print(row, f"given up: {row.given_up}" if row.given_up else "", flush=True)
    harness.write_rows(arguments.json, rows)
    return int(has_failed)


if __name__ == "__main__":
    sys.exit(main())
