"""The rules on packed words against the plain rules, and where each cell lies."""

import random
import re
from itertools import product

import pytest
import torch

from benchmarks.random_boards import KINDS, random_board
from tests.sokoban.brute_force import moved
from tests.sokoban.drawings import DRAWINGS
from tests.sokoban.unpacked import to_board
from tokoban.sokoban.board import Board, Direction, Square
from tokoban.sokoban.formats.xsb import parse_board
from tokoban.sokoban.simulation import bitboards, tensor_boards
from tokoban.sokoban.simulation.bitboards import SIDE, Bitboards
from tokoban.sokoban.symmetry import SYMMETRIES, Symmetry

LAST = Square(7, 7)
OPEN = frozenset[Square]()


def filled(board: Board) -> Board:
    """The same board drawn on 8x8 squares, with wall where there was nothing."""
    new = {
        Square(row, column)
        for row, column in product(range(SIDE), repeat=2)
        if not board.contains(Square(row, column))
    }
    return Board(SIDE, SIDE, board.walls | new, board.goals, board.boxes, board.player)


def random_boards() -> list[Board]:
    chance = random.Random(17)
    shapes = ((8, 8), (3, 7), (5, 8), (8, 2))
    return [
        random_board(chance, *shape, kind=kind, is_bordered=False)
        for shape, kind, _ in product(shapes, KINDS.values(), range(5))
    ]


# Where a cell lies.


def test_a_cell_is_bit_eight_times_its_row_plus_its_column() -> None:
    boards = bitboards.pack([parse_board("#-$|.@-")])
    assert boards.boxes.tolist() == [1 << 2]
    assert boards.goals.tolist() == [1 << 8]
    assert boards.player.tolist() == [1 << 9]
    # The wall of the drawing and all but three cells of two rows: only 1, 2, 8, 9, 10 are floor.
    assert boards.walls.tolist() == [~(1 << 1 | 1 << 2 | 1 << 8 | 1 << 9 | 1 << 10)]


def test_the_last_cell_is_the_sign() -> None:
    boards = bitboards.pack([Board(8, 8, OPEN, frozenset({LAST}), frozenset({LAST}), Square(0, 0))])
    assert boards.boxes.tolist() == boards.goals.tolist() == [-(2**63)]
    assert boards.walls.tolist() == [0]


@pytest.mark.parametrize("direction", Direction)
def test_shift_moves_every_cell_to_its_neighbour(direction: Direction) -> None:
    squares = [Square(row, column) for row in range(SIDE) for column in range(SIDE)]
    words = bitboards.pack([Board(8, 8, OPEN, OPEN, OPEN, square) for square in squares]).player
    shifted = bitboards.cells(bitboards.shift(words, direction))
    for number, square in enumerate(squares):
        ahead = square.neighbour(direction)
        is_on_board = 0 <= ahead.row < SIDE and 0 <= ahead.column < SIDE
        assert shifted[number].nonzero().tolist() == ([list(ahead)] if is_on_board else [])
    # All at once: one row or column of the whole board empties, seven are kept.
    assert bitboards.cells(bitboards.shift(torch.tensor(-1), direction)).sum() == 56


def test_index_is_the_number_of_the_only_cell() -> None:
    words = torch.tensor([1 << number for number in range(63)] + [-(2**63)])
    assert bitboards.index(words).tolist() == list(range(64))


@pytest.mark.parametrize(("height", "width"), [(8, 8), (3, 7), (5, 1)])
def test_cells_become_words_again(height: int, width: int) -> None:
    draw = torch.Generator().manual_seed(19)
    squares = torch.rand(2, 11, height, width, generator=draw) < 0.5
    cells = bitboards.cells(bitboards.to_word(squares))
    assert torch.equal(cells[..., :height, :width], squares)
    assert cells.sum() == squares.sum()


def test_planes_are_those_of_tensor_boards() -> None:
    boards = [filled(board) for board in random_boards()]
    expected = tensor_boards.planes(tensor_boards.from_boards(boards))
    planes = bitboards.planes(bitboards.pack(boards))
    assert planes.dtype == torch.float32
    assert torch.equal(planes, expected.float())


# Packing.


def test_boards_come_back_from_words() -> None:
    boards = random_boards()
    packed = bitboards.pack(boards)
    for number, board in enumerate(boards):
        assert to_board(packed, (number,)) == filled(board)
    assert bitboards.to_boards(packed) == [filled(board) for board in boards]


@pytest.mark.parametrize("is_tall", [False, True])
def test_a_larger_board_loses_its_walls(is_tall: bool) -> None:
    # Either way one side is longer than 8, and the floor begins in row 2, column 3.
    ring = "#####|#####|###@-##|###-*#|###.-#|#####"
    rows = [row.ljust(9, "#") for row in ring.split("|")]
    rows += ["#" * 9] * (4 if is_tall else 0)
    packed = bitboards.pack([parse_board("|".join(rows))])
    assert to_board(packed) == filled(parse_board("@-#|-*#|.-#"))


