"""The fast Boxoban reader: its words are the careful reader's boards, or it leaves them to that."""

import random
from collections.abc import Iterable
from dataclasses import replace

import numpy as np
import pytest

from tests.sokoban.brute_force import moved
from tokoban.sokoban.board import Board, Square
from tokoban.sokoban.formats import format_board, parse_board, parse_boxoban, write_boxoban
from tokoban.sokoban.formats.packed import PackedLevels, flood, joined, read_packed
from tokoban.sokoban.interior import enclosed
from tokoban.sokoban.simulation import bitboards

RING = frozenset(Square(r, c) for r in range(10) for c in range(10) if {r, c} & {0, 9})
CELLS = [Square(r, c) for r in range(1, 9) for c in range(1, 9)]


def random_board(chance: random.Random) -> Board:
    """A closed board; boxes or goals may be out of the player's reach."""
    cells = chance.sample(CELLS, 64)
    walls = RING | frozenset(cells[: chance.choice([0, 11, 23])])
    player, *rest = [cell for cell in cells if cell not in walls]
    number = chance.randint(1, 5)
    return Board(10, 10, walls, frozenset(rest[:number]), frozenset(rest[-number:]), player)


def random_levels(seed: int, number: int) -> list[Board]:
    chance = random.Random(seed)
    boards: list[Board] = []
    while len(boards) < number:
        board = random_board(chance)
        if (board.boxes | board.goals) <= board.inside():
            boards.append(board)
    return boards


def published(text: str, source: str = "") -> PackedLevels:
    packed = read_packed(text.encode(), source)
    assert packed is not None
    return packed


@pytest.mark.parametrize("number", [1, 10, 11, 101])
def test_words_are_the_boards(number: int) -> None:
    boards = random_levels(number, number)
    packed = published(write_boxoban(boards), "pool/hard/003.txt")
    assert [packed.board(row) for row in range(len(packed))] == boards
    assert packed.name(number - 1) == f"hard/003#{number - 1}"
    words = (packed.walls, packed.goals, packed.boxes, packed.player)
    for one, other in zip(words, bitboards.pack([within(board) for board in boards]), strict=True):
        assert np.array_equal(one.view(np.int64), other)


def within(board: Board) -> Board:
    """The 8x8 squares inside the ring."""
    squares = board.walls - RING, board.goals, board.boxes, [board.player]
    walls, goals, boxes, (player,) = (moved(some, -1, -1) for some in squares)
    return Board(8, 8, walls, goals, boxes, player)


@pytest.mark.parametrize("seed", range(5))
def test_the_flood_in_words_is_that_on_the_board(seed: int) -> None:
    chance = random.Random(seed)
    boards = [random_board(chance) for _ in range(17)]
    # Crowded boards as well, where a way leads along an edge or nowhere.
    boards += [
        replace(board, walls=RING | frozenset(chance.sample(CELLS, 31)) - occupied)
        for board in boards
        for occupied in [{board.player} | board.goals | board.boxes]
    ]
    free = [word(set(CELLS) - board.walls) for board in boards]
    start = [word({board.player}) for board in boards]
    reached = flood(np.array(start, np.uint64), np.array(free, np.uint64))
    assert reached.tolist() == [word(board.inside()) for board in boards]


def word(squares: Iterable[Square]) -> int:
    return sum(1 << (8 * (row - 1) + column - 1) for row, column in squares)


def test_files_are_joined_in_order() -> None:
    boards = random_levels(7, 6)
    parts = [published(write_boxoban(part)) for part in (boards[:3], boards[3:4], boards[4:])]
    packed = joined(parts, ("a", "b", "c"))
    assert [packed.board(row) for row in range(6)] == boards
    assert packed.file.tolist() == [0, 0, 0, 1, 2, 2]
    assert packed.number.tolist() == [0, 1, 2, 0, 0, 1]
    chosen = packed.at(packed.file == 2)
    assert [chosen.name(0), chosen.board(1)] == ["c#0", boards[5]]
    assert len(joined([], [])) == 0


def mutate(text: str, chance: random.Random) -> str:
    """The text with a letter changed, taken out or put in; or cut short, or with other lines."""
    place = chance.randrange(len(text))
    letter = chance.choice("# @$.;0\n\r*+x\t\u00e9")
    return chance.choice(
        [
            text[:place] + letter + text[place + 1 :],
            text[:place] + letter + text[place:],
            text[:place] + text[place + 1 :],
            text[:place],
            text.replace("\n", "\r\n"),
            text.replace("; 1\n", "; 999999999\n"),
            text.replace("#\n", " \n", 1),
        ]
    )


@pytest.mark.parametrize("seed", range(70))
def test_whatever_is_read_the_careful_reader_reads_the_same(seed: int) -> None:
    chance = random.Random(seed)
    number = chance.choice([1, 2, 3])
    text = mutate(write_boxoban([random_levels(seed, 1)[0]] * number), chance)
    packed, careful = read_packed(text.encode(), "f"), parse_boxoban(text)
    if packed is not None:
        assert not careful.problems
        assert packed.number.tolist() == [int(level.title) for level in careful.levels]
        assert [packed.board(row) for row in range(len(packed))] == [
            level.board for level in careful.levels
        ]


@pytest.mark.parametrize("damage", [("\n", "\r\n"), ("; 0", "; 1"), ("#\n", " \n"), ("$", "*")])
def test_what_is_not_laid_out_as_published_is_left_to_others(damage: tuple[str, str]) -> None:
    text = write_boxoban(random_levels(3, 2))
    assert read_packed(text.encode(), "f") is not None
    assert read_packed(text.replace(*damage, 1).encode(), "f") is None
    assert read_packed(b"", "f") is None


def test_what_can_be_read_in_words_has_nothing_that_nobody_can_reach() -> None:
    chance = random.Random(3)
    for board in (random_board(chance) for _ in range(50)):
        # The goals under boxes and under the player are lost, for Boxoban has no letters for them.
        drawn = format_board(board).replace("*", "$").replace("+", "@")
        if enclosed(parse_board(drawn)):
            assert read_packed(f"; 0\n{drawn}\n\n".encode(), "f") is None
