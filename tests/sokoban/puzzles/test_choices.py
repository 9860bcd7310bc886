"""Branching and losing shares, against every possible play by the plain rules."""

from collections.abc import Iterable, Iterator, Set
from itertools import pairwise

import pytest

from tests.sokoban.brute_force import (
    Shape,
    fewest,
    is_push,
    pushes_of,
    random_boards,
    reachable,
    to_go,
)
from tokoban.sokoban import rules
from tokoban.sokoban.board import Board, Direction
from tokoban.sokoban.formats.xsb import parse_board
from tokoban.sokoban.puzzles import choices
from tokoban.sokoban.puzzles.choices import choices_along
from tokoban.sokoban.puzzles.state_space import Choices, explore
from tokoban.sokoban.search.answer import Answer
from tokoban.sokoban.search.bitboard.levels import from_board
from tokoban.sokoban.search.combine.solver import solve
from tokoban.sokoban.search.limits import Limits

SMALL = [
    *random_boards(Shape(3, 5, 2, is_closed=True), 8, seed=29),
    parse_board("######|#    #|# $ .#|#@####|######"),
]
# These do not fit one word.
WIDE = [
    board
    for board in random_boards(Shape(3, 9, 1, is_closed=True), 40, seed=29)
    if from_board(board) is None
][:4]
BOTH = pytest.mark.parametrize("boards", [SMALL, WIDE], ids=["small", "wide"])


def with_solutions(boards: list[Board]) -> Iterator[tuple[Board, tuple[Direction, ...]]]:
    """Those that can be solved and are not."""
    for board in boards:
        answer = solve(board, minimise="pushes")
        if answer.solution is not None and answer.solution.directions:
            yield board, answer.solution.directions


def count(boards: Iterable[Board], solvable: Set[Board]) -> Choices:
    """The choices in some positions."""
    after = [pushes_of(board).values() for board in boards]
    all_after = [later for laters in after for later in laters]
    return Choices(len(after), len(all_after), sum(later not in solvable for later in all_after))


@BOTH
def test_choices_along_a_solution_are_those_of_every_play(boards: list[Board]) -> None:
    losing = 0
    for board, solution in with_solutions(boards):
        solvable = to_go(reachable(board), "pushes").keys()
        pairs = pairwise(rules.play(board, solution))
        expected = count([here for here, later in pairs if is_push(here, later)], solvable)
        assert choices_along(board, solution, limits=Limits()) == expected
        exploration = explore(board, max_positions=1 << 14, limits=Limits())
        assert exploration is not None
        assert choices_along(board, solution, limits=Limits(), exploration=exploration) == expected
        losing += expected.losing
    assert losing > 0


@BOTH
def test_an_exploration_finds_what_every_play_finds(boards: list[Board]) -> None:
    for board, _ in with_solutions(boards):
        after = reachable(board)
        solvable = to_go(after, "pushes").keys()
        positions: dict[tuple[frozenset, frozenset], Board] = {}
        waiting = [board]
        while waiting:
            here = waiting.pop()
            key = here.boxes, here.area()
            if key not in positions:
                positions[key] = here
                # Play ends where the level is solved.
                waiting += [] if here.is_solved else pushes_of(here).values()
        kept = [here for here in positions.values() if here in solvable]
        exploration = explore(board, max_positions=1 << 14, limits=Limits())
        assert exploration is not None
        found = exploration.reachable
        assert found.solvable == len(kept) <= found.positions <= len(positions)
        assert found.choices == count([here for here in kept if not here.is_solved], solvable)
        assert found.fewest_pushes == fewest(after, board, is_push)


def test_choices_of_a_drawing() -> None:
    # Left of its start the box is in a column without a goal. All pushes are that one, those to the
    # goal, and back from the last square but one.
    board = parse_board("######|#    #|# $ .#|#@####|######")
    solution = (Direction.UP, Direction.RIGHT, Direction.RIGHT)
    found = choices_along(board, solution, limits=Limits())
    assert found == Choices(positions=2, pushes=4, losing=1)
    assert (found.branching, found.losing_share) == (2.0, 0.25)


def test_an_exploration_is_given_up_at_its_limits() -> None:
    board = parse_board("########|#      #|# $  $ #|# .  . #|#   @  #|########")
    assert explore(board, max_positions=16, limits=Limits()) is None
    assert explore(board, max_positions=1 << 12, limits=Limits(time_limit_s=0.0)) is None
    exploration = explore(board, max_positions=1 << 12, limits=Limits())
    assert exploration is not None
    positions = exploration.reachable.positions  # each is expanded once
    exact, fewer = (Limits(max_expansions=number) for number in (positions, positions - 1))
    assert explore(board, max_positions=1 << 12, limits=exact) is not None
    assert explore(board, max_positions=1 << 12, limits=fewer) is None


def test_boxes_and_goals_out_of_balance_are_refused() -> None:
    board = parse_board("#####|#@$.#|#  .#|#####")
    with pytest.raises(ValueError, match="1 boxes but 2 goals inside the walls"):
        explore(board, max_positions=16, limits=Limits())


def leaves_open_what_is_not_known(boards: list[Board], limits: Limits) -> bool:
    """Whether some push is unknown; whatever is known is true."""
    unknown = 0
    for board, solution in with_solutions(boards):
        exploration = explore(board, max_positions=1 << 14, limits=Limits())
        exact = choices_along(board, solution, limits=Limits(), exploration=exploration)
        short = choices_along(board, solution, limits=limits)
        assert (short.positions, short.pushes) == (exact.positions, exact.pushes)
        assert short.losing <= exact.losing <= short.losing + short.unknown
        unknown += short.unknown
    return unknown > 0


def test_what_the_limits_leave_open_is_unknown(monkeypatch: pytest.MonkeyPatch) -> None:
    assert leaves_open_what_is_not_known(SMALL, Limits(max_expansions=1))
    assert not leaves_open_what_is_not_known(SMALL, Limits(time_limit_s=60.0))
    # So few moves as these wide boards need are found at once.
    given_up = Answer(status="gave up", solver="astar")
    monkeypatch.setattr(choices, "solve", lambda *_, **__: given_up)
    assert leaves_open_what_is_not_known(WIDE, Limits())


def test_once_time_is_over_no_board_is_made(monkeypatch: pytest.MonkeyPatch) -> None:
    # A long solution has ten thousands of them; the others are unknown at once.
    monkeypatch.delattr(choices, "replace")
    assert leaves_open_what_is_not_known(WIDE, Limits(time_limit_s=0.0))
