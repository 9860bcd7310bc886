"""Which two or three boxes are deadlocked were they alone, from tables of all their positions.

Pairs and triples that can come to goals are found backwards: by pulls from all ways to fill goals
("retrograde analysis"). The rest is deadlocked, whatever else is on the board. The mirror image,
for a search by pulls: what pushes from two or three boxes of the start can reach. Conditions and
sources in ``deadlocks``. Pairs are tabulated again between boxes that are frozen on goals.

Axes as in ``ground``, and L live squares (where a lone box is not deadlocked), K sets of two or
three live squares. A set is numbered by its live squares, ascending. Side ``4 * i + direction`` is
that of its box ``i``, and names a *region* of the floor between the boxes if it is the first side
that lies in it. Rows of the tables are ``4 * number + direction`` of a live square.
"""

from functools import cache
from typing import NamedTuple, no_type_check

import numpy as np
from jaxtyping import Bool, Int16, Int64, UInt16, UInt64

from tokoban.compiling import entry, inner
from tokoban.sokoban.board import Board, Square
from tokoban.sokoban.search.bitboard.words import EMPTY, index, lowest
from tokoban.sokoban.search.fess.regions import Regions, empty_regions, find_regions, region_of
from tokoban.sokoban.search.flood import flood
from tokoban.sokoban.search.ground import NONE, Ground, Squares, build_ground
from tokoban.sokoban.search.positions import bit_of, num_bytes, unpacked_bits
from tokoban.sokoban.search.steps import Steps, Underway, completed

MAX_SETS = 1 << 21  # triples of more live squares are not tabulated
MAX_PAIRED = 2048  # live squares
_EXPANSIONS_A_STEP = 1 << 15
_NO_REGION = 15
_TRIPLES_AT = 1024  # expansions; small levels are solved in fewer
_NEVER = 1 << 62
# Tables between frozen boxes: at most so many, for so many live squares, made when a set of frozen
# boxes was asked for so often.
_MAX_FROZEN, _MAX_FROZEN_BYTES, _MAX_FROZEN_LIVE, ASKED_BEFORE = 512, 1 << 23, 256, 16
_ASKED = 1 << 12  # sets remembered
_REGIONS_EACH = 4  # of a pair, on average at most


class FewBoxes(NamedTuple):
    """Squares on which other boxes deadlock a box, by its side where the player stands, as bits."""

    number: Int16[np.ndarray, "F+1"]  # of each live square; NONE elsewhere
    second: UInt64[np.ndarray, "L*4 W"]  # a second box deadlocks both
    has_third: UInt64[np.ndarray, "L*4 W"]  # a second box does together with some third
    third: UInt64[np.ndarray, "L*4 L W"]  # by the number of the second box; empty without triples
    frozen: "FrozenPairs"
    now: Int64[np.ndarray, "1"]  # the table of ``frozen`` that holds at this position, or NONE


class FrozenPairs(NamedTuple):
    """The deadlocked pairs between boxes that are frozen on goals; axes A sets of these boxes that
    were asked for, E sets that have a table.

    A set has one place in ``sets``, which it loses to another until it has a table.
    """

    sets: UInt64[np.ndarray, "A W"]
    num_asked: Int64[np.ndarray, " A"]
    table: Int64[np.ndarray, " A"]  # number of the table, or NONE
    second: UInt64[np.ndarray, "E L*4 W"]  # as in ``FewBoxes``
    num_tables: Int64[np.ndarray, "1"]
    # Workspace.
    pairs: "_Sets"
    waiting: Int64[np.ndarray, " _"]
    regions: Regions
    is_blocked: Bool[np.ndarray, "F+1"]
    words: UInt64[np.ndarray, " W"]


class FewBoxesLater:
    """The tables of a level, made once its searches have lasted so long that they are worth it."""

    def __init__(self, ground: Ground, *, pairs_at: int, player: int = NONE) -> None:
        """``pairs_at`` is a number of expansions; ``player`` as in ``pairs_in_steps``."""
        self._ground, self._player = ground, player
        self.tables = no_few_boxes(len(ground.zone))
        self._next_at = pairs_at
        self._steps = Underway(pairs_in_steps(ground, player=player))
        self._has_pairs = False

    @property
    def next_at(self) -> int:
        """After so many expansions of any search, ``go_on`` is due."""
        return self._next_at

    def go_on(self) -> None:
        """Works for some 10 ms towards the next ``tables``."""
        few = self._steps.go_on()
        if few is None:
            return
        self.tables = few
        if self._has_pairs:
            self._next_at = _NEVER
        else:
            self._next_at, self._has_pairs = max(self._next_at, _TRIPLES_AT), True
            self._steps = Underway(triples_in_steps(self._ground, few, player=self._player))

    def num_bytes(self) -> int:
        """Of the tables, and of those that are being made at their most."""
        is_at_triples = self._has_pairs and self._steps.is_begun and self._next_at != _NEVER
        return num_bytes(self.tables) + is_at_triples * _bytes_for_triples(self._ground)


