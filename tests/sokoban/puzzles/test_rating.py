"""Ratings: what is exact, what is only the best known, and what is not known."""

import itertools
import threading
from typing import Any

import pytest

from tokoban.sokoban.board import Board
from tokoban.sokoban.formats.xsb import parse_board
from tokoban.sokoban.puzzles import rating
from tokoban.sokoban.puzzles.rating import Best, rate
from tokoban.sokoban.puzzles.state_space import Choices
from tokoban.sokoban.search.answer import Answer
from tokoban.sokoban.search.combine import solver
from tokoban.sokoban.search.limits import Limits

CORNER = parse_board("######|#    #|# $ .#|#@####|######")


def test_a_drawing_is_rated_as_a_pencil_does() -> None:
    found = rate(CORNER)
    assert (found.status, found.floor, found.boxes) == ("solved", 9, 1)
    assert (found.pushes, found.moves) == (Best(2, is_proved=True), Best(3, is_proved=True))
    assert (found.at_least_pushes, found.at_least_moves) == (2, 3)
    assert found.figures is not None
    assert (found.figures.box_changes, found.figures.box_lines) == (1, 1)
    # Of the box on its first square the left push loses; on its next square none does.
    assert found.along_solution == Choices(positions=2, pushes=4, losing=1)
    assert found.reachable is not None
    assert found.reachable.fewest_pushes == 2
    assert (found.reachable.solvable, found.reachable.choices) == (3, found.along_solution)


def test_positions_beyond_a_solved_one_and_with_a_box_on_a_dead_square_are_not_counted() -> None:
    # The box may stand on three squares of the middle row, on the last only beyond the goal.
    found = rate(parse_board("#######|#     #|#@$.  #|#     #|#######")).reachable
    assert found is not None
    assert (found.positions, found.solvable) == (2, 2)
    assert found.choices == Choices(positions=1, pushes=4, losing=3)


def test_a_solved_level_has_nothing_to_choose() -> None:
    found = rate(parse_board("#####|#@* #|#####"))
    assert (found.pushes, found.moves) == (Best(0, is_proved=True), Best(0, is_proved=True))
    assert found.along_solution == Choices(0, 0, 0)
    # A box that nobody can come near is an ornament.
    ornament = rate(parse_board("#####|#@#*#|# #*#|#####"))
    assert (ornament.boxes, ornament.pushes) == (0, Best(0, is_proved=True))
    assert ornament.reachable is not None
    assert (ornament.reachable.positions, ornament.reachable.fewest_pushes) == (1, 0)


def test_what_the_limits_leave_open_is_not_claimed() -> None:
    board = parse_board("########|#      #|# $  $ #|# .  . #|#   @  #|########")
    found = rate(board, limits=Limits(max_expansions=1))
    assert found.status in ("solved", "gave up")
    for best in (found.pushes, found.moves):
        assert best is None or not best.is_proved
    # Each box is one push above its goal.
    assert found.at_least_pushes == 2
    assert (found.figures, found.along_solution, found.reachable) == (None, None, None)


def test_a_solution_that_is_found_bounds_what_is_not_proved(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # Both optima are given up, and a solution is found all the same.
    def solve(board: Board, *, minimise: str, **limits: Any) -> Answer:
        if minimise == "any":
            return solver.solve(board, minimise=minimise, **limits)
        return Answer(status="gave up", solver="astar")

    monkeypatch.setattr(rating, "solve", solve)
    found = rate(CORNER)
    assert found.pushes is not None
    assert found.moves is not None
    assert (found.status, found.pushes.is_proved, found.moves.is_proved) == ("solved", False, False)
    assert found.pushes.value >= 2
    assert found.moves.value >= 3
    assert (found.figures, found.along_solution) == (None, None)


def test_a_level_that_only_the_search_for_fewest_moves_decides_is_unsolvable(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def solve(board: Board, *, minimise: str, **limits: Any) -> Answer:
        return Answer(status="unsolvable" if minimise == "moves" else "gave up", solver="astar")

    monkeypatch.setattr(rating, "solve", solve)
    monkeypatch.setattr(rating, "explore", lambda board, **limits: None)
    assert rate(CORNER).status == "unsolvable"


def test_a_level_too_large_for_the_solvers_is_not_known() -> None:
    side = 65
    rows = ["#" * (side + 2), *["#" + " " * side + "#"] * side, "#" * (side + 2)]
    rows[3] = "# @$." + " " * (side - 4) + "#"
    found = rate(parse_board("|".join(rows)))
    assert (found.status, found.floor, found.boxes) == ("gave up", side * side, 1)
    assert (found.pushes, found.reachable) == (None, None)


def test_a_rating_that_is_stopped_leaves_open_what_it_did_not_look_at() -> None:
    board = parse_board("########|#      #|# $  $ #|# .  . #|#   @  #|########")
    whole = rate(board, limits=Limits())
    stop = threading.Event()
    stop.set()
    stopped = rate(board, limits=Limits(stop=stop))
    assert (stopped.status, stopped.pushes, stopped.reachable) == ("gave up", None, None)
    limits = Limits(time_limit_s=1.0, clock=itertools.count(0.0).__next__)
    late = rate(board, limits=limits)
    assert (late.status, late.pushes, late.reachable) == ("gave up", None, None)
    assert whole.status == "solved"


def test_time_that_one_search_leaves_goes_to_the_next_ones(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    now_s, given = [0.0], []

    def solve(board: Board, *, minimise: str, limits: Limits) -> Answer:
        given.append((minimise, limits.time_limit_s))
        now_s[0] += {"pushes": 2.0, "any": 3.0, "moves": 0.0}[minimise]
        return Answer(status="gave up", solver="astar")

    monkeypatch.setattr(rating, "solve", solve)
    monkeypatch.setattr(rating, "explore", lambda board, **limits: None)
    rate(CORNER, limits=Limits(time_limit_s=10.0, clock=lambda: now_s[0]))
    assert given == [("pushes", 2.0), ("any", 4.0), ("moves", 2.5)]


def test_a_bound_that_another_search_meets_is_a_proof(monkeypatch: pytest.MonkeyPatch) -> None:
    def solve(board: Board, *, minimise: str, **limits: Any) -> Answer:
        if minimise == "pushes":
            return Answer(status="gave up", solver="astar", at_least_pushes=2)
        return solver.solve(board, minimise=minimise, **limits)

    monkeypatch.setattr(rating, "solve", solve)
    found = rate(CORNER)
    assert found.pushes == Best(2, is_proved=True)
    assert found.figures is not None
    assert found.along_solution == Choices(positions=2, pushes=4, losing=1)
