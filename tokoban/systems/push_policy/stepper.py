"""Games of one level as rows of pushes: what a beam search and rollouts step through.

Axes: R rows, A actions (the square of the box before the push * 4 + the direction), F floor squares
of ``ground.Squares``.
"""

from collections.abc import Sequence

import numpy as np
from jaxtyping import Bool, Float, UInt64

from tokoban.sokoban.board import OFFSETS, Board
from tokoban.sokoban.search.level.flood import flood
from tokoban.sokoban.search.level.ground import Squares, zobrist_keys
from tokoban.sokoban.search.searches.guided.guide import (
    MOST_DEADLOCKED,
    Guidance,
    Guide,
    legal_pushes,
)


class PushStepper:
    """Plays one game per row as a guide advises.

    The probability of an action is that of its push by the guide, times that of no deadlock after
    it, normalised. Equal rows are judged once. A row whose action is illegal stays as it is.
    """

    def __init__(self, guide: Guide, squares: Squares, board: Board, *, width: int) -> None:
        """``guide`` is made for ``squares``, the squares of ``board``, in which all rows begin."""
        self.num_evaluated = 0  # positions that the guide judged
        # Hashes of the positions: of the boxes and the squares that the player reaches.
        self.keys: UInt64[np.ndarray, " R"]
        # Of the actions; all -inf where no push is legal.
        self.log_probs: Float[np.ndarray, "R A"]
        self._guide, self._squares, self._start = guide, squares, board
        self._around = squares.neighbours[:-1].astype(np.int64)
        num_floor = len(squares.squares)
        self._keys = zobrist_keys(num_floor)
        self._goals = squares.is_among(board.goals)
        self._boxes = np.tile(squares.is_among(board.boxes), (width, 1))
        self._player = np.full(width, squares.number[board.player])
        self._marks, self._mark = np.zeros(num_floor + 1, np.int64), 0
        self._waiting = np.empty(num_floor + 1, np.int32)
        self._is_legal = np.zeros((width, num_floor, len(OFFSETS)), np.bool_)
        self._judge()

    def advance(self, parents: Sequence[int], actions: Sequence[int]) -> None:
        """Row i becomes what row ``parents[i]`` was, after one more push."""
        rows = np.asarray(parents)
        self._boxes, self._player = self._boxes[rows], self._player[rows]
        self._is_legal = self._is_legal[rows]
        for row, action in enumerate(actions):
            box, direction = divmod(action, len(OFFSETS))
            if self._is_legal[row, box, direction]:
                self._boxes[row, [box, self._around[box, direction]]] = False, True
                self._player[row] = box
        self._judge()

    def successor_keys(self) -> UInt64[np.ndarray, "R A"]:
        """Keys of the positions after each legal push; 0 for the others."""
        keys = np.zeros(self._is_legal.shape, np.uint64)
        for row, box, direction in np.argwhere(self._is_legal):
            boxes = self._boxes[row].copy()
            boxes[[box, self._around[box, direction]]] = False, True
            keys[row, box, direction] = self._key(boxes, int(box))
        return keys.reshape(len(keys), -1)

    def boards(self) -> list[Board]:
        """The rows as boards."""
        start, squares = self._start, self._squares.squares
        outside = start.boxes - set(squares)
        return [
            Board(
                start.height,
                start.width,
                start.walls,
                start.goals,
                outside | {squares[number] for number in np.flatnonzero(boxes)},
                squares[player],
            )
            for boxes, player in zip(self._boxes, self._player, strict=True)
        ]

    @property
    def pushes_left(self) -> Float[np.ndarray, " R"]:
        """The guide's estimate for each row, provided that it is solvable."""
        return np.where(self.is_solved, 0, self._guidance.pushes_left)

    @property
    def deadlocked(self) -> Float[np.ndarray, " R"]:
        """The guide's probability for each row that it is not solvable."""
        return np.where(self.is_solved, 0, self._guidance.deadlocked)

    @property
    def is_solved(self) -> Bool[np.ndarray, " R"]:
        """Which games are solved."""
        return (self._boxes == self._goals).all(axis=1)

    def _judge(self) -> None:
        """Asks the guide about all rows, and finds their legal pushes and log-probabilities."""
        zones = np.empty_like(self._boxes)
        self.keys = np.empty(len(self._boxes), np.uint64)
        for row, (boxes, player) in enumerate(zip(self._boxes, self._player, strict=True)):
            self.keys[row] = self._key(boxes, int(player))
            zones[row] = self._marks[:-1] == self._mark
        _, first, same = np.unique(self.keys, return_index=True, return_inverse=True)
        judged = self._guide.evaluate(self._boxes[first], zones[first])
        self.num_evaluated += len(first)
        self._guidance = Guidance(*(part[same] for part in judged))
        self._is_legal = legal_pushes(self._squares.neighbours, self._boxes, zones)
        deadlocks = self._guidance.push_deadlocks.clip(0, MOST_DEADLOCKED)
        preferred = np.where(
            self._is_legal, self._guidance.log_policy + np.log1p(-deadlocks), -np.inf
        ).reshape(len(zones), -1)
        totals = np.logaddexp.reduce(preferred, axis=1, keepdims=True)
        self.log_probs = preferred - np.where(np.isfinite(totals), totals, 0)

    def _key(self, boxes: Bool[np.ndarray, " F"], player: int) -> np.uint64:
        """The key of a position; leaves the player's zone marked."""
        self._mark += 1
        is_blocked = np.append(boxes, True)
        least = flood(
            self._squares.neighbours, is_blocked, player, self._marks, self._mark, self._waiting
        )
        return np.bitwise_xor.reduce(self._keys[0, boxes]) ^ self._keys[1, least]
