"""Which two boxes would be deadlocked alone, from a table of all their positions.

Pairs that can reach goals are found backwards (``box_pairs``). The rest are deadlocked, whatever
else is on the board. For a search by pulls the mirror image: what pushes from two boxes of the
start can reach. Condition and source in ``table``. Axes as in ``box_pairs``.
"""

from functools import cache
from typing import NamedTuple, no_type_check

import numpy as np
from jaxtyping import Int16, UInt64

from tokoban.compiling import inner
from tokoban.sokoban.board import Board, Square
from tokoban.sokoban.search.level.ground import NONE, Ground, Squares, build_ground
from tokoban.sokoban.search.level.words import EMPTY
from tokoban.sokoban.search.rules.box_pairs import box_pairs_in_steps, mark_lost
from tokoban.sokoban.search.state.positions import unpacked_bits
from tokoban.sokoban.search.steps import Steps, completed, for_a_while

MAX_LIVE = 2048  # pairs of more live squares are not tabulated
_NEVER = 1 << 62


class TwoBoxes(NamedTuple):
    """Squares on which another box deadlocks a box, by its side where the player stands, as bits.

    A row is ``4 * number + direction`` of a live square.
    """

    number: Int16[np.ndarray, "F+1"]  # of each live square; NONE elsewhere
    partners: UInt64[np.ndarray, "L*4 W"]


class LazyTwoBoxes:
    """The table of a level, made once its searches have lasted long enough to be worth it."""

    def __init__(self, ground: Ground, *, due_at: int, player: int = NONE) -> None:
        """``due_at`` is a number of expansions; ``player`` as in ``two_boxes_in_steps``."""
        self.table = no_two_boxes(len(ground.zone))
        self.due_at = due_at  # expansions of any search from which ``go_on`` has work
        self._steps = two_boxes_in_steps(ground, player=player)

    def go_on(self) -> None:
        """Works for some 10 ms towards the table."""
        table = for_a_while(self._steps)
        if table is not None:
            self.table, self.due_at = table, _NEVER


def no_two_boxes(num_floor: int) -> TwoBoxes:
    """A table that calls nothing deadlocked."""
    number = np.full(num_floor + 1, NONE, np.int16)
    return TwoBoxes(number, np.zeros((0, -(-num_floor // 64)), np.uint64))


def two_boxes_in_steps(ground: Ground, *, player: int = NONE) -> Steps[TwoBoxes]:
    """The table of all pairs; it calls nothing deadlocked if there are too many squares.

    ``player`` is where the player starts, for the ground of a search by pulls.
    """
    two = no_two_boxes(len(ground.zone))
    squares = np.flatnonzero(~ground.is_dead).astype(np.int16)
    if len(ground.goals) < 2 or len(squares) > MAX_LIVE:
        return two
    two.number[squares] = np.arange(len(squares))
    pairs = yield from box_pairs_in_steps(ground, two.number, player)
    partners = np.zeros((4 * len(squares), two.partners.shape[1]), np.uint64)
    mark_lost(pairs, partners)
    yield
    return two._replace(partners=partners)


@cache
def prepare() -> None:
    """Makes the table of a small board, so that no clock counts the seconds of a compilation."""
    row = [Square(0, column) for column in range(6)]
    board = Board(1, 6, frozenset(), frozenset(row[1:3]), frozenset(row[1:3]), row[0])
    completed(two_boxes_in_steps(build_ground(board, Squares(board))))


def partner(two: TwoBoxes, others: UInt64[np.ndarray, " W"], box: int, side: int) -> int | None:
    """The first of the other boxes that deadlocks a box, the player at its side; None without."""
    if two.number[box] == NONE:
        return None
    row = two.partners[4 * int(two.number[box]) + side]
    found = np.flatnonzero(unpacked_bits(others & row, len(two.number) - 1))
    return int(found[0]) if len(found) > 0 else None


@inner
@no_type_check
def is_deadlocked_pair(two, words, box, side):
    """Whether one of the other boxes of ``words`` deadlocks a box.

    The player stands at its side ``side``, a direction.
    """
    if two.number[box] == NONE:
        return False
    row = 4 * np.int64(two.number[box]) + side
    found = EMPTY
    for word in range(len(words)):
        found |= words[word] & two.partners[row, word]
    return found != EMPTY
