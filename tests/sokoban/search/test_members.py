"""Every member of the portfolio alone: against all possible plays, and however its work is cut."""

from collections.abc import Callable
from functools import cache, partial

import numpy as np
import pytest

from tests.sokoban.brute_force import Shape, random_boards
from tests.sokoban.search.push_graph import can_be_solved
from tests.sokoban.search.searches.beam.test_pull_beam import PUZZLES, boards
from tokoban.sokoban.board import Board
from tokoban.sokoban.search.answer import Answer
from tokoban.sokoban.search.combine.portfolio import MEMBERS, Portfolio, context_in_steps
from tokoban.sokoban.search.level import ground
from tokoban.sokoban.search.level.ground import Squares
from tokoban.sokoban.search.limits import Limits
from tokoban.sokoban.search.pauses import Searcher, found_by, set_up
from tokoban.sokoban.search.run import find_answer
from tokoban.sokoban.search.searches.beam import beam
from tokoban.sokoban.search.searches.beam import rounds as beam_rounds
from tokoban.sokoban.search.steps import Steps, completed

INCOMPLETE = ["pull-beam", "push-beam"]
COMPLETE = [name for name in MEMBERS if name not in INCOMPLETE]
SHAPES = {
    "one box, open": (Shape(5, 7, 1, is_closed=False), 10),
    "two boxes, open": (Shape(3, 7, 2, is_closed=False), 15),
    "three boxes, open": (Shape(3, 5, 3, is_closed=False), 15),
    "three boxes, closed": (Shape(5, 4, 3, is_closed=True), 7),
    "four boxes, closed": (Shape(4, 4, 4, is_closed=True), 7),
}


@pytest.fixture(params=["early", "late"])
def turn_to_others(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Whether each part of a member gives way soon to the next, or decides small boards alone."""
    is_early = request.param == "early"
    monkeypatch.setattr(beam_rounds, "_FIRST_WIDTH", 1 if is_early else 1 << 12)
    monkeypatch.setattr(beam, "PATIENCE", 3 if is_early else 1 << 12)
    return str(request.param)


def solver_by(name: str, limits: Limits = Limits()) -> Callable[[Board], Answer]:  # noqa: B008
    """Solutions are replayed by the rules, or it raises."""

    def in_steps(board: Board) -> Steps[Searcher]:
        context = yield from context_in_steps(board, Squares(board))
        return Portfolio(context, [MEMBERS[name]], limits)

    return lambda board: find_answer(board, partial(set_up, in_steps(board)), limits)


# Every member of the portfolio gets the same boards.
can_be_solved_by_play = cache(can_be_solved)


def check_against_every_possible_play(
    solve_any: Callable[[Board], Answer], drawn: list[Board]
) -> int:
    """Returns how many of the boards are unsolvable."""
    num_unsolvable = 0
    for board in drawn:
        is_solvable = can_be_solved_by_play(board)
        assert solve_any(board).status == ("solved" if is_solvable else "unsolvable")
        num_unsolvable += not is_solvable
    return num_unsolvable


@pytest.mark.parametrize("name", COMPLETE)
def test_a_complete_member_answers_as_all_possible_plays_do(name: str) -> None:
    for shape, num_boards in SHAPES.values():
        drawn = list(random_boards(shape, num_boards, seed=19))
        assert 0 < check_against_every_possible_play(solver_by(name), drawn) < len(drawn)


@pytest.mark.slow
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("name", COMPLETE)
def test_a_complete_member_answers_so_for_many_more_boards(name: str, shape: str) -> None:
    drawn = list(random_boards(SHAPES[shape][0], 400, seed=50))
    check_against_every_possible_play(solver_by(name), drawn)


@pytest.mark.parametrize("key", [0, 0x9E3779B97F4A7C15])
def test_answers_stand_when_all_hashes_collide(key: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """With equal random keys, sets of as many boxes have one hash; with 0, all sets do."""

    def equal_keys(num_floor: int) -> np.ndarray:
        return np.full((2, num_floor), key, np.uint64)

    monkeypatch.setattr(ground, "zobrist_keys", equal_keys)
    for shape, seed in ((Shape(4, 4, 4, is_closed=True), 61), (Shape(3, 5, 3, False), 62)):
        drawn = list(random_boards(shape, 40, seed=seed))
        assert 0 < check_against_every_possible_play(solver_by("fess"), drawn) < len(drawn)


@pytest.mark.parametrize("name", INCOMPLETE)
def test_an_incomplete_member_solves_what_can_be_solved_and_proves_nothing(
    name: str, turn_to_others: str
) -> None:
    nums = [0, 0]  # of hopeless boards, of solved ones
    for board in boards():
        answer = solver_by(name, Limits(max_expansions=3000))(board)
        assert (answer.status == "solved") == can_be_solved(board)
        assert answer.status != "unsolvable" or answer.solver == "rules"
        nums[answer.status == "solved"] += 1
    assert min(nums) >= 8


@pytest.mark.parametrize("turn_to_others", ["early"], indirect=True)
@pytest.mark.parametrize("name", MEMBERS)
def test_what_a_member_finds_does_not_depend_on_how_its_work_is_cut(
    name: str, turn_to_others: str
) -> None:
    for board in PUZZLES:
        found = set()
        for budget in (1, 1 << 20):
            context = completed(context_in_steps(board, Squares(board)))
            ended = found_by(completed(MEMBERS[name].start(context)), budget)
            last = ended.last
            found.add((ended.directions, last.work, last.expansions, last.positions))
        assert len(found) == 1
