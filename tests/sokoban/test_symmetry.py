"""The eight symmetries against drawings, as a group, and as symmetries of the rules."""

import random
from itertools import product

import pytest
import torch

from benchmarks.agreement import KINDS, random_board
from tokoban.sokoban import rules
from tokoban.sokoban.board import UNDO, Board, Direction
from tokoban.sokoban.formats.xsb import format_board, parse_board
from tokoban.sokoban.symmetry import SYMMETRIES, Symmetry

UP, LEFT, DOWN, RIGHT = Direction

EVERY_SYMMETRY = pytest.mark.parametrize(
    "symmetry", SYMMETRIES, ids=[f"{s.turns} turns{', mirror' * s.is_mirrored}" for s in SYMMETRIES]
)

# The board, and the image of a move to the right, by (quarter turns to the left, is mirrored).
IMAGES = {
    (0, False): ("#@$|*.-", RIGHT),
    (1, False): ("$-|@.|#*", UP),
    (2, False): ("-.*|$@#", LEFT),
    (3, False): ("*#|.@|-$", DOWN),
    (0, True): ("$@#|-.*", LEFT),
    (1, True): ("-$|.@|*#", UP),
    (2, True): ("*.-|#@$", RIGHT),
    (3, True): ("#*|@.|$-", DOWN),
}


def image_of(symmetry: Symmetry, action: int) -> int:
    return int(symmetry.of_actions(torch.tensor(action)))


def random_boards(num_boards: int) -> list[Board]:
    chance = random.Random(13)
    return [
        random_board(chance, 3, 5, kind=kind, is_bordered=is_bordered)
        for _, kind, is_bordered in product(range(num_boards), KINDS.values(), (False, True))
    ]


@EVERY_SYMMETRY
def test_images_are_as_drawn(symmetry: Symmetry) -> None:
    drawn, image_of_right = IMAGES[symmetry.turns, symmetry.is_mirrored]
    image = symmetry.of_board(parse_board("#@$|*.-"))
    assert format_board(image) == format_board(parse_board(drawn))
    assert image_of(symmetry, RIGHT) == image_of_right


@EVERY_SYMMETRY
def test_the_step_of_an_image_is_the_image_of_the_step(symmetry: Symmetry) -> None:
    for board, action in product(random_boards(3), Direction):
        image = rules.step(symmetry.of_board(board), image_of(symmetry, action))
        assert image == symmetry.of_board(rules.step(board, action))


@EVERY_SYMMETRY
def test_the_game_of_an_image_is_the_image_of_the_game(symmetry: Symmetry) -> None:
    actions = [RIGHT, UNDO, RIGHT, DOWN, LEFT, UNDO, UNDO, UP, RIGHT]
    board = parse_board("@$---|-.---|-----")
    turned = symmetry.of_actions(torch.tensor(actions)).tolist()
    images = rules.play(symmetry.of_board(board), turned)
    assert images == [symmetry.of_board(after) for after in rules.play(board, actions)]


@EVERY_SYMMETRY
@pytest.mark.parametrize("dtype", [torch.int8, torch.int64])
def test_images_of_many_actions_are_those_of_each(symmetry: Symmetry, dtype: torch.dtype) -> None:
    actions = torch.tensor([[UP, LEFT, DOWN], [RIGHT, UNDO, LEFT]], dtype=dtype)
    images = [[image_of(symmetry, int(action)) for action in row] for row in actions]
    assert symmetry.of_actions(actions).tolist() == images
    assert symmetry.of_actions(actions).dtype == dtype


def test_there_are_eight_and_the_first_changes_nothing() -> None:
    board = parse_board("#@$|*.-")
    images = {symmetry.of_board(board) for symmetry in SYMMETRIES}
    assert len(images) == len(SYMMETRIES) == 8
    assert SYMMETRIES[0].of_board(board) == board
    assert [image_of(SYMMETRIES[0], action) for action in range(5)] == [0, 1, 2, 3, 4]
