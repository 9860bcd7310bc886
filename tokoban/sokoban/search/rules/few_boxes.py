"""Which two or three boxes are deadlocked were they alone, from tables of all their positions.

Pairs and triples that can come to goals are found backwards (``box_sets``). The rest is deadlocked,
whatever else is on the board. The mirror image, for a search by pulls: what pushes from two or
three boxes of the start can reach. Conditions and sources in ``table``. Pairs are tabulated
again between boxes that are frozen on goals (``frozen_pairs``).

Axes as in ``box_sets``; rows of the tables are ``4 * number + direction`` of a live square.
"""

from functools import cache
from typing import NamedTuple, no_type_check

import numpy as np
from jaxtyping import Int16, Int64, UInt64

from tokoban.compiling import entry, inner
from tokoban.sokoban.board import Board, Square
from tokoban.sokoban.search.level.ground import NONE, Ground, Squares, build_ground
from tokoban.sokoban.search.level.words import EMPTY, index, lowest
from tokoban.sokoban.search.rules.box_sets import (
    is_missed,
    mark_lost_pairs,
    num_sets,
    number_of_set,
    sets_in_steps,
)
from tokoban.sokoban.search.rules.frozen_pairs import (
    FrozenPairs,
    empty_frozen_pairs,
    num_frozen_tables,
)
from tokoban.sokoban.search.state.positions import bit_of, copy, num_bytes, unpacked_bits
from tokoban.sokoban.search.steps import Steps, completed, for_a_while

MAX_SETS = 1 << 21  # triples of more live squares are not tabulated
MAX_PAIRED = 2048  # live squares
_TRIPLES_AT = 1024  # expansions; small levels are solved in fewer
_NEVER = 1 << 62


class FewBoxes(NamedTuple):
    """Squares on which other boxes deadlock a box, by its side where the player stands, as bits."""

    number: Int16[np.ndarray, "F+1"]  # of each live square; NONE elsewhere
    second: UInt64[np.ndarray, "L*4 W"]  # a second box deadlocks both
    has_third: UInt64[np.ndarray, "L*4 W"]  # a second box does together with some third
    third: UInt64[np.ndarray, "L*4 L W"]  # by the number of the second box; empty without triples
    frozen: FrozenPairs
    active_table: Int64[
        np.ndarray, "1"
    ]  # the table of ``frozen`` that holds at this position, or NONE


class LazyFewBoxes:
    """The tables of a level, made once its searches have lasted so long that they are worth it."""

    def __init__(self, ground: Ground, *, pairs_at: int, player: int = NONE) -> None:
        """``pairs_at`` is a number of expansions; ``player`` as in ``pairs_in_steps``."""
        self._ground, self._player = ground, player
        self.tables = no_few_boxes(len(ground.zone))
        self._next_at = pairs_at
        self._steps = pairs_in_steps(ground, player=player)
        self._has_pairs = self._has_begun_triples = False

    @property
    def next_at(self) -> int:
        """After so many expansions of any search, ``go_on`` is due."""
        return self._next_at

    def go_on(self) -> None:
        """Works for some 10 ms towards the next ``tables``."""
        self._has_begun_triples = self._has_pairs
        few = for_a_while(self._steps)
        if few is None:
            return
        self.tables = few
        if self._has_pairs:
            self._next_at = _NEVER
        else:
            self._next_at, self._has_pairs = max(self._next_at, _TRIPLES_AT), True
            self._steps = triples_in_steps(self._ground, few, player=self._player)

    def num_bytes(self) -> int:
        """The bytes of the tables, and the most of tables that are being made."""
        is_at_triples = self._has_begun_triples and self._next_at != _NEVER
        return num_bytes(self.tables) + is_at_triples * _bytes_for_triples(self._ground)


