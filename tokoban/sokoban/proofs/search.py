"""Compiled: can some of the boxes, alone on the board, all reach goals?

Greedy best-first search by the sum of the lower bounds of the boxes. Positions with a dead box or a
frozen group are not entered; these box states and groups are recorded, because they belong to the
proof. Axes as in ``numbered_board``.
"""

from functools import partial
from typing import NamedTuple, no_type_check

import numpy as np
from jaxtyping import Bool, Int16, Int32, Int64, UInt64

from tokoban.compiling import entry, inner
from tokoban.sokoban.search.level.flood import flood
from tokoban.sokoban.search.level.ground import NONE, UNREACHABLE, Ground
from tokoban.sokoban.search.outcome import Outcome
from tokoban.sokoban.search.rules.freeze import is_immobile, keep_frozen, mark_frozen
from tokoban.sokoban.search.state import positions as stored
from tokoban.sokoban.search.state.columns import enlarge_columns, zeroed
from tokoban.sokoban.search.state.positions import (
    Positions,
    add,
    bit_of,
    key_of,
    list_boxes,
    slot_of,
    write_moved,
)
from tokoban.sokoban.search.state.single_pushes import single_pushes
from tokoban.sokoban.search.state.workspace import least_of_area, place_boxes

# Entries of `Store.progress`.
LOWEST_BUCKET, NUM_EXPANSIONS, REACHED, NUM_GROUPS = range(4)

_MAX_SUM = 1 << 12  # positions of a greater sum are expanded in any order
_MAX_GROUPS = 512  # further ones are not sought, which costs positions instead


class Store(NamedTuple):
    """All positions met, the open ones in buckets by their sum of lower bounds.

    The player of a position is the least square of its zone.
    """

    positions: Positions
    next_open: Int32[np.ndarray, " P"]  # in the same bucket
    bucket: Int32[np.ndarray, " D"]
    progress: Int64[np.ndarray, "4"]


class Deadlocks(NamedTuple):
    """Why positions were not entered."""

    dead_states: Bool[np.ndarray, "F*4"]  # those that boxes were in
    groups: Int16[np.ndarray, "_ K"]  # frozen boxes, one of them on no goal; NONE after the last


class Scratch(NamedTuple):
    """Workspace of the expansion of one position."""

    is_blocked: Bool[np.ndarray, "F+1"]  # walls and boxes
    is_frozen: Bool[np.ndarray, "F+1"]
    area: Int16[np.ndarray, "F+1"]  # 1 where the player can walk
    marks: Int64[np.ndarray, "F+1"]  # the same after a push, where it is the last mark
    last_mark: Int64[np.ndarray, "1"]
    waiting: Int16[np.ndarray, "F+1"]
    words: UInt64[np.ndarray, " W"]  # the boxes after a push
    boxes: Int16[np.ndarray, " K"]  # the same, ascending
    pushable: Int16[np.ndarray, " K"]  # the boxes before it
    group: Int16[np.ndarray, " K"]


def empty_store(capacity: int, num_floor: int) -> Store:
    """Capacity for positions; it is a power of two."""
    return Store(
        positions=stored.empty_positions(capacity, num_floor),
        next_open=np.empty(capacity, np.int32),
        bucket=np.full(_MAX_SUM + 1, NONE, np.int32),
        progress=np.array([_MAX_SUM, 0, NONE, 0], np.int64),
    )


def grown(store: Store, ground: Ground) -> Store:
    """The same search with twice the capacity."""
    enlarge_columns(store, "P", 2 * len(store.next_open))
    return store._replace(positions=stored.grown(store.positions, ground.keys))


