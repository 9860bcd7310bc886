"""Solves large open boards, made from seeds, for any solution and for the fewest pushes.

By turns 40x40 and 50x50 squares, walls around and one in 26 squares inside, 8 to 20 boxes, none of
them stuck at the start. Prints a row for each board and way, and then how many each way solved,
within one time limit a board; seconds are those of the processor. Every solution is replayed by the
plain rules. Exits with 1 if some board is solved for the fewest pushes within ``--bar`` seconds and
not for any solution.
"""

import argparse
import math
import random
import sys
import time
from collections.abc import Sequence

from tokoban.sokoban.board import Board, Square
from tokoban.sokoban.deadlocks import frozen_boxes
from tokoban.sokoban.search.combine.anytime import best_answer
from tokoban.sokoban.search.combine.solver import prepare, solve
from tokoban.sokoban.search.limits import Limits

SIDES = (40, 50)
FLOOR_A_WALL = 25
FEWEST_BOXES, MOST_BOXES = 8, 20
NUM_BOARDS = 20
DEFAULT = "default"  # what ``tokoban solve --by search`` does
WAYS = ("any", "pushes", DEFAULT)


def open_board(seed: int) -> Board:
    """A board of chance; its boxes start two squares from the border or more."""
    draws = random.Random(seed)
    side = SIDES[seed % len(SIDES)]
    num_boxes = FEWEST_BOXES + 7 * seed % (MOST_BOXES - FEWEST_BOXES + 1)
    border = {
        Square(row, column)
        for row in range(side)
        for column in range(side)
        if {row, column} & {0, side - 1}
    }
    inside = [Square(row, column) for row in range(1, side - 1) for column in range(1, side - 1)]
    far = [square for square in inside if min(*square, *(side - 1 - at for at in square)) > 2]
    while True:
        walls = set(draws.sample(inside, len(inside) // (FLOOR_A_WALL + 1)))
        boxes = draws.sample([square for square in far if square not in walls], num_boxes)
        floor = [square for square in inside if square not in walls]
        player, *goals = draws.sample(sorted({*floor} - {*boxes}), 1 + num_boxes)
        board = Board(
            side, side, frozenset(border | walls), frozenset(goals), frozenset(boxes), player
        )
        if {*goals, *boxes} <= board.inside() and not frozen_boxes(board):
            return board


def run(board: Board, way: str, time_limit_s: float) -> tuple[str, float]:
    """The result of one board, and the seconds."""
    if way == DEFAULT:
        started_s, limits = time.process_time(), Limits(time_limit_s=time_limit_s)
        answer = best_answer(board, limits=limits, clock=time.process_time)
        return f"{answer.status}: {answer.reason}", time.process_time() - started_s
    started_s, limits = time.process_time(), Limits(time_limit_s=time_limit_s)
    found = solve(board, minimise=way, limits=limits, clock=time.process_time)
    elapsed_s = time.process_time() - started_s
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
    parser.add_argument("--bar", type=float, default=1.0, metavar="SECONDS", help="see above")
    parser.add_argument("--ways", nargs="+", choices=WAYS, default=list(WAYS), metavar="WAY")
    arguments = parser.parse_args(argv)
    prepare()
    solved: dict[str, dict[int, float]] = {way: {} for way in arguments.ways}
    for seed in range(arguments.boards):
        board = open_board(seed)
        for way in arguments.ways:
            told, elapsed_s = run(board, way, arguments.time_limit)
            if told.startswith("solved"):
                solved[way][seed] = elapsed_s
            boxes = len(board.boxes)
            print(f"{seed:>3}  {boxes:>2} boxes  {way:<8} {elapsed_s:6.2f} s  {told}", flush=True)
    for way, seconds in solved.items():
        slowest = f", the slowest in {max(seconds.values()):.2f} s" if seconds else ""
        print(f"{way}: {len(seconds)} of {arguments.boards} solved{slowest}")
    too_slow = [
        seed
        for seed, seconds in solved.get("pushes", {}).items()
        if seconds <= arguments.bar
        and solved.get("any", solved["pushes"]).get(seed, math.inf) > arguments.bar
    ]
    print(f"within {arguments.bar:g} s for the fewest pushes, but not for any: {too_slow}")
    return int(bool(too_slow))


if __name__ == "__main__":
    sys.exit(main())
