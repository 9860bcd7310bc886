import threading
from dataclasses import replace

import numpy as np
import pytest

from tests.sokoban.brute_force import Shape, random_boards
from tests.sokoban.search.push_graph import can_be_solved
from tests.sokoban.search.searches.guided.guides import DrawnGuide
from tokoban.sokoban.board import Board
from tokoban.sokoban.search.level.ground import Squares
from tokoban.sokoban.search.limits import STOPPED, Limits
from tokoban.sokoban.search.outcome import Outcome
from tokoban.sokoban.search.pauses import WITHOUT_END, Budget, underway
from tokoban.sokoban.search.searches.guided.guide import UniformGuide
from tokoban.sokoban.search.searches.guided.search import (
    SEARCHES,
    GuidedOptions,
    GuidedSearch,
    Order,
    solve_guided,
)

# Far more positions than any test evaluates.
_ROOM = Board.from_xsb(
    "##########|#        #|# $ $ $  #|#  $ $   #|#   @    #|#        #|#  ..... #|##########"
)


def _uniform(board: Board) -> UniformGuide:
    return UniformGuide(Squares(board).neighbours)


@pytest.mark.parametrize("order", SEARCHES)
def test_a_level_is_solved_or_proved_unsolvable_as_brute_force_says(order: Order) -> None:
    statuses = set()
    for seed, board in enumerate(random_boards(Shape(3, 4, 2, is_closed=True), 60, seed=1)):
        guide = DrawnGuide(Squares(board), seed=seed)
        answer = solve_guided(board, guide, options=GuidedOptions(order=order))
        assert (answer.status == "solved") == can_be_solved(board)
        assert answer.status in ("solved", "unsolvable")
        statuses.add(answer.status)
    assert len(statuses) == 2


@pytest.mark.slow
@pytest.mark.parametrize("order", SEARCHES)
def test_classical_pruning_changes_no_verdict(order: Order) -> None:
    pruned = 0
    for seed, board in enumerate(random_boards(Shape(4, 4, 3, is_closed=True), 100, seed=2)):
        guide = DrawnGuide(Squares(board), seed=seed)
        plain, classical = (
            solve_guided(
                board, guide, options=GuidedOptions(order=order, is_classical=is_classical)
            )
            for is_classical in (False, True)
        )
        assert plain.status == classical.status
        pruned += plain.num_evaluated - classical.num_evaluated
    assert pruned > 0


def test_no_position_is_evaluated_twice() -> None:
    for seed, board in enumerate(random_boards(Shape(4, 4, 3, is_closed=True), 20, seed=4)):
        guide = DrawnGuide(Squares(board), seed=seed)
        answer = solve_guided(board, guide)
        assert len(set(guide.evaluated)) == len(guide.evaluated) == answer.num_evaluated


def test_positions_whose_keys_collide_are_told_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    def colliding(num_floor: int) -> np.ndarray:
        return np.zeros((2, num_floor), np.uint64)

    monkeypatch.setattr("tokoban.sokoban.search.searches.guided.search.zobrist_keys", colliding)
    for board in random_boards(Shape(3, 4, 2, is_closed=True), 20, seed=5):
        answer = solve_guided(board, _uniform(board))
        assert (answer.status == "solved") == can_be_solved(board)


def test_the_number_of_evaluated_positions_is_limited() -> None:
    squares, options = Squares(_ROOM), GuidedOptions()
    for most in (0, 1, 100):
        search = GuidedSearch(_ROOM, squares, _uniform(_ROOM), options, max_evaluated=most)
        alone = underway(search)
        while not search.is_at_limit:
            assert alone.go_on(Budget(1)) is None
        assert search.advance(WITHOUT_END) == Outcome.BUDGET_SPENT
        assert search.num_evaluated == most


def test_expansions_time_memory_and_the_stop_flag_end_a_search() -> None:
    guide = _uniform(_ROOM)
    answer = solve_guided(_ROOM, guide, limits=Limits(max_expansions=50))
    assert (answer.num_expansions, answer.reason) == (50, "50 expansions")
    assert solve_guided(_ROOM, guide, limits=Limits(time_limit_s=0.05)).reason == "0.05 s"
    assert solve_guided(_ROOM, guide, limits=Limits(memory_limit_mb=2.0)).reason == "2 MB"
    stop = threading.Event()
    stop.set()
    assert solve_guided(_ROOM, guide, limits=Limits(stop=stop)).reason == STOPPED


