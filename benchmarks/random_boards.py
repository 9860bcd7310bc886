"""Boards to try rules on: random ones, boards after random pushes, and rectangles of levels."""

import random
from collections.abc import Set
from dataclasses import dataclass, replace

from tokoban.sokoban.board import Board, Direction, Square


@dataclass(frozen=True, kw_only=True)
class Kind:
    """The borders, boxes and walls of the random boards of one row of the table."""

    borders: tuple[bool, ...]  # whether a wall encloses the board; batches take turns
    max_box_share: float  # of the squares that a border would enclose
    max_wall_share: float = 0.15


KINDS = {
    "bordered": Kind(borders=(True,), max_box_share=0.2),
    "open": Kind(borders=(False,), max_box_share=0.2),
    "crowded": Kind(borders=(False, True), max_box_share=0.4),
}


def random_board(
    chance: random.Random, height: int, width: int, *, kind: Kind, is_bordered: bool
) -> Board:
    """A board of ``height`` x ``width`` squares, and a ring of wall about them if bordered."""
    ring = 1 if is_bordered else 0
    inside = [Square(row + ring, column + ring) for row in range(height) for column in range(width)]
    outside = {
        Square(row, column)
        for row in range(height + 2 * ring)
        for column in range(width + 2 * ring)
    } - set(inside)
    num_boxes = 1 + int(chance.uniform(0, kind.max_box_share) * len(inside))
    num_walls = int(chance.uniform(0, kind.max_wall_share) * len(inside))
    player, *others = chance.sample(inside, 1 + num_boxes + num_walls)
    walls = set(others[num_boxes:])
    floor = [square for square in inside if square not in walls]
    return Board(
        height=height + 2 * ring,
        width=width + 2 * ring,
        walls=frozenset(walls | outside),
        goals=frozenset(chance.sample(floor, num_boxes)),
        boxes=frozenset(others[:num_boxes]),
        player=player,
    )


def after_pushes(
    chance: random.Random, board: Board, num_pushes: int, *, never_to: Set[Square] = frozenset()
) -> Board:
    """The board after so many random pushes, or fewer where no more can be made.

    A push comes after any walk; no box is pushed onto a square of ``never_to``.
    """
    for _ in range(num_pushes):
        area = board.area()
        pushes = [
            (box, ahead)
            for box in sorted(board.boxes)
            for direction in Direction
            if box.neighbour(direction.opposite) in area
            and board.is_free(ahead := box.neighbour(direction))
            and ahead not in never_to
        ]
        if not pushes:
            break
        box, ahead = chance.choice(pushes)
        board = replace(board, boxes=board.boxes - {box} | {ahead}, player=box)
    return board


def cut_out(chance: random.Random, board: Board, *, max_side: int) -> Board:
    """A random rectangle of the board with the player in it, and nothing but an edge around it."""
    top, bottom = _stretch(chance, board.player.row, board.height, max_side)
    left, right = _stretch(chance, board.player.column, board.width, max_side)

    def moved(squares: frozenset[Square]) -> frozenset[Square]:
        return frozenset(
            Square(row - top, column - left)
            for row, column in squares
            if top <= row < bottom and left <= column < right
        )

    (player,) = moved(frozenset({board.player}))
    walls, goals, boxes = moved(board.walls), moved(board.goals), moved(board.boxes)
    return Board(bottom - top, right - left, walls, goals, boxes, player)


def _stretch(chance: random.Random, place: int, length: int, longest: int) -> tuple[int, int]:
    """The two ends of a random part of ``range(length)`` with ``place`` in it."""
    start = chance.randint(max(0, place - longest + 1), place)
    return start, chance.randint(place + 1, min(length, start + longest))
