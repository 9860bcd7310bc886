"""Second plans: verdicts are those of brute force, and what lies beyond a dead position is dead."""

import pytest

from benchmarks.unsolvable import ends_solved
from tests.sokoban.brute_force import Shape, random_boards
from tokoban.sokoban import rules
from tokoban.sokoban.board import Board
from tokoban.sokoban.deadlocks import frozen_boxes
from tokoban.sokoban.search.combine import replans
from tokoban.sokoban.search.combine.portfolio import SLICES, setting_in_steps
from tokoban.sokoban.search.combine.replans import Replans, dead_positions
from tokoban.sokoban.search.level.ground import Squares
from tokoban.sokoban.search.outcome import Outcome
from tokoban.sokoban.search.pauses import Budget, Found, Pause, Search, found_by, underway
from tokoban.sokoban.search.searches.fess.solver import Fess
from tokoban.sokoban.search.searches.fess.tree import BEST, FIRST_NEW, NUM_LAID_OUT, Tree
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


@pytest.fixture
def early(monkeypatch: pytest.MonkeyPatch) -> None:
    """Plans are made anew after a few expansions."""
    monkeypatch.setattr(replans, "_FIRST", 2)
    monkeypatch.setattr(replans, "_LATER", 16)


def test_verdicts_are_those_of_brute_force(early: None) -> None:
    num_later = num_unsolvable = 0
    for board in BOARDS:
        search = search_of(board)
        found = found_by(search, 1 << 10)
        if found.outcome == Outcome.SOLVED:
            assert rules.play(board, found.directions)[-1].is_solved
            num_later += search.pair.later is not None
        else:
            assert found.outcome == Outcome.EXHAUSTED
            assert ends_solved(board, 10**6)[0] is False
            num_unsolvable += 1
    assert num_later > 2 < num_unsolvable


def test_what_is_found_does_not_depend_on_how_the_search_is_cut(early: None) -> None:
    for board in BOARDS[::5]:
        whole, cut = found_by(search_of(board), 1 << 10), found_by(search_of(board))
        assert whole._replace(last=Pause()) == cut._replace(last=Pause())
        assert whole.last._replace(num_bytes=0) == cut.last._replace(num_bytes=0)


class Hopeless(Fess):
    """Says that its start is dead."""

    def __init__(self) -> None:
        pass

    def pause(self) -> Pause:
        return Pause("fess", 3, 7, work=5)

    def search(self, budget: Budget) -> Search:
        yield from ()
        return Found(Outcome.EXHAUSTED, self.pause())


def test_what_was_found_beyond_a_dead_position_is_buried_and_nothing_else(early: None) -> None:
    nums_buried = []
    for board in BOARDS:
        search = search_of(board)
        tree = search.first.tree
        going = underway(search)
        while search.pair.later is None:
            if going.go_on(Budget(1)) is not None:
                break
        if search.pair.later is None:
            continue

        def before(position: int, tree: Tree = tree) -> int:
            return int(tree.parent[tree.run[tree.came_by[position]]])

        count = int(tree.progress[NUM_LAID_OUT])
        fork = before(count - 1) or count - 1
        expected = [False] * count
        for position in range(1, count):
            expected[position] = position == fork or expected[before(position)]
        hopeless = Hopeless()
        search.pair.later, search._from = hopeless, fork
        search.pair._later = underway(hopeless)
        sums = search.pause().work, search.pause().expansions
        assert going.go_on(Budget(1)) is None
        assert (going.pause.work, going.pause.expansions) == sums
        assert dead_positions(tree).tolist() == expected
        assert not expected[tree.progress[BEST]]
        for child in range(1, int(tree.progress[FIRST_NEW])):
            assert tree.is_done[child] or not expected[tree.parent[tree.run[child]]]
        nums_buried.append(sum(expected))
    assert len(nums_buried) > 2 and max(nums_buried) > 1
