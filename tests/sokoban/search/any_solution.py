"""Searches for any solution, held to all possible plays of small boards."""

from collections.abc import Callable
from functools import cache

import numpy as np
import pytest

from tests.sokoban.brute_force import Shape, random_boards
from tests.sokoban.search.push_graph import can_be_solved
from tokoban.sokoban import rules
from tokoban.sokoban.board import Board
from tokoban.sokoban.formats.xsb import parse_board
from tokoban.sokoban.search.answer import Answer
from tokoban.sokoban.search.level import ground

SHAPES = {
    "one box, open": (Shape(5, 7, 1, is_closed=False), 20),
    "two boxes, open": (Shape(3, 7, 2, is_closed=False), 30),
    "three boxes, open": (Shape(3, 5, 3, is_closed=False), 30),
    "three boxes, closed": (Shape(5, 4, 3, is_closed=True), 15),
    "four boxes, closed": (Shape(4, 4, 4, is_closed=True), 15),
}
# Some fifteen to thirty expansions to the solution.
CROWDED = parse_board("########|#-#---##|###-$-.#|#---.$$#|#-$$@..#|#-#.---#|########")

SolveAny = Callable[[Board], Answer]


# Every member of the portfolio gets the same boards.
can_be_solved_by_play = cache(can_be_solved)


def check_against_every_possible_play(solve_any: SolveAny, boards: list[Board]) -> int:
    """Returns how many of the boards are unsolvable."""
    num_unsolvable = 0
    for board in boards:
        is_solvable = can_be_solved_by_play(board)
        answer = solve_any(board)
        assert answer.status == ("solved" if is_solvable else "unsolvable")
        if answer.solution is not None:
            assert rules.play(board, answer.solution.directions)[-1].is_solved
        num_unsolvable += not is_solvable
    return num_unsolvable


def check_where_all_hashes_collide(
    solve_any: SolveAny, key: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With equal random keys, sets of as many boxes have one hash; with 0, all sets do."""

    def equal_keys(num_floor: int) -> np.ndarray:
        return np.full((2, num_floor), key, np.uint64)

    monkeypatch.setattr(ground, "zobrist_keys", equal_keys)
    for shape, seed in ((Shape(4, 4, 4, is_closed=True), 61), (Shape(3, 5, 3, False), 62)):
        boards = list(random_boards(shape, 40, seed=seed))
        assert 0 < check_against_every_possible_play(solve_any, boards) < len(boards)
