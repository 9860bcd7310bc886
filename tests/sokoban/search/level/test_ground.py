"""A level as numbered squares: zones, pushes of lone boxes, dead squares."""

import numpy as np

from tests.sokoban.brute_force import Shape, connected_boards
from tests.sokoban.search.laid_out import for_python, lay_out_board
from tokoban.sokoban.board import Board, Direction, Square
from tokoban.sokoban.deadlocks import dead_squares
from tokoban.sokoban.formats.xsb import parse_board
from tokoban.sokoban.search.level import flood as floods
from tokoban.sokoban.search.level.flood import flood
from tokoban.sokoban.search.level.ground import (
    NONE,
    UNREACHABLE,
    Ground,
    Squares,
    build_ground,
    reversed_in_steps,
)
from tokoban.sokoban.search.steps import completed

flood_rest = for_python(floods.flood_rest)

BOARDS = [
    board
    for shape in (Shape(4, 5, 2, is_closed=True), Shape(5, 4, 3, is_closed=False))
    for board in connected_boards(shape, 20, seed=13)
]


def numbered(board: Board) -> tuple[Squares, Ground]:
    squares = Squares(board)
    return squares, build_ground(board, squares)


def test_a_zone_is_named_by_the_lowest_direction_from_the_box() -> None:
    squares, ground = numbered(parse_board("#######|#--#--#|#.-$-@#|#--#--#|#######"))
    box, left, right = (squares.number[Square(2, column)] for column in (3, 1, 5))
    assert ground.zone[box, left] == Direction.LEFT
    assert ground.zone[box, right] == Direction.RIGHT
    assert ground.zone[box, box] == NONE
    assert ground.zone[right, box] == ground.zone[right, left] == Direction.UP


def test_pulls_back_to_a_start_are_the_pushes_away_from_it() -> None:
    num_checked = 0
    for board in BOARDS:
        squares, forward = numbered(board)
        starts = squares.numbers(board.boxes)
        backward = completed(reversed_in_steps(forward, starts))
        num_floor = len(squares.squares)
        for i, start in enumerate(starts):
            for j, goal in enumerate(forward.goals):
                pulls = backward.pushes.reshape(num_floor, 4, -1)[goal, :, i].min()
                pushes = forward.pushes.reshape(num_floor, 4, -1)[start, :, j].min()
                assert pulls == pushes
                num_checked += pulls < UNREACHABLE
    assert num_checked > 10


def test_dead_squares_are_those_of_the_reference() -> None:
    num_dead = 0
    for board in BOARDS:
        squares, ground = numbered(board)
        dead = {squares.squares[i] for i in np.flatnonzero(ground.is_dead[:-1])}
        assert dead == dead_squares(board) & set(squares.squares)
        num_dead += len(dead)
    assert num_dead > 50


def test_a_box_is_immovable_along_an_axis_if_walls_or_deadlocks_wait_on_both_sides() -> None:
    squares, ground = numbered(parse_board("#######|#-----#|#-----#|#.@$--#|#######"))
    # No goal in the upper row; to the sides of the box there a push leads nowhere.
    top, left = squares.number[Square(1, 3)], squares.number[Square(3, 2)]
    assert ground.is_immovable[:, top].tolist() == [True, True]
    assert ground.is_immovable[:, left].tolist() == [True, False]
    assert ground.is_immovable[:, squares.number[Square(2, 3)]].tolist() == [False, False]


def test_areas_are_marked_with_their_least_square_and_regions_in_turn() -> None:
    laid = lay_out_board(parse_board("########|#--$-$.#|#@.#####|########"))
    marks = np.zeros(len(laid.squares) + 1, np.int64)
    waiting = np.empty(len(laid.squares) + 1, np.int32)
    arguments = laid.ground.neighbours, laid.scratch.is_blocked
    assert flood(*arguments, laid.number(Square(2, 2)), marks, 1, waiting) == 0
    least = np.full(4, NONE, np.int16)
    assert flood_rest(*arguments, marks, waiting, least) == 2
    assert [laid.squares[square] for square in least[2:]] == [(1, 4), (1, 6)]
    by_square = {square: int(mark) for square, mark in zip(laid.squares, marks[:-1], strict=True)}
    assert by_square == {
        (1, 1): 1, (1, 2): 1, (2, 1): 1, (2, 2): 1, (1, 3): 0, (1, 4): 2, (1, 5): 0, (1, 6): 3,
    }  # fmt: skip


def test_a_flood_counts_the_steps_of_the_shortest_walks() -> None:
    num_checked = 0
    for board in BOARDS:
        squares, ground = numbered(board)
        num_floor = len(squares.squares)
        is_blocked = np.append([square in board.boxes for square in squares.squares], True)
        marks, waiting, steps = (np.zeros(num_floor + 1, np.int64) for _ in range(3))
        start = squares.number[board.player]
        flood(ground.neighbours, is_blocked, start, marks, 7, waiting, steps)
        layer, distance = {board.player}, 0
        seen = set(layer)
        while layer:
            for square in layer:
                assert marks[squares.number[square]] == 7
                assert steps[squares.number[square]] == distance
            beside = {square.neighbour(way) for square in layer for way in Direction}
            layer = {s for s in beside if s in squares.number and s not in board.boxes} - seen
            seen |= layer
            distance += 1
        assert (marks == 7).sum() == len(seen)
        num_checked += len(seen)
    assert num_checked > 100
