"""FESS in slices, and the weights of its tree; ``test_members`` has all possible plays."""

import pytest

from tokoban.sokoban.board import Board
from tokoban.sokoban.formats.xsb import parse_board
from tokoban.sokoban.search.level.ground import Squares, grounds_both_ways
from tokoban.sokoban.search.outcome import Outcome
from tokoban.sokoban.search.pauses import found_by
from tokoban.sokoban.search.searches.fess import tree as trees
from tokoban.sokoban.search.searches.fess.solver import Fess, fess_in_steps
from tokoban.sokoban.search.searches.fess.tree import FIRST_NEW
from tokoban.sokoban.search.steps import completed

# Some fifteen to thirty expansions to the solution.
CROWDED = parse_board("########|#-#---##|###-$-.#|#---.$$#|#-$$@..#|#-#.---#|########")


def fess_of(board: Board) -> Fess:
    squares = Squares(board)
    grounds = grounds_both_ways(board, squares)
    return completed(fess_in_steps(*grounds, squares.number[board.player]))


def solved(search: Fess, budget: int) -> Fess:
    assert found_by(search, budget).outcome == Outcome.SOLVED
    return search


def test_the_search_is_the_same_in_slices_and_while_its_tree_grows(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    at_once = solved(fess_of(CROWDED), 1 << 30)
    monkeypatch.setattr(trees, "_FIRST_CHILDREN", 64)
    in_slices = solved(fess_of(CROWDED), 1)
    assert len(in_slices.tree.run) < len(at_once.tree.run)
    assert in_slices.directions() == at_once.directions()
    assert (in_slices.tree.progress == at_once.tree.progress).all()


def test_a_child_weighs_as_much_as_its_parent_if_advised_else_one_more() -> None:
    """And its cell is the best on its path, which is never worse than that of its parent."""
    tree = solved(fess_of(CROWDED), 1 << 30).tree
    runs = {int(run) for run in tree.run[1 : tree.progress[FIRST_NEW]]}
    added = set()
    for run in runs:
        parent = int(tree.parent[run])
        by = int(tree.run[tree.came_by[parent]])
        added.add(int(tree.weight[run] - tree.weight[by]))
        assert tree.cell_key[tree.cell[run]] >= tree.cell_key[tree.cell[by]]
    assert added == {0, 1}
