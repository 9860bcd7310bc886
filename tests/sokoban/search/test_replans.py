"""Second plans: verdicts are those of brute force, and what lies beyond a dead position is dead."""

import pytest

from benchmarks.unsolvable import ends_solved
from tests.sokoban.brute_force import Shape, random_boards
from tokoban.sokoban import rules
from tokoban.sokoban.board import Board
from tokoban.sokoban.deadlocks import frozen_boxes
from tokoban.sokoban.search import replans
from tokoban.sokoban.search.answer import Progress
from tokoban.sokoban.search.fess.solver import Fess
from tokoban.sokoban.search.fess.tree import BEST, FIRST_NEW, NUM_LAID_OUT, Tree
from tokoban.sokoban.search.ground import Squares
from tokoban.sokoban.search.outcome import Outcome
from tokoban.sokoban.search.portfolio import SLICES, setting_in_steps
from tokoban.sokoban.search.replans import Replans, dead_positions
from tokoban.sokoban.search.steps import completed


def is_worth_a_search(board: Board) -> bool:
    inside = board.inside()
    is_hopeless = (board.boxes ^ board.goals) - inside or not frozen_boxes(board) <= board.goals
    return not board.is_solved and not is_hopeless


BOARDS = [
    board
    for board in random_boards(Shape(4, 5, 4, is_closed=True), 48, seed=22)
    if is_worth_a_search(board)
]


def search_of(board: Board) -> Replans:
    search = completed(SLICES["fess"].start(completed(setting_in_steps(board, Squares(board)))))
    assert isinstance(search, Replans)
    return search


def outcome_of(search: Replans, budget: int = 1 << 10) -> Outcome:
    while True:
        outcome = search.go_on(budget, None)
        if outcome == Outcome.STORE_FULL:
            search.grow()
        elif outcome != Outcome.BUDGET_SPENT:
            return outcome


@pytest.fixture
def early(monkeypatch: pytest.MonkeyPatch) -> None:
    """Plans are made anew after a few expansions."""
    monkeypatch.setattr(replans, "_FIRST", 2)
    monkeypatch.setattr(replans, "_LATER", 16)


def test_verdicts_are_those_of_brute_force(early: None) -> None:
    num_later = num_unsolvable = 0
    for board in BOARDS:
        search = search_of(board)
        outcome = outcome_of(search)
        if outcome == Outcome.SOLVED:
            assert rules.play(board, search.directions())[-1].is_solved
            num_later += search.relay.later is not None
        else:
            assert outcome == Outcome.EXHAUSTED
            assert ends_solved(board, 10**6)[0] is False
            num_unsolvable += 1
    assert num_later > 2 < num_unsolvable


def test_what_is_found_does_not_depend_on_how_the_search_is_cut(early: None) -> None:
    for board in BOARDS[::5]:
        whole, cut = search_of(board), search_of(board)
        assert outcome_of(whole) == outcome_of(cut, budget=1)
        assert whole.progress(0.0) == cut.progress(0.0)
        assert whole.work == cut.work


class Hopeless(Fess):
    """Says that its start is dead."""

    def __init__(self) -> None:
        pass

    work = 5

    def progress(self, elapsed_s: float) -> Progress:
        return Progress(3, 7, elapsed_s)

    def go_on(self, budget: int, max_expansions: int | None) -> Outcome:
        return Outcome.EXHAUSTED


def test_what_was_found_beyond_a_dead_position_is_buried_and_nothing_else(early: None) -> None:
    nums_buried = []
    for board in BOARDS:
        search = search_of(board)
        tree = search._first.tree
        while search.relay.later is None:
            if search.go_on(1, None) != Outcome.BUDGET_SPENT:
                break
        if search.relay.later is None:
            continue

        def before(position: int, tree: Tree = tree) -> int:
            return int(tree.parent[tree.run[tree.came_by[position]]])

        count = int(tree.progress[NUM_LAID_OUT])
        fork = before(count - 1) or count - 1
        expected = [False] * count
        for position in range(1, count):
            expected[position] = position == fork or expected[before(position)]
        search.relay.later, search._from = Hopeless(), fork
        sums = search.work, search.progress(0.0).expansions
        assert search.go_on(1, None) == Outcome.BUDGET_SPENT
        assert (search.work, search.progress(0.0).expansions) == sums
        assert dead_positions(tree).tolist() == expected
        assert not expected[tree.progress[BEST]]
        for child in range(1, int(tree.progress[FIRST_NEW])):
            assert tree.is_done[child] or not expected[tree.parent[tree.run[child]]]
        nums_buried.append(sum(expected))
    assert len(nums_buried) > 2 and max(nums_buried) > 1
