"""Plans by pulls, replayed in plain Python."""

from collections import Counter
from collections.abc import Iterator
from typing import no_type_check

import numpy as np
import pytest

from tests.sokoban.search.measures.packing.relaxed import Boxes, Relaxed, draw_board
from tests.sokoban.search.push_graph import can_be_solved
from tokoban.compiling import entry
from tokoban.sokoban.board import Board
from tokoban.sokoban.formats.xsb import parse_board
from tokoban.sokoban.search.level.ground import Squares, build_ground
from tokoban.sokoban.search.measures.packing import pulls
from tokoban.sokoban.search.measures.packing.pull_board import PullBoard, find_sink, pull_board
from tokoban.sokoban.search.measures.packing.pull_tree import GONE, GONE_ELSEWHERE
from tokoban.sokoban.search.steps import completed

# Found among random rooms whose goals are their first free squares.
PARKING = [
    "########|#.... $#|#    @ #|##$#  ##|##  $ $#|########",
    "########|#....@$#|#$     #|# #$  ##|##$    #|########",
    "########|##...  #|##   ###|###$ @ #|##$  $##|########",
    "########|#...@ ##|#  $#  #|# $# $##|#   # ##|########",
]


def board_of(board: Board, *, has_one_sink: bool) -> PullBoard:
    squares = Squares(board)
    ground = build_ground(board, squares)
    return pull_board(ground, squares.numbers(board.boxes), has_one_sink=has_one_sink)


def pulls_of(board: Board, *, has_one_sink: bool = False) -> list[tuple[int, int]] | None:
    return completed(pulls.pulls_in_steps(board_of(board, has_one_sink=has_one_sink)))


def replays(board: Board, moves: list[tuple[int, int]], *, has_one_sink: bool = False) -> bool:
    """Whether the pulls can be made, whatever region of the solved board the player is in first."""
    level = Relaxed.of(board)
    boxes = level.goals
    regions = level.regions(boxes)
    sink: Boxes = frozenset()
    to_before = None
    for box, to in moves:
        if box not in boxes:
            return False
        # What leaves at once is at the sink of before.
        now = level.sink(boxes) if has_one_sink else level.starts
        sink = now | sink if to_before == GONE else now
        to_before = to
        ends = {GONE: sink, GONE_ELSEWHERE: level.starts}.get(to, {to})
        others = boxes - {box}
        after = set()
        for region in regions:
            if to == GONE and box in sink:  # it need not be pulled at all
                after.add(level.region(others, region))
            for end, region_after in level.moves(others, box, region, are_pulls=True):
                if end in ends:
                    after.add(region_after if to >= 0 else level.region(others, region_after))
        boxes, regions = others | ({to} - {GONE, GONE_ELSEWHERE}), after
    return bool(regions)


def assert_is_a_plan(
    board: Board, moves: list[tuple[int, int]], *, has_one_sink: bool = False
) -> None:
    assert replays(board, moves, has_one_sink=has_one_sink)
    assert boxes_after(board, moves) <= Relaxed.of(board).starts


def boxes_after(board: Board, moves: list[tuple[int, int]]) -> Boxes:
    boxes = Relaxed.of(board).goals
    for box, to in moves:
        boxes = boxes - {box} | ({to} - {GONE, GONE_ELSEWHERE})
    return boxes


def drawn_boards() -> Iterator[Board]:
    draw = np.random.default_rng(3)
    for i in range(600):
        board = draw_board(draw, 4, 4 + i % 3, 2 + i % 2, walls=0.2)
        if board is not None:
            yield board


@pytest.mark.parametrize("has_one_sink", [False, True])
def test_every_level_with_a_solution_has_a_plan_and_plans_replay(has_one_sink: bool) -> None:
    counts = Counter[str]()
    for board in drawn_boards():
        moves = pulls_of(board, has_one_sink=has_one_sink)
        counts["with plan" if moves else "without"] += 1
        if moves is None:
            assert not can_be_solved(board)
        else:
            assert_is_a_plan(board, moves, has_one_sink=has_one_sink)
            counts["elsewhere"] += any(to == GONE_ELSEWHERE for _, to in moves)
    assert (counts["elsewhere"] > 20) == has_one_sink
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


@entry
@no_type_check
def find_sink_now(board):
    """What the tests call."""
    return find_sink(board)


def test_the_sink_is_the_largest_area_of_starts() -> None:
    draw = np.random.default_rng(8)
    num_parted = 0
    for _ in range(120):
        board = draw_board(draw, 5, 6, 5, walls=0.35)
        if board is None:
            continue
        level, on_board = Relaxed.of(board), board_of(board, has_one_sink=True)
        boxes = frozenset(goal for goal in level.goals if draw.random() < 0.7)
        on_board.is_blocked[:-1] = False
        on_board.is_blocked[list(boxes)] = True
        find_sink_now(on_board)
        sink = level.sink(boxes)
        assert set(np.flatnonzero(on_board.is_sink).tolist()) == sink
        num_parted += 1 < len(sink) < len(level.starts)
    assert num_parted > 3
