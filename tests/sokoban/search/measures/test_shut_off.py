"""Goals that are shut off: drawings, and a slow count by floods on the board."""

import random
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from scipy.sparse import csr_array
from scipy.sparse.csgraph import maximum_bipartite_matching

from tests.sokoban.brute_force import Shape, random_boards
from tokoban.sokoban.board import Board, Direction, Square
from tokoban.sokoban.formats.xsb import parse_board
from tokoban.sokoban.search.level.ground import Squares, build_ground
from tokoban.sokoban.search.measures.shut_off import num_shut_off


def count(board: Board) -> int:
    squares = Squares(board)
    is_box = squares.is_among(board.boxes)
    return int(num_shut_off(build_ground(board, squares), is_box[np.newaxis])[0])


@pytest.mark.parametrize(
    ("drawing", "expected"),
    [
        ("########|#@-$-*.#|########", 1),  # the last goal of a dead end
        ("########|#@-$-.*#|########", 0),
        ("########|#@-$$..#|########", 0),  # boxes off the goals are in nobody's way
        ("########|#..*$$@#|####-###|####-###", 2),
        ("######|#$.-#|#@--#|######", 1),  # the player does not fit behind the box
        # Two boxes are left over, each of which could go to the one goal that is open.
        ("#########|#@$-$-.*.#|#########", 1),
    ],
)
def test_goals_behind_boxes_that_have_theirs(drawing: str, expected: int) -> None:
    assert count(parse_board(drawing)) == expected


def slow_count(
    squares: Squares, goals: frozenset[Square], boxes: frozenset[Square], *, by_pulls: bool
) -> int:
    """Each goal by a flood of its own, and the largest matching by scipy."""
    open_floor = set(squares.squares) - (boxes & goals)
    empty, left = sorted(goals - boxes), sorted(boxes - goals)
    can_reach = np.zeros((len(left), len(empty)), np.int8)
    for column, goal in enumerate(empty):
        sources, waiting = {goal}, [goal]
        while waiting:
            to = waiting.pop()
            for direction in Direction:
                square = to.neighbour(direction)
                player = (to if by_pulls else square).neighbour(
                    Direction(direction ^ 2) if by_pulls else direction
                )
                if {square, player} <= open_floor and square not in sources:
                    sources.add(square)
                    waiting.append(square)
        can_reach[:, column] = [box in sources for box in left]
    return len(left) - int((maximum_bipartite_matching(csr_array(can_reach)) >= 0).sum())


def test_every_count_is_that_of_floods_from_single_goals() -> None:
    draw = random.Random(3)
    counts = Counter[tuple[bool, int]]()
    for shape in Shape(4, 6, 4, is_closed=True), Shape(10, 14, 9, is_closed=True):
        for board in random_boards(shape, 12, seed=5):
            squares = Squares(board)
            goals = board.goals & set(squares.squares)
            ground = build_ground(replace(board, goals=goals), squares)
            positions = []
            for num_packed in range(len(goals)):
                packed = draw.sample(sorted(goals), num_packed)
                free = sorted(set(squares.squares) - goals)
                positions.append(frozenset([*packed, *draw.sample(free, len(goals) - num_packed)]))
            if not positions:
                continue
            is_box = np.array([squares.is_among(boxes) for boxes in positions])
            for by_pulls in (False, True):
                expected = [
                    slow_count(squares, goals, boxes, by_pulls=by_pulls) for boxes in positions
                ]
                assert num_shut_off(ground, is_box, by_pulls=by_pulls).tolist() == expected
                counts.update((by_pulls, count) for count in expected)
    assert min(counts[by_pulls, i] for by_pulls in (False, True) for i in range(4)) >= 5
