"""The whole solver against every possible play of small boards, its answers and its limits."""

from itertools import count

import pytest

from tests.sokoban.brute_force import Shape, random_boards
from tests.sokoban.search.any_solution import (
    CROWDED,
    SHAPES,
    check_against_every_possible_play,
    check_where_all_hashes_collide,
)
from tests.sokoban.search.push_graph import can_be_solved
from tokoban.sokoban.board import Board, Square
from tokoban.sokoban.formats.xsb import parse_board
from tokoban.sokoban.search.answer import Progress
from tokoban.sokoban.search.level.ground import Squares
from tokoban.sokoban.search.outcome import Outcome
from tokoban.sokoban.search.pauses import Budget
from tokoban.sokoban.search.searches.bidirectional import solver, tables
from tokoban.sokoban.search.searches.bidirectional.solver import solve_any
from tokoban.sokoban.search.steps import completed


@pytest.mark.parametrize("shape", SHAPES)
def test_answers_are_those_of_all_possible_plays(shape: str) -> None:
    boards = list(random_boards(*SHAPES[shape], seed=19))
    assert 0 < check_against_every_possible_play(solve_any, boards) < len(boards)


@pytest.mark.slow
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("seed", range(4))
def test_answers_hold_for_many_more_boards(shape: str, seed: int) -> None:
    boards = list(random_boards(SHAPES[shape][0], 100, seed=50 + seed))
    check_against_every_possible_play(solve_any, boards)


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
            search.pruning.may_move[:] = False
        assert (outcome == Outcome.SOLVED) == can_be_solved(board)


@pytest.mark.parametrize("key", [0, 0x9E3779B97F4A7C15])
def test_answers_stand_when_all_hashes_collide(key: int, monkeypatch: pytest.MonkeyPatch) -> None:
    solver.prepare()
    check_where_all_hashes_collide(solve_any, key, monkeypatch)


def test_no_more_expansions_than_allowed_are_made() -> None:
    for limit in (0, 1, 5):
        answer = solve_any(CROWDED, max_expansions=limit)
        assert answer.status == "gave up"
        assert (answer.reason, answer.num_expansions) == (f"{limit} expansions", limit)


def test_the_time_limit_ends_the_search() -> None:
    answer = solve_any(CROWDED, time_limit_s=20.0, clock=count(0.0).__next__)
    assert answer.status == "gave up"
    assert answer.reason == "20 s" and answer.elapsed_s < 25  # of a clock that ticks when read


def test_the_memory_limit_holds_before_the_store_grows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(solver, "_FIRST_CAPACITY", 1)
    answer = solve_any(CROWDED, memory_limit_mb=0.5)
    assert answer.status == "gave up"
    assert answer.reason == "0.5 MB"


def test_the_report_grows_and_its_last_word_is_near_the_answer() -> None:
    said: list[Progress] = []
    answer = solve_any(CROWDED, report=said.append, clock=count(0.0).__next__)
    assert [progress.expansions for progress in said] == sorted(p.expansions for p in said)
    assert 0 < said[-1].expansions <= answer.num_expansions
    assert said[-1].positions >= 2 and said[-1].elapsed_s < answer.elapsed_s


def test_ctrl_c_goes_through() -> None:
    def interrupt(progress: Progress) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        solve_any(CROWDED, report=interrupt)


def test_more_boxes_than_are_matched_are_solved_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tables, "MAX_MATCHED", 3)
    assert solve_any(CROWDED).status == "solved"
    boards = list(random_boards(Shape(4, 4, 4, is_closed=True), 10, seed=8))
    check_against_every_possible_play(solve_any, boards)


@pytest.mark.parametrize(
    ("drawing", "status"),
    [
        ("#####|#@-*#|#####", "solved"),  # solved already
        ("#####|#@$.#|#####", "solved"),
        ("#####|#@.$#|#####", "unsolvable"),  # frozen
        ("######|#@$--#|######", "unsolvable"),  # a box too many
        ("#######|#@$.#*#|#######", "solved"),  # decoration out of reach is left alone
        ("#######|#@$.#$#|#######", "unsolvable"),
        ("#######|#-$-.-#|#-@-#-#|#.-$--#|#######", "solved"),
        ("#######|#@-$-.#|###-###|###-###|#######", "solved"),
        ("########|#-.$-@.#|####-###|########", "unsolvable"),  # one box, two goals
    ],
)
def test_drawn_boards(drawing: str, status: str) -> None:
    assert solve_any(parse_board(drawing)).status == status


def test_boxes_of_several_words_are_solved() -> None:
    row = "#" + "-" * 40 + "#"
    wide = "|".join(["#" * 42, row, "#-$-$" + "-" * 32 + ".-.-#", "#@" + row[2:], "#" * 42])
    answer = solve_any(parse_board(wide))
    assert answer.solution is not None


def test_too_much_floor_is_refused() -> None:
    large = Board(
        65, 65, frozenset(), frozenset({Square(0, 1)}), frozenset({Square(0, 2)}), Square(0, 0)
    )
    with pytest.raises(ValueError, match="at most 4096 squares of floor, got 4225"):
        solve_any(large)


def test_the_sides_share_the_work() -> None:
    two_sides = completed(solver.fess_in_steps(CROWDED, Squares(CROWDED)))
    turns = set()
    for _ in range(50):
        turns.add(two_sides.turn)
        if two_sides.advance(Budget(1 << 10)) != Outcome.BUDGET_SPENT:
            break
    assert two_sides.sides[0].positions.num_known[0] > 1
    assert 0 in turns
