"""Plays random moves by all the rules at once and counts where they disagree.

Prints one JSON object with a row for each kind of board; exits with 1 if any two rules disagreed.
After every single move the plain rules are held against wide words and, where all boards of a batch
fit, single words: boxes, player and whether the board is solved.
"""

import argparse
import json
import random
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, fields
from itertools import cycle

import numpy as np
import torch

from benchmarks import harness
from benchmarks.random_boards import KINDS, cut_out, random_board
from tokoban.sokoban import rules
from tokoban.sokoban.board import Board, Square
from tokoban.sokoban.formats.levels import read_levels
from tokoban.sokoban.interior import interior
from tokoban.sokoban.simulation import bitboards, wide_bitboards
from tokoban.sokoban.simulation.simulators import simulator_for

# What the border encloses, or the whole board where it is open.
SHAPES = ((8, 8), (3, 5), (7, 4), (2, 8), (5, 7), (8, 3), (6, 6))
NUM_BOARDS = 200  # of one batch of random boards
GAME_MOVES = 40  # random play gets stuck: many short games push more than a few long ones

NUM_LEVELS = 40  # of one batch of real levels, which are much larger
LEVEL_MOVES = 120


@dataclass
class Counts:
    """Sums over games: ``solved`` and the disagreements are boards, looked at after each move."""

    moves: int = 0
    one_word_moves: int = 0  # of these, by the rules for single words too
    steps: int = 0
    pushes: int = 0
    solved: int = 0
    word_disagreements: int = 0
    wide_disagreements: int = 0

    def add(self, other: "Counts") -> None:
        for field in fields(self):
            setattr(self, field.name, getattr(self, field.name) + getattr(other, field.name))

    @property
    def num_disagreements(self) -> int:
        return self.word_disagreements + self.wide_disagreements


class ReferenceGames:
    """Games by the plain rules, written down in every form that there is to compare with."""

    def __init__(self, boards: Sequence[Board]) -> None:
        self.boards = list(boards)
        self._interiors = [interior(board) for board in boards]
        height = max(inside.height for inside in self._interiors)
        self._width = max(inside.width for inside in self._interiors)
        num_words = (height * (self._width + 1) + 64) // 64
        # Boxes and player.
        self.words = np.zeros((2, len(boards)), dtype=np.uint64)
        self.wide_boxes = np.zeros((len(boards), num_words), dtype=np.uint64)
        self.wide_player = np.zeros(len(boards), dtype=np.int64)
        self.is_solved = np.zeros(len(boards), dtype=bool)
        for number in range(len(boards)):
            self._write_boxes(number)
            self._write_player(number)

    def step(self, actions: Sequence[int]) -> tuple[int, int]:
        """Plays one move on each board; how many were plain steps, and how many pushes."""
        num_steps = num_pushes = 0
        for number, (before, action) in enumerate(zip(self.boards, actions, strict=True)):
            after = rules.step(before, action)
            if after == before:
                continue
            self.boards[number] = after
            self._write_player(number)
            if after.boxes != before.boxes:
                self._write_boxes(number)
                num_pushes += 1
            else:
                num_steps += 1
        return num_steps, num_pushes

    def _write_boxes(self, number: int) -> None:
        board = self.boards[number]
        word = wide_word = 0
        for square in board.boxes:
            bit, wide_bit = self._bits(number, square)
            word |= 1 << bit
            wide_word |= 1 << wide_bit
        self.words[0, number] = word & 2**64 - 1  # more only where one word is not enough
        wide_bytes = wide_word.to_bytes(8 * self.wide_boxes.shape[1], "little")
        self.wide_boxes[number] = np.frombuffer(wide_bytes, np.uint64)
        self.is_solved[number] = board.is_solved

    def _write_player(self, number: int) -> None:
        player = self.boards[number].player
        bit, self.wide_player[number] = self._bits(number, player)
        self.words[1, number] = 1 << bit & 2**64 - 1

    def _bits(self, number: int, square: Square) -> tuple[int, int]:
        """The bit of a square in one word, and in several."""
        row = square.row - self._interiors[number].top
        column = square.column - self._interiors[number].left
        return 8 * row + column, (self._width + 1) * row + column + 1


