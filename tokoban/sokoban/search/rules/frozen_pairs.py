"""Which pairs of boxes are deadlocked between boxes that are frozen on goals, as if by walls.

A table is made for a set of frozen boxes that was asked for often enough. Condition in
``table``; axes as in ``few_boxes``.
"""

from typing import NamedTuple, no_type_check

import numpy as np
from jaxtyping import Bool, Int16, Int64, UInt64

from tokoban.compiling import inner
from tokoban.sokoban.search.level.ground import NONE
from tokoban.sokoban.search.level.regions import Regions, empty_regions
from tokoban.sokoban.search.level.words import EMPTY
from tokoban.sokoban.search.rules.box_sets import (
    NUM_REGIONS,
    BoxSets,
    fill_regions_with,
    mark_lost_pairs,
    no_sets,
    num_sets,
    number_of_set,
    reach,
    reach_more,
    region_at,
)
from tokoban.sokoban.search.state.columns import zeroed
from tokoban.sokoban.search.state.positions import are_equal, bit_of, copy

# At most so many tables of at most so many bytes, for at most so many live squares.
_MAX_TABLES, _MAX_BYTES, _MAX_LIVE = 512, 1 << 23, 256
ASKED_BEFORE = 16  # a set of frozen boxes, when its table is made
_ASKED = 1 << 12  # sets remembered
_REGIONS_EACH = 4  # of a pair, on average at most
_NO_LIMIT = 1 << 62


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
    pairs: BoxSets
    waiting: Int64[np.ndarray, " _"]
    regions: Regions
    is_blocked: Bool[np.ndarray, "F+1"]
    words: UInt64[np.ndarray, " W"]


def num_frozen_tables(second: UInt64[np.ndarray, "_ W"]) -> int:
    """For how many tables of the size of ``second`` there is room."""
    return min(_MAX_TABLES, _MAX_BYTES // second.nbytes) if len(second) <= 4 * _MAX_LIVE else 0


def empty_frozen_pairs(number: Int16[np.ndarray, " _"], *, num_tables: int) -> FrozenPairs:
    """No table yet; ``number`` as in ``FewBoxes``."""
    num_floor, num_live = len(number) - 1, int(np.count_nonzero(number != NONE))
    num_places = _ASKED if num_tables else 0
    pairs = no_sets(number, num_sets(num_live, 2) if num_tables else 0)
    is_blocked = np.zeros(num_floor + 1, np.bool_)
    is_blocked[num_floor] = True
    return zeroed(
        FrozenPairs,
        A=num_places,
        E=num_tables,
        L=num_live,
        F=num_floor,
        table=np.full(num_places, NONE),
        pairs=pairs,
        waiting=np.zeros(_REGIONS_EACH * len(pairs.regions), np.int64),
        regions=empty_regions(num_floor),
        is_blocked=is_blocked,
    )


@inner
@no_type_check
def make_table(ground, frozen, table):
    """Fills the table of the boxes that ``frozen.is_blocked`` marks, if there is room for it."""
    pairs, is_blocked, num_live = frozen.pairs, frozen.is_blocked, len(frozen.pairs.squares)
    pairs.progress[:] = 0
    pairs.is_reached[:] = 0
    for second in range(num_live):
        if not is_blocked[pairs.squares[second]]:
            fill_regions_with(ground.neighbours, pairs, frozen.regions, is_blocked, second, 0, 2)
        else:
            for first in range(second):
                pairs.regions[number_of_set(first, second, 0, 2)] = ~EMPTY
    if pairs.progress[NUM_REGIONS] > len(frozen.waiting):
        return False
    for last in range(len(ground.goals)):
        for least in range(last):
            first = np.int64(pairs.number[ground.goals[least]])
            second = np.int64(pairs.number[ground.goals[last]])
            place = number_of_set(first, second, 0, 2)
            for side in range(8):
                if region_at(pairs, place, side) == side:
                    reach(pairs, frozen.waiting, first, second, 0, 2, side)
    reach_more(ground.neighbours, pairs, frozen.waiting, is_blocked, 2, False, np.int64(_NO_LIMIT))
    mark_lost_pairs(pairs, frozen.second[table])
    return True


@inner
@no_type_check
def use_frozen(ground, few, boxes, is_frozen, num_frozen):
    """Sets ``few.active_table``; ``is_frozen`` marks the boxes that are frozen on goals.

    A hash chooses where a set is looked for, but the sets themselves are compared.
    """
    frozen, active_table = few.frozen, few.active_table
    active_table[0] = NONE
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
    if not are_equal(frozen.sets[place], words):
        if frozen.table[place] == NONE:
            frozen.num_asked[place] = 0
            copy(words, frozen.sets[place])
        return
    frozen.num_asked[place] += 1
    is_due = frozen.num_asked[place] == ASKED_BEFORE
    if is_due and frozen.num_tables[0] < len(frozen.second):
        for box in boxes:
            frozen.is_blocked[box] = is_frozen[box]
        if make_table(ground, frozen, frozen.num_tables[0]):
            frozen.table[place] = frozen.num_tables[0]
            frozen.num_tables[0] += 1
        for box in boxes:
            frozen.is_blocked[box] = False
    active_table[0] = frozen.table[place]
