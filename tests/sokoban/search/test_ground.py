"""A level as numbered squares: zones, pushes of lone boxes, dead squares, articulation squares."""

import numpy as np

from tests.sokoban.brute_force import Shape, random_boards
from tokoban.sokoban.board import Board, Direction, Square
from tokoban.sokoban.deadlocks import dead_squares
from tokoban.sokoban.formats.xsb import parse_board
from tokoban.sokoban.search.ground import (
    NONE,
    UNREACHABLE,
    Ground,
    Squares,
    articulation_squares,
    build_ground,
    reversed_in_steps,
)
from tokoban.sokoban.search.positions import unpacked_bits
from tokoban.sokoban.search.steps import completed

BOARDS = [
    board
    for shape in (Shape(4, 5, 2, is_closed=True), Shape(5, 4, 3, is_closed=False))
    for board in random_boards(shape, 20, seed=13)
    if (board.boxes | board.goals) <= board.inside()
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


def test_articulation_squares_part_the_floor() -> None:
    squares, ground = numbered(parse_board("#########|#-$-#---#|#--.-@--#|#---#---#|#########"))
    words = articulation_squares(ground.neighbours)
    found = np.flatnonzero(unpacked_bits(words, len(squares.squares)))
    # The doorway, and on both sides of it the square that leads to it.
    assert found.tolist() == [squares.number[Square(2, column)] for column in (3, 4, 5)]
