"""The theorems: how many nodes a guided search expands at most."""

import math
from functools import cache

import numpy as np
import pytest

from tests.sokoban.brute_force import Shape, random_boards
from tests.sokoban.search.guided.guides import (
    DrawnGuide,
    PerfectGuide,
    probabilities,
    pushes_left,
)
from tests.sokoban.search.push_graph import position_of
from tokoban.sokoban.board import Board
from tokoban.sokoban.search.answer import Answer
from tokoban.sokoban.search.ground import NONE, Squares
from tokoban.sokoban.search.guided.search import GuidedOptions, GuidedSearch, Order, solve_guided
from tokoban.sokoban.search.guided.tree import NUM_NODES, NUM_OPEN, REACHED
from tokoban.sokoban.search.single import Outcome

_MOST_PUSHES = 30


@cache
def _solvable_boards() -> list[Board]:
    """Boards without boxes or goals out of reach whose solution takes some pushes."""
    found: list[Board] = []
    for board in random_boards(Shape(4, 4, 2, is_closed=True), 1000, seed=3):
        if (board.boxes | board.goals) <= board.inside():
            left = pushes_left(board).get(position_of(board), 0)
            if left >= 4:
                found.append(board)
        if len(found) == 6:
            return found
    raise AssertionError("too few boards")


def _least_bound(board: Board, guide: DrawnGuide, uniform: float) -> float:
    """The least depth / probability of a solution, by all products of all lengths."""
    after = probabilities(board, Squares(board), guide, uniform)
    best = {position_of(board): 1.0}
    least = math.inf
    for depth in range(1, _MOST_PUSHES + 1):
        later: dict = {}
        for position, probability in best.items():
            for child, share in after[position]:
                later[child] = max(later.get(child, 0.0), probability * share)
        best = later
        solved = [pi for position, pi in best.items() if position[0] == board.goals]
        least = min([least, *(depth / pi for pi in solved if pi > 0)])
    return least


def test_levints_expands_at_most_the_least_depth_over_probability_of_a_solution() -> None:
    for seed, board in enumerate(_solvable_boards()):
        guide = DrawnGuide(Squares(board), seed=seed)
        bound = _least_bound(board, guide, uniform=0.01)
        answer = solve_guided(
            board, guide, options=GuidedOptions(order="levin", uniform=0.01, deadlock_weight=0.0)
        )
        assert answer.status == "solved"
        assert answer.num_expansions <= bound * (1 + 1e-6)


def _searched(board: Board, options: GuidedOptions, seed: int) -> GuidedSearch:
    squares = Squares(board)
    search = GuidedSearch(board, squares, DrawnGuide(squares, seed=seed), options)
    while (outcome := search.go_on(1, None)) == Outcome.BUDGET_SPENT:
        pass
    assert outcome == Outcome.SOLVED
    return search


@pytest.mark.parametrize("order", ["levin", "phs", "phs*"])
def test_phs_expands_at_most_the_highest_cost_on_the_way_to_its_solution(order: Order) -> None:
    for seed, board in enumerate(_solvable_boards()):
        search = _searched(board, GuidedOptions(order=order), seed)
        tree = search.tree
        chain = [int(tree.progress[REACHED])]
        while tree.parent[chain[-1]] != NONE:
            chain.append(tree.parent[chain[-1]])
        cost = math.exp(max(tree.priority[node] for node in chain[1:]))
        assert search.progress(0.0).expansions <= cost * (1 + 1e-6)


def test_the_rerooted_search_expands_at_most_the_number_of_roots_times_the_highest_cost() -> None:
    num_roots = []
    for seed, board in enumerate(_solvable_boards()):
        options = GuidedOptions(order="rerooted", deadlock_weight=0.0, reroot_step=0.5)
        search = _searched(board, options, seed)
        tree = search.tree
        count = int(tree.progress[NUM_NODES])
        is_taken = ~np.isin(np.arange(count), tree.heap[: tree.progress[NUM_OPEN]])
        is_taken[tree.progress[REACHED]] = False
        num_roots.append(tree.is_root[:count].sum())
        bound = num_roots[-1] * math.exp(tree.priority[:count][is_taken].max())
        assert search.progress(0.0).expansions <= bound * (1 + 1e-6)
    assert max(num_roots) > 1


@pytest.mark.parametrize("order", ["levin", "phs", "phs*", "rerooted"])
def test_a_perfect_guide_is_asked_once_for_each_push_of_a_shortest_solution(order: Order) -> None:
    for board in _solvable_boards():
        guide = PerfectGuide(board, Squares(board))
        answer: Answer = solve_guided(board, guide, options=GuidedOptions(order=order))
        left = pushes_left(board)[position_of(board)]
        assert answer.solution is not None
        assert answer.solution.num_pushes == answer.num_expansions == left
        assert answer.num_evaluated == left - 1  # the last push is seen to solve the level
