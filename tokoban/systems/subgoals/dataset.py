"""Positions with their exact subgoals, drawn while the network trains.

They are met in plays that follow best subgoals and push at random now and then. Each generated
level is used once. Axes: B positions, T tokens of squares (padded), F floor squares of one level.
"""

import random
from collections.abc import Container, Iterator, Sequence
from typing import NamedTuple

import numpy as np
import torch
from jaxtyping import Bool, UInt8
from torch import Tensor

from tokoban.sokoban.board import Board
from tokoban.sokoban.encoding.boards import Boards
from tokoban.sokoban.encoding.encoded import collated, seen
from tokoban.sokoban.encoding.tokens import Tokens
from tokoban.sokoban.instructions import benchmark
from tokoban.sokoban.instructions.play import Play
from tokoban.systems.subgoals.config import SubgoalsConfig
from tokoban.systems.subgoals.stretches import Stretches, Subgoal
from tokoban.training.ahead import BATCHES_A_DRAWING
from tokoban.training.streams import Purpose, derived_seed

NUM_BOXES = (2, 3, 4)

_PLAYS = 6  # of a level
_MOST_POSITIONS = 20  # of a play
_MOST_LOST = 2  # of a play
_ERRORS = 0.3  # subgoals in the place of which any legal push is made
_SYMMETRIES = 8


class Source(NamedTuple):
    """Where levels come from."""

    held_out: Container[str]  # canonical forms of levels
    boards: Sequence[Board] = ()  # that take turns with generated ones


class Labels(NamedTuple):
    """What is known of the subgoals of a position."""

    best: list[Subgoal]  # none where the position is lost
    safe: list[Subgoal]  # which can be carried out, after which the level can be solved


class Example(NamedTuple):
    """A position and its labels."""

    tokens: Tokens
    features: UInt8[np.ndarray, "F 17"]
    labels: Labels


class Batch(NamedTuple):
    """Positions with their subgoals."""

    boards: Boards
    is_best: Bool[Tensor, "B T T"]  # by the box and its target
    is_safe: Bool[Tensor, "B T T"]


def drawing(source: Source, config: SubgoalsConfig, place: int, number: int) -> list[Batch]:
    """Batches of positions that were drawn together, of many levels each."""
    seed = derived_seed(config.data_seed, Purpose.EXAMPLES, number, place)
    chance, size = random.Random(seed), config.batch_positions
    boards = _levels(source, chance, seed)
    examples: list[Example] = []
    while len(examples) < BATCHES_A_DRAWING * size:
        examples += examples_of(next(boards), chance)
    examples = chance.sample(examples, BATCHES_A_DRAWING * size)
    return [
        batch_of(examples[first : first + size], view=chance.randrange(_SYMMETRIES))
        for first in range(0, len(examples), size)
    ]


def _levels(source: Source, chance: random.Random, seed: int) -> Iterator[Board]:
    for board in benchmark.other_boards(source.held_out, seed=seed, num_boxes=NUM_BOXES):
        yield board
        if source.boards:
            yield chance.choice(source.boards)


def examples_of(board: Board, chance: random.Random) -> list[Example]:
    """Examples of one level."""
    stretches, tokens = Stretches(board), Tokens.of(board)
    drawn: dict[Board, Labels] = {}
    for _ in range(_PLAYS):
        drawn |= positions(stretches, chance)
    features, _ = tokens.features_of([*drawn])
    return [Example(tokens, *each) for each in zip(features, drawn.values(), strict=True)]


def positions(stretches: Stretches, chance: random.Random) -> dict[Board, Labels]:
    """The positions of a play, with the labels of their subgoals."""
    found: dict[Board, Labels] = {}
    position: int | None = 0
    board, num_lost = stretches.board(0), 0
    while not board.is_solved and len(found) < _MOST_POSITIONS and num_lost < _MOST_LOST:
        safe = {} if position is None else stretches.safe(position)
        best = {} if position is None else stretches.best(position, safe)
        found[board] = Labels(stretches.subgoals(best), stretches.subgoals(safe))
        num_lost += not best
        if best and chance.random() >= _ERRORS:
            position = chance.choice(chance.choice([*best.values()]).ends)
            board = stretches.board(position)
            continue
        legal = Play.of(board).pushes()
        if not legal:
            break
        push = chance.choice(legal)
        # What is not in the graph has a box on a dead square for good.
        position = None if position is None else stretches.after(position, push)
        board = Play.of(board).push(*push).board if position is None else stretches.board(position)
    return found


def batch_of(examples: Sequence[Example], *, view: int = 0) -> Batch:
    """Examples, padded, under a symmetry."""
    encoded = collated(
        [each.tokens for each in examples], [each.features[None] for each in examples]
    )
    boards = Boards.of(seen(encoded, view))
    num_tokens = boards.features.shape[1]
    is_best = torch.zeros(len(examples), num_tokens, num_tokens, dtype=torch.bool)
    is_safe = is_best.clone()
    for row, example in enumerate(examples):
        number = example.tokens.squares.number
        for is_such, subgoals in zip((is_best, is_safe), example.labels, strict=True):
            for box, target in subgoals:
                is_such[row, number[box], number[target]] = True
    return Batch(boards, is_best, is_safe)
