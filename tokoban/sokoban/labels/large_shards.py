"""Shards of levels of any size, with numbered squares instead of words of 8x8 cells.

Axes: N levels, Q positions, F floor squares of all levels, K boxes of all positions. The floor
squares of a level are numbered as in ``search.level.ground``, row by row. ``docs/labels.md`` lists
the arrays.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
from jaxtyping import Int32, Int64, UInt8, UInt16

from tokoban.sokoban.board import Board, Square
from tokoban.sokoban.labels.large import After, LargeLabels, LargeOrigin, LargePosition
from tokoban.sokoban.labels.shards import are_ends, have_rows, read_arrays
from tokoban.sokoban.labels.sources import LargeLevel
from tokoban.sokoban.search.level.ground import Squares


@dataclass(frozen=True, eq=False)
class LargeShard:
    """The arrays of one file."""

    level_floor_ends: Int64[np.ndarray, " N"]  # as ``level_ends``, of the floor squares
    level_ends: Int64[np.ndarray, " N"]  # of the positions
    level_file: Int32[np.ndarray, " N"]  # which of the job's ``sources``
    level_number: Int32[np.ndarray, " N"]  # in its file, from 0
    level_num_boxes: UInt16[np.ndarray, " N"]  # that the player can reach, in every position
    floor_row: UInt16[np.ndarray, " F"]  # in the drawing of the level, from 0
    floor_column: UInt16[np.ndarray, " F"]
    boxes: UInt16[np.ndarray, " K"]  # their squares; of each position ascending
    after: UInt16[np.ndarray, " K"]  # four bits a direction, the first lowest: an ``After``
    player: UInt16[np.ndarray, " Q"]  # the least square that it can walk to
    pushes_left: UInt16[np.ndarray, " Q"]
    level_verdict: UInt8[np.ndarray, " N"]  # a ``Verdict``; only solved levels have positions
    floor_is_goal: UInt8[np.ndarray, " F"]
    origin: UInt8[np.ndarray, " Q"]  # a ``LargeOrigin``

    def __len__(self) -> int:
        """The number of positions."""
        return len(self.player)

    @property
    def is_consistent(self) -> bool:
        """Whether its arrays are consistent: compiled code takes their numbers for squares."""
        if not (
            have_rows(self, "level_", self.level_ends.size)
            and have_rows(self, "floor_", self.floor_row.size)
            and have_rows(self, ("player", "pushes_left", "origin"), self.player.size)
            and are_ends(self.level_floor_ends, len(self.floor_row))
            and are_ends(self.level_ends, len(self))
        ):
            return False
        num_floor = np.diff(self.level_floor_ends, prepend=0)
        num_states = np.diff(self.level_ends, prepend=0)
        num_boxes = num_states * self.level_num_boxes
        goals_before = np.append(0, np.cumsum(self.floor_is_goal != 0))
        num_goals = np.diff(goals_before[self.level_floor_ends], prepend=0)
        return have_rows(self, ("boxes", "after"), int(num_boxes.sum())) and bool(
            (num_goals == self.level_num_boxes)[num_states > 0].all()
            and (self.boxes < np.repeat(num_floor, num_boxes)).all()
            and (self.player < np.repeat(num_floor, num_states)).all()
        )

    def level_of(self, state: int) -> int:
        """The level of a position."""
        return int(np.searchsorted(self.level_ends, state, side="right"))

    def floor(self, level: int) -> slice:
        """The entries of a level in ``floor_row`` and ``floor_column``."""
        start = 0 if level == 0 else int(self.level_floor_ends[level - 1])
        return slice(start, int(self.level_floor_ends[level]))

    def position(self, state: int) -> LargePosition:
        """One position with its labels."""
        level = self.level_of(state)
        num_boxes = int(self.level_num_boxes[level])
        first = int(self._box_starts[level]) + (state - self._first(level)) * num_boxes
        own = slice(first, first + num_boxes)
        fours = self.after[own].tolist()
        return LargePosition(
            tuple(self.boxes[own].tolist()),
            int(self.player[state]),
            LargeOrigin(int(self.origin[state])),
            int(self.pushes_left[state]),
            tuple(After(four >> 4 * direction & 15) for four in fours for direction in range(4)),
        )

    def board(self, state: int) -> Board:
        """One position as a board of what the player can reach, with walls around it."""
        level, position = self.level_of(state), self.position(state)
        own = self.floor(level)
        rows = (self.floor_row[own] - self.floor_row[own].min()).tolist()
        columns = (self.floor_column[own] - self.floor_column[own].min()).tolist()
        squares = [Square(row + 1, column + 1) for row, column in zip(rows, columns, strict=True)]
        height, width = max(rows) + 3, max(columns) + 3
        everywhere = (Square(row, column) for row in range(height) for column in range(width))
        return Board(
            height,
            width,
            frozenset(everywhere).difference(squares),
            frozenset(squares[i] for i in np.flatnonzero(self.floor_is_goal[own])),
            frozenset(squares[box] for box in position.boxes),
            squares[position.player],
        )

    def _first(self, level: int) -> int:
        return 0 if level == 0 else int(self.level_ends[level - 1])

    @cached_property
    def _box_starts(self) -> Int64[np.ndarray, " N"]:
        """The first entry of each level in ``boxes``."""
        num_states = np.diff(self.level_ends, prepend=0)
        num_boxes = num_states * self.level_num_boxes
        return np.cumsum(num_boxes) - num_boxes


def pack_large(levels: Sequence[LargeLevel], labelled: Sequence[LargeLabels]) -> LargeShard:
    """The shard of some levels and their positions."""
    grounds = [Squares(level.board) for level in levels]
    floor = [square for squares in grounds for square in squares.squares]
    is_goal = [
        square in level.board.goals
        for level, squares in zip(levels, grounds, strict=True)
        for square in squares.squares
    ]
    positions = [position for labels in labelled for position in labels.positions]
    codes = np.array([code for each in positions for code in each.after], np.uint16).reshape(-1, 4)
    return LargeShard(
        level_floor_ends=np.cumsum([len(squares.squares) for squares in grounds]),
        level_ends=np.cumsum([len(labels.positions) for labels in labelled]),
        level_file=np.array([level.file for level in levels], np.int32),
        level_number=np.array([level.number for level in levels], np.int32),
        level_num_boxes=np.array(
            [
                len(squares.numbers(level.board.boxes))
                for level, squares in zip(levels, grounds, strict=True)
            ],
            np.uint16,
        ),
        floor_row=np.array([square.row for square in floor], np.uint16),
        floor_column=np.array([square.column for square in floor], np.uint16),
        boxes=np.array([box for each in positions for box in each.boxes], np.uint16),
        after=(codes << np.arange(0, 16, 4, dtype=np.uint16)).sum(1, dtype=np.uint16),
        player=np.array([position.player for position in positions], np.uint16),
        pushes_left=np.array([position.pushes_left for position in positions], np.uint16),
        level_verdict=np.array([labels.verdict for labels in labelled], np.uint8),
        floor_is_goal=np.array(is_goal, np.uint8),
        origin=np.array([position.origin for position in positions], np.uint8),
    )


def read_large_shard(path: str | Path) -> LargeShard:
    """The arrays of a file, mapped; raises as ``shards.read_shard`` does."""
    return read_arrays(Path(path), LargeShard)[0]
