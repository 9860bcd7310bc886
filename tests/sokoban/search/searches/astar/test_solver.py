"""A* on numbered squares: what it knows of each position, and how it is cut short."""

from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from scipy.optimize import linear_sum_assignment

from tests.sokoban.brute_force import Shape, random_boards
from tests.sokoban.search.bitboard.swept import LARGE
from tokoban.sokoban.board import Board, Square
from tokoban.sokoban.formats.xsb import parse_board
from tokoban.sokoban.search import run
from tokoban.sokoban.search.answer import HASTE, Answer, Objective, Optimum
from tokoban.sokoban.search.level.ground import Squares, build_ground
from tokoban.sokoban.search.limits import Limits
from tokoban.sokoban.search.pauses import Budget, set_up
from tokoban.sokoban.search.rules.patterns import NUM_PATTERNS
from tokoban.sokoban.search.rules.pruning import empty_pruning
from tokoban.sokoban.search.run import find_answer
from tokoban.sokoban.search.searches.astar import solver as astar_search
from tokoban.sokoban.search.searches.astar.solver import AStar, astar_in_steps
from tokoban.sokoban.search.state import positions
from tokoban.sokoban.search.state.positions import unpacked_bits

# A few hundred positions on the way to fourteen moves.
CROWDED = parse_board("#######|#--.--#|#-$-$-#|#.@---#|#-$---#|#-.---#|#######")


def solve_by_astar(board: Board, objective: Objective) -> Answer:
    return find_answer(board, partial(set_up, astar_in_steps(board, objective)), Limits())


def test_a_store_that_grows_searches_as_a_roomy_one_does(monkeypatch: pytest.MonkeyPatch) -> None:
    roomy = solve_by_astar(CROWDED, "moves")
    monkeypatch.setattr(astar_search, "_FIRST_CAPACITY_BITS", 1)
    monkeypatch.setattr(positions, "_ENTERED_AT_ONCE", 7)
    growing = solve_by_astar(CROWDED, "moves")
    assert roomy.solution is not None
    assert growing.solution is not None
    assert (growing.solution.directions, growing.num_expansions) == (
        roomy.solution.directions,
        roomy.num_expansions,
    )


@pytest.mark.parametrize("objective", ["moves", "pushes"])
def test_a_pattern_holds_only_where_the_player_was(objective: Objective) -> None:
    # From below, both boxes can only be pushed into corners; from above, down to the goals.
    drawing = "########|#@-#####|#$$----#|#------#|#..----#|########"
    above = parse_board(drawing)
    below = replace(above, player=Square(4, 6))
    squares = Squares(above)
    ground = build_ground(above, squares)

    learned = empty_pruning(len(ground.zone), len(ground.goals))

    def answer_from(board: Board) -> Answer:
        search = AStar(board, squares, ground, objective, learned)
        return find_answer(board, search.search, Limits())

    answer = answer_from(below)
    assert (answer.status, learned.patterns.progress[NUM_PATTERNS]) == ("unsolvable", 1)
    answer = answer_from(above)
    assert answer.solution is not None
    assert answer.solution.num_pushes == 4


@pytest.mark.parametrize("objective", ["moves", "pushes"])
def test_the_lower_bound_is_the_cheapest_matching_of_boxes_and_goals(objective: Optimum) -> None:
    squares = Squares(LARGE)
    ground = build_ground(LARGE, squares)
    search = AStar(LARGE, squares, ground, objective)
    search.advance(Budget(29))
    positions = search.frontier.positions
    assert positions.num_known[0] > 29
    for i in range(1, positions.num_known[0]):  # the start is not estimated
        boxes = np.flatnonzero(unpacked_bits(positions.boxes[i], len(squares.squares)))
        pushes = ground.pushes[boxes * 4 + ground.zone[boxes, positions.player[i]]]
        assert search.frontier.lower_bound[i] == pushes[linear_sum_assignment(pushes)].sum()


def test_a_price_out_of_range_is_a_limit_and_no_proof(monkeypatch: pytest.MonkeyPatch) -> None:
    board = parse_board("@-$----.")  # one step and five pushes
    for module in (astar_search, run):
        monkeypatch.setattr(module, "MAX_PRICE", 6)
    answer = solve_by_astar(board, "moves")
    assert answer.status == "gave up"
    assert answer.reason == "a price of 6"
    assert solve_by_astar(board, "pushes").status == "solved"
    monkeypatch.setattr(astar_search, "MAX_PRICE", 7)
    assert solve_by_astar(board, "moves").status == "solved"


def test_more_boxes_than_are_matched_are_solved_no_worse(monkeypatch: pytest.MonkeyPatch) -> None:
    boards = [CROWDED, *random_boards(Shape(4, 5, 3, is_closed=True), 20, seed=29)]
    matched = [solve_by_astar(board, "pushes") for board in boards]
    monkeypatch.setattr(astar_search, "MAX_MATCHED", 2)
    for board, answer in zip(boards, matched, strict=True):
        unmatched = solve_by_astar(board, "pushes")
        assert unmatched.status == answer.status
        if answer.solution is not None and unmatched.solution is not None:
            assert count_pushes(board, unmatched) == count_pushes(board, answer)
    assert sum(answer.solution is not None for answer in matched) > 5


def test_any_solution_has_at_most_haste_times_the_fewest_pushes_and_the_same_verdict() -> None:
    boards = [CROWDED, *random_boards(Shape(7, 7, 4, is_closed=True), 40, seed=31)]
    boards = [board for board in boards if not board.is_solved]
    num_saved = num_unsolvable = 0
    for board in boards:
        fewest, any_found = solve_by_astar(board, "pushes"), solve_by_astar(board, "any")
        assert any_found.status == fewest.status
        assert any_found.optimum is None
        assert any_found.at_least_pushes is None
        num_unsolvable += fewest.status == "unsolvable"
        if fewest.solution is not None:
            least, found = count_pushes(board, fewest), count_pushes(board, any_found)
            assert least <= found <= HASTE * least
            num_saved += fewest.num_expansions - any_found.num_expansions
    assert num_saved > 0
    assert num_unsolvable > 5


def count_pushes(board: Board, answer: Answer) -> int:
    assert answer.solution is not None
    return answer.solution.num_pushes
