"""The rules on boolean planes: what a step must leave alone."""

import pytest
import torch

from tokoban.sokoban.formats.xsb import parse_board
from tokoban.sokoban.simulation import tensor_boards
from tokoban.sokoban.simulation.tensor_boards import Plane, TensorBoards

# Two boards of 3x5, unlike each other in every plane.
PAIR = [parse_board("#-.--|-@$-#|--*--"), parse_board("--#--|.*-$-|-+---")]


def test_any_batch_shape_will_do() -> None:
    flat = tensor_boards.from_boards([*PAIR, PAIR[0], *PAIR, PAIR[1]])
    actions = torch.tensor([0, 1, 2, 3, 3, 1], dtype=torch.int32)
    expected = tensor_boards.step(flat, actions)
    folded = TensorBoards(*(plane.unflatten(0, (2, 3)) for plane in flat))
    after = tensor_boards.step(folded, actions.reshape(2, 3))
    for plane, expected_plane in zip(after, expected, strict=True):
        assert torch.equal(plane.flatten(0, 1), expected_plane)
    for number in range(6):
        single = TensorBoards(*(plane[number] for plane in flat))
        after = tensor_boards.step(single, actions[number])
        assert tensor_boards.to_board(after, ()) == tensor_boards.to_board(expected, (number,))
        assert tensor_boards.to_board(expected, (number,)) == tensor_boards.to_board(
            TensorBoards(*(plane.unflatten(0, (2, 3)) for plane in expected)),
            (number // 3, number % 3),
        )


def drawn_plane(boards: TensorBoards, plane: Plane) -> str:
    rows = tensor_boards.planes(boards)[0, plane].int().tolist()
    return "|".join("".join(map(str, row)) for row in rows)


def test_every_plane_is_where_its_name_says_before_and_after_a_step() -> None:
    boards = tensor_boards.from_boards(PAIR[:1])
    drawn = {
        Plane.WALL: ("10000|00001|00000", "10000|00001|00000"),
        Plane.FLOOR: ("01111|11110|11111", "01111|11110|11111"),
        Plane.GOAL: ("00100|00000|00100", "00100|00000|00100"),
        Plane.BOX: ("00000|00100|00100", "00000|00010|00100"),
        Plane.PLAYER: ("00000|01000|00000", "00000|00100|00000"),
    }
    after = tensor_boards.step(boards, torch.tensor([3]))
    for plane in Plane:
        assert (drawn_plane(boards, plane), drawn_plane(after, plane)) == drawn[plane]


def test_boards_of_planes_are_views_of_them() -> None:
    planes = tensor_boards.planes(tensor_boards.from_boards(PAIR))
    boards = tensor_boards.from_planes(planes)
    for plane, expected in zip(boards, tensor_boards.from_boards(PAIR), strict=True):
        assert torch.equal(plane, expected)
        assert plane.untyped_storage().data_ptr() == planes.untyped_storage().data_ptr()


def test_boards_come_back_from_planes() -> None:
    boards = tensor_boards.from_boards(PAIR)
    assert [tensor_boards.to_board(boards, (number,)) for number in (0, 1)] == PAIR


def test_solved_is_all_boxes_on_goals_and_all_goals_filled() -> None:
    drawn = ["@*-|---", "@-*|-*-", "@$.|---", "@*$|---", "@*.|---", "+*-|---", "@--|---"]
    boards = tensor_boards.from_boards([parse_board(text) for text in drawn])
    expected = [True, True, False, False, False, False, True]
    assert tensor_boards.is_solved(boards).tolist() == expected


def test_boards_of_two_sizes_are_refused() -> None:
    boards = [parse_board("@--|---|---|---|---"), parse_board("@-"), parse_board("-@")]
    with pytest.raises(ValueError, match=r"^expected boards of one size, got 1x2, 5x3$"):
        tensor_boards.from_boards(boards)
