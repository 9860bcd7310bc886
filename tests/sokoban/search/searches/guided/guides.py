"""Guides for tests, by a table of all positions of a small board."""

import zlib
from collections.abc import Iterator

import numpy as np

from tests.sokoban.search.push_graph import Position, push_graph, pushes_left
from tokoban.sokoban.board import Board
from tokoban.sokoban.search.level.ground import Squares
from tokoban.sokoban.search.searches.guided.guide import Guidance, Guide, legal_pushes
from tokoban.sokoban.search.searches.guided.tree import UNIFORM_SHARE


class DrawnGuide:
    """Any policy and any judgement, drawn by position: the same wherever it is met."""

    def __init__(self, squares: Squares, *, seed: int, spread: float = 2.0) -> None:
        self._neighbours, self._seed, self._spread = squares.neighbours, seed, spread
        self.evaluated: list[bytes] = []  # every row of every batch

    def evaluate(self, boxes: np.ndarray, zone: np.ndarray) -> Guidance:
        keys = [
            b"".join((row.tobytes(), area.tobytes())) for row, area in zip(boxes, zone, strict=True)
        ]
        self.evaluated += keys
        draws = [np.random.default_rng([self._seed, zlib.crc32(key)]) for key in keys]
        drawn = np.stack([draw.normal(0, self._spread, (*boxes.shape[1:], 4)) for draw in draws])
        logits = np.where(legal_pushes(self._neighbours, boxes, zone), drawn, -np.inf)
        with np.errstate(invalid="ignore"):  # a position without any push
            log_policy = logits - np.logaddexp.reduce(logits, axis=(1, 2), keepdims=True)
        return Guidance(
            log_policy.astype(np.float32),
            np.array([draw.exponential(5) for draw in draws], np.float32),
            np.array([draw.uniform() for draw in draws], np.float32),
            np.stack([draw.uniform(size=(*boxes.shape[1:], 4)) for draw in draws]).astype(
                np.float32
            ),
        )


class PerfectGuide:
    """Puts all probability on one push of a shortest solution, and knows the pushes left."""

    def __init__(self, board: Board, squares: Squares) -> None:
        self._squares, self._graph = squares, push_graph(board)
        self._left = pushes_left(self._graph, board.goals)

    def evaluate(self, boxes: np.ndarray, zone: np.ndarray) -> Guidance:
        shape = (*boxes.shape, 4)
        guidance = Guidance(
            np.full(shape, -np.inf, np.float32),
            np.zeros(len(boxes), np.float32),
            np.zeros(len(boxes), np.float32),
            np.zeros(shape, np.float32),
        )
        for row, (own, area) in enumerate(zip(boxes, zone, strict=True)):
            squares = self._squares.squares
            position = (
                frozenset(squares[i] for i in np.flatnonzero(own)),
                min(squares[i] for i in np.flatnonzero(area)),
            )
            guidance.deadlocked[row] = position not in self._left
            guidance.pushes_left[row] = self._left.get(position, 0)
            for box, after in sorted(self._graph[position], key=lambda push: push[0]):
                if self._left.get(after) == self._left.get(position, 0) - 1:
                    number = self._squares.number[box]
                    (end,) = after[0] - position[0]
                    ahead = (
                        self._squares.neighbours[number].tolist().index(self._squares.number[end])
                    )
                    guidance.log_policy[row, number, ahead] = 0.0
                    break
        return guidance


class LeaningGuide:
    """A policy that leans to the pushes of a shortest solution; it knows no deadlocks."""

    def __init__(self, board: Board, squares: Squares, *, lean: float, seed: int) -> None:
        self._perfect = PerfectGuide(board, squares)
        self._drawn = DrawnGuide(squares, seed=seed)
        self._lean = lean

    def evaluate(self, boxes: np.ndarray, zone: np.ndarray) -> Guidance:
        perfect, drawn = (part.evaluate(boxes, zone) for part in (self._perfect, self._drawn))
        best, any_push = np.exp(perfect.log_policy), np.exp(drawn.log_policy)
        is_lost = perfect.deadlocked[:, None, None] == 1
        mixed = np.where(is_lost, any_push, self._lean * best + (1 - self._lean) * any_push)
        with np.errstate(divide="ignore"):
            log_policy = np.log(mixed).astype(np.float32)
        return perfect._replace(log_policy=log_policy, deadlocked=np.zeros_like(perfect.deadlocked))


def probabilities(
    board: Board, squares: Squares, guide: Guide
) -> dict[Position, list[tuple[Position, float]]]:
    """For each position those after each push, with the probability of the push in a mixture of the
    guide's policy and the uniform one."""
    found = {}
    for position, pushes in push_graph(board).items():
        found[position] = list(_each_push(board, squares, guide, position, pushes))
    return found


def _each_push(
    board: Board, squares: Squares, guide: Guide, position: Position, pushes: list
) -> Iterator[tuple[Position, float]]:
    boxes, player = position
    area = board.flood(player, board.walls | boxes)
    rows = [squares.is_among(marked)[None] for marked in (boxes, set(area))]
    policy = np.exp(guide.evaluate(*rows).log_policy[0].astype(np.float64))
    for box, after in pushes:
        (end,) = after[0] - boxes
        number = squares.number[box]
        direction = squares.neighbours[number].tolist().index(squares.number[end])
        share = policy[number, direction] / policy.sum()
        yield after, (1 - UNIFORM_SHARE) * share + UNIFORM_SHARE / len(pushes)