def few_boxes_both_ways(
    forward: Ground, backward: Ground, player: int
) -> tuple[FewBoxesLater, FewBoxesLater]:
    """For searches by pushes, and for those by pulls; pairs are made at once."""
    return (
        FewBoxesLater(forward, pairs_at=0),
        FewBoxesLater(backward, pairs_at=0, player=player),
    )


class _Sets(NamedTuple):
    """All positions of two or of three boxes, and those that were reached from the ends."""

    squares: Int16[np.ndarray, " L"]
    number: Int16[np.ndarray, "F+1"]
    regions: UInt64[np.ndarray, " K"]  # the region of each side, four bits each
    is_reached: UInt16[np.ndarray, " K"]  # by side
    names: Int16[np.ndarray, "12"]  # workspace
    progress: Int64[np.ndarray, "3"]


# Entries of `_Sets.progress`.
NUM_REGIONS, FIRST_WAITING, NUM_WAITING = range(3)


def no_few_boxes(num_floor: int) -> FewBoxes:
    """Tables that call nothing deadlocked."""
    num_words = -(-num_floor // 64)
    rows = np.zeros((2, 0, num_words), np.uint64)
    number = np.full(num_floor + 1, NONE, np.int16)
    third = np.zeros((0, 0, num_words), np.uint64)
    frozen = _no_frozen_pairs(number, num_tables=0)
    return FewBoxes(number, rows[0], rows[1], third, frozen, np.full(1, NONE))


def _no_frozen_pairs(number: Int16[np.ndarray, " _"], *, num_tables: int) -> FrozenPairs:
    num_floor, num_live = len(number) - 1, int(np.count_nonzero(number != NONE))
    num_words = -(-num_floor // 64)
    num_places = _ASKED if num_tables else 0
    pairs = _no_sets(number, num_sets(num_live, 2) if num_tables else 0)
    is_blocked = np.zeros(num_floor + 1, np.bool_)
    is_blocked[num_floor] = True
    return FrozenPairs(
        sets=np.zeros((num_places, num_words), np.uint64),
        num_asked=np.zeros(num_places, np.int64),
        table=np.full(num_places, NONE),
        second=np.zeros((num_tables, 4 * num_live, num_words), np.uint64),
        num_tables=np.zeros(1, np.int64),
        pairs=pairs,
        waiting=np.zeros(_REGIONS_EACH * len(pairs.regions), np.int64),
        regions=empty_regions(num_floor),
        is_blocked=is_blocked,
        words=np.zeros(num_words, np.uint64),
    )


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
    sets = yield from _sets_in_steps(ground, few.number, 2, player)
    rows = np.zeros((2, 4 * len(squares), few.second.shape[1]), np.uint64)
    fill_second(sets, rows[0])
    yield
    few = few._replace(second=rows[0], has_third=rows[1])
    if player != NONE or len(squares) > _MAX_FROZEN_LIVE:
        return few
    num_tables = min(_MAX_FROZEN, _MAX_FROZEN_BYTES // rows[0].nbytes)
    return few._replace(frozen=_no_frozen_pairs(few.number, num_tables=num_tables))


def triples_in_steps(ground: Ground, few: FewBoxes, *, player: int = NONE) -> Steps[FewBoxes]:
    """The same tables with all triples, unless there are too many; the pairs are there."""
    if _bytes_for_triples(ground) > 0:
        num_live, num_words = len(few.second) // 4, few.second.shape[1]
        sets = yield from _sets_in_steps(ground, few.number, 3, player)
        has_third = np.zeros_like(few.has_third)
        third = np.zeros((4 * num_live, num_live, num_words), np.uint64)
        for last in range(2, num_live):
            fill_third(sets, few.second, has_third, third, last)
            yield
        return few._replace(has_third=has_third, third=third)
    return few


def _no_sets(number: Int16[np.ndarray, " _"], count: int) -> _Sets:
    return _Sets(
        squares=np.flatnonzero(number != NONE).astype(np.int16),
        number=number,
        regions=np.zeros(count, np.uint64),
        is_reached=np.zeros(count, np.uint16),
        names=np.zeros(12, np.int16),
        progress=np.zeros(3, np.int64),
    )


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


def num_sets(num_live: int, size: int) -> int:
    """How many sets there are of ``size`` live squares."""
    pairs = num_live * (num_live - 1) // 2
    return pairs if size == 2 else pairs * (num_live - 2) // 3


def _bytes_for_triples(ground: Ground) -> int:
    """What the tables of triples take at most while they are made; 0 if there are none."""
    num_floor, num_live = len(ground.zone), int(np.count_nonzero(~ground.is_dead))
    count = num_sets(num_live, 3)
    if len(ground.goals) < 3 or num_live < 3 or count > MAX_SETS:
        return 0
    # The sets, with two regions each that wait, and the rows.
    return count * (8 + 2 + 2 * 8) + 4 * num_live**2 * -(-num_floor // 64) * 8


def _sets_in_steps(
    ground: Ground, number: Int16[np.ndarray, " _"], size: int, player: int
) -> Steps[_Sets]:
    """All positions of ``size`` boxes; those reached are by pulls from goals, or, if the player
    starts somewhere, by pushes from there."""
    squares = np.flatnonzero(number != NONE).astype(np.int16)
    num_floor, num_live = len(ground.zone), len(squares)
    sets = _no_sets(number, num_sets(num_live, size))
    is_blocked = np.zeros(num_floor + 1, np.bool_)
    is_blocked[num_floor] = True
    yield
    regions = empty_regions(num_floor)
    for last in range(size - 1, num_live):
        fill_regions(ground.neighbours, sets, regions, is_blocked, size, last)
        yield
    waiting = np.empty(int(sets.progress[NUM_REGIONS]), np.int64)
    marks, queue = np.zeros((2, num_floor + 1), np.int32)
    for last in range(size - 1, len(ground.goals)):
        enter_ends(ground, sets, waiting, is_blocked, marks, queue, size, last, player)
        yield
    while sets.progress[FIRST_WAITING] < sets.progress[NUM_WAITING]:
        spread(
            ground.neighbours,
            sets,
            waiting,
            is_blocked,
            size,
            player != NONE,
            _EXPANSIONS_A_STEP,
        )
        yield
    return sets


@inner
@no_type_check
def _place_of_set(first, second, third, size):
    """The number of a set of live squares, which ascend; ``third`` counts for triples only."""
    place = second * (second - 1) // 2 + first
    return place + third * (third - 1) * (third - 2) // 6 if size == 3 else place


@inner
@no_type_check
def _box(sets, first, second, third, i):
    """The square of box ``i`` of a set."""
    return np.int64(sets.squares[first if i == 0 else second if i == 1 else third])


@entry
@no_type_check
def fill_regions(neighbours, sets, regions, is_blocked, size, last):
    """Fills the regions of all sets whose last live square is ``last``."""
    if size == 2:
        _fill_regions(neighbours, sets, regions, is_blocked, last, 0, 2)
        return
    is_blocked[sets.squares[last]] = True
    for second in range(1, last):
        _fill_regions(neighbours, sets, regions, is_blocked, second, last, 3)
    is_blocked[sets.squares[last]] = False


@inner
@no_type_check
def _fill_regions(neighbours, sets, regions, is_blocked, second, third, size):
    """The same for all first boxes; the floor is searched once for all of them."""
    is_blocked[sets.squares[second]] = True
    find_regions(neighbours, is_blocked, regions)
    names = sets.names
    for first in range(second):
        if is_blocked[sets.squares[first]]:
            sets.regions[_place_of_set(first, second, third, size)] = ~EMPTY
            continue
        lifted = np.int64(sets.squares[first])
        packed = np.uint64(0)
        for side in range(4 * size):
            beside = np.int64(neighbours[_box(sets, first, second, third, side >> 2), side & 3])
            region = _NO_REGION
            names[side] = NONE
            if beside != lifted and not is_blocked[beside]:
                names[side] = region_of(neighbours, regions, lifted, beside)
                region = 0
                while names[region] != names[side]:
                    region += 1
                sets.progress[NUM_REGIONS] += region == side
            packed |= np.uint64(region) << np.uint64(4 * side)
        sets.regions[_place_of_set(first, second, third, size)] = packed
    is_blocked[sets.squares[second]] = False


@inner
@no_type_check
def _region_at(sets, place, side):
    """The region in which a side of a box lies; ``_NO_REGION`` if it is no free floor."""
    return np.int64(sets.regions[place] >> np.uint64(4 * side) & np.uint64(_NO_REGION))


@inner
@no_type_check
def _reach(sets, waiting, first, second, third, size, region):
    """Marks a position, and lets it wait if it is new."""
    place = _place_of_set(first, second, third, size)
    if sets.is_reached[place] >> region & 1:
        return
    for side in range(4 * size):
        if _region_at(sets, place, side) == region:
            sets.is_reached[place] |= np.uint16(1 << side)
    waiting[sets.progress[NUM_WAITING]] = first | second << 12 | third << 24 | region << 36
    sets.progress[NUM_WAITING] += 1


@entry
@no_type_check
def enter_ends(ground, sets, waiting, is_blocked, marks, queue, size, last, player):
    """Reaches the positions with all boxes on goals, of which ``last`` is the highest number.

    If the player starts somewhere, it is in that region, else in any.
    """
    numbers = sets.number
    goals = ground.goals
    highest = np.int64(numbers[goals[last]])
    for middle in range(last if size == 3 else 1):
        for least in range(middle if size == 3 else last):
            first = np.int64(numbers[goals[least]])
            second = np.int64(numbers[goals[middle]]) if size == 3 else highest
            place = _place_of_set(first, second, highest, size)
            if player != NONE:
                for i in range(size):
                    is_blocked[_box(sets, first, second, highest, i)] = True
                marks[:] = 0
                flood(ground.neighbours, is_blocked, player, marks, 1, queue)
                for i in range(size):
                    is_blocked[_box(sets, first, second, highest, i)] = False
            for side in range(4 * size):
                box = _box(sets, first, second, highest, side >> 2)
                if player != NONE and marks[ground.neighbours[box, side & 3]] == 0:
                    continue
                if _region_at(sets, place, side) == side:
                    _reach(sets, waiting, first, second, highest, size, side)


@entry
@no_type_check
def spread(neighbours, sets, waiting, is_blocked, size, is_by_pushes, max_expansions):
    """Reaches what pulls lead to from the next positions that wait, or pushes if so asked."""
    _spread(neighbours, sets, waiting, is_blocked, size, is_by_pushes, max_expansions)


@inner
@no_type_check
def _spread(neighbours, sets, waiting, is_blocked, size, is_by_pushes, max_expansions):
    progress, number = sets.progress, sets.number
    ends = progress[FIRST_WAITING] + max_expansions
    while progress[FIRST_WAITING] < min(progress[NUM_WAITING], ends):
        position = waiting[progress[FIRST_WAITING]]
        progress[FIRST_WAITING] += 1
        first, second = position & 4095, position >> 12 & 4095
        third, region = position >> 24 & 4095, position >> 36
        place = _place_of_set(first, second, third, size)
        for side in range(4 * size):
            if _region_at(sets, place, side) != region:
                continue
            i, direction = side >> 2, side & 3
            box = _box(sets, first, second, third, i)
            end = np.int64(neighbours[box, direction ^ 2 if is_by_pushes else direction])
            player = box if is_by_pushes else np.int64(neighbours[end, direction])
            moved = np.int64(number[end])
            if moved == NONE or is_blocked[end] or is_blocked[player]:
                continue
            # The other boxes, in ascending order; for pairs there is one.
            low = second if i == 0 else first
            high = second if i == 2 else third
            if size == 2:
                high = low
            low_box, high_box = np.int64(sets.squares[low]), np.int64(sets.squares[high])
            if end in (low_box, high_box) or player in (low_box, high_box):
                continue
            if size == 2:
                now = np.int64(moved > low)
                after = min(moved, low), max(moved, low), np.int64(0)
            else:
                now = np.int64(moved > low) + np.int64(moved > high)
                after = min(moved, low), max(low, min(moved, high)), max(moved, high)
            place_after = _place_of_set(after[0], after[1], after[2], size)
            region_after = _region_at(sets, place_after, 4 * now + direction)
            _reach(sets, waiting, after[0], after[1], after[2], size, region_after)


@inner
@no_type_check
def _is_missed(sets, place, side):
    """Whether the player may stand at this side of a box, and is in no position reached."""
    is_floor = _region_at(sets, place, side) != _NO_REGION
    return is_floor and not sets.is_reached[place] >> side & 1


@entry
@no_type_check
def fill_second(sets, seconds):
    """Fills ``FewBoxes.second`` from all pairs."""
    _fill_second(sets, seconds)


@inner
@no_type_check
def _fill_second(sets, seconds):
    for second in range(len(sets.squares)):
        for first in range(second):
            place = _place_of_set(first, second, 0, 2)
            for side in range(8):
                if _is_missed(sets, place, side):
                    box, other = (first, second) if side < 4 else (second, first)
                    square = np.int64(sets.squares[other])
                    seconds[4 * box + (side & 3), square >> 6] |= bit_of(square)


@entry
@no_type_check
def fill_third(sets, seconds, has_third, thirds, last):
    """Fills ``FewBoxes.third`` from the triples whose last live square is ``last``.

    Those that a pair of the box at whose side the player stands deadlocks already are left out.
    """
    for second in range(1, last):
        for first in range(second):
            place = _place_of_set(first, second, last, 3)
            for side in range(12):
                if not _is_missed(sets, place, side):
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
def is_deadlocked_now(few, words, box, side):
    """As ``is_deadlocked_by_few``, or with the frozen boxes of ``FewBoxes.now`` as walls."""
    now = few.now[0]
    if now != NONE and few.number[box] != NONE:
        row = few.frozen.second[now, 4 * np.int64(few.number[box]) + side]
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
def _make_frozen_table(ground, frozen, table):
    """Fills the table of the boxes that ``frozen.is_blocked`` marks, if there is room for it."""
    pairs, is_blocked, num_live = frozen.pairs, frozen.is_blocked, len(frozen.pairs.squares)
    pairs.progress[:] = 0
    pairs.is_reached[:] = 0
    for second in range(num_live):
        if not is_blocked[pairs.squares[second]]:
            _fill_regions(ground.neighbours, pairs, frozen.regions, is_blocked, second, 0, 2)
        else:
            for first in range(second):
                pairs.regions[_place_of_set(first, second, 0, 2)] = ~EMPTY
    if pairs.progress[NUM_REGIONS] > len(frozen.waiting):
        return False
    for last in range(len(ground.goals)):
        for least in range(last):
            first = np.int64(pairs.number[ground.goals[least]])
            second = np.int64(pairs.number[ground.goals[last]])
            place = _place_of_set(first, second, 0, 2)
            for side in range(8):
                if _region_at(pairs, place, side) == side:
                    _reach(pairs, frozen.waiting, first, second, 0, 2, side)
    _spread(ground.neighbours, pairs, frozen.waiting, is_blocked, 2, False, np.int64(_NEVER))
    _fill_second(pairs, frozen.second[table])
    return True


@inner
@no_type_check
def use_frozen(ground, few, boxes, is_frozen, num_frozen):
    """Sets ``few.now`` for a position whose boxes that ``is_frozen`` marks are frozen on goals.

    A hash chooses where a set is looked for, but the sets themselves are compared.
    """
    frozen, now = few.frozen, few.now
    now[0] = NONE
    if num_frozen < 1 or len(boxes) - num_frozen < 2 or len(frozen.table) == 0:
        return
    words = frozen.words
    words[:] = 0
    mixed = EMPTY
    for box in boxes:
        if is_frozen[box]:
            words[box >> 6] |= bit_of(box)
            mixed ^= ground.keys[0, box]
    place = np.int64(mixed & np.uint64(len(frozen.table) - 1))
    is_known = True
    for word in range(len(words)):
        is_known &= frozen.sets[place, word] == words[word]
    if not is_known:
        if frozen.table[place] == NONE:
            frozen.num_asked[place] = 0
            for word in range(len(words)):
                frozen.sets[place, word] = words[word]
        return
    frozen.num_asked[place] += 1
    is_due = frozen.num_asked[place] == ASKED_BEFORE
    if is_due and frozen.num_tables[0] < len(frozen.second):
        for box in boxes:
            frozen.is_blocked[box] = is_frozen[box]
        if _make_frozen_table(ground, frozen, frozen.num_tables[0]):
            frozen.table[place] = frozen.num_tables[0]
            frozen.num_tables[0] += 1
        for box in boxes:
            frozen.is_blocked[box] = False
    now[0] = frozen.table[place]


@inner
@no_type_check
def is_position_deadlocked_now(few, words, boxes, neighbours, area):
    """Whether ``is_deadlocked_now`` holds for a box and a side where ``area`` is 1.

    Asked where ``few.now`` is new to the position; without it, pushes lead to no such position.
    """
    if few.now[0] == NONE:
        return False
    others = few.frozen.words
    for word in range(len(words)):
        others[word] = words[word]
    for box in boxes:
        others[box >> 6] ^= bit_of(box)
        for side in range(4):
            if area[neighbours[box, side]] == 1 and is_deadlocked_now(few, others, box, side):
                return True
        others[box >> 6] ^= bit_of(box)
    return False
