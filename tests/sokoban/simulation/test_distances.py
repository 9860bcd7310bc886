"""Exact tables of one-box levels against a breadth-first search by the plain rules, and A*."""

from collections import deque

import pytest
import torch

from tests.sokoban.unpacked import to_board
from tokoban.sokoban.board import Board, Direction
from tokoban.sokoban.formats.xsb import parse_board
from tokoban.sokoban.puzzles.random_levels import sample_one_box
from tokoban.sokoban.rules import step
from tokoban.sokoban.search.combine.solver import solve
from tokoban.sokoban.simulation import bitboards
from tokoban.sokoban.simulation.bitboards import Bitboards
from tokoban.sokoban.simulation.distances import UNSOLVABLE, one_box_tables


def distance_by_rules(board: Board) -> int:
    """Fewest moves by trying all of them."""
    distance, waiting = {board: 0}, deque([board])
    while waiting:
        here = waiting.popleft()
        if here.is_solved:
            return distance[here]
        for direction in Direction:
            after = step(here, direction)
            if after not in distance:
                distance[after] = distance[here] + 1
                waiting.append(after)
    return UNSOLVABLE


DRAWN = {
    "one push": ("#####|#@$.#|#####", 1),
    "solved already": ("#####|#@ *#|#####", 0),
    "round the box and back": ("#######|#     #|# .$  #|#  @  #|#######", 3),
    "in a corner": ("#####|#@ .#|#   #|#  $#|#####", UNSOLVABLE),
    "pushed from the wall's side": ("######|#.$@##|######", 1),
    "the player is shut off from the box's other side": ("######|#@$ .#|#######", 2),
    "open at the edges": ("  @|$  |.  ", 3),
}


@pytest.mark.parametrize("name", DRAWN)
def test_drawn_levels_have_the_distance_counted_by_hand(name: str) -> None:
    drawing, expected = DRAWN[name]
    board = parse_board(drawing)
    assert distance_by_rules(board) == expected
    levels = bitboards.pack([board])
    assert one_box_tables(levels).distance(levels).tolist() == [expected]


def _random_levels(num_levels: int, *, is_open: bool) -> Bitboards:
    generator = torch.Generator().manual_seed(7)
    if not is_open:
        return sample_one_box(num_levels, generator=generator)
    cells = torch.rand(num_levels, 8, 8, generator=generator)
    places = cells.flatten(1).argsort(dim=1)[:, :3]
    one = torch.ones((), dtype=torch.int64)
    goals, boxes, player = (one << places).unbind(1)
    walls = bitboards.to_word(torch.rand(num_levels, 8, 8, generator=generator) < 0.3)
    return Bitboards(walls & ~(goals | boxes | player), goals, boxes, player)


@pytest.mark.parametrize("is_open", [False, True])
def test_random_levels_agree_with_the_plain_rules(is_open: bool) -> None:
    levels = _random_levels(67, is_open=is_open)
    distances = one_box_tables(levels).distance(levels).tolist()
    expected = [distance_by_rules(to_board(levels, (row,))) for row in range(67)]
    assert distances == expected
    assert UNSOLVABLE in distances and max(distances) > 9


def test_every_state_is_one_more_than_its_best_successor() -> None:
    levels = _random_levels(13, is_open=False)
    tables = one_box_tables(levels)
    states = levels.map(lambda word: word.unsqueeze(1).expand(-1, 97))
    generator = torch.Generator().manual_seed(3)
    floor = bitboards.cells(~levels.walls).flatten(1).float()
    places = torch.multinomial(floor, 2 * 97, replacement=True, generator=generator)
    words = torch.ones((), dtype=torch.int64) << places.view(13, 97, 2)
    states = states._replace(boxes=words[..., 0], player=words[..., 1])
    valid = words[..., 0] != words[..., 1]
    distance = tables.distance(states)
    after = tables.distance(bitboards.successors(states))
    best = torch.where(after >= 0, after, 10_000).amin(-1)
    open_ones = valid & (distance > 0)
    assert open_ones.sum() > 100
    assert torch.equal(distance[open_ones], best[open_ones] + 1)
    lost = valid & (distance == UNSOLVABLE)
    assert lost.sum() > 100
    assert (after[lost] == UNSOLVABLE).all()
    is_optimal = tables.is_optimal(states)
    assert is_optimal[open_ones].any(-1).all()
    assert not is_optimal[lost | (distance == 0)].any()


def test_rows_are_the_tables_of_those_levels() -> None:
    levels = _random_levels(11, is_open=False)
    chosen = torch.tensor([7, 2, 2])
    some = levels.map(lambda word: word[chosen])
    tables = one_box_tables(levels)
    assert torch.equal(tables.rows(chosen).distance(some), tables.distance(levels)[chosen])


@pytest.mark.parametrize("drawing", ["#######|#@$$..#|#######", "######|#@$ *#|######"])
def test_levels_of_several_boxes_are_refused(drawing: str) -> None:
    with pytest.raises(ValueError, match=r"exactly one box and one goal; check the (goals|boxes)"):
        one_box_tables(bitboards.pack([parse_board(drawing)]))


@pytest.mark.parametrize("num_levels", [401, pytest.param(10_000, marks=pytest.mark.slow)])
def test_astar_and_the_tables_agree(num_levels: int) -> None:
    levels = sample_one_box(num_levels, generator=torch.Generator().manual_seed(11))
    distances = one_box_tables(levels).distance(levels).tolist()
    for row, distance in enumerate(distances):
        answer = solve(to_board(levels, (row,)))
        if distance == UNSOLVABLE:
            assert answer.status == "unsolvable"
        else:
            assert answer.solution is not None
            assert len(answer.solution.directions) == distance
