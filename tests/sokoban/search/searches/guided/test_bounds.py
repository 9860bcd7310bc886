"""The theorems: how many nodes a guided search expands at most.

All guides lean to a shortest solution, so that the bounds are far below the number of positions.
"""

import math

import pytest

from tests.sokoban.search.push_graph import position_of
from tests.sokoban.search.searches.guided.guides import (
    LeaningGuide,
    PerfectGuide,
    probabilities,
    pushes_left,
)
from tokoban.sokoban.board import Board
from tokoban.sokoban.search.level.ground import Squares
from tokoban.sokoban.search.searches.guided.guide import Guide
from tokoban.sokoban.search.searches.guided.search import (
    SEARCHES,
    GuidedOptions,
    Order,
    solve_guided,
)

_UNIFORM = 0.01
_MOST_PUSHES = 14


# Solutions of eight and nine pushes; 102 to 136 positions, with equal boxes and zone as one.
_BOARDS = tuple(
    Board.from_xsb(drawn)
    for drawn in (
        "#######|##  .##|# $#  #|# $  .#|#    @#|#######",
        "#######|#..   #|# # $##|# #$  #|#  @  #|#######",
        "#######|##    #|#   $ #|#@  $##|#.#.  #|#######",
    )
)


def _leaning(board: Board) -> LeaningGuide:
    return LeaningGuide(board, Squares(board), lean=0.9, seed=1)


def _least_bound(board: Board, guide: Guide) -> float:
    """The least depth / probability of a solution, by all products of all lengths."""
    after = probabilities(board, Squares(board), guide, _UNIFORM)
    best = {position_of(board): 1.0}
    least = math.inf
    for depth in range(1, _MOST_PUSHES + 1):
        later: dict = {}
        for position, probability in best.items():
            for child, share in after[position]:
                later[child] = max(later.get(child, 0.0), probability * share)
        best = later
        solved = [pi for position, pi in best.items() if position[0] == board.goals]
        least = min([least, *(depth / pi for pi in solved)])
    return least


def _costs(board: Board, order: Order, push_loss: float) -> list[float]:
    """The cost of each position before the last on the way that the guide leans to."""
    after = probabilities(board, Squares(board), _leaning(board), _UNIFORM)
    position, pi, costs = position_of(board), 1.0, []
    length = pushes_left(board)[position]
    for made in range(length):
        left, nodes = length - made, made + 1
        power = 1 + left / nodes if order == "phs*" else 1
        costs.append((nodes + left) / pi**power * math.exp(push_loss * left))
        position, share = max(after[position], key=lambda push: push[1])
        pi *= share
    return costs[1:]  # the start comes first, whatever its cost is


def test_levints_expands_at_most_the_least_depth_over_probability_of_a_solution() -> None:
    bounds = []
    for board in _BOARDS:
        guide = _leaning(board)
        options = GuidedOptions(order="levin", uniform=_UNIFORM)
        bounds.append(_least_bound(board, guide))
        answer = solve_guided(board, guide, options=options)
        assert answer.status == "solved"
        assert answer.num_expansions <= bounds[-1] * (1 + 1e-6)
    assert max(bounds) < 60  # about half of the positions


@pytest.mark.parametrize(("order", "push_loss"), [("phs", 0.0), ("phs", 0.2), ("phs*", 0.0)])
def test_phs_expands_at_most_the_highest_cost_on_the_way_to_a_solution(
    order: Order, push_loss: float
) -> None:
    bounds = []
    for board in _BOARDS:
        options = GuidedOptions(order=order, uniform=_UNIFORM, push_loss=push_loss)
        bounds.append(max(_costs(board, order, push_loss)))
        answer = solve_guided(board, _leaning(board), options=options)
        assert answer.status == "solved"
        assert answer.num_expansions <= bounds[-1] * (1 + 1e-6)
    assert max(bounds) < 60


@pytest.mark.parametrize("order", SEARCHES)
def test_a_perfect_guide_is_asked_once_for_each_push_but_the_last(order: Order) -> None:
    for board in _BOARDS:
        guide = PerfectGuide(board, Squares(board))
        answer = solve_guided(board, guide, options=GuidedOptions(order=order))
        left = pushes_left(board)[position_of(board)]
        assert answer.solution is not None
        assert answer.solution.num_pushes == answer.num_expansions == left
        assert answer.num_evaluated == left - 1
