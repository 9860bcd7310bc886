"""Writes large open boards, made from seeds, to FILE.

By turns 40x40 and 50x50 squares, walls around and one in 26 squares inside, 8 to 20 boxes, none of
them stuck at the start. ``benchmarks.players_levels FILE --minimise any`` (or pushes) solves them.
"""

import argparse
import random
import sys
from collections.abc import Sequence

from tokoban.cli.output import write_output
from tokoban.sokoban.board import Board, Square
from tokoban.sokoban.deadlocks import frozen_boxes
from tokoban.sokoban.formats import Level, write_levels

SIDES = (40, 50)
FLOOR_A_WALL = 25
FEWEST_BOXES, MOST_BOXES = 8, 20
NUM_BOARDS = 20


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


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", metavar="FILE")
    file = parser.parse_args(argv).file
    levels = [Level(open_board(seed)) for seed in range(NUM_BOARDS)]
    try:
        write_output(file, write_levels(levels))
    except OSError as error:
        raise SystemExit(f"open_boards: {error}") from error
    return 0


if __name__ == "__main__":
    sys.exit(main())
