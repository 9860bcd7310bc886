"""The table of two boxes against plain search of every position of such boxes."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations

import pytest

from tests.sokoban.brute_force import Shape, connected_boards
from tests.sokoban.search.laid_out import for_python
from tests.sokoban.search.push_graph import Position, board_at, position_of, push_graph
from tokoban.sokoban.board import Board, Direction, Square
from tokoban.sokoban.search.level.ground import NONE, Squares, build_ground, reversed_in_steps
from tokoban.sokoban.search.rules import two_boxes
from tokoban.sokoban.search.rules.two_boxes import TwoBoxes, two_boxes_in_steps
from tokoban.sokoban.search.state.positions import packed_bits
from tokoban.sokoban.search.steps import completed

is_deadlocked_pair = for_python(two_boxes.is_deadlocked_pair)

SHAPES = [Shape(3, 5, 3, is_closed=True), Shape(3, 4, 4, is_closed=False)]


def tables(board: Board, squares: Squares) -> tuple[TwoBoxes, TwoBoxes]:
    """Those of the level, and those for a search by pulls."""
    ground = build_ground(board, squares)
    backward = completed(reversed_in_steps(ground, squares.numbers(board.boxes)))
    player = squares.number[board.player]
    first = completed(two_boxes_in_steps(ground))
    return first, completed(two_boxes_in_steps(backward, player=player))


def positions_of(board: Board, boxes: frozenset[Square]) -> set[Position]:
    """Where the player may be beside these boxes."""
    return {
        position_of(replace(board, boxes=boxes, player=player)) for player in board.inside() - boxes
    }


def graph_of(board: Board) -> dict[Position, set[Position]]:
    """Each position of two boxes, with the positions one push on."""
    graph: dict[Position, set[Position]] = {}
    for boxes in map(frozenset, combinations(sorted(board.inside()), 2)):
        for position in positions_of(board, boxes) - graph.keys():
            plays = push_graph(board_at(board, position))
            graph |= {before: {after for _, after in pushes} for before, pushes in plays.items()}
    return graph


def reached(graph: dict[Position, set[Position]], ends: set[Position]) -> set[Position]:
    found = set(ends)
    waiting = list(ends)
    while waiting:
        new = graph[waiting.pop()] - found
        found |= new
        waiting += new
    return found


def turned(graph: dict[Position, set[Position]]) -> dict[Position, set[Position]]:
    back: dict[Position, set[Position]] = {position: set() for position in graph}
    for position, laters in graph.items():
        for later in laters:
            back[later].add(position)
    return back


def verdicts(two: TwoBoxes, squares: Squares, board: Board) -> Iterator[bool]:
    """What the table says at each side of each box where the player can stand."""
    area = board.area()
    for box in board.boxes:
        others = packed_bits(squares.is_among(board.boxes - {box}))
        for direction in Direction:
            if box.neighbour(direction) in area:
                number = squares.number[box]
                yield is_deadlocked_pair(two, others, number, int(direction))


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_a_table_calls_exactly_those_deadlocked_that_no_play_brings_to_goals(shape: Shape) -> None:
    num_lost = [0, 0]
    for board in connected_boards(shape, 5, seed=2):
        squares = Squares(board)
        graph = graph_of(board)
        ends = {position for position in graph if position[0] <= board.goals}
        starts = {
            position_of(replace(board, boxes=frozenset(boxes)))
            for boxes in combinations(sorted(board.boxes), 2)
        }
        alive = reached(turned(graph), ends), reached(graph, starts)
        for way, two in enumerate(tables(board, squares)):
            for position in graph:
                if any(two.number[squares.number[box]] == NONE for box in position[0]):
                    continue  # one of them is deadlocked alone
                is_lost = position not in alive[way]
                for verdict in verdicts(two, squares, board_at(board, position)):
                    assert verdict == is_lost, (way, position)
                    num_lost[way] += is_lost
    assert min(num_lost) > 20
