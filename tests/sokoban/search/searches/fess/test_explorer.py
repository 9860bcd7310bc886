"""What the explorer says of every move from every position of small boards."""

import numpy as np

from tests.sokoban.search.laid_out import for_python
from tests.sokoban.search.searches.fess.one_box import (
    area_of,
    comes_back,
    moves_of,
    opens_a_push,
    small_boards,
)
from tokoban.sokoban.deadlocks import dead_squares
from tokoban.sokoban.search.level import regions as regions_module
from tokoban.sokoban.search.level.ground import Squares, build_ground
from tokoban.sokoban.search.level.regions import empty_regions
from tokoban.sokoban.search.searches.fess import explorer as module
from tokoban.sokoban.search.searches.fess.explorer import empty_exploring

find_regions = for_python(regions_module.find_regions)
find_new_pushes = for_python(module.find_new_pushes)
has_new_push = for_python(module.has_new_push)
find_returns = for_python(module.find_returns)
can_return = for_python(module.can_return)


def test_new_pushes_and_ways_back_are_those_of_plain_play() -> None:
    num_moves = num_new = num_back = 0
    for board, graph in small_boards():
        squares = Squares(board)
        ground = build_ground(board, squares)
        number = squares.number
        ends = board.inside() - dead_squares(board)
        regions = empty_regions(len(squares.squares))
        exploring = empty_exploring(len(squares.squares))
        for position in list(graph)[:: max(len(graph) // 10, 1)]:
            boxes = squares.numbers(position[0])
            before = area_of(board, position)
            area = np.array([*(square in before for square in squares.squares), False], np.int32)
            for box in position[0]:
                is_blocked = np.zeros(len(squares.squares) + 1, np.bool_)
                is_blocked[[*boxes, -1]] = True
                is_blocked[number[box]] = False
                moves = [move for move in moves_of(graph, position) if move.box == box]
                if not moves:
                    continue
                _, num_free = find_regions(ground.neighbours, is_blocked, regions)
                find_new_pushes(
                    ground, is_blocked, boxes, number[box], area, regions, num_free, exploring
                )
                start, least = number[box], number[position[1]]
                find_returns(ground.neighbours, regions, start, least, exploring)
                for move in moves:
                    to, player = number[move.to], number[move.player]
                    is_new = opens_a_push(board, before, move, ends)
                    is_back = comes_back(graph, position, move)
                    assert has_new_push(ground.neighbours, regions, exploring, to, player) == is_new
                    assert can_return(regions, exploring, to, player) == is_back
                    num_moves += 1
                    num_new += is_new
                    num_back += is_back
    assert min(num_new, num_back, num_moves - num_new, num_moves - num_back) > 30
