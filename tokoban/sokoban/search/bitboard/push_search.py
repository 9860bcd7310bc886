"""A* over pushes on one word: the fewest pushes, or with a weight above 1 any solution, sooner.

A position is a set of boxes and the area that the player can walk to. Axes: P room for positions,
T totals (price so far and pushes left) that are searched, S slots of the hash table, B boxes.
"""

from functools import partial
from typing import NamedTuple, no_type_check

import numpy as np
from jaxtyping import Int32, Int64, UInt64

from tokoban.compiling import inner
from tokoban.sokoban.hashing import GOLDEN
from tokoban.sokoban.search.bitboard.terrain import (
    ALIVE,
    FLOOR,
    GOALS,
    NO_BOX,
    UNREACHABLE,
    is_frozen,
    place_of,
)
from tokoban.sokoban.search.level.words import EMPTY, ONE, count, flood, index, lowest, moved
from tokoban.sokoban.search.measures.bounds import match_all, match_threes, matched_pushes_after
from tokoban.sokoban.search.outcome import Outcome
from tokoban.sokoban.search.state.columns import enlarge_columns, zeroed

NONE = -1
_CLOSED = -2  # in ``next_open``, of positions that are in the hash table

# Entries of ``Store.progress``.
(
    NUM_POSITIONS,
    NUM_CLOSED,
    NUM_EXPANSIONS,
    LOWEST_BUCKET,
    HIGHEST_BUCKET,
    NUM_SLOTS,
    REACHED,
    HAS_DROPPED,
) = range(8)

_FIRST_SLOTS = 512  # few enough to be cleared for every level


class Store(NamedTuple):
    """All positions met; the open ones lie in buckets of equal estimated total price.

    A position is entered in the hash table when it is taken from its bucket: then its price is the
    least, and its player's area is flooded only once. The hash is of the boxes alone, so that a
    position met again is recognised by its player's cell, without that flood.
    """

    boxes: UInt64[np.ndarray, " P"]
    player: UInt64[np.ndarray, " P"]  # the cell after the push; of closed ones the whole area
    price: Int32[np.ndarray, " P"]
    parent: Int32[np.ndarray, " P"]
    next_open: Int32[np.ndarray, " P"]  # in the same bucket
    bucket: Int32[np.ndarray, " T"]  # newest open position of each total
    slots: Int32[np.ndarray, " S"]  # hash table of closed positions; S is a power of two
    progress: Int64[np.ndarray, "8"]


class Scratch(NamedTuple):
    """Workspace for the expansion of one position."""

    places: Int32[np.ndarray, " B"]
    without: Int64[np.ndarray, "4 4"]
    matching: Int64[np.ndarray, "2 B+1"]
    path: Int64[np.ndarray, "3 B+1"]
    rings: UInt64[np.ndarray, "64"]  # of cells around one, by the length of the walk


def empty_store(capacity: int, num_totals: int) -> Store:
    """Room for so many positions, a power of two."""
    bucket = np.full(num_totals, NONE, np.int32)
    return zeroed(Store, P=capacity, S=capacity, bucket=bucket)


def empty_scratch(num_boxes: int) -> Scratch:
    """Workspace for up to so many boxes."""
    return zeroed(Scratch, B=max(num_boxes, 4))


def grown(store: Store) -> Store:
    """The same search, in the same arrays, with room for twice as many positions."""
    capacity = 2 * len(store.slots)
    for axis in "PS":
        enlarge_columns(store, axis, capacity)
    return store


@inner
@no_type_check
def begin(store, boxes, player):
    """Empties the store of an earlier search and enters the start."""
    progress = store.progress
    for bucket in range(progress[LOWEST_BUCKET], progress[HIGHEST_BUCKET] + 1):
        store.bucket[bucket] = NONE
    progress[:] = 0
    progress[NUM_SLOTS] = min(_FIRST_SLOTS, len(store.slots))
    for slot in range(progress[NUM_SLOTS]):
        store.slots[slot] = NONE
    store.boxes[0] = boxes
    store.player[0] = player
    store.price[0] = 0
    store.parent[0] = NONE
    store.next_open[0] = NONE
    store.bucket[0] = 0
    progress[NUM_POSITIONS] = 1


@inner
@no_type_check
def _slot_of(store, boxes, player):
    """The slot of a closed position with the player's cell in its area, or an empty one for it."""
    num_slots = np.uint64(store.progress[NUM_SLOTS])
    # The high bits of the product depend on every cell.
    mixed = (boxes * GOLDEN) >> np.uint64(32)
    slot = np.int64(mixed * num_slots >> np.uint64(32))
    mask = np.int64(num_slots) - 1
    while store.slots[slot] != NONE:
        position = store.slots[slot]
        if store.boxes[position] == boxes and store.player[position] & player != EMPTY:
            break
        slot = (slot + 1) & mask
    return slot


@inner
@no_type_check
def _widen(store):
    """Doubles the slots in use."""
    progress = store.progress
    progress[NUM_SLOTS] *= 2
    for slot in range(progress[NUM_SLOTS]):
        store.slots[slot] = NONE
    for position in range(progress[NUM_POSITIONS]):
        if store.next_open[position] == _CLOSED:
            slot = _slot_of(store, store.boxes[position], store.player[position])
            store.slots[slot] = position