def play(boards: Sequence[Board], actions: np.ndarray) -> Counts:
    """Plays ``actions`` [moves, boards] from boards of one size and compares after each move."""
    reference = ReferenceGames(boards)
    on_wide_words = wide_bitboards.pack(boards)
    on_words = bitboards.pack(boards, margin=0) if simulator_for(boards) is bitboards else None
    counts = Counts(moves=actions.size, one_word_moves=actions.size if on_words else 0)
    for row in actions:
        num_steps, num_pushes = reference.step(row.tolist())
        counts.steps += num_steps
        counts.pushes += num_pushes
        counts.solved += int(reference.is_solved.sum())
        directions = torch.from_numpy(row)
        on_wide_words = wide_bitboards.step(on_wide_words, directions)
        wide_boxes = on_wide_words.boxes.numpy().view(np.uint64).T
        differs = (wide_boxes != reference.wide_boxes).any(axis=1)
        differs |= on_wide_words.player.numpy() != reference.wide_player
        differs |= wide_bitboards.is_solved(on_wide_words).numpy() != reference.is_solved
        counts.wide_disagreements += int(differs.sum())
        if on_words is not None:
            on_words = bitboards.step(on_words, directions)
            words = np.stack([on_words.boxes.numpy(), on_words.player.numpy()]).view(np.uint64)
            differs = (words != reference.words).any(axis=0)
            differs |= bitboards.is_solved(on_words).numpy() != reference.is_solved
            counts.word_disagreements += int(differs.sum())
    return counts


def random_batches(name: str, chance: random.Random) -> Iterator[list[Board]]:
    """Boards of one kind, a shape after the other, for ever."""
    kind = KINDS[name]
    # Seven shapes and one border or two: each meets each in the end.
    for shape, is_bordered in zip(cycle(SHAPES), cycle(kind.borders), strict=True):
        yield [
            random_board(chance, *shape, kind=kind, is_bordered=is_bordered)
            for _ in range(NUM_BOARDS)
        ]


def level_batches(
    levels: Sequence[Board], chance: random.Random, *, is_cut: bool
) -> Iterator[list[Board]]:
    """All levels, the small ones first, again and again; as drawn, or rectangles cut out of them.

    Every other rectangle fits one word.
    """
    levels = sorted(levels, key=lambda board: board.height * board.width)
    for max_side in cycle((bitboards.SIDE, 64)):
        for start in range(0, len(levels), NUM_LEVELS):
            batch = levels[start : start + NUM_LEVELS]
            if is_cut:
                batch = [cut_out(chance, board, max_side=max_side) for board in batch]
            yield batch


def compare(
    batches: Iterator[list[Board]], *, num_moves: int, game_moves: int, seed: int
) -> Counts:
    """Counts of at least ``num_moves`` random moves, in games of ``game_moves``."""
    draw = np.random.default_rng(seed)
    total = Counts()
    while total.moves < num_moves:
        boards = next(batches)
        total.add(play(boards, draw.integers(0, 4, (game_moves, len(boards)))))
    return total


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--moves", type=int, default=1_000_000, help="random moves of each kind")
    parser.add_argument("--levels", nargs="+", default=[], metavar="FILE", help="real levels too")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    levels = [level.board for file in arguments.levels for level in read_levels(file).levels]
    chances = {name: random.Random(f"{arguments.seed} {name}") for name in (*KINDS, "drawn", "cut")}
    kinds = {name: (random_batches(name, chances[name]), GAME_MOVES) for name in KINDS}
    if levels:
        for name in ("drawn", "cut"):
            batches = level_batches(levels, chances[name], is_cut=name == "cut")
            kinds[f"levels {name}"] = batches, LEVEL_MOVES
    rows, num_disagreements = {}, 0
    for name, (batches, game_moves) in kinds.items():
        start_s = time.perf_counter()
        counts = compare(
            batches, num_moves=arguments.moves, game_moves=game_moves, seed=arguments.seed
        )
        rows[name] = asdict(counts) | {"elapsed_s": round(time.perf_counter() - start_s, 1)}
        num_disagreements += counts.num_disagreements
    print(json.dumps(harness.about() | {"rows": rows}, indent=2))
    return 1 if num_disagreements else 0


if __name__ == "__main__":
    sys.exit(main())
