"""The solver against every possible play of small boards, its three answers and its limits.

Every law holds for boards of one word, and for the same boards by numbered squares.
"""

import signal
import time
from itertools import pairwise

import pytest

from tests.sokoban.brute_force import Shape, fewest, is_push, random_boards, reachable
from tokoban.sokoban import rules, solver
from tokoban.sokoban.board import Board, Square
from tokoban.sokoban.formats.xsb import parse_board
from tokoban.sokoban.solver import Answer, GaveUp, Solved, Unsolvable, solve

SHAPES = {
    "one box, open": (Shape(7, 5, 1, is_closed=False), 6),
    "one box, closed": (Shape(3, 7, 1, is_closed=True), 14),
    "two boxes, open": (Shape(3, 5, 2, is_closed=False), 14),
    "two boxes, closed": (Shape(5, 4, 2, is_closed=True), 6),
    "three boxes, open": (Shape(5, 3, 3, is_closed=False), 10),
    "three boxes, closed": (Shape(4, 4, 3, is_closed=True), 6),
}
# More positions than any limit below lets through.
LARGE = parse_board("@-------|-$-$-$--|--------|-$-$-$--|--------|--#-....|-----..-")


@pytest.fixture(params=["on one word", "by squares"], autouse=True)
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """The search that each test is about; all boards here but the largest fit one word."""
    if request.param == "by squares":
        monkeypatch.setattr(solver, "from_board", lambda board: None)


def count_moves(board: Board, answer: Answer) -> int | None:
    """The moves of a plan, which the rules must confirm; None for a proof that there is none."""
    if isinstance(answer, Unsolvable):
        return None
    assert isinstance(answer, Solved)
    boards = rules.play(board, answer.directions)
    assert boards[-1].is_solved
    assert all(before != after for before, after in pairwise(boards))
    return len(answer.directions)


def count_pushes(board: Board, answer: Answer) -> int | None:
    """The pushes of a plan; None for a proof that there is none."""
    if isinstance(answer, Unsolvable):
        return None
    assert isinstance(answer, Solved)
    return sum(is_push(*boards) for boards in pairwise(rules.play(board, answer.directions)))


def check_against_every_possible_play(boards: list[Board]) -> int:
    """How many of the boards are unsolvable."""
    num_unsolvable = 0
    for board in boards:
        after = reachable(board)
        moves = fewest(after, board, lambda before, later: 1)
        pushes = fewest(after, board, lambda before, later: int(is_push(before, later)))
        assert count_moves(board, solve(board, minimise="moves")) == moves
        assert count_pushes(board, solve(board, minimise="pushes")) == pushes
        assert (count_moves(board, solve(board, minimise="any")) is None) == (moves is None)
        num_unsolvable += moves is None
    return num_unsolvable


@pytest.mark.parametrize("shape", SHAPES)
def test_plans_are_shortest_and_proofs_right_among_all_possible_plays(shape: str) -> None:
    boards = list(random_boards(*SHAPES[shape], seed=17))
    assert 0 < check_against_every_possible_play(boards) < len(boards)


@pytest.mark.slow
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("seed", range(20))
def test_plans_and_proofs_hold_for_many_more_boards(shape: str, seed: int) -> None:
    check_against_every_possible_play(list(random_boards(*SHAPES[shape], seed=seed)))


@pytest.mark.parametrize("is_closed", [False, True], ids=["open", "closed"])
def test_a_lone_box_goes_straight_to_its_goal_or_is_lost_at_once(is_closed: bool) -> None:
    for board in random_boards(Shape(5, 7, 1, is_closed=is_closed), 30, seed=37):
        answer = solve(board, minimise="pushes")
        pushes = count_pushes(board, answer)
        assert answer.expansions <= 1 if pushes is None else answer.expansions == pushes


def test_a_lone_box_that_the_player_cannot_come_round_is_lost_at_once() -> None:
    answer = solve(parse_board("####.|####-|@$---|####-"), minimise="pushes")
    assert isinstance(answer, Unsolvable)
    assert answer.expansions <= 1


def test_the_fewest_moves_and_the_fewest_pushes_are_different_plans() -> None:
    board = parse_board("-#-|.@#|-$-|---|---")
    by_moves, by_pushes = solve(board, minimise="moves"), solve(board, minimise="pushes")
    assert (count_moves(board, by_moves), count_pushes(board, by_moves)) == (8, 4)
    assert (count_moves(board, by_pushes), count_pushes(board, by_pushes)) == (10, 2)


