"""Plans by pulls, replayed in plain Python."""

from collections import Counter

import numpy as np
import pytest

from tests.sokoban.search.fess.relaxed import Relaxed, draw_board
from tests.sokoban.search.push_graph import can_be_solved
from tokoban.sokoban.board import Board
from tokoban.sokoban.formats.xsb import parse_board
from tokoban.sokoban.search.fess.pull_board import pull_board
from tokoban.sokoban.search.fess.pull_tree import GONE
from tokoban.sokoban.search.fess.pulls import pulls_in_steps
from tokoban.sokoban.search.ground import Squares, build_ground
from tokoban.sokoban.search.steps import completed

# Found among random rooms whose goals are their first free squares.
PARKING = [
    "########|#.... $#|#    @ #|##$#  ##|##  $ $#|########",
    "########|#....@$#|#$     #|# #$  ##|##$    #|########",
    "########|##...  #|##   ###|###$ @ #|##$  $##|########",
    "########|#...@ ##|#  $#  #|# $# $##|#   # ##|########",
]


def pulls_of(board: Board) -> list[tuple[int, int]] | None:
    squares = Squares(board)
    ground = build_ground(board, squares)
    return completed(pulls_in_steps(pull_board(ground, squares.numbers(board.boxes))))


def assert_replays(board: Board, pulls: list[tuple[int, int]]) -> None:
    """Whatever region of the solved board the player is in to begin, one of them will do."""
    level = Relaxed.of(board)
    boxes = level.goals
    regions = level.regions(boxes)
    for box, to in pulls:
        others = boxes - {box}
        after = set()
        for region in regions:
            for end, region_after in level.moves(others, box, region, are_pulls=True):
                if to == GONE and end in level.starts:
                    after.add(level.region(others, region_after))
                elif end == to:
                    after.add(region_after)
        boxes, regions = others | ({to} - {GONE}), after
        assert regions
    assert boxes <= level.starts


def test_every_level_with_a_solution_has_a_plan_and_plans_replay() -> None:
    draw = np.random.default_rng(3)
    counts = Counter[str]()
    for i in range(600):
        board = draw_board(draw, 4, 4 + i % 3, 2 + i % 2, walls=0.2)
        if board is None:
            continue
        pulls = pulls_of(board)
        counts["with plan" if pulls else "without"] += 1
        if pulls is None:
            assert not can_be_solved(board)
        else:
            assert_replays(board, pulls)
    assert counts["with plan"] > 100 and counts["without"] > 100


@pytest.mark.parametrize("drawing", PARKING)
def test_a_box_is_parked_where_the_goals_cannot_be_filled_otherwise(drawing: str) -> None:
    board = parse_board(drawing)
    pulls = pulls_of(board)
    assert pulls is not None
    assert_replays(board, pulls)
    assert any(to != GONE for _, to in pulls)


def test_boxes_that_are_at_home_stay() -> None:
    board = parse_board("#########|#*--@-$.#|#########")
    assert pulls_of(board) == [(6, GONE)]
