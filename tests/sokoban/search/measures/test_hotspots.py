"""Which box is in the way of which, against plain pushes of a lone box with the other as a wall."""

from dataclasses import replace

import numpy as np
from jaxtyping import UInt64

from tests.sokoban.brute_force import Shape, random_boards
from tests.sokoban.search.laid_out import for_python
from tests.sokoban.search.push_graph import push_graph
from tokoban.sokoban.board import Board, Direction, Square
from tokoban.sokoban.formats.xsb import parse_board
from tokoban.sokoban.search.level.ground import Squares, build_ground
from tokoban.sokoban.search.measures import hotspots as module
from tokoban.sokoban.search.measures.hotspots import hotspots_in_steps
from tokoban.sokoban.search.state.positions import packed_bits, unpacked_bits
from tokoban.sokoban.search.steps import completed

num_hotspots = for_python(module.num_hotspots)


def built(board: Board) -> tuple[Squares, UInt64[np.ndarray, "F W"]]:
    squares = Squares(board)
    return squares, completed(hotspots_in_steps(build_ground(board, squares)))


def goals_reached(board: Board, box: Square, wall: Square | None = None) -> set[Square]:
    """By a lone box, wherever the player starts; a wall may part the floor."""
    walls = board.walls if wall is None else board.walls | {wall}
    goals = board.goals - walls
    around = {box.neighbour(direction) for direction in Direction}
    reached = {box}
    for player in (around & board.inside()) - walls:
        alone = replace(board, walls=walls, goals=goals, boxes=frozenset({box}), player=player)
        reached |= {square for boxes, _ in push_graph(alone) for square in boxes}
    return reached & goals


def test_a_box_is_in_the_way_if_as_a_wall_it_keeps_another_from_a_goal() -> None:
    num_blocked = 0
    shapes = Shape(4, 4, 2, is_closed=True), Shape(3, 5, 2, is_closed=True)
    for shape in shapes:
        for board in random_boards(shape, 5, seed=5):
            squares, hotspots = built(board)
            num_floor = len(squares.squares)
            goals = {box: goals_reached(board, box) for box in squares.squares}
            for wall in squares.squares:
                blocked = unpacked_bits(hotspots[squares.number[wall]], num_floor)
                for box in squares.squares:
                    expected = bool(
                        box != wall
                        and goals[wall]
                        and goals[box] - {wall} - goals_reached(board, box, wall)
                    )
                    assert blocked[squares.number[box]] == expected
                    num_blocked += expected
    assert num_blocked > 50


def test_hotspots_are_counted_among_the_boxes_there_are() -> None:
    # The box in the doorway keeps both on its left from the goals; they are in nobody's way.
    board = parse_board("#########|#---#---#|#-$-$@..#|#-$-#--.#|#########")
    squares, hotspots = built(board)
    words = packed_bits(squares.is_among(board.boxes))
    assert num_hotspots(hotspots, words) == 1
    words[0] ^= np.uint64(1) << np.uint64(squares.number[Square(2, 4)])
    assert num_hotspots(hotspots, words) == 0
