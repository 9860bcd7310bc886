"""Explains deadlocked positions sampled from play, and has every certificate checked.

A third of the positions come from random pushes, a third from random pushes that put no box on a
dead square, and a third from play along shortest solutions with a wrong push now and then, which
goes on for a few pushes after the one that deadlocked. No position comes twice. Seconds are of the
process, so that other work on the machine does not count. Exits with 1 if a position was not
explained, if the checker finds a fault, or if a box may be left out.
"""

import argparse
import json
import random
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from statistics import mean, median

from benchmarks.random_boards import after_pushes
from tokoban.sokoban import rules
from tokoban.sokoban.board import Board
from tokoban.sokoban.deadlocks import dead_squares
from tokoban.sokoban.formats.levels import read_levels
from tokoban.sokoban.formats.xsb import parse_board
from tokoban.sokoban.proofs.checker import find_fault
from tokoban.sokoban.proofs.explainer import Deadlocked, explain
from tokoban.sokoban.proofs.notation import to_json
from tokoban.sokoban.search.combine.solver import solve
from tokoban.sokoban.search.limits import Limits

WAYS = ("random", "careful", "mistakes")
_MAX_PUSHES = 40  # of random play
_MISTAKE = 0.2  # the probability that a push is any
_MAX_AFTER = 4  # pushes after the one that deadlocked
_MAX_IN_VAIN = 1000  # plays


@dataclass(frozen=True)
class Row:
    """One deadlocked position, and what became of it; no kind if it was given up."""

    source: str
    way: str
    has_dead_box: bool  # whether a box is on a square from which no goal can be reached
    kind: str | None
    num_boxes: int
    is_minimal: bool
    size: int  # box states, frozen boxes and positions of the certificate
    num_bytes: int  # of the certificate as JSON
    fault: str | None
    explained_ms: float  # with the check that ``explain`` makes
    checked_ms: float


def with_mistakes(board: Board, draw: random.Random) -> Board:
    """Where play ends, a few pushes after it was deadlocked; or the board solved."""
    while (solution := solve(board, minimise="pushes").solution) and not board.is_solved:
        if draw.random() < _MISTAKE:
            board = after_pushes(draw, board, 1)
            continue
        boards = rules.play(board, solution.directions)
        board = next(after for after in boards if after.boxes != board.boxes)
    return board if board.is_solved else after_pushes(draw, board, draw.randrange(_MAX_AFTER + 1))


def deadlocked_positions(boards: Sequence[Board], way: str, draw: random.Random) -> Iterator[Board]:
    """Deadlocked positions, none twice, until many plays in a row have come to no new one."""
    met: set[Board] = set()
    num_in_vain = 0
    while num_in_vain < _MAX_IN_VAIN:
        board = draw.choice(boards)
        if way == "mistakes":
            board = with_mistakes(board, draw)
        else:
            never_to = dead_squares(board) if way == "careful" else frozenset()
            num_pushes = draw.randrange(1, _MAX_PUSHES + 1)
            board = after_pushes(draw, board, num_pushes, never_to=never_to)
        position = replace(board, player=min(board.area()))
        num_in_vain += 1
        if position not in met and solve(board, minimise="any").status == "unsolvable":
            num_in_vain = 0
            met.add(position)
            yield board


def run(source: str, way: str, board: Board) -> Row:
    """Explains and checks one position."""
    has_dead_box = not board.boxes.isdisjoint(dead_squares(board))
    started_s = time.process_time()
    answer = explain(board, limits=Limits(time_limit_s=10.0, clock=time.process_time))
    explained_s = time.process_time() - started_s
    if not isinstance(answer, Deadlocked):
        return Row(source, way, has_dead_box, None, 0, False, 0, 0, None, explained_s * 1e3, 0.0)
    certificate = answer.certificate
    started_s = time.process_time()
    fault = find_fault(certificate)
    checked_s = time.process_time() - started_s
    return Row(
        source=source,
        way=way,
        has_dead_box=has_dead_box,
        kind=certificate.kind,
        num_boxes=len(certificate.boxes),
        is_minimal=certificate.is_minimal,
        size=certificate.size,
        num_bytes=len(json.dumps(to_json(certificate))),
        fault=fault,
        explained_ms=explained_s * 1e3,
        checked_ms=checked_s * 1e3,
    )


def summary(name: str, rows: Sequence[Row]) -> str:
    """The figures of some positions in a few lines."""
    explained = [row for row in rows if row.kind is not None]
    if not explained:
        return f"{name}: {len(rows)} deadlocked positions, none explained"
    kinds = Counter(row.kind for row in explained)
    without_search = sum(row.kind != "search" for row in explained)
    counts = Counter(row.num_boxes for row in explained)
    times = [row.explained_ms for row in rows]
    lines = [
        f"{name}: {len(rows)} deadlocked positions, {len(explained)} explained, "
        f"{sum(row.fault is None for row in explained)} verified, "
        f"{sum(row.is_minimal for row in explained)} with no box too many",
        f"  without search {without_search / len(rows):.1%}; "
        + ", ".join(f"{kind} {count}" for kind, count in kinds.most_common()),
        f"  boxes: {', '.join(f'{n}: {counts[n]}' for n in sorted(counts))}",
        f"  certificates: {mean(row.size for row in explained):.1f} parts "
        f"(most {max(row.size for row in explained)}), "
        f"{mean(row.num_bytes for row in explained):.0f} bytes "
        f"(most {max(row.num_bytes for row in explained)})",
        f"  explained in {mean(times):.2f} ms (median {median(times):.2f}, most {max(times):.1f}), "
        f"checked in {mean(row.checked_ms for row in explained):.2f} ms "
        f"(most {max(row.checked_ms for row in explained):.0f})",
    ]
    return "\n".join(lines)


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs="+", metavar="FILE", help="levels; small ones, of one word")
    parser.add_argument("--positions", type=int, default=2000, metavar="N", help="(default: 2000)")
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args(argv)
    explain(parse_board("####|#$@.|####"))  # compiles, before any clock starts
    explain(parse_board("-@$-$..|###-###"))
    rows: list[Row] = []
    sources = [(file, way) for file in arguments.files for way in WAYS]
    for i, (file, way) in enumerate(sources):
        boards = [level.board for level in read_levels(file).levels]
        draw = random.Random(f"{arguments.seed} {i}")
        # As many of each as can be, the first ones having one more.
        count = (arguments.positions + len(sources) - 1 - i) // len(sources)
        here = []
        for _, board in zip(range(count), deadlocked_positions(boards, way, draw), strict=False):
            here.append(run(file, way, board))
        print(summary(f"{file}, {way}", here), flush=True)
        rows += here
    print(summary("all", rows))
    elsewhere = [row for row in rows if not row.has_dead_box]
    print(summary("no box on a dead square", elsewhere))
    return int(any(row.kind is None or row.fault or not row.is_minimal for row in rows))


if __name__ == "__main__":
    sys.exit(main())
