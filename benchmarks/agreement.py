"""Plays random moves by all three rules at once and counts where they disagree.

Prints one JSON object with a row for each kind of board; exits with 1 if any two rules disagreed.
The three are held together after every single move: boxes, player and whether the board is solved.
"""

import argparse
import json
import random
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from itertools import cycle

import numpy as np
import torch

from tokoban.sokoban import bitboards, rules, tensor_boards
from tokoban.sokoban.board import Board, Square

# What the border encloses, or the whole board where it is open.
SHAPES = ((8, 8), (3, 5), (7, 4), (2, 8), (5, 7), (8, 3), (6, 6))
NUM_BOARDS = 200  # of one batch
GAME_MOVES = 40  # random play gets stuck: many short games push more than a few long ones


@dataclass(frozen=True, kw_only=True)
class Kind:
    """What the random boards of one row of the table have in common."""

    borders: tuple[bool, ...]  # whether a wall encloses the board; batches take turns
    max_box_share: float  # of the squares that a border would enclose
    max_wall_share: float = 0.15


KINDS = {
    "bordered": Kind(borders=(True,), max_box_share=0.2),
    "open": Kind(borders=(False,), max_box_share=0.2),
    "crowded": Kind(borders=(False, True), max_box_share=0.4),
}


@dataclass
class Counts:
    """Sums over games: ``solved`` and the disagreements are boards, looked at after each move."""

    moves: int = 0
    steps: int = 0
    pushes: int = 0
    solved: int = 0
    plane_disagreements: int = 0
    word_disagreements: int = 0

    def add(self, other: "Counts") -> None:
        for field in fields(self):
            setattr(self, field.name, getattr(self, field.name) + getattr(other, field.name))


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


class ReferenceGames:
    """Games by the plain rules, written down as planes and as words to compare with."""

    def __init__(self, boards: Sequence[Board]) -> None:
        self.boards = list(boards)
        height, width = boards[0].height, boards[0].width
        self.planes = np.zeros((2, len(boards), height, width), dtype=bool)  # boxes, player
        self.words = np.zeros((2, len(boards)), dtype=np.uint64)
        self.is_solved = np.zeros(len(boards), dtype=bool)
        self._origins = [_origin(board) for board in boards]
        for number in range(len(boards)):
            self._write(number)

    def step(self, actions: Sequence[int]) -> tuple[int, int]:
        """Plays one move on each board; how many were plain steps, and how many pushes."""
        num_steps = num_pushes = 0
        for number, (before, action) in enumerate(zip(self.boards, actions, strict=True)):
            after = rules.step(before, action)
            if after == before:
                continue
            self.boards[number] = after
            self._write(number)
            is_push = after.boxes != before.boxes
            num_pushes += is_push
            num_steps += not is_push
        return num_steps, num_pushes

    def _write(self, number: int) -> None:
        board = self.boards[number]
        top, left = self._origins[number]
        for plane, squares in enumerate((board.boxes, {board.player})):
            cells = self.planes[plane, number]
            cells[:] = False
            word = 0
            for row, column in squares:
                cells[row, column] = True
                word |= 1 << bitboards.SIDE * (row - top) + column - left
            self.words[plane, number] = word
        self.is_solved[number] = board.is_solved


def play(boards: Sequence[Board], actions: np.ndarray) -> Counts:
    """Plays ``actions`` [moves, boards] from boards of one size and compares after each move."""
    reference = ReferenceGames(boards)
    on_planes = tensor_boards.from_boards(boards)
    on_words = bitboards.pack(boards)
    counts = Counts(moves=actions.size)
    for row in actions:
        num_steps, num_pushes = reference.step(row.tolist())
        on_planes = tensor_boards.step(on_planes, torch.from_numpy(row))
        on_words = bitboards.step(on_words, torch.from_numpy(row))
        counts.steps += num_steps
        counts.pushes += num_pushes
        counts.solved += int(reference.is_solved.sum())
        moving = np.stack([on_planes.boxes.numpy(), on_planes.player.numpy()])
        differs = (moving != reference.planes).any(axis=(0, 2, 3))
        differs |= tensor_boards.is_solved(on_planes).numpy() != reference.is_solved
        counts.plane_disagreements += int(differs.sum())
        words = np.stack([on_words.boxes.numpy(), on_words.player.numpy()])
        differs = (words != reference.words.view(np.int64)).any(axis=0)
        differs |= bitboards.is_solved(on_words).numpy() != reference.is_solved
        counts.word_disagreements += int(differs.sum())
    return counts


def compare(name: str, *, num_moves: int, seed: int) -> Counts:
    """Counts of at least ``num_moves`` random moves on boards of one kind, in all shapes."""
    kind = KINDS[name]
    chance = random.Random(f"{seed} {name}")
    draw = np.random.default_rng(chance.getrandbits(32))
    total = Counts()
    # Seven shapes and one border or two: each meets each in the end.
    for shape, is_bordered in zip(cycle(SHAPES), cycle(kind.borders), strict=True):
        if total.moves >= num_moves:
            return total
        boards = [
            random_board(chance, *shape, kind=kind, is_bordered=is_bordered)
            for _ in range(NUM_BOARDS)
        ]
        total.add(play(boards, draw.integers(0, 4, (GAME_MOVES, NUM_BOARDS))))
    raise AssertionError("the batches never end")


def _origin(board: Board) -> tuple[int, int]:
    """The square that lies in bit 0: the first one, or that of the floor on boards beyond 8x8."""
    if max(board.height, board.width) <= bitboards.SIDE:
        return 0, 0
    floor = np.ones((board.height, board.width), dtype=bool)
    floor[tuple(zip(*board.walls, strict=True))] = False
    rows, columns = floor.nonzero()
    return int(rows.min()), int(columns.min())


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--moves", type=int, default=1_000_000, help="random moves of each kind")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    rows, num_disagreements = {}, 0
    for name in KINDS:
        start_s = time.perf_counter()
        counts = compare(name, num_moves=arguments.moves, seed=arguments.seed)
        rows[name] = asdict(counts) | {"elapsed_s": round(time.perf_counter() - start_s, 1)}
        num_disagreements += counts.plane_disagreements + counts.word_disagreements
    print(json.dumps(rows, indent=2))
    return 1 if num_disagreements else 0


if __name__ == "__main__":
    sys.exit(main())