def no_few_boxes(num_floor: int) -> FewBoxes:
    """Tables that call nothing deadlocked."""
    num_words = -(-num_floor // 64)
    rows = np.zeros((2, 0, num_words), np.uint64)
    number = np.full(num_floor + 1, NONE, np.int16)
    third = np.zeros((0, 0, num_words), np.uint64)
    frozen = empty_frozen_pairs(number, num_tables=0)
    return FewBoxes(number, rows[0], rows[1], third, frozen, np.full(1, NONE))


def pairs_in_steps(ground: Ground, *, player: int = NONE) -> Steps[FewBoxes]:
    """The tables with all pairs; they call nothing deadlocked if there are too many squares.

    ``player`` is where the player starts, for the ground of a search by pulls.
    """
    num_floor = len(ground.zone)
    few = no_few_boxes(num_floor)
    squares = np.flatnonzero(~ground.is_dead).astype(np.int16)
    if len(ground.goals) < 2 or len(squares) > MAX_PAIRED:
        return few
    few.number[squares] = np.arange(len(squares))
    sets = yield from sets_in_steps(ground, few.number, 2, player)
    rows = np.zeros((2, 4 * len(squares), few.second.shape[1]), np.uint64)
    fill_second(sets, rows[0])
    yield
    few = few._replace(second=rows[0], has_third=rows[1])
    num_tables = 0 if player != NONE else num_frozen_tables(rows[0])
    return few._replace(frozen=empty_frozen_pairs(few.number, num_tables=num_tables))


def triples_in_steps(ground: Ground, few: FewBoxes, *, player: int = NONE) -> Steps[FewBoxes]:
    """The same tables with all triples, unless there are too many; the pairs are there."""
    if _bytes_for_triples(ground) > 0:
        num_live, num_words = len(few.second) // 4, few.second.shape[1]
        sets = yield from sets_in_steps(ground, few.number, 3, player)
        has_third = np.zeros_like(few.has_third)
        third = np.zeros((4 * num_live, num_live, num_words), np.uint64)
        for last in range(2, num_live):
            fill_third(sets, few.second, has_third, third, last)
            yield
        return few._replace(has_third=has_third, third=third)
    return few


@cache
def prepare() -> None:
    """Makes the tables of a small board, so that no clock counts the seconds of a compilation."""
    row = [Square(0, column) for column in range(7)]
    board = Board(1, 7, frozenset(), frozenset(row[1:4]), frozenset(row[1:4]), row[0])
    ground = build_ground(board, Squares(board))
    completed(triples_in_steps(ground, completed(pairs_in_steps(ground))))


def partners(
    few: FewBoxes, others: UInt64[np.ndarray, " W"], box: int, side: int
) -> tuple[int, ...]:
    """One or two of the other boxes that deadlock a box, the player at its side; else none."""
    num_floor = len(few.number) - 1
    if few.number[box] == NONE:
        return ()
    row = 4 * int(few.number[box]) + side
    second = np.flatnonzero(unpacked_bits(others & few.second[row], num_floor))
    if len(second) > 0:
        return (int(second[0]),)
    for other in np.flatnonzero(unpacked_bits(others & few.has_third[row], num_floor)).tolist():
        thirds = others & few.third[row, few.number[other]]
        for third in np.flatnonzero(unpacked_bits(thirds, num_floor)).tolist():
            return other, third
    return ()


def _bytes_for_triples(ground: Ground) -> int:
    """The most bytes of the tables of triples while they are made; 0 if there are none."""
    num_floor, num_live = len(ground.zone), int(np.count_nonzero(~ground.is_dead))
    count = num_sets(num_live, 3)
    if len(ground.goals) < 3 or num_live < 3 or count > MAX_SETS:
        return 0
    # The sets, with two regions each that wait, and the rows.
    return count * (8 + 2 + 2 * 8) + 4 * num_live**2 * -(-num_floor // 64) * 8


@entry
@no_type_check
def fill_second(sets, seconds):
    """Fills ``FewBoxes.second`` from all pairs."""
    mark_lost_pairs(sets, seconds)


@entry
@no_type_check
def fill_third(sets, seconds, has_third, thirds, last):
    """Fills ``FewBoxes.third`` from the triples whose last live square is ``last``.

    Those that a pair of the box at whose side the player stands deadlocks already are left out.
    """
    for second in range(1, last):
        for first in range(second):
            place = number_of_set(first, second, last, 3)
            for side in range(12):
                if not is_missed(sets, place, side):
                    continue
                i = side >> 2
                row = 4 * (first if i == 0 else second if i == 1 else last) + (side & 3)
                low = second if i == 0 else first
                high = second if i == 2 else last
                low_box, high_box = np.int64(sets.squares[low]), np.int64(sets.squares[high])
                is_known = seconds[row, low_box >> 6] & bit_of(low_box)
                is_known |= seconds[row, high_box >> 6] & bit_of(high_box)
                if is_known == EMPTY:
                    thirds[row, low, high_box >> 6] |= bit_of(high_box)
                    thirds[row, high, low_box >> 6] |= bit_of(low_box)
                    has_third[row, low_box >> 6] |= bit_of(low_box)
                    has_third[row, high_box >> 6] |= bit_of(high_box)


@inner
@no_type_check
def is_deadlocked_with_frozen(few, words, box, side):
    """As ``is_deadlocked_by_few``, or with the boxes frozen on goals as walls."""
    table = few.active_table[0]
    if table != NONE and few.number[box] != NONE:
        row = few.frozen.second[table, 4 * np.int64(few.number[box]) + side]
        for word in range(len(words)):
            if words[word] & row[word] != EMPTY:
                return True
    return is_deadlocked_by_few(few, words, box, side)


@inner
@no_type_check
def is_deadlocked_by_few(few, words, box, side):
    """Whether one or two of the other boxes of ``words`` deadlock a box.

    The player stands at its side ``side``, a direction.
    """
    if few.number[box] == NONE:
        return False
    row = 4 * np.int64(few.number[box]) + side
    for word in range(len(words)):
        if words[word] & few.second[row, word] != EMPTY:
            return True
    for word in range(len(words)):
        rest = words[word] & few.has_third[row, word]
        while rest != EMPTY:
            other = few.number[64 * word + index(rest)]
            rest ^= lowest(rest)
            for later in range(word, len(words)):
                if words[later] & few.third[row, other, later] != EMPTY:
                    return True
    return False


@inner
@no_type_check
def is_position_deadlocked_with_frozen(few, words, boxes, neighbours, area):
    """Whether ``is_deadlocked_with_frozen`` holds for a box and a side where ``area`` is 1.

    Asked where ``few.active_table`` is new to the position; without it, pushes lead to no such
    position.
    """
    if few.active_table[0] == NONE:
        return False
    others = few.frozen.words
    copy(words, others)
    for box in boxes:
        others[box >> 6] ^= bit_of(box)
        for side in range(4):
            if area[neighbours[box, side]] == 1 and is_deadlocked_with_frozen(
                few, others, box, side
            ):
                return True
        others[box >> 6] ^= bit_of(box)
    return False