def no_deadlocks(ground: Ground, num_boxes: int) -> Deadlocks:
    """No dead states and no groups yet."""
    groups = np.full((_MAX_GROUPS, num_boxes), NONE, np.int16)
    return zeroed(Deadlocks, F=len(ground.pushes) // 4, groups=groups)


def empty_scratch(ground: Ground, num_boxes: int) -> Scratch:
    """Only the wall is blocked yet."""
    scratch = zeroed(Scratch, F=len(ground.zone), K=num_boxes)
    scratch.is_blocked[-1] = True
    return scratch


@entry
@no_type_check
def find_group(ground, boxes, scratch):
    """Lists in ``scratch.group`` frozen boxes, one of them on no goal, none of which is redundant.

    Returns how many; 0 if no boxes are frozen off their goals.
    """
    is_frozen, group = scratch.is_frozen, scratch.group
    if mark_frozen(ground, boxes, scratch.is_blocked, is_frozen) != -1:
        return 0
    count = 0
    for box in boxes:
        if is_frozen[box]:
            group[count] = box
            count += 1
    i = count - 1
    while i >= 0:
        # Without this box, and without those that it alone blocks.
        for j in range(count):
            is_frozen[group[j]] = j != i
        if keep_frozen(ground, group[:count], is_frozen) == -1:
            num_left = 0
            for j in range(count):
                if is_frozen[group[j]]:
                    group[num_left] = group[j]
                    num_left += 1
            count = num_left
            i = min(i, count)
        i -= 1
    return count


@inner
@no_type_check
def is_frozen_after(ground, deadlocks, scratch, progress, box):
    """Whether the pushed box is now in a frozen group; if so, records the group."""
    if not is_immobile(ground, scratch.is_blocked, box):
        return False
    count = find_group(ground, scratch.boxes, scratch)
    if count == 0:
        return False
    for group in range(progress[NUM_GROUPS]):
        is_same = True
        for i in range(deadlocks.groups.shape[1]):
            is_same &= deadlocks.groups[group, i] == (scratch.group[i] if i < count else NONE)
        if is_same:
            return True
    if progress[NUM_GROUPS] == len(deadlocks.groups):
        return False
    for i in range(count):
        deadlocks.groups[progress[NUM_GROUPS], i] = scratch.group[i]
    progress[NUM_GROUPS] += 1
    return True


@inner
@no_type_check
def enter(ground, store, scratch, boxes_key, parent, player):
    """Stores the position of the scratch's boxes unless it is known."""
    positions = store.positions
    least = least_of_area(ground.neighbours, scratch, player)
    slot = slot_of(positions, scratch.words, boxes_key, least, ground.keys[1, least])
    if positions.slots[slot] != NONE:
        return
    total = 0
    for box in scratch.boxes:
        total += ground.lower_bound[box * 4 + ground.zone[box, player]]
    total = min(total, _MAX_SUM)
    position = add(positions, slot, scratch.words, boxes_key, least, parent)
    store.next_open[position] = store.bucket[total]
    store.bucket[total] = position
    store.progress[LOWEST_BUCKET] = min(store.progress[LOWEST_BUCKET], total)


@partial(inner, is_inlined=True)
@no_type_check
def add_push(state, _row, box, _direction, beyond):
    """Enters the position after a push, unless it is deadlocked."""
    ground, store, deadlocks, scratch, parent = state
    place = beyond * 4 + ground.zone[beyond, box]
    if ground.lower_bound[place] == UNREACHABLE:
        deadlocks.dead_states[place] = True
        return True
    positions, words = store.positions, scratch.words
    write_moved(positions.boxes[parent], box, beyond, words)
    list_boxes(words, scratch.boxes)
    if not is_frozen_after(ground, deadlocks, scratch, store.progress, beyond):
        key = positions.boxes_key[parent] ^ ground.keys[0, box] ^ ground.keys[0, beyond]
        enter(ground, store, scratch, key, parent, box)
    return True


push_each = single_pushes(add_push)


@inner
@no_type_check
def expand(ground, store, deadlocks, scratch, position):
    """Enters the positions after each push that is possible."""
    boxes, is_blocked, area = scratch.pushable, scratch.is_blocked, scratch.area
    place_boxes(store.positions.boxes[position], boxes, is_blocked)
    area[:] = 0
    player = store.positions.player[position]
    flood(ground.neighbours, is_blocked, player, area, 1, scratch.waiting)
    state = (ground, store, deadlocks, scratch, position)
    push_each(state, ground.neighbours, boxes, is_blocked, area, 1)


@entry
@no_type_check
def search(ground, store, deadlocks, scratch, max_expansions):
    """Goes on with the search; returns why it stopped."""
    progress, bucket = store.progress, store.bucket
    while True:
        while progress[LOWEST_BUCKET] < _MAX_SUM and bucket[progress[LOWEST_BUCKET]] == NONE:
            progress[LOWEST_BUCKET] += 1
        position = bucket[progress[LOWEST_BUCKET]]
        if position == NONE:
            return Outcome.EXHAUSTED
        if progress[LOWEST_BUCKET] == 0:
            progress[REACHED] = position
            return Outcome.SOLVED
        if progress[NUM_EXPANSIONS] >= max_expansions:
            return Outcome.BUDGET_SPENT
        if store.positions.num_known[0] + 4 * len(scratch.boxes) > len(store.next_open):
            return Outcome.STORE_FULL
        bucket[progress[LOWEST_BUCKET]] = store.next_open[position]
        progress[NUM_EXPANSIONS] += 1
        expand(ground, store, deadlocks, scratch, position)


@entry
@no_type_check
def begin(ground, store, scratch, boxes, player):
    """Enters the first position, of boxes that each alone can reach a goal."""
    scratch.words[:] = 0
    for i in range(len(boxes)):
        box = boxes[i]
        scratch.boxes[i] = box
        scratch.words[box >> 6] ^= bit_of(box)
        scratch.is_blocked[box] = True
    enter(ground, store, scratch, key_of(ground.keys, boxes), NONE, player)
