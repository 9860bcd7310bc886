"""The solver against every possible play of small boards, its three answers and its limits."""

import signal
import time
from itertools import pairwise

import numpy as np
import pytest
from numba.core import caching
from scipy.optimize import linear_sum_assignment

from tests.sokoban.brute_force import Shape, fewest, is_push, random_boards, reachable
from tokoban.sokoban import astar, rules, solver
from tokoban.sokoban.board import Board, Square
from tokoban.sokoban.deadlocks import frozen_boxes
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
# A few hundred positions on the way to fourteen moves.
CROWDED = parse_board("#######|#--.--#|#-$-$-#|#.@---#|#-$---#|#-.---#|#######")
# More positions than any limit below lets through.
LARGE = parse_board("@-------|-$-$-$--|--------|-$-$-$--|--------|--#-....|-----..-")


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


def test_a_store_that_grows_searches_as_a_roomy_one_does(monkeypatch: pytest.MonkeyPatch) -> None:
    roomy = solve(CROWDED)
    monkeypatch.setattr(solver, "_FIRST_CAPACITY_BITS", 1)
    growing = solve(CROWDED)
    assert isinstance(roomy, Solved)
    assert isinstance(growing, Solved)
    assert (growing.directions, growing.expansions) == (roomy.directions, roomy.expansions)


@pytest.mark.parametrize("is_closed", [False, True], ids=["open", "closed"])
def test_a_lone_box_goes_straight_to_its_goal_or_is_lost_at_once(is_closed: bool) -> None:
    for board in random_boards(Shape(5, 7, 1, is_closed=is_closed), 30, seed=37):
        answer = solve(board, minimise="pushes")
        pushes = count_pushes(board, answer)
        assert answer.expansions <= 1 if pushes is None else answer.expansions == pushes


def test_a_lone_box_that_the_player_cannot_come_round_is_lost_at_once() -> None:
    answer = solve(parse_board("####.|####-|@$---|####-"), minimise="pushes")
    assert isinstance(answer, Unsolvable)
    assert answer.expansions == 1


def test_the_fewest_moves_and_the_fewest_pushes_are_different_plans() -> None:
    board = parse_board("-#-|.@#|-$-|---|---")
    by_moves, by_pushes = solve(board, minimise="moves"), solve(board, minimise="pushes")
    assert (count_moves(board, by_moves), count_pushes(board, by_moves)) == (8, 4)
    assert (count_moves(board, by_pushes), count_pushes(board, by_pushes)) == (10, 2)


def test_a_position_met_again_for_less_takes_the_lower_price() -> None:
    # Down, back and twice left; the same pushes in other orders need a longer walk.
    board = parse_board(".-$@|-#-$|---.|-#--")
    assert count_moves(board, solve(board)) == 4


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


def test_the_search_holds_the_same_boxes_frozen_as_the_plain_fixed_point() -> None:
    verdicts = []
    for board in random_boards(Shape(5, 3, 4, is_closed=False), 200, seed=23):
        squares = sorted(board.inside())
        if board.boxes | board.goals <= set(squares):
            world = solver._world(board, squares, "moves")
            boxes = np.array([squares.index(box) for box in board.boxes], np.int16)
            is_blocked = np.zeros(len(squares) + 1, np.bool_)
            is_blocked[[*boxes, len(squares)]] = True
            verdict = not frozen_boxes(board) <= board.goals
            is_held = np.empty_like(is_blocked)
            assert astar.is_frozen_off_goal(world, boxes, is_blocked, is_held) == verdict
            verdicts.append(verdict)
    assert 20 < sum(verdicts) < len(verdicts) - 20


def searched(
    board: Board, minimise: str, num_expansions: int
) -> tuple[list[Square], astar.World, astar.Store, int]:
    """The numbered squares, the world, and the store after some expansions with its positions."""
    squares = sorted(board.inside())
    world = solver._world(board, squares, minimise)
    store = solver._first_store(world, board, squares)
    astar.search(world, store, astar.empty_scratch(len(squares), len(board.boxes)), num_expansions)
    return squares, world, store, int(store.progress[astar.NUM_POSITIONS])


def test_for_fewest_pushes_the_player_is_the_lowest_square_of_its_area() -> None:
    squares, _, store, num_positions = searched(LARGE, "pushes", 29)
    assert num_positions > 29
    for i in range(num_positions):
        blocked = LARGE.walls | {squares[box] for box in store.boxes[i]}
        player = squares[store.player[i]]
        assert min(Board(7, 8, blocked, frozenset(), frozenset(), player).inside()) == player


@pytest.mark.parametrize("minimise", ["moves", "pushes"])
def test_the_pushes_left_are_the_cheapest_matching_of_boxes_and_goals(minimise: str) -> None:
    _, world, store, num_positions = searched(LARGE, minimise, 29)
    assert num_positions > 29
    for i in range(1, num_positions):  # the start is not estimated
        boxes = store.boxes[i].astype(int)
        price = world.pushes[boxes * 4 + world.side[boxes, store.player[i]]]
        assert store.pushes_left[i] == price[linear_sum_assignment(price)].sum()


def test_the_price_of_a_position_is_the_length_of_the_way_to_it() -> None:
    squares, world, store, num_positions = searched(CROWDED, "moves", 997)
    alive = [i for i in range(num_positions) if store.price[i] != astar.NONE]
    assert len(alive) < num_positions
    for i in alive:
        store.progress[astar.REACHED] = i
        directions = solver._directions(world, store, squares.index(CROWDED.player))
        assert len(directions) == store.price[i]


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


def test_a_price_out_of_range_is_a_limit_and_no_proof(monkeypatch: pytest.MonkeyPatch) -> None:
    board = parse_board("@-$----.")  # one step and five pushes
    monkeypatch.setattr(solver, "_NUM_TOTALS", 6)
    answer = solve(board)
    assert isinstance(answer, GaveUp)
    assert answer.limit == "6 moves"
    assert isinstance(solve(board, minimise="pushes"), Solved)
    monkeypatch.setattr(solver, "_NUM_TOTALS", 7)
    assert isinstance(solve(board), Solved)


def test_limits_are_looked_at_after_one_expansion_and_then_after_at_most_twice_as_many(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    slices = []
    search = astar.search

    def recording(world, store, scratch, max_expansions):
        slices.append(max_expansions - store.progress[astar.NUM_EXPANSIONS])
        return search(world, store, scratch, max_expansions)

    monkeypatch.setattr(astar, "search", recording)
    solve(LARGE, max_expansions=1009)
    assert slices[0] == 1
    assert all(later <= 2 * before for before, later in pairwise(slices))


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


def test_where_no_folder_can_be_written_the_search_is_compiled_without_a_cache(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(caching.CacheImpl, "_locator_classes", [])
    assert astar.compiled(lambda number: number + 1)(1) == 2


def test_a_plan_that_the_rules_refuse_is_never_returned(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(solver, "_directions", lambda world, store, player: ())
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


def test_only_moves_or_pushes_are_minimised() -> None:
    with pytest.raises(ValueError, match="minimise is 'moves' or 'pushes', not 'steps'"):
        solve(parse_board("@$."), minimise="steps")