def test_a_slice_ends_after_its_budget_of_turns_with_and_without_evaluations(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Turns that ended slices early would let budgets grow, and slow guides pass the time limit."""
    monkeypatch.setattr("tokoban.sokoban.search.searches.guided.search._MOST_EXPANSIONS_AT_ONCE", 1)
    squares = Squares(_ROOM)
    monkeypatch.setattr("tokoban.sokoban.search.searches.guided.search._FIRST_CAPACITY", 1 << 14)
    search = GuidedSearch(_ROOM, squares, DrawnGuide(squares, seed=3), GuidedOptions())
    turns: list[Outcome | None] = []
    ask = search.ask

    def counted(max_expansions: int) -> Outcome | None:
        turns.append(ask(max_expansions))
        return turns[-1]

    monkeypatch.setattr(search, "ask", counted)
    assert search.advance(Budget(200)) == Outcome.BUDGET_SPENT
    assert len(turns) == 200
    assert set(turns) == {None, Outcome.BUDGET_SPENT}


def test_a_tree_that_grows_finds_the_same_solution(monkeypatch: pytest.MonkeyPatch) -> None:
    board = Board.from_xsb("########|#   .  #|#  $.  #|#.$@$  #|#  $.  #|#      #|########")
    monkeypatch.setattr("tokoban.sokoban.search.searches.guided.search._FIRST_CAPACITY", 1 << 8)
    small = solve_guided(board, _uniform(board))
    monkeypatch.setattr("tokoban.sokoban.search.searches.guided.search._FIRST_CAPACITY", 1 << 16)
    large = solve_guided(board, _uniform(board))
    assert small.num_evaluated > 1 << 8
    assert (small.solution, small.num_evaluated) == (large.solution, large.num_evaluated)


def test_an_unknown_order_is_refused() -> None:
    message = r"order is 'best'; expected one of levin, phs, phs\*, greedy"
    with pytest.raises(ValueError, match=message):
        GuidedOptions(order="best")


def _game(board: Board, guide: DrawnGuide) -> tuple[bool, int]:
    """Whether greedy play by the plain rules solves a board, and how many positions it asks for."""
    squares = Squares(board)
    visited: set[tuple] = set()
    while not board.is_solved:
        area = board.area()
        visited.add((board.boxes, area))
        rows = [squares.is_among(marked)[None] for marked in (board.boxes, area)]
        guidance = guide.evaluate(*rows)
        worth = guidance.log_policy[0] + np.log(1 - guidance.push_deadlocks[0])
        best, after = -np.inf, None
        for square, direction in np.argwhere(guidance.log_policy[0] > -np.inf).tolist():
            box = squares.squares[square]
            later = replace(
                board, boxes=board.boxes - {box} | {box.neighbour(direction)}, player=box
            )
            is_new = (later.boxes, later.area()) not in visited
            if worth[square, direction] > best and is_new:
                best, after = worth[square, direction], later
        if after is None:
            return False, len(visited)
        board = after
    return True, len(visited)


def test_greedy_play_makes_the_best_push_as_the_plain_rules_do() -> None:
    num_solved = 0
    for seed, board in enumerate(random_boards(Shape(3, 4, 1, is_closed=True), 150, seed=8)):
        if not can_be_solved(board) or board.is_solved:
            continue
        guide = DrawnGuide(Squares(board), seed=seed)
        answer = solve_guided(board, guide, options=GuidedOptions(order="greedy"))
        is_solved, num_asked = _game(board, guide)
        assert answer.status == ("solved" if is_solved else "gave up")
        # The guide has nothing to say of a position without pushes.
        assert num_asked - 1 <= answer.num_evaluated <= num_asked
        if is_solved:
            assert answer.solution is not None
            assert answer.solution.num_pushes == answer.num_evaluated == num_asked
        else:
            assert answer.reason == "no push to a new position"
        num_solved += is_solved
    assert num_solved > 5
