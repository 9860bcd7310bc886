"""Areas and pushes, in one word and in several, against drawings and walks on the plain board."""

import random
from dataclasses import replace
from itertools import product

import pytest
import torch

from benchmarks.random_boards import KINDS, random_board
from tests.sokoban.brute_force import pushes_of
from tests.sokoban.unpacked import to_board
from tokoban.sokoban.board import Board, Direction, Square
from tokoban.sokoban.formats.xsb import parse_board
from tokoban.sokoban.interior import interior
from tokoban.sokoban.simulation import bitboards, wide_bitboards
from tokoban.sokoban.simulation.simulators import Simulator

UP, LEFT, DOWN, RIGHT = Direction
BOTH = pytest.mark.parametrize("simulator", [bitboards, wide_bitboards], ids=["one", "wide"])

# A board, and the pushes that are possible: row and column of the box, and the direction.
DRAWN_PUSHES = {
    "---|-$-|-@-": [(1, 1, UP), (1, 1, DOWN), (1, 1, LEFT), (1, 1, RIGHT)],
    "-$-|-@-|---": [(0, 1, LEFT), (0, 1, RIGHT)],
    "$@-|---": [],
    "@$-": [(0, 1, RIGHT)],
    "@$$-": [],
    "@#$-": [],
    # There is no way to stand below the box, nor to push it there.
    "@--|-$-|-##": [(1, 1, LEFT), (1, 1, RIGHT)],
    "@--|-$#|---": [(1, 1, UP), (1, 1, DOWN)],
    # Boxes lock the player in.
    "--$--|-$@$-|--$--|-----": [(1, 1, LEFT), (1, 3, RIGHT), (2, 2, DOWN)],
    # Neither the end of a row nor the beginning of the next is behind the other.
    "-------@|$-------|--------": [(1, 0, UP), (1, 0, DOWN)],
    "@------$|--------": [],
    "--------|-------$|@-------": [(1, 7, UP), (1, 7, DOWN)],
}

SNAKE = "@-------|#######-|--------|-#######|--------|#######-|--------|-#######"


def random_boards() -> list[Board]:
    """Boards that fit one word, some of them in pieces, open and closed."""
    chance = random.Random(31)
    shapes = ((8, 8), (3, 7), (7, 5))
    return [
        random_board(chance, *shape, kind=kind, is_bordered=is_bordered)
        for shape, kind, is_bordered in product(shapes, KINDS.values(), (False, True))
    ]


def wide_boards() -> list[Board]:
    """Boards that do not fit one word."""
    chance = random.Random(37)
    shapes = ((11, 7), (3, 23))
    return [
        random_board(chance, *shape, kind=kind, is_bordered=False)
        for shape, kind in product(shapes, KINDS.values())
    ]


def boards_for(simulator: Simulator) -> list[Board]:
    return random_boards() + (wide_boards() if simulator is wide_bitboards else [])


def cell_of(board: Board, square: Square) -> tuple[int, int]:
    """Where a square lies once the board is packed."""
    inside = interior(board)
    return square.row - inside.top, square.column - inside.left


@BOTH
@pytest.mark.parametrize("drawn", DRAWN_PUSHES)
def test_pushes_are_as_drawn(simulator: Simulator, drawn: str) -> None:
    boards = simulator.pack([parse_board(drawn)])
    cells = boards.cells(simulator.pushes(boards))[0]
    pushes = [(row, column, direction) for direction, row, column in cells.nonzero().tolist()]
    assert sorted(pushes) == sorted(DRAWN_PUSHES[drawn])


@BOTH
def test_the_area_is_where_the_player_can_walk(simulator: Simulator) -> None:
    plain = boards_for(simulator)
    boards = simulator.pack(plain, margin=0)
    zones = boards.cells(simulator.reachable(boards))
    for zone, board in zip(zones, plain, strict=True):
        expected = sorted(cell_of(board, square) for square in board.area())
        assert [tuple(cell) for cell in zone.nonzero().tolist()] == expected


