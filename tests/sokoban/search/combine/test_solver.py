"""The solver against every possible play of small boards, its three answers and its limits.

Every law holds for boards of one word, and for the same boards by numbered squares.
"""

import signal
import time
from functools import cache
from itertools import count, pairwise

import pytest

from benchmarks.open_boards import open_board
from tests.sokoban.brute_force import Shape, fewest, is_push, random_boards, reachable
from tokoban.sokoban import rules
from tokoban.sokoban.board import Board, Square
from tokoban.sokoban.formats.xsb import parse_board
from tokoban.sokoban.search.answer import OBJECTIVES, Answer, Progress
from tokoban.sokoban.search.combine import portfolio, solver
from tokoban.sokoban.search.combine.solver import solve
from tokoban.sokoban.search.limits import Limits

SHAPES = {
    "one box, open": (Shape(7, 5, 1, is_closed=False), 6),
    "one box, closed": (Shape(3, 7, 1, is_closed=True), 14),
    "two boxes, open": (Shape(3, 5, 2, is_closed=False), 14),
    "two boxes, closed": (Shape(5, 4, 2, is_closed=True), 6),
    "three boxes, open": (Shape(5, 3, 3, is_closed=False), 10),
    "three boxes, closed": (Shape(4, 4, 3, is_closed=True), 6),
}
# More positions than any limit below lets through, whatever is minimised.
HARD = parse_board("------..|-$.$-$--|-$.-----|#$--#-$-|+-------|.##.----|-.-$-$$-|.---#---")


@pytest.fixture(params=["on one word", "by squares"], autouse=True)
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """The search that each test is about; all boards here but the largest fit one word."""
    if request.param == "by squares":
        monkeypatch.setattr(solver, "from_board", lambda board: None)


def moves_and_pushes(board: Board, answer: Answer) -> tuple[int, int] | tuple[None, None]:
    """Of a solution, which the rules must confirm; None of each if there provably is none."""
    if answer.status == "unsolvable":
        return None, None
    assert answer.solution is not None
    boards = rules.play(board, answer.solution.directions)
    assert boards[-1].is_solved
    assert all(before != after for before, after in pairwise(boards))
    return len(boards) - 1, sum(is_push(*pair) for pair in pairwise(boards))


@cache  # for both ways
def fewest_by_play(board: Board) -> tuple[int | None, int | None]:
    """Moves and pushes of the shortest among all possible plays."""
    after = reachable(board)
    moves = fewest(after, board, lambda before, later: 1)
    return moves, fewest(after, board, lambda before, later: int(is_push(before, later)))


def check_against_every_possible_play(boards: list[Board]) -> int:
    """How many of the boards are unsolvable."""
    num_unsolvable = 0
    for board in boards:
        moves, pushes = fewest_by_play(board)
        assert moves_and_pushes(board, solve(board, minimise="moves"))[0] == moves
        assert moves_and_pushes(board, solve(board, minimise="pushes"))[1] == pushes
        assert (moves_and_pushes(board, solve(board, minimise="any"))[0] is None) == (moves is None)
        num_unsolvable += moves is None
    return num_unsolvable


@pytest.mark.parametrize("shape", SHAPES)
def test_solutions_are_shortest_and_proofs_right_among_all_possible_plays(shape: str) -> None:
    boards = list(random_boards(*SHAPES[shape], seed=17))
    assert 0 < check_against_every_possible_play(boards) < len(boards)


@pytest.mark.slow
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("seed", range(4))
def test_solutions_and_proofs_hold_for_many_more_boards(shape: str, seed: int) -> None:
    check_against_every_possible_play(list(random_boards(*SHAPES[shape], seed=seed)))


@pytest.mark.parametrize("is_closed", [False, True], ids=["open", "closed"])
def test_a_lone_box_goes_straight_to_its_goal_or_is_lost_at_once(is_closed: bool) -> None:
    for board in random_boards(Shape(5, 7, 1, is_closed=is_closed), 30, seed=37):
        answer = solve(board, minimise="pushes")
        _, pushes = moves_and_pushes(board, answer)
        assert answer.num_expansions <= 1 if pushes is None else answer.num_expansions == pushes


def test_the_fewest_moves_and_the_fewest_pushes_are_different_solutions() -> None:
    board = parse_board("-#-|.@#|-$-|---|---")
    by_moves, by_pushes = solve(board, minimise="moves"), solve(board, minimise="pushes")
    assert moves_and_pushes(board, by_moves) == (8, 4)
    assert moves_and_pushes(board, by_pushes) == (10, 2)


def test_boxes_on_goals_out_of_reach_are_left_alone() -> None:
    board = parse_board("#######|#@$.#*#|#######")
    assert moves_and_pushes(board, solve(board)) == (1, 1)


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
    assert solve(board).status == "unsolvable"


def test_a_position_with_boxes_frozen_off_their_goals_is_not_looked_into() -> None:
    # The one push brings two boxes together along the edge: only the start is expanded.
    answer = solve(parse_board("@$-$.."))
    assert answer.status == "unsolvable"
    assert answer.num_expansions == 1


