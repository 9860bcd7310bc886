"""Many levels as four words each, for compiled code; axes: N levels."""

from collections.abc import Collection, Iterable
from typing import Any, NamedTuple, no_type_check

import numpy as np
from jaxtyping import UInt64

from tokoban.compiling import inner
from tokoban.sokoban.board import Board, Square
from tokoban.sokoban.interior import decisive_squares
from tokoban.sokoban.search.level.words import EMPTY, count, flood
from tokoban.sokoban.sizes import SIDE


class Levels(NamedTuple):
    """Levels of up to 8x8 squares, in the cells of ``bitboards``."""

    walls: UInt64[np.ndarray, " N"]
    goals: UInt64[np.ndarray, " N"]
    boxes: UInt64[np.ndarray, " N"]
    player: UInt64[np.ndarray, " N"]

    @property
    def num_levels(self) -> int:
        """The number of levels."""
        return len(self.walls)

    @property
    def max_boxes(self) -> int:
        """The boxes, or goals, of the level that has most."""
        return int(np.bitwise_count(np.concatenate([self.boxes, self.goals])).max(initial=0))


def from_bitboards(boards: Iterable[Any]) -> Levels:
    """The levels of a batch of ``Bitboards`` with one axis.

    The type is not named here: it would import torch, which solving does not need.
    """
    return Levels(*(word.cpu().contiguous().numpy().view(np.uint64) for word in boards))


def from_board(board: Board, corner: Square | None = None) -> Levels | None:
    """The ``decisive_squares`` of one board; None if they do not lie within 8x8.

    Cell 0 is ``corner``; if that is None, their upper left corner. ``closed_in`` sees whether
    boxes or goals beyond the player's reach make the level unsolvable.
    """
    area = decisive_squares(board)
    rows, columns = zip(*area, strict=True)
    if max(max(rows) - min(rows), max(columns) - min(columns)) >= SIDE:
        return None
    top, left = corner or (min(rows), min(columns))

    def word(squares: Iterable[Square]) -> np.ndarray:
        cells = ((row - top) * SIDE + column - left for row, column in squares)
        return np.array([sum(1 << cell for cell in cells)], np.uint64)

    kept = (area, board.goals & area, board.boxes & area, {board.player})
    floor, goals, boxes, player = map(word, kept)
    return Levels(~floor, goals, boxes, player)


def corner_in_drawing(board: Board) -> Square:
    """The square to be cell 0 so that cells stay where they are drawn, if that is possible.

    It is (1, 1), inside a border as Boxoban's levels have it. On an axis where the
    ``decisive_squares`` lie elsewhere, it is the first row or column of these.
    """
    rows, columns = zip(*decisive_squares(board), strict=True)
    return Square(_first(rows), _first(columns))


def _first(places: Collection[int]) -> int:
    return 1 if min(places) >= 1 and max(places) <= SIDE else min(places)


@inner
@no_type_check
def closed_in(levels, level):
    """The floor that the player could walk to without boxes, with its goals and boxes; and whether
    these are as many, and every box outside is on a goal and every goal outside under a box."""
    floor = flood(levels.player[level], ~levels.walls[level])
    goals, boxes = levels.goals[level], levels.boxes[level]
    is_fair = (goals ^ boxes) & ~floor == EMPTY and count(goals & floor) == count(boxes & floor)
    return floor, goals & floor, boxes & floor, is_fair