@inner
@no_type_check
def _first_open(store):
    """The open position of least total, newest first; NONE when there is none."""
    progress = store.progress
    while progress[LOWEST_BUCKET] <= progress[HIGHEST_BUCKET]:
        position = store.bucket[progress[LOWEST_BUCKET]]
        if position != NONE:
            return position
        progress[LOWEST_BUCKET] += 1
    return NONE


@inner
@no_type_check
def _add(store, parent, boxes, player, price, total):
    """Stores an open position."""
    progress = store.progress
    if total >= len(store.bucket):
        progress[HAS_DROPPED] = 1
        return
    position = progress[NUM_POSITIONS]
    progress[NUM_POSITIONS] += 1
    store.boxes[position] = boxes
    store.player[position] = player
    store.price[position] = price
    store.parent[position] = parent
    store.next_open[position] = store.bucket[total]
    store.bucket[total] = position
    progress[LOWEST_BUCKET] = min(progress[LOWEST_BUCKET], total)
    progress[HIGHEST_BUCKET] = max(progress[HIGHEST_BUCKET], total)


@inner
@no_type_check
def _match(terrain, scratch, num_boxes):
    """Matches the boxes in ``scratch.places`` as they stand."""
    places = scratch.places
    if num_boxes <= 4:
        for row in range(num_boxes, 4):
            places[row] = NO_BOX
        match_threes(terrain.pushes, places, scratch.without)
        return
    matching, path = scratch.matching[:, : num_boxes + 1], scratch.path[:, : num_boxes + 1]
    match_all(terrain.pushes, True, places[:num_boxes], matching, path)


@inner
@no_type_check
def _bound(terrain, scratch, num_boxes, row, place):
    """The pushes of the matching once box ``row`` has come to ``place``."""
    pushes = terrain.pushes
    if num_boxes <= 4:
        without = scratch.without[row]
        return min(
            min(pushes[place, 0] + without[0], pushes[place, 1] + without[1]),
            min(pushes[place, 2] + without[2], pushes[place, 3] + without[3]),
        )
    # Only this box's row of the matching changes: the player walked around the others.
    matching, path = scratch.matching[:, : num_boxes + 1], scratch.path[:, : num_boxes + 1]
    return matched_pushes_after(pushes, scratch.places[:num_boxes], row, place, matching, path)


@partial(inner, is_inlined=True)
@no_type_check
def _expand(terrain, store, scratch, position, area, weight):
    """Adds the position after each push from ``area`` that leaves every box a goal."""
    boxes = store.boxes[position]
    price = store.price[position] + 1
    free = terrain.words[FLOOR] & ~boxes
    num_boxes = count(boxes)
    rest = boxes
    for row in range(num_boxes):
        scratch.places[row] = place_of(terrain, index(rest), lowest(area))
        rest &= rest - ONE
    _match(terrain, scratch, num_boxes)
    for direction in range(4):
        back = direction ^ 2
        targets = moved(moved(area, direction) & boxes, direction)
        targets &= free & terrain.words[ALIVE + direction]
        while targets != EMPTY:
            target = lowest(targets)
            targets ^= target
            player = moved(target, back)
            after = boxes ^ player ^ target
            row = count(boxes & (player - ONE))
            place = place_of(terrain, index(target), player)
            lower_bound = _bound(terrain, scratch, num_boxes, row, place)
            if lower_bound < UNREACHABLE:
                _add(store, position, after, player, price, price + weight * lower_bound)


@inner
@no_type_check
def search(terrain, store, scratch, weight, max_expansions):
    """Goes on with the search; returns why it stopped, with the figures in ``store.progress``."""
    progress = store.progress
    goals = terrain.words[GOALS]
    most_pushes = 4 * count(goals)
    while True:
        position = _first_open(store)
        if position == NONE:
            return Outcome.TOO_LONG if progress[HAS_DROPPED] else Outcome.EXHAUSTED
        boxes = store.boxes[position]
        if boxes == goals:
            progress[REACHED] = position
            return Outcome.SOLVED
        if position > 0:
            # Tested only when a position is taken from its bucket, as many never are.
            pushed = boxes & ~store.boxes[store.parent[position]]
            if is_frozen(terrain, boxes, pushed):
                store.bucket[progress[LOWEST_BUCKET]] = store.next_open[position]
                continue
        if progress[NUM_EXPANSIONS] >= max_expansions:
            return Outcome.BUDGET_SPENT
        if progress[NUM_POSITIONS] + most_pushes > len(store.boxes):
            return Outcome.STORE_FULL
        if 2 * progress[NUM_CLOSED] >= progress[NUM_SLOTS]:
            if progress[NUM_SLOTS] == len(store.slots):
                return Outcome.STORE_FULL
            _widen(store)
        store.bucket[progress[LOWEST_BUCKET]] = store.next_open[position]
        slot = _slot_of(store, boxes, store.player[position])
        if store.slots[slot] != NONE:
            continue
        area = flood(store.player[position], terrain.words[FLOOR] & ~boxes)
        store.slots[slot] = position
        store.next_open[position] = _CLOSED
        store.player[position] = area
        progress[NUM_CLOSED] += 1
        progress[NUM_EXPANSIONS] += 1
        _expand(terrain, store, scratch, position, area, weight)
