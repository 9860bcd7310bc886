"""The rules on several words against the plain rules, and where each cell lies."""

import random
from functools import cache
from itertools import product

import pytest
import torch

from benchmarks.random_boards import KINDS, random_board
from tests.sokoban.unpacked import to_board
from tokoban.sokoban import rules
from tokoban.sokoban.board import OFFSETS, Board, Direction, Square
from tokoban.sokoban.formats.xsb import format_board, parse_board
from tokoban.sokoban.interior import interior
from tokoban.sokoban.simulation import wide_bitboards, wide_words
from tokoban.sokoban.simulation.wide_bitboards import WideBitboards

# Rows and columns, with how many words they take: a row of bits is one longer than a row of cells,
# and the last bit of all is left to the wall.
SIZES = {
    (1, 1): 1, (3, 5): 1, (9, 6): 1, (8, 7): 2, (8, 8): 2, (10, 10): 2, (9, 13): 2, (8, 15): 3,
    (13, 17): 4, (2, 63): 3, (3, 64): 4, (64, 3): 5, (63, 62): 63, (64, 63): 65, (64, 64): 66,
}  # fmt: skip
EVERY_SIZE = pytest.mark.parametrize(("height", "width"), SIZES)


def shown(board: Board, height: int = 0, width: int = 0) -> str:
    """The interior of a board by itself, with wall to its right and below up to a size."""
    inside = interior(board)
    rows = [["#"] * max(width, inside.width) for _ in range(max(height, inside.height))]
    letters = format_board(board).split("\n")
    for row, column in inside.floor:
        rows[row - inside.top][column - inside.left] = letters[row][column]
    return "\n".join("".join(row) for row in rows)


def random_boards() -> list[Board]:
    """Boards of five sizes, open and closed."""
    chance = random.Random(17)
    shapes = ((8, 8), (3, 7), (5, 19), (11, 2), (13, 10))
    return [
        random_board(chance, *shape, kind=kind, is_bordered=is_bordered)
        for shape, kind, is_bordered in product(shapes, KINDS.values(), (False, True))
    ]


@cache
def open_board(height: int, width: int) -> WideBitboards:
    none = frozenset[Square]()
    return wide_bitboards.pack([Board(height, width, none, none, none, Square(0, 0))])


@EVERY_SIZE
def test_boards_of_every_size_are_played_by_the_plain_rules(height: int, width: int) -> None:
    chance, draw = random.Random(height), torch.Generator().manual_seed(width)
    expected = [
        random_board(chance, height, width, kind=KINDS[name], is_bordered=name == "bordered")
        for name in ("bordered", "open")
        if height * width > 2  # room for a player and a box
    ]
    boards = wide_bitboards.pack(expected)
    for _ in range(5):
        actions = torch.randint(4, (len(expected),), generator=draw)
        boards = wide_bitboards.step(boards, actions)
        expected = list(map(rules.step, expected, actions.tolist()))
    for number, board in enumerate(expected):
        packed = to_board(boards, (number,))
        assert format_board(packed) == shown(board, *boards.size)


@EVERY_SIZE
def test_from_every_cell_the_player_can_go_wherever_there_is_one(height: int, width: int) -> None:
    row, column = torch.meshgrid(torch.arange(height), torch.arange(width), indexing="ij")
    boards = open_board(height, width).at(torch.zeros(height, width, dtype=torch.long))
    boards = boards._replace(player=row * (width + 1) + column + 1)
    expected = [row > 0, column > 0, row < height - 1, column < width - 1]
    assert torch.equal(wide_bitboards.is_legal(boards), torch.stack(expected, dim=-1))
    for direction, (down, right) in enumerate(OFFSETS):
        after = wide_bitboards.step(boards, torch.full((height, width), direction))
        moved = expected[direction].long()
        arrived = (row + down * moved) * (width + 1) + column + right * moved + 1
        assert torch.equal(after.player, arrived)


@pytest.mark.parametrize("direction", Direction)
@EVERY_SIZE
def test_a_box_is_pushed_wherever_there_is_a_cell_behind_it(
    height: int, width: int, direction: Direction
) -> None:
    down, right = OFFSETS[direction]
    row, column = torch.meshgrid(torch.arange(height), torch.arange(width), indexing="ij")
    has_box = torch.zeros(height, width, dtype=torch.bool)
    can_push = torch.zeros(height, width, dtype=torch.bool)
    for steps, cells in ((1, has_box), (2, can_push)):
        cells |= (row + steps * down >= 0) & (row + steps * down < height)
        cells &= (column + steps * right >= 0) & (column + steps * right < width)
    players = row[has_box] * (width + 1) + column[has_box] + 1
    offset = down * (width + 1) + right
    boards = open_board(height, width).at(torch.zeros(len(players), dtype=torch.long))

    def only(bits: torch.Tensor) -> torch.Tensor:
        return wide_words.only(wide_words.bit(bits, len(boards.boxes)), boards.boxes)

    boards = boards._replace(player=players, boxes=only(players + offset))
    after = wide_bitboards.step(boards, torch.full(players.shape, int(direction)))
    expected_boxes = torch.where(can_push[has_box], players + 2 * offset, players + offset)
    assert torch.equal(after.player, torch.where(can_push[has_box], players + offset, players))
    assert torch.equal(after.boxes, only(expected_boxes))


def test_a_board_alone_is_played_as_in_a_batch_of_larger_ones() -> None:
    boards = random_boards()
    together = wide_bitboards.pack(boards)
    draw = torch.Generator().manual_seed(23)
    actions = torch.randint(4, (29, len(boards)), generator=draw)
    alone = [wide_bitboards.pack([board]) for board in boards]
    for row in actions:
        together = wide_bitboards.step(together, row)
        alone = [
            wide_bitboards.step(single, row[number : number + 1])
            for number, single in enumerate(alone)
        ]
    for number, single in enumerate(alone):
        small = to_board(single)
        assert format_board(to_board(together, (number,))) == shown(small, *together.size)


# Where a cell lies.


def test_rows_of_bits_are_one_longer_than_rows_of_cells() -> None:
    boards = wide_bitboards.pack([parse_board("#-$|.@-"), parse_board("@")])
    assert boards.size == (2, 3)
    assert boards.boxes.tolist() == [[1 << 3, 0]]
    assert boards.goals.tolist() == [[1 << 5, 0]]
    assert boards.player.tolist() == [6, 1]
    floor = 1 << 2 | 1 << 3 | 1 << 5 | 1 << 6 | 1 << 7
    assert boards.walls.tolist() == [[~floor, ~2]]


@EVERY_SIZE
def test_as_few_words_as_leave_the_first_and_the_last_bit_to_the_wall(
    height: int, width: int
) -> None:
    boards = open_board(height, width)
    assert len(boards.walls) == SIZES[height, width]
    assert int(boards.walls[0, 0]) & 1 == 1
    assert int(boards.walls[-1, 0]) < 0


@EVERY_SIZE
def test_a_board_without_walls_comes_back_as_it_was(height: int, width: int) -> None:
    squares = list(product(range(height), range(width)))
    boxes = frozenset(Square(*square) for square in squares[1::3])
    goals = frozenset(Square(*square) for square in squares[::2])
    board = Board(height, width, frozenset(), goals, boxes, Square(0, 0))
    assert to_board(wide_bitboards.pack([board])) == board
