"""The whole solver against every possible play of small boards, its answers and its limits."""

from itertools import count

import pytest

from tests.sokoban.brute_force import Shape, random_boards
from tests.sokoban.search.any_solution import (
    CROWDED,
    check_against_every_possible_play,
)
from tests.sokoban.search.push_graph import can_be_solved
from tokoban.sokoban.search.level.ground import Squares
from tokoban.sokoban.search.limits import Limits
from tokoban.sokoban.search.outcome import Outcome
from tokoban.sokoban.search.pauses import Budget
from tokoban.sokoban.search.searches.bidirectional import solver, tables
from tokoban.sokoban.search.searches.bidirectional.solver import solve_any
from tokoban.sokoban.search.steps import completed


@pytest.mark.parametrize("turn", [0, 1], ids=["forwards", "backwards"])
def test_either_side_alone_exhausts_only_what_is_unsolvable(turn: int) -> None:
    answers = set()
    for board in random_boards(Shape(3, 5, 3, is_closed=True), 60, seed=23):
        inside = board.inside()
        if board.is_solved or not (board.boxes <= inside and board.goals <= inside):
            continue
        two_sides = completed(solver.fess_in_steps(board, Squares(board)))
        two_sides.turn = turn
        while (outcome := two_sides.advance(Budget(1 << 20))) == Outcome.BUDGET_SPENT:
            two_sides.turn = turn
        is_solvable = can_be_solved(board)
        assert (outcome == Outcome.EXHAUSTED) == (not is_solvable)
        answers.add(is_solvable)
    assert answers == {True, False}


def test_answers_do_not_depend_on_how_the_search_is_sliced_or_stored(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    expected = solve_any(CROWDED)
    assert expected.solution is not None
    every_flood = solve_any(CROWDED, clock=count(0.0).__next__)
    monkeypatch.setattr(solver, "_FIRST_CAPACITY", 1 << 14)
    roomy = solve_any(CROWDED)
    for answer in (every_flood, roomy):
        assert answer.solution is not None
        assert answer.solution.directions == expected.solution.directions
        assert answer.num_expansions == expected.num_expansions


def test_other_searches_may_use_the_pruning_between_slices() -> None:
    """They write there which boxes a corral of theirs binds."""
    for board in random_boards(Shape(5, 4, 3, is_closed=True), 60, seed=31):
        inside = board.inside()
        if board.is_solved or not (board.boxes <= inside and board.goals <= inside):
            continue
        search = completed(solver.fess_in_steps(board, Squares(board)))
        while (outcome := search.advance(Budget(1))) not in (Outcome.SOLVED, Outcome.EXHAUSTED):
            search.learned.pruning.may_move[:] = False
        assert (outcome == Outcome.SOLVED) == can_be_solved(board)


def test_the_memory_limit_holds_before_the_store_grows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(solver, "_FIRST_CAPACITY", 1)
    answer = solve_any(CROWDED, limits=Limits(memory_limit_mb=0.5))
    assert answer.status == "gave up"
    assert answer.reason == "0.5 MB"


def test_more_boxes_than_are_matched_are_solved_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tables, "MAX_MATCHED", 3)
    assert solve_any(CROWDED).status == "solved"
    boards = list(random_boards(Shape(4, 4, 4, is_closed=True), 10, seed=8))
    check_against_every_possible_play(solve_any, boards)