@BOTH
def test_pushes_are_those_that_a_walk_leads_to(simulator: Simulator) -> None:
    plain = boards_for(simulator)
    boards = simulator.pack(plain, margin=0)
    pushes = boards.cells(simulator.pushes(boards))
    num_pushes = 0
    for cells, board in zip(pushes, plain, strict=True):
        expected = sorted(
            (int(direction), *cell_of(board, box)) for box, direction in pushes_of(board)
        )
        assert [tuple(place) for place in cells.nonzero().tolist()] == expected
        num_pushes += len(expected)
    assert num_pushes > 100


@BOTH
def test_a_push_is_a_walk_and_a_move_and_an_impossible_one_is_nothing(simulator: Simulator) -> None:
    for board in boards_for(simulator):
        start = simulator.pack([board], margin=0)
        height, width = start.size
        places, directions = torch.meshgrid(
            torch.arange(height * width), torch.arange(4), indexing="ij"
        )
        boards = start.at(torch.zeros_like(places))
        after = simulator.push(boards, places, directions)
        expected = {
            (row * width + column, int(direction)): pushed
            for (box, direction), pushed in pushes_of(board).items()
            for row, column in [cell_of(board, box)]
        }
        # All pushes on one board, each on a copy of it: those of the plain rules, in their places.
        targets = simulator.pack([board, *expected.values()], margin=0)
        target = torch.zeros_like(places)
        for number, place in enumerate(expected, 1):
            target[place] = number
        assert torch.equal(after.boxes, targets.boxes[..., target])
        assert torch.equal(after.player, targets.player[target])


@BOTH
def test_an_area_that_is_known_is_not_sought_again(simulator: Simulator) -> None:
    boards = simulator.pack([parse_board("@--|-$-|---")], margin=0)
    nowhere = torch.zeros_like(simulator.reachable(boards))
    place, direction = torch.tensor([boards.size[1] + 1]), torch.tensor([3])
    assert not simulator.pushes(boards, nowhere).any()
    unmoved = simulator.push(boards, place, direction, nowhere)
    assert to_board(unmoved) == to_board(boards)
    zone = simulator.reachable(boards)
    assert torch.equal(simulator.pushes(boards, zone), simulator.pushes(boards))
    pushed = simulator.push(boards, place, direction, zone)
    assert to_board(pushed) == to_board(simulator.push(boards, place, direction))


@BOTH
def test_the_longest_walk_is_walked_to_its_end(simulator: Simulator) -> None:
    # There and back, and standing in the middle; the same lengthways.
    rows = SNAKE.split("|")
    snakes = [rows, [row[::-1] for row in rows], ["".join(row) for row in zip(*rows, strict=True)]]
    snakes.append([row.replace("@", "-") for row in rows[:7]] + ["@#######"])
    boards = simulator.pack([parse_board("|".join(snake)) for snake in snakes], margin=0)
    zone = boards.cells(simulator.reachable(boards))
    for cells, snake in zip(zone, snakes, strict=True):
        assert cells.tolist() == [[letter != "#" for letter in row] for row in snake]


def test_push_keys_are_equal_where_only_the_place_in_the_area_differs() -> None:
    plain = [
        replace(board, player=square)
        for board in boards_for(bitboards)[::5]
        for square in sorted(set(board.squares()) - board.walls - board.boxes)
    ]
    boards = bitboards.pack(plain, margin=0)
    keys = bitboards.push_keys(boards).tolist()
    packed = [to_board(boards, (row,)) for row in range(len(plain))]
    states = [(board.walls, board.goals, board.boxes, board.area()) for board in packed]
    assert len(set(keys)) == len(set(states)) == len(set(zip(keys, states, strict=True)))
    assert len(set(keys)) < bitboards.keys(boards).unique().numel()
