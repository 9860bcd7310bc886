"""Second plans: verdicts are those of brute force, and what lies beyond a dead position is dead."""

import pytest

from benchmarks.unsolvable import ends_solved
from tests.sokoban.brute_force import Shape, random_boards
from tokoban.sokoban import rules
from tokoban.sokoban.board import Board
from tokoban.sokoban.deadlocks import frozen_boxes
from tokoban.sokoban.search.combine import replanning
from tokoban.sokoban.search.combine.portfolio import MEMBERS, context_in_steps
from tokoban.sokoban.search.combine.replanning import Replanning, bury, dead_positions
from tokoban.sokoban.search.level.ground import Squares
from tokoban.sokoban.search.outcome import Outcome
from tokoban.sokoban.search.pauses import Budget, found_by, underway
from tokoban.sokoban.search.searches.fess.tree import FIRST_NEW, NUM_LAID_OUT
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


def search_of(board: Board) -> Replanning:
    search = completed(MEMBERS["fess"].start(completed(context_in_steps(board, Squares(board)))))
    assert isinstance(search, Replanning)
    return search


def test_verdicts_are_those_of_brute_force(monkeypatch: pytest.MonkeyPatch) -> None:
    # Plans are made anew after a few expansions.
    monkeypatch.setattr(replanning, "_FIRST", 2)
    monkeypatch.setattr(replanning, "_LATER", 16)
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


def test_what_lies_beyond_a_dead_position_is_buried_and_nothing_else() -> None:
    nums_buried = []
    for board in BOARDS:
        fess = search_of(board).first
        going = underway(fess)
        while fess.tree.progress[NUM_LAID_OUT] < 9 and going.go_on(Budget(1)) is None:
            pass
        tree, count = fess.tree, int(fess.tree.progress[NUM_LAID_OUT])
        if count < 3:
            continue
        before = tree.parent[tree.run[tree.came_by[:count]]].tolist()
        fork = before[-1] or count - 1
        expected = [False] * count
        for position in range(1, count):
            expected[position] = position == fork or expected[before[position]]
        bury(tree, fork)
        assert dead_positions(tree).tolist() == expected
        for child in range(1, int(tree.progress[FIRST_NEW])):
            assert tree.is_done[child] or not expected[tree.parent[tree.run[child]]]
        nums_buried.append(sum(expected))
    assert len(nums_buried) > 2 and max(nums_buried) > 1
