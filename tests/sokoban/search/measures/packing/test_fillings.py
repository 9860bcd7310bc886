"""Consistent fillings against play by brute force, in which boxes come one after another."""

from functools import cache
from itertools import pairwise

import numpy as np
import pytest

from tests.sokoban.search.measures.packing.relaxed import Boxes, Relaxed, draw_board
from tokoban.sokoban.board import Board
from tokoban.sokoban.formats.xsb import parse_board
from tokoban.sokoban.search.level.ground import Squares, grounds_both_ways
from tokoban.sokoban.search.measures.packing import fillings
from tokoban.sokoban.search.measures.packing.fillings import Group, group_in_steps, groups_in_steps
from tokoban.sokoban.search.measures.packing.pull_board import PullBoard, pull_board
from tokoban.sokoban.search.steps import completed

NOTHING = np.empty(0, np.int16)


def on_board(board: Board) -> PullBoard:
    return pull_board(*grounds_both_ways(board, Squares(board)))


def group_of(board: Board) -> Group:
    """The fillings of all goals as one group."""
    laid_out = on_board(board)
    return completed(group_in_steps(laid_out, NOTHING, laid_out.goals))


def completable(board: Board) -> set[Boxes]:
    """The fillings of the goals that boxes from the starts can complete, by brute force."""
    level = Relaxed.of(board)

    @cache
    def can_be_completed(boxes: Boxes, region: int) -> bool:
        if boxes == level.goals:
            return True
        for start in level.starts - boxes:
            # The player may be on any side of the box that appears.
            inside = {r for r in level.regions(boxes | {start}) if level.region(boxes, r) == region}
            for beside in inside:
                for end, after in level.moves(boxes, start, beside, are_pulls=False):
                    if end in level.goals and can_be_completed(boxes | {end}, after):
                        return True
        return False

    goals = sorted(level.goals)
    subsets = [
        frozenset(goal for i, goal in enumerate(goals) if bits >> i & 1)
        for bits in range(1 << len(goals))
    ]
    return {
        filling
        for filling in subsets
        if any(can_be_completed(filling, region) for region in level.regions(filling))
    }


def boxes_in(group: Group, filling: int) -> Boxes:
    return frozenset(int(square) for i, square in enumerate(group.squares) if filling >> i & 1)


def test_consistent_fillings_are_those_that_play_can_complete() -> None:
    draw = np.random.default_rng(5)
    num_fillings = num_rooms = 0
    for _ in range(60):
        board = draw_board(draw, 4, 5, int(draw.integers(2, 6)))
        if board is None:
            continue
        group = group_of(board)
        assert {boxes_in(group, filling) for filling in group.fillings.tolist()} == completable(
            board
        )
        num_fillings += len(group.fillings)
        num_rooms += 1
    assert num_rooms > 30 and num_fillings > 4 * num_rooms


def test_obstructions_stand_in_where_there_are_too_many_fillings(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(fillings, "MAX_FILLINGS", 3)
    group = group_of(parse_board("##########|#....-$$-#|######$$@#|##########"))
    assert len(group.fillings) == 0
    # Each goal of the lane is shut off by any one nearer the boxes.
    firsts = group.first_obstruction.tolist()
    obstructions = [set(group.obstructions[i:j].tolist()) for i, j in pairwise(firsts)]
    assert obstructions == [{0b10, 0b100, 0b1000}, {0b100, 0b1000}, {0b1000}, set()]


def test_squares_that_block_each_other_make_one_group() -> None:
    # The goals of each lane lie apart, but a box on the nearer keeps that on the farther inside.
    board = parse_board("############|#.-.-$$@-..#|#####$$#####|############")
    laid_out = on_board(board)
    parts = completed(groups_in_steps(laid_out, NOTHING, laid_out.goals.tolist()))
    assert sorted(part.tolist() for part in parts) == [[0, 2], [8, 9]]
