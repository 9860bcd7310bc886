"""Boards as boolean planes."""

import pytest
import torch

from tokoban.sokoban.formats.xsb import parse_board
from tokoban.sokoban.simulation import tensor_boards
from tokoban.sokoban.simulation.tensor_boards import Plane, TensorBoards

# Two boards of 3x5, unlike each other in every plane.
PAIR = [parse_board("#-.--|-@$-#|--*--"), parse_board("--#--|.*-$-|-+---")]


def drawn_plane(boards: TensorBoards, plane: Plane) -> str:
    rows = tensor_boards.planes(boards)[0, plane].int().tolist()
    return "|".join("".join(map(str, row)) for row in rows)


def test_every_plane_is_where_its_name_says() -> None:
    boards = tensor_boards.from_boards(PAIR[:1])
    drawn = {
        Plane.WALL: "10000|00001|00000",
        Plane.FLOOR: "01111|11110|11111",
        Plane.GOAL: "00100|00000|00100",
        Plane.BOX: "00000|00100|00100",
        Plane.PLAYER: "00000|01000|00000",
    }
    assert {plane: drawn_plane(boards, plane) for plane in Plane} == drawn


def test_boards_of_planes_are_views_of_them() -> None:
    planes = tensor_boards.planes(tensor_boards.from_boards(PAIR))
    boards = tensor_boards.from_planes(planes)
    for plane, expected in zip(boards, tensor_boards.from_boards(PAIR), strict=True):
        assert torch.equal(plane, expected)
        assert plane.untyped_storage().data_ptr() == planes.untyped_storage().data_ptr()


def test_boards_come_back_from_planes() -> None:
    boards = tensor_boards.from_boards(PAIR)
    assert [tensor_boards.to_board(boards, (number,)) for number in (0, 1)] == PAIR
    folded = TensorBoards(*(plane.unflatten(0, (1, 2)) for plane in boards))
    assert [tensor_boards.to_board(folded, (0, number)) for number in (0, 1)] == PAIR


def test_boards_of_two_sizes_are_refused() -> None:
    boards = [parse_board("@--|---|---|---|---"), parse_board("@-"), parse_board("-@")]
    with pytest.raises(ValueError, match=r"^expected boards of one size, got 1x2, 5x3$"):
        tensor_boards.from_boards(boards)