@pytest.mark.parametrize("objective", OBJECTIVES)
def test_expansions_are_a_limit(objective: str) -> None:
    answer = solve(HARD, minimise=objective, limits=Limits(max_expansions=1009))
    assert answer.status == "gave up"
    assert (answer.reason, answer.num_expansions) == ("1,009 expansions", 1009)


def test_any_solution_is_looked_for_on_one_word_and_then_from_both_ends(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(portfolio, "_FEW_EXPANSIONS", 101)
    said: list[Progress] = []
    answer = solve(HARD, minimise="any", limits=Limits(max_expansions=113), report=said.append)
    assert answer.status == "gave up"
    assert answer.num_expansions == 113
    expansions = [told.expansions for told in said]
    assert expansions == sorted(expansions)
    if solver.from_board(HARD) is not None:
        # The portfolio begins without any of these positions.
        second = next(told for told in said if told.working is not None)
        assert second.positions < max(told.positions for told in said if told.expansions <= 101)
    assert solve(HARD, minimise="any", limits=Limits(max_expansions=101)).status == "gave up"


def test_on_an_open_board_any_solution_comes_as_quickly_as_the_fewest_pushes() -> None:
    # Counted in expansions, so that a busy machine changes nothing.
    board = open_board(6)
    by_pushes = solve(board, minimise="pushes")
    assert by_pushes.solution is not None
    answer = solve(board, minimise="any", limits=Limits(max_expansions=by_pushes.num_expansions))
    assert answer.solution is not None
    assert answer.solver == "weighted-astar"


@pytest.mark.parametrize("objective", OBJECTIVES)
def test_memory_is_a_limit(objective: str) -> None:
    answer = solve(HARD, minimise=objective, limits=Limits(memory_limit_mb=7.0))
    assert answer.status == "gave up"
    assert answer.reason == "7 MB"
    assert answer.num_expansions > 0


@pytest.mark.parametrize("objective", OBJECTIVES)
def test_an_interrupt_stops_the_search_at_once_and_what_was_known_is_known(objective: str) -> None:
    said: list[Progress] = []
    solve(HARD, minimise=objective, limits=Limits(max_expansions=1))
    # By the time of the process, of which a busy machine takes nothing. And again, since Python
    # ignores what is raised while something is finalised: a single one may be lost.
    earlier = signal.signal(signal.SIGPROF, signal.default_int_handler)
    signal.setitimer(signal.ITIMER_PROF, 0.2, 0.1)
    started_s = time.process_time()
    try:
        with pytest.raises(KeyboardInterrupt):
            solve(
                HARD,
                minimise=objective,
                report=said.append,
                limits=Limits(clock=time.process_time),
            )
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, earlier)
    assert time.process_time() - started_s < 0.7
    assert said[-1].elapsed_s > 0.05
    assert said[-1].expansions > 0 < said[-1].positions
    # Of "any" the search from both ends may have taken over, which holds only its own positions.
    assert objective == "any" or said[-1].expansions < said[-1].positions
    assert (said[-1].at_least is None) == (objective == "any")


@pytest.mark.parametrize("objective", ["moves", "pushes"])
def test_no_solution_is_shorter_than_what_was_said_to_be_the_least(objective: str) -> None:
    bounds, lengths = 0, 0
    for board in random_boards(Shape(6, 7, 3, is_closed=True), 10, seed=41):
        said: list[Progress] = []
        # By a clock that ticks when it is read every slice is long, so all stay short.
        limits = Limits(clock=count(0.0).__next__)
        answer = solve(board, minimise=objective, report=said.append, limits=limits)
        moves, pushes = moves_and_pushes(board, answer)
        length = moves if objective == "moves" else pushes
        least = [told.at_least or 0 for told in said]
        assert least == sorted(least)
        if length:
            assert least[-1] <= length
            bounds, lengths = bounds + least[-1], lengths + length
    # What is said last, one slice before the end, is a move or two less than the solution.
    assert bounds > 0.8 * lengths > 0


def open_floor(height: int, width: int) -> Board:
    """A floor without walls whose box, in its middle, waits beside its goal."""
    middle = Square(height // 2, width // 2)
    goal = middle.neighbour(3)
    nothing: frozenset[Square] = frozenset()
    return Board(height, width, nothing, frozenset({goal}), frozenset({middle}), Square(0, 0))


def test_the_largest_board_is_64_by_64() -> None:
    board = open_floor(64, 64)
    assert moves_and_pushes(board, solve(board)) == (32 + 31 + 1, 1)
    with pytest.raises(ValueError, match="expected at most 4096 squares of floor, got 4160"):
        solve(open_floor(64, 65))


def test_only_moves_or_pushes_or_nothing_is_minimised() -> None:
    with pytest.raises(ValueError, match="minimise is 'steps'; expected one of \\['moves', 'p"):
        solve(parse_board("@$."), minimise="steps")
