"""Solves large open boards, made from seeds, for any solution and for the fewest pushes.

40x40 squares, walls around and 60 more inside, 8 to 16 boxes. Prints a row for each board and way,
and then how many each way solved, within one time limit a board. Every solution is replayed by the
plain rules.
"""

import argparse
import random
import sys
import time
from collections.abc import Sequence

import tokoban
from tokoban.sokoban.board import Board, Square
from tokoban.sokoban.search.solver import prepare, solve

SIDE = 40
NUM_WALLS = 60
FEWEST_BOXES, MOST_BOXES = 8, 16
NUM_BOARDS = 10
DEFAULT = "default"  # what ``tokoban solve --by astar`` does
WAYS = ("any", "pushes", DEFAULT)


def open_board(seed: int) -> Board:
    """A board of chance; its boxes start two squares from the border or more."""
    draws = random.Random(seed)
    border = {
        Square(row, column)
        for row in range(SIDE)
        for column in range(SIDE)
        if {row, column} & {0, SIDE - 1}
    }
    inside = [Square(row, column) for row in range(1, SIDE - 1) for column in range(1, SIDE - 1)]
    walls = set(draws.sample(inside, NUM_WALLS))
    floor = [square for square in inside if square not in walls]
    far = [square for square in floor if min(*square, *(SIDE - 1 - side for side in square)) > 2]
    num_boxes = FEWEST_BOXES + seed % (MOST_BOXES - FEWEST_BOXES + 1)
    boxes = draws.sample(far, num_boxes)
    player, *goals = draws.sample(sorted({*floor} - {*boxes}), 1 + num_boxes)
    return Board(SIDE, SIDE, frozenset(border | walls), frozenset(goals), frozenset(boxes), player)


def run(board: Board, way: str, time_limit_s: float) -> tuple[str, float]:
    """What came of one board, and the seconds."""
    if way == DEFAULT:
        answer = tokoban.solve(board, time_limit_s=time_limit_s)
        return f"{answer.status}: {answer.reason}", answer.elapsed_s
    started_s = time.perf_counter()
    found = solve(board, minimise=way, time_limit_s=time_limit_s)
    elapsed_s = time.perf_counter() - started_s
    if found.status == "gave up":
        return f"gave up: {found.reason}", elapsed_s
    solution = found.solution
    if solution is None:
        return "unsolvable", elapsed_s
    return f"solved: {solution.num_moves} moves, {solution.num_pushes} pushes", elapsed_s


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--time-limit", type=float, default=4.0, metavar="SECONDS", help="a board")
    parser.add_argument("--boards", type=int, default=NUM_BOARDS, metavar="N", help="seeds from 0")
    parser.add_argument("--ways", nargs="+", choices=WAYS, default=list(WAYS), metavar="WAY")
    arguments = parser.parse_args(argv)
    prepare()
    solved: dict[str, list[float]] = {way: [] for way in arguments.ways}
    for seed in range(arguments.boards):
        board = open_board(seed)
        for way in arguments.ways:
            told, elapsed_s = run(board, way, arguments.time_limit)
            if told.startswith("solved"):
                solved[way].append(elapsed_s)
            boxes = len(board.boxes)
            print(f"{seed:>3}  {boxes:>2} boxes  {way:<8} {elapsed_s:6.2f} s  {told}", flush=True)
    for way, seconds in solved.items():
        slowest = f", the slowest in {max(seconds):.2f} s" if seconds else ""
        print(f"{way}: {len(seconds)} of {arguments.boards} solved{slowest}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
