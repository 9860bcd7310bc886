"""The search by numbered squares: what it knows of each position, and how it is cut short."""

import numpy as np
import pytest
from scipy.optimize import linear_sum_assignment

from tests.sokoban.brute_force import Shape, random_boards
from tokoban.sokoban.board import Board, Square
from tokoban.sokoban.deadlocks import frozen_boxes
from tokoban.sokoban.formats.xsb import parse_board
from tokoban.sokoban.search import astar, by_squares, single
from tokoban.sokoban.search.answer import Answer, Optimum
from tokoban.sokoban.search.by_squares import new_search
from tokoban.sokoban.search.limits import Limits
from tokoban.sokoban.search.single import find_answer

# A few hundred positions on the way to fourteen moves.
CROWDED = parse_board("#######|#--.--#|#-$-$-#|#.@---#|#-$---#|#-.---#|#######")
# More positions than any limit below lets through.
LARGE = parse_board("@-------|-$-$-$--|--------|-$-$-$--|--------|--#-....|-----..-")


def solve_by_squares(board: Board, objective: Optimum) -> Answer:
    return find_answer(board, lambda: new_search(board, objective), Limits())


def test_a_store_that_grows_searches_as_a_roomy_one_does(monkeypatch: pytest.MonkeyPatch) -> None:
    roomy = solve_by_squares(CROWDED, "moves")
    monkeypatch.setattr(by_squares, "_FIRST_CAPACITY_BITS", 1)
    monkeypatch.setattr(by_squares, "_ENTERED_AT_ONCE", 7)
    growing = solve_by_squares(CROWDED, "moves")
    assert roomy.solution is not None
    assert growing.solution is not None
    assert (growing.solution.directions, growing.num_expansions) == (
        roomy.solution.directions,
        roomy.num_expansions,
    )


def test_a_position_met_again_for_less_takes_the_lower_price() -> None:
    # Down, back and twice left; the same pushes in other orders need a longer walk.
    board = parse_board(".-$@|-#-$|---.|-#--")
    answer = solve_by_squares(board, "moves")
    assert answer.solution is not None
    assert len(answer.solution.directions) == 4


def test_the_search_holds_the_same_boxes_frozen_as_the_plain_fixed_point() -> None:
    verdicts = []
    for board in random_boards(Shape(5, 3, 4, is_closed=False), 200, seed=23):
        squares = sorted(board.inside())
        if board.boxes | board.goals <= set(squares):
            world = by_squares._world(board, squares, "moves")
            boxes = np.array([squares.index(box) for box in board.boxes], np.int16)
            is_blocked = np.zeros(len(squares) + 1, np.bool_)
            is_blocked[[*boxes, len(squares)]] = True
            verdict = not frozen_boxes(board) <= board.goals
            is_held = np.empty_like(is_blocked)
            assert astar.is_frozen_off_goal(world, boxes, is_blocked, is_held) == verdict
            verdicts.append(verdict)
    assert 20 < sum(verdicts) < len(verdicts) - 20


def searched(
    board: Board, objective: str, num_expansions: int
) -> tuple[list[Square], astar.World, astar.Store, int]:
    """The numbered squares, the world, and the store after some expansions with its positions."""
    squares = sorted(board.inside())
    world = by_squares._world(board, squares, objective)
    store = by_squares._first_store(board, squares)
    astar.search(world, store, astar.empty_scratch(len(squares), len(board.boxes)), num_expansions)
    return squares, world, store, int(store.progress[astar.NUM_POSITIONS])


def test_for_fewest_pushes_the_player_is_the_lowest_square_of_its_area() -> None:
    squares, _, store, num_positions = searched(LARGE, "pushes", 29)
    assert num_positions > 29
    for i in range(num_positions):
        blocked = LARGE.walls | {squares[box] for box in store.boxes[i]}
        player = squares[store.player[i]]
        assert min(Board(7, 8, blocked, frozenset(), frozenset(), player).inside()) == player


@pytest.mark.parametrize("objective", ["moves", "pushes"])
def test_the_pushes_left_are_the_cheapest_matching_of_boxes_and_goals(objective: str) -> None:
    _, world, store, num_positions = searched(LARGE, objective, 29)
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
        directions = by_squares._directions(world, store, squares.index(CROWDED.player))
        assert len(directions) == store.price[i]


def test_a_price_out_of_range_is_a_limit_and_no_proof(monkeypatch: pytest.MonkeyPatch) -> None:
    board = parse_board("@-$----.")  # one step and five pushes
    for module in (by_squares, single):
        monkeypatch.setattr(module, "MAX_PRICE", 6)
    answer = solve_by_squares(board, "moves")
    assert answer.status == "gave up"
    assert answer.reason == "a price of 6"
    assert solve_by_squares(board, "pushes").status == "solved"
    monkeypatch.setattr(by_squares, "MAX_PRICE", 7)
    assert solve_by_squares(board, "moves").status == "solved"


def test_more_boxes_than_are_matched_are_solved_no_worse(monkeypatch: pytest.MonkeyPatch) -> None:
    boards = [CROWDED, *random_boards(Shape(4, 5, 3, is_closed=True), 20, seed=29)]
    matched = [solve_by_squares(board, "pushes") for board in boards]
    monkeypatch.setattr(by_squares, "MAX_MATCHED", 2)
    for board, answer in zip(boards, matched, strict=True):
        unmatched = solve_by_squares(board, "pushes")
        assert unmatched.status == answer.status
        if answer.solution is not None and unmatched.solution is not None:
            assert count_pushes(board, unmatched) == count_pushes(board, answer)
    assert sum(answer.solution is not None for answer in matched) > 5


def count_pushes(board: Board, answer: Answer) -> int:
    assert answer.solution is not None
    return answer.solution.num_pushes
