"""Many levels as four words each, for compiled code; axes: N levels."""

from collections.abc import Iterable
from typing import NamedTuple, no_type_check

import numpy as np
from jaxtyping import UInt64

from tokoban.sokoban.bitboards import SIDE, Bitboards
from tokoban.sokoban.board import Board, Square
from tokoban.sokoban.compiled import inner
from tokoban.sokoban.solving.words import EMPTY, count, flood


class Levels(NamedTuple):
    """Levels of up to 8x8 squares, in the cells of ``bitboards``."""

    walls: UInt64[np.ndarray, " N"]
    goals: UInt64[np.ndarray, " N"]
    boxes: UInt64[np.ndarray, " N"]
    player: UInt64[np.ndarray, " N"]

    def part(self, first: int, last: int) -> "Levels":
        """The levels from ``first`` on, before ``last``."""
        return Levels(*(word[first:last] for word in self))

    @property
    def num_levels(self) -> int:
        """How many there are."""
        return len(self.walls)

    @property
    def max_boxes(self) -> int:
        """The boxes, or goals, of the level that has most."""
        return int(np.bitwise_count(np.concatenate([self.boxes, self.goals])).max(initial=0))


def from_bitboards(boards: Bitboards) -> Levels:
    """The levels of a batch with one axis."""
    return Levels(*(word.cpu().contiguous().numpy().view(np.uint64) for word in boards))


def from_board(board: Board) -> Levels | None:
    """The part of one board that the player could walk to were there no boxes; None if over 8x8."""
    area = board.inside()
    rows, columns = zip(*area, strict=True)
    if max(max(rows) - min(rows), max(columns) - min(columns)) >= SIDE:
        return None

    def word(squares: Iterable[Square]) -> np.ndarray:
        cells = ((row - min(rows)) * SIDE + column - min(columns) for row, column in squares)
        return np.array([sum(1 << cell for cell in cells)], np.uint64)

    inside = (area, board.goals & area, board.boxes & area, {board.player})
    floor, goals, boxes, player = map(word, inside)
    return Levels(~floor, goals, boxes, player)


@inner
@no_type_check
def closed_in(levels, level):
    """The floor that the player could walk to were there no boxes, with its goals and boxes, and
    whether they are as many, and every box outside on a goal and every goal outside under a box."""
    floor = flood(levels.player[level], ~levels.walls[level])
    goals, boxes = levels.goals[level], levels.boxes[level]
    is_fair = (goals ^ boxes) & ~floor == EMPTY and count(goals & floor) == count(boxes & floor)
    return floor, goals & floor, boxes & floor, is_fair