@pytest.mark.parametrize("drawing", ["*-@", "@-", "#####|#*@ #|#####"])
def test_a_board_that_starts_solved_takes_no_moves(drawing: str) -> None:
    answer = solve(parse_board(drawing), max_expansions=0)
    assert isinstance(answer, Solved)
    assert answer.directions == ()


def test_boxes_on_goals_out_of_reach_are_left_alone() -> None:
    board = parse_board("#######|#@$.#*#|#######")
    assert count_moves(board, solve(board)) == 1


@pytest.mark.parametrize(
    "drawing",
    [
        "#######|#@$.#$#|#####.#|#######",  # a box out of reach, off its goal
        "######|#@ *##|######|##$.##|######",  # the same, with all boxes in reach on goals
        "@$.-$",  # more boxes than goals
        "@$..",  # more goals than boxes
        "@$#.",  # a wall before the goal
        "$@.|---",  # a box in a corner of the open edge
        "@-$---|---$--|-.---.",  # the upper box stays at the edge
    ],
)
def test_hopeless_boards_are_proved_so(drawing: str) -> None:
    board = parse_board(drawing)
    assert fewest(reachable(board), board, lambda before, later: 1) is None
    assert isinstance(solve(board), Unsolvable)


def test_boxes_frozen_from_the_start_are_seen_without_a_search() -> None:
    answer = solve(parse_board("@$$.|--.-"))
    assert isinstance(answer, Unsolvable)
    assert answer.expansions == 0


def test_a_position_with_boxes_frozen_off_their_goals_is_not_looked_into() -> None:
    # The one push brings two boxes together along the edge: only the start is expanded.
    answer = solve(parse_board("@$-$.."))
    assert isinstance(answer, Unsolvable)
    assert answer.expansions == 1


def test_expansions_are_a_limit() -> None:
    answer = solve(LARGE, max_expansions=1009)
    assert isinstance(answer, GaveUp)
    assert (answer.limit, answer.expansions) == ("1009 expansions", 1009)


def test_time_is_a_limit() -> None:
    answer = solve(LARGE, time_limit_s=0.05)
    assert isinstance(answer, GaveUp)
    assert answer.limit == "0.05 s"
    assert 0.05 <= answer.elapsed_s < 2


def test_memory_is_a_limit() -> None:
    answer = solve(LARGE, memory_limit_mb=1.5)
    assert isinstance(answer, GaveUp)
    assert answer.limit == "1.5 MB"
    assert answer.expansions > 0


def test_an_interrupt_stops_the_search_at_once() -> None:
    solve(parse_board("@$."))
    earlier = signal.signal(signal.SIGALRM, signal.default_int_handler)
    signal.setitimer(signal.ITIMER_REAL, 0.05)
    started_s = time.perf_counter()
    try:
        with pytest.raises(KeyboardInterrupt):
            solve(LARGE, time_limit_s=20.0)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, earlier)
    assert time.perf_counter() - started_s < 5


def test_a_plan_that_the_rules_refuse_is_never_returned(monkeypatch: pytest.MonkeyPatch) -> None:
    nothing = Solved((), expansions=1, elapsed_s=0.0)
    for name in ("solve_one", "solve_by_squares"):
        monkeypatch.setattr(solver, name, lambda board, minimise, limits: nothing)
    with pytest.raises(RuntimeError, match="the rules refuse the plan"):
        solve(parse_board("@$."))


def open_floor(height: int, width: int) -> Board:
    """A floor without walls whose box, in its middle, waits beside its goal."""
    middle = Square(height // 2, width // 2)
    goal = middle.neighbour(3)
    nothing: frozenset[Square] = frozenset()
    return Board(height, width, nothing, frozenset({goal}), frozenset({middle}), Square(0, 0))


def test_the_largest_board_is_64_by_64() -> None:
    board = open_floor(64, 64)
    assert count_moves(board, solve(board)) == 32 + 31 + 1
    with pytest.raises(ValueError, match="expected at most 4096 squares of floor, got 4160"):
        solve(open_floor(64, 65))


def test_only_moves_or_pushes_or_nothing_is_minimised() -> None:
    with pytest.raises(ValueError, match="minimise is 'moves', 'pushes' or 'any', not 'steps'"):
        solve(parse_board("@$."), minimise="steps")


def test_any_plan_is_found_with_fewer_expansions_than_the_shortest() -> None:
    board = parse_board("@-------|-$-$-$--|--------|-$-$----|--------|--#-...-|-----..-")
    by_any = solve(board, minimise="any")
    assert count_moves(board, by_any)
    assert by_any.expansions < solve(board, minimise="moves", max_expansions=10**4).expansions
