"""The theorems: how many nodes a guided search expands at most.

All guides lean to a shortest solution, so that the bounds are far below the number of positions.
"""

import math

import numpy as np
import pytest

from tests.sokoban.search.push_graph import Position, position_of, push_graph, pushes_left
from tests.sokoban.search.searches.guided.guides import (
    DrawnGuide,
    LeaningGuide,
    PerfectGuide,
    probabilities,
)
from tokoban.sokoban.board import Board, Square
from tokoban.sokoban.search.level.ground import Squares
from tokoban.sokoban.search.outcome import Outcome
from tokoban.sokoban.search.pauses import found_by
from tokoban.sokoban.search.searches.guided.guide import Guide
from tokoban.sokoban.search.searches.guided.search import (
    SEARCHES,
    GuidedOptions,
    GuidedSearch,
    Order,
    solve_guided,
)
from tokoban.sokoban.search.searches.guided.tree import PUSH_LOSS
from tokoban.sokoban.search.state.positions import unpacked_bits

_MOST_PUSHES = 14


# Solutions of five and six pushes; 120 to 190 positions, with equal boxes and zone as one.
_BOARDS = tuple(
    Board.from_xsb(drawn)
    for drawn in (
        "#######|##  .##|# $#  #|# $.  #|#    @#|#######",
        "#######|##    #|#   $ #|#@ $ ##|#.#.  #|#######",
        "#######|#     #|# $$  #|#    @#|# . . #|#######",
    )
)


def _leaning(board: Board) -> LeaningGuide:
    return LeaningGuide(board, Squares(board), lean=0.9, seed=1)


def _least_bound(board: Board, guide: Guide) -> float:
    """The least depth / probability of a solution, by all products of all lengths."""
    after = probabilities(board, Squares(board), guide)
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


def _costs(board: Board, order: Order) -> list[float]:
    """The cost of each position before the last on the way that the guide leans to."""
    after = probabilities(board, Squares(board), _leaning(board))
    position, pi, costs = position_of(board), 1.0, []
    length = pushes_left(push_graph(board), board.goals)[position]
    for made in range(length):
        left, nodes = length - made, made + 1
        power = 1 + left / nodes if order == "phs*" else 1
        factor = math.exp(PUSH_LOSS * left) if order == "phs" else 1
        costs.append((nodes + left) / pi**power * factor)
        position, share = max(after[position], key=lambda push: push[1])
        pi *= share
    return costs[1:]  # the start comes first, whatever its cost is


def test_levints_expands_at_most_the_least_depth_over_probability_of_a_solution() -> None:
    bounds = []
    for board in _BOARDS:
        guide = _leaning(board)
        bounds.append(_least_bound(board, guide))
        answer = solve_guided(board, guide, options=GuidedOptions(order="levin"))
        assert answer.status == "solved"
        assert answer.num_expansions <= bounds[-1] * (1 + 1e-6)
    assert max(bounds) < 60  # at most half of the positions


@pytest.mark.parametrize("order", ["phs", "phs*"])
def test_phs_expands_at_most_the_highest_cost_on_the_way_to_a_solution(order: Order) -> None:
    bounds = []
    for board in _BOARDS:
        bounds.append(max(_costs(board, order)))
        answer = solve_guided(board, _leaning(board), options=GuidedOptions(order=order))
        assert answer.status == "solved"
        assert answer.num_expansions <= bounds[-1] * (1 + 1e-6)
    assert max(bounds) < 60


@pytest.mark.parametrize("order", SEARCHES)
def test_in_the_end_each_position_was_expanded_with_its_highest_probability(order: Order) -> None:
    board = Board.from_xsb("######|#@   #|# $$ #|#    #|# ####|#..###|######")  # the end is shut
    squares = Squares(board)
    guide = DrawnGuide(squares, seed=1)
    search = GuidedSearch(board, squares, guide, GuidedOptions(order=order))
    assert found_by(search).outcome == Outcome.EXHAUSTED
    positions, floor = search.tree.positions, np.array(squares.squares)
    found = {}
    for row in range(int(positions.num_known[0])):
        boxes = floor[unpacked_bits(positions.boxes[row], len(floor))]
        position = frozenset(Square(*box) for box in boxes), squares.squares[positions.player[row]]
        found[position] = math.exp(search.tree.expanded_log_pi[row])
    assert found == pytest.approx(_highest(board, guide), rel=1e-4)
    assert search.pause().expansions > len(found)  # some were expanded twice


def _highest(board: Board, guide: Guide) -> dict[Position, float]:
    """The highest probability of any way to each position."""
    after = probabilities(board, Squares(board), guide)
    highest = {position_of(board): 1.0}
    waiting = [*highest]
    while waiting:
        position = waiting.pop()
        for child, share in after[position]:
            if highest[position] * share > highest.get(child, 0.0):
                highest[child] = highest[position] * share
                waiting.append(child)
    return highest


@pytest.mark.parametrize("order", SEARCHES)
def test_a_perfect_guide_is_asked_once_for_each_push_but_the_last(order: Order) -> None:
    for board in _BOARDS:
        guide = PerfectGuide(board, Squares(board))
        answer = solve_guided(board, guide, options=GuidedOptions(order=order))
        left = pushes_left(push_graph(board), board.goals)[position_of(board)]
        assert answer.solution is not None
        assert answer.solution.num_pushes == answer.num_expansions == left
        assert answer.num_evaluated == left - 1