@pytest.mark.parametrize("margin", [0, 1, 2])
def test_a_margin_of_wall_is_kept_on_request(margin: int) -> None:
    packed = bitboards.pack([parse_board("####|##@-|##$.|####")], margin=margin)
    rows = ["@-", "$."]
    drawn = "|".join(["#" * (margin + 2)] * margin + ["#" * margin + row for row in rows])
    assert to_board(packed) == filled(parse_board(drawn))


@pytest.mark.parametrize(
    ("height", "width", "margin", "message"),
    [
        (9, 3, None, "interior 9x3 does not fit one 64-bit plane (8x8)"),
        (2, 11, None, "interior 2x11 does not fit one 64-bit plane (8x8)"),
        (9, 3, 0, "interior 9x3 does not fit one 64-bit plane (8x8)"),
        (7, 5, 1, "interior 7x5 does not fit one 64-bit plane (6x6)"),
    ],
)
def test_what_does_not_fit_is_refused(
    height: int, width: int, margin: int | None, message: str
) -> None:
    fitting = parse_board("@")
    board = Board(height, width, OPEN, OPEN, OPEN, Square(1, 2))
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        bitboards.pack([fitting, board], margin=margin)


# Symmetry, and the numbers that stand for boards.


@pytest.mark.parametrize("symmetry", SYMMETRIES)
def test_images_of_words_are_images_of_boards(symmetry: Symmetry) -> None:
    boards = [filled(board) for board in random_boards()]
    images = bitboards.image(bitboards.pack(boards), symmetry)
    expected = bitboards.pack([symmetry.of_board(board) for board in boards])
    for word, expected_word in zip(images, expected, strict=True):
        assert torch.equal(word, expected_word)


def test_keys_are_equal_for_equal_boards_alone() -> None:
    boards = [board for drawing in DRAWINGS.values() for board in (drawing.start, drawing.end)]
    boards = [filled(board) for board in [*boards, *random_boards()]]
    keys = bitboards.keys(bitboards.pack(boards)).tolist()
    assert len(set(keys)) == len(set(boards)) == len(set(zip(boards, keys, strict=True)))


@pytest.mark.parametrize("part", ["walls", "goals", "boxes", "player"])
def test_keys_tell_boards_apart_by_every_cell_of_every_word(part: str) -> None:
    board = bitboards.pack([parse_board("#-$-|.-@-|*---")] * 65)
    # Row 0 is the board itself; row n + 1 differs from it in cell n of one word.
    changes = torch.tensor([0] + [1 << number for number in range(63)] + [-(2**63)])
    changed = board._replace(**{part: getattr(board, part) ^ changes})
    assert bitboards.keys(changed).unique().numel() == 65


@pytest.mark.parametrize("number", [0, 31, 63])
def test_keys_tell_boards_apart_by_one_cell_of_several_words(number: int) -> None:
    # A change of the highest bit survives every multiplication unmixed, and two would cancel.
    change = -(2**63) if number == 63 else 1 << number
    changes = torch.tensor(list(product([0, change], repeat=4))).T
    board = bitboards.pack([parse_board("#-$-|.-@-|*---")] * 16)
    changed = Bitboards(*(word ^ change for word, change in zip(board, changes, strict=True)))
    assert bitboards.keys(changed).unique().numel() == 16


def test_canonical_keys_are_equal_for_images_alone() -> None:
    boards = [filled(board) for board in random_boards()[::3]]
    keys = bitboards.canonical_keys(bitboards.pack(boards))
    for symmetry in SYMMETRIES:
        images = bitboards.pack([symmetry.of_board(board) for board in boards])
        assert torch.equal(bitboards.canonical_keys(images), keys)
    assert keys.unique().numel() == len(set(boards))


# What the moves do.


def test_successors_are_the_four_steps() -> None:
    boards = bitboards.pack(random_boards()).map(lambda word: word.reshape(3, 20))
    successors = bitboards.successors(boards)
    for action in range(4):
        expected = bitboards.step(boards, torch.full((3, 20), action))
        for word, expected_word in zip(successors, expected, strict=True):
            assert word.shape == (3, 20, 4)
            assert torch.equal(word[..., action], expected_word)


def test_canonical_keys_do_not_see_where_a_level_lies() -> None:
    places = product((0, 2, 7), (0, 1, 5))
    drawn = ["########|" * down + ("#" * right + "@$.").ljust(8, "#") for down, right in places]
    boards = bitboards.pack([filled(parse_board(drawing)) for drawing in drawn])
    assert bitboards.keys(boards).unique().numel() == 9
    assert bitboards.canonical_keys(boards).unique().numel() == 1


@pytest.mark.parametrize("drawn", ["@$-.-|-#--*", "#######@|######$.", "-------|-@$.---|*------"])
def test_a_board_moved_to_the_corner_keeps_its_shape(drawn: str) -> None:
    board = filled(parse_board(drawn))
    packed = bitboards.pack([board])
    found = to_board(bitboards.to_corner(packed))
    floor = set(board.squares()) - board.walls
    up, left = -min(row for row, _ in floor), -min(column for _, column in floor)
    assert frozenset(found.squares()) - found.walls == moved(floor, up, left)
    assert found.boxes == moved(board.boxes, up, left)
    assert found.goals == moved(board.goals, up, left)
    assert {found.player} == moved({board.player}, up, left)
