"""The packing plan of FESS and what compiled code asks of it."""

import numpy as np

from tests.sokoban.search.laid_out import for_python
from tokoban.sokoban.board import Board, Square
from tokoban.sokoban.formats.xsb import parse_board
from tokoban.sokoban.search.fess import plan
from tokoban.sokoban.search.fess.plan import Packing, packing_in_steps
from tokoban.sokoban.search.ground import NONE, Squares, build_ground
from tokoban.sokoban.search.positions import packed_bits, unpacked_bits
from tokoban.sokoban.search.steps import completed

num_packed = for_python(plan.num_packed)
point_of_plan = for_python(plan.point_of_plan)
out_of_plan = for_python(plan.out_of_plan)
out_of_plan_word = for_python(plan.out_of_plan_word)
next_square = for_python(plan.next_square)

# The lane on the left is packed from its far end, and the goal on the right is a room of its own.
LANE = parse_board("##########|#..-$$$-.#|#####-@--#|##########")


def packing_of(board: Board) -> tuple[Squares, Packing]:
    squares = Squares(board)
    packing = completed(packing_in_steps(board, squares, build_ground(board, squares)))
    return squares, packing


def blocked(squares: Squares, boxes: list[tuple[int, int]]) -> np.ndarray:
    is_blocked = np.zeros(len(squares.squares) + 1, np.bool_)
    is_blocked[[squares.number[Square(*box)] for box in boxes]] = True
    is_blocked[-1] = True
    return is_blocked


def test_squares_count_as_packed_without_a_gap_in_their_room() -> None:
    squares, packing = packing_of(LANE)
    for boxes, count in [([], 0), ([(1, 1)], 1), ([(1, 2)], 0), ([(1, 2), (1, 8)], 1)]:
        assert num_packed(packing, blocked(squares, boxes)) == count
    assert num_packed(packing, blocked(squares, [(1, 1), (1, 2), (1, 8)])) == 3


def test_the_point_of_the_plan_is_its_first_empty_square() -> None:
    squares, packing = packing_of(LANE)
    is_blocked = blocked(squares, [])
    for point, square in enumerate(packing.steps.tolist()):
        assert point_of_plan(packing, is_blocked) == point
        assert next_square(packing, is_blocked, point) == square
        is_blocked[square] = True
    assert point_of_plan(packing, is_blocked) == 3
    assert next_square(packing, is_blocked, 3) == NONE


def test_boxes_are_out_of_plan_where_its_squares_part_them_from_later_ones() -> None:
    # The goal in the lane comes first and parts the rooms: no box on the left is of use then.
    board = parse_board("###########|#--#####-.#|#-$-.---$@#|#--#####--#|###########")
    squares, packing = packing_of(board)
    num_floor = len(squares.squares)
    for boxes, counts in [([(2, 2), (2, 8)], [0, 1]), ([(2, 1), (2, 2)], [1, 2])]:
        words = packed_bits(blocked(squares, boxes)[:num_floor])
        assert [out_of_plan(packing, words, point) for point in (0, 1)] == counts
    bits = np.array([out_of_plan_word(packing, 1, 0)], np.uint64)
    out = {squares.squares[i] for i in np.flatnonzero(unpacked_bits(bits, num_floor))}
    assert Square(2, 2) in out and Square(2, 8) not in out and Square(2, 4) not in out
