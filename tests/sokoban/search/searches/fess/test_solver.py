"""FESS against every possible play of small boards, in slices, and with colliding hashes."""

from functools import partial

import numpy as np
import pytest

from tests.sokoban.brute_force import random_boards
from tests.sokoban.search.any_solution import (
    CROWDED,
    SHAPES,
    check_against_every_possible_play,
    check_where_all_hashes_collide,
)
from tokoban.sokoban.board import Board
from tokoban.sokoban.search.answer import Answer
from tokoban.sokoban.search.level.ground import NONE, Squares
from tokoban.sokoban.search.limits import Limits
from tokoban.sokoban.search.outcome import Outcome
from tokoban.sokoban.search.pauses import found_by, set_up
from tokoban.sokoban.search.run import find_answer
from tokoban.sokoban.search.searches.fess import tree as trees
from tokoban.sokoban.search.searches.fess.solver import Fess, fess_in_steps
from tokoban.sokoban.search.searches.fess.tree import FIRST_NEW, Tree
from tokoban.sokoban.search.steps import completed


def solve_any(board: Board) -> Answer:
    return find_answer(board, partial(set_up, fess_in_steps(board, Squares(board))), Limits())


@pytest.mark.parametrize("shape", SHAPES)
def test_answers_are_those_of_all_possible_plays(shape: str) -> None:
    boards = list(random_boards(*SHAPES[shape], seed=29))
    assert 0 < check_against_every_possible_play(solve_any, boards) < len(boards)


@pytest.mark.slow
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("seed", range(4))
def test_answers_hold_for_many_more_boards(shape: str, seed: int) -> None:
    boards = list(random_boards(SHAPES[shape][0], 100, seed=80 + seed))
    check_against_every_possible_play(solve_any, boards)


@pytest.mark.parametrize("key", [0, 0x9E3779B97F4A7C15])
def test_answers_stand_when_all_hashes_collide(key: int, monkeypatch: pytest.MonkeyPatch) -> None:
    check_where_all_hashes_collide(solve_any, key, monkeypatch)


def solved(search: Fess, budget: int) -> Fess:
    assert found_by(search, budget).outcome == Outcome.SOLVED
    return search


def test_the_search_is_the_same_in_slices_and_while_its_tree_grows(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    at_once = solved(completed(fess_in_steps(CROWDED, Squares(CROWDED))), 1 << 30)
    monkeypatch.setattr(trees, "_FIRST_CHILDREN", 64)
    in_slices = solved(completed(fess_in_steps(CROWDED, Squares(CROWDED))), 1)
    assert len(in_slices.tree.run) < len(at_once.tree.run)
    assert in_slices.directions() == at_once.directions()
    assert (in_slices.tree.progress == at_once.tree.progress).all()


def boxes_of(tree: Tree, child: int) -> np.ndarray:
    """The boxes of a child as one number in each word."""
    words = tree.boxes[tree.parent[tree.run[child]]].copy()
    for square in (int(tree.box[child]), int(tree.to[child])):
        words[square >> 6] ^= np.uint64(1) << np.uint64(square & 63)
    return words


def test_a_child_weighs_as_much_as_its_parent_if_advised_else_one_more() -> None:
    """And its cell is the best on its path, which is never worse than that of its parent."""
    tree = solved(completed(fess_in_steps(CROWDED, Squares(CROWDED))), 1 << 30).tree
    runs = {int(run) for run in tree.run[1 : tree.progress[FIRST_NEW]]}
    added = set()
    for run in runs:
        parent = int(tree.parent[run])
        by = int(tree.run[tree.came_by[parent]])
        added.add(int(tree.weight[run] - tree.weight[by]))
        assert tree.cell_key[tree.cell[run]] >= tree.cell_key[tree.cell[by]]
    assert added == {0, 1}


def test_the_latest_record_of_a_position_is_found() -> None:
    tree = solved(completed(fess_in_steps(CROWDED, Squares(CROWDED))), 1 << 30).tree
    found = {}
    for slot in tree.slots[tree.slots != NONE]:
        found[boxes_of(tree, slot).tobytes(), int(tree.child_player[slot])] = int(slot)
    assert len(found) == (tree.slots != NONE).sum()
    for child in range(int(tree.progress[FIRST_NEW])):
        latest = found[boxes_of(tree, child).tobytes(), int(tree.child_player[child])]
        assert latest >= child or tree.is_done[latest]
