"""Time limits on the largest boards that any search takes, while it is set up too.

Seconds are those of the thread, so that neither a busy machine nor other threads count, in a call
that compiles nothing.
"""

import gc
import itertools
import random
import sys
import time
from collections.abc import Callable
from types import FrameType

import pytest
from numba.core import event

from tokoban.sokoban.board import Board, Direction, Square
from tokoban.sokoban.deadlocks import frozen_boxes
from tokoban.sokoban.proofs.explainer import explain
from tokoban.sokoban.puzzles.rating import rate
from tokoban.sokoban.search.answer import OBJECTIVES, Answer, Progress
from tokoban.sokoban.search.combine.optimiser import optimise
from tokoban.sokoban.search.combine.solver import solve
from tokoban.sokoban.search.limits import Limits

LIMIT_S = 0.1
LATE_S = 0.1 * LIMIT_S + 0.2  # that an answer may come later
SIDE = 64


def room(num_boxes: int) -> Board:
    """64x64 squares with goals anywhere but at the edge, and boxes that do not touch."""
    inner = [Square(row, column) for row in range(2, SIDE - 2) for column in range(2, SIDE - 2)]
    apart = [square for square in inner if square.row % 2 == square.column % 2 == 0]
    draws = random.Random(num_boxes)
    boxes, goals = draws.sample(apart, num_boxes), draws.sample(inner, num_boxes)
    return Board(SIDE, SIDE, frozenset(), frozenset(goals), frozenset(boxes), Square(0, 0))


def seconds(call: Callable[[], object]) -> float:
    """Of the first call during which nothing is compiled, nor loaded from what was compiled."""
    gc.freeze()  # the garbage collector need not look through what other tests have left
    try:
        while True:
            compiling = event.RecordingListener()
            started_s = time.thread_time()
            with event.install_listener("numba:compiler_lock", compiling):
                call()
            if not compiling.buffer:
                return time.thread_time() - started_s
    finally:
        gc.unfreeze()


CROWDS = pytest.mark.parametrize("num_boxes", [12, 200, 850])


@CROWDS
@pytest.mark.parametrize("objective", OBJECTIVES)
def test_a_search_ends_at_its_time_limit(objective: str, num_boxes: int) -> None:
    board = room(num_boxes)
    answers: list[Answer] = []

    def search() -> None:
        limits = Limits(time_limit_s=LIMIT_S, clock=time.thread_time)
        answers.append(solve(board, minimise=objective, limits=limits))

    assert seconds(search) < LIMIT_S + LATE_S
    if num_boxes > 12:
        assert answers[-1].status == "gave up"


@pytest.mark.parametrize("objective", OBJECTIVES)
def test_limits_are_looked_at_while_a_search_is_set_up(objective: str) -> None:
    reports: list[Progress] = []
    answer = solve(
        room(200),
        minimise=objective,
        # A second passes between two looks.
        limits=Limits(time_limit_s=12.0, clock=itertools.count(0.0).__next__),
        report=reports.append,
    )
    assert answer.status == "gave up"
    assert reports and all(progress.positions == 0 for progress in reports)


@CROWDS
@pytest.mark.parametrize("answer", [explain, rate])
def test_an_explanation_and_a_rating_end_at_their_time_limit(
    answer: Callable[..., object], num_boxes: int
) -> None:
    board, limits = room(num_boxes), Limits(time_limit_s=LIMIT_S, clock=time.thread_time)
    assert seconds(lambda: answer(board, limits=limits)) < LIMIT_S + LATE_S


def test_shortening_ends_at_its_time_limit() -> None:
    floor = frozenset({Square(0, 3)}), frozenset({Square(0, 1)})
    board = Board(SIDE, SIDE, frozenset(), *floor, Square(0, 0))
    there_and_back = (Direction.DOWN, Direction.UP) * 2_500
    moves = (*there_and_back, Direction.RIGHT, Direction.RIGHT)
    answers: list[Answer] = []

    def shorten() -> None:
        none = Limits(time_limit_s=0.0, clock=time.thread_time)
        answers.append(optimise(board, moves, limits=none))

    assert seconds(shorten) < LATE_S
    answer = answers[-1]
    assert answer.solution is not None
    assert (answer.reason, answer.solution.num_moves) == ("0 s", len(moves))
    assert answer.optimum is None


def num_calls(call: Callable[[], object]) -> int:
    """Of functions, written in Python or built in, which is the same on any machine."""
    count = 0

    def hear(frame: FrameType, event: str, argument: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(hear)
    try:
        call()
    finally:
        sys.setprofile(before)
    return count


def test_a_walk_through_a_large_room_takes_linear_time() -> None:
    board = Board(
        101, 101, frozenset(), frozenset({Square(5, 5)}), frozenset({Square(9, 9)}), Square(0, 0)
    )
    num_squares = 101 * 101
    assert len(board.inside()) == num_squares
    # Four calls make, add and append a square; a call for each neighbour would be four more.
    assert num_calls(board.inside) < 5 * num_squares


def test_frozen_boxes_take_linear_time() -> None:
    def calls_on_a_staircase(num_steps: int) -> int:
        """Each box is held by both neighbours until those at the ends are let go."""
        steps = [Square(row, column) for row in range(num_steps) for column in (row, row + 1)]
        boxes = frozenset(Square(row + 1, column + 1) for row, column in steps)
        board = Board(num_steps + 2, num_steps + 3, frozenset(), boxes, boxes, Square(0, 0))
        assert frozen_boxes(board) == frozenset()
        return num_calls(lambda: frozen_boxes(board))

    assert calls_on_a_staircase(400) < 3 * calls_on_a_staircase(200)
