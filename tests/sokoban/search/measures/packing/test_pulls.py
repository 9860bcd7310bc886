"""Plans by pulls, replayed in plain Python."""

from collections import Counter
from collections.abc import Iterator

import numpy as np
import pytest

from tests.sokoban.search.measures.packing.relaxed import Boxes, Relaxed, draw_board
from tests.sokoban.search.push_graph import can_be_solved
from tokoban.sokoban.board import Board
from tokoban.sokoban.formats.xsb import parse_board
from tokoban.sokoban.search.level.ground import Squares, grounds_both_ways
from tokoban.sokoban.search.measures.packing import pulls
from tokoban.sokoban.search.measures.packing.pull_board import pull_board
from tokoban.sokoban.search.measures.packing.pull_tree import GONE
from tokoban.sokoban.search.steps import completed

# Found among random rooms whose goals are their first free squares.
PARKING = [
    "########|#.... $#|#    @ #|##$#  ##|##  $ $#|########",
    "########|#....@$#|#$     #|# #$  ##|##$    #|########",
    "########|##...  #|##   ###|###$ @ #|##$  $##|########",
    "########|#...@ ##|#  $#  #|# $# $##|#   # ##|########",
]


def pulls_of(board: Board) -> list[tuple[int, int]] | None:
    on_board = pull_board(*grounds_both_ways(board, Squares(board)))
    return completed(pulls.pulls_in_steps(on_board))


def replays(board: Board, moves: list[tuple[int, int]]) -> bool:
    """Whether the pulls can be made, whatever region of the solved board the player is in first."""
    level = Relaxed.of(board)
    boxes = level.goals
    regions = level.regions(boxes)
    for box, to in moves:
        if box not in boxes:
            return False
        ends = level.starts if to == GONE else {to}
        others = boxes - {box}
        after = set()
        for region in regions:
            if to == GONE and box in level.starts:  # it need not be pulled at all
                after.add(level.region(others, region))
            for end, region_after in level.moves(others, box, region, are_pulls=True):
                if end in ends:
                    after.add(region_after if to >= 0 else level.region(others, region_after))
        boxes, regions = others | ({to} - {GONE}), after
    return bool(regions)


def assert_is_a_plan(board: Board, moves: list[tuple[int, int]]) -> None:
    assert replays(board, moves)
    assert boxes_after(board, moves) <= Relaxed.of(board).starts


def boxes_after(board: Board, moves: list[tuple[int, int]]) -> Boxes:
    boxes = Relaxed.of(board).goals
    for box, to in moves:
        boxes = boxes - {box} | ({to} - {GONE})
    return boxes


def drawn_boards() -> Iterator[Board]:
    draw = np.random.default_rng(3)
    for i in range(600):
        board = draw_board(draw, 4, 4 + i % 3, 2 + i % 2, walls=0.2)
        if board is not None:
            yield board


def test_every_level_with_a_solution_has_a_plan_and_plans_replay() -> None:
    counts = Counter[str]()
    for board in drawn_boards():
        moves = pulls_of(board)
        counts["with plan" if moves else "without"] += 1
        if moves is None:
            assert not can_be_solved(board)
        else:
            assert_is_a_plan(board, moves)
    assert counts["with plan"] > 100 and counts["without"] > 100


@pytest.mark.parametrize("drawing", PARKING)
def test_a_box_is_parked_where_the_goals_cannot_be_filled_otherwise(drawing: str) -> None:
    board = parse_board(drawing)
    moves = pulls_of(board)
    assert moves is not None
    assert_is_a_plan(board, moves)
    assert any(to != GONE for _, to in moves)


def test_boxes_that_are_at_home_stay() -> None:
    board = parse_board("#########|#*--@-$.#|#########")
    assert pulls_of(board) == [(6, GONE)]
