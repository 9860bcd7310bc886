"""The positions that a search has met: the hash table that finds them, and which are open."""

from typing import NamedTuple, no_type_check

import numpy as np
from jaxtyping import Int16, Int32, Int64, UInt64

from tokoban.compiling import inner
from tokoban.sokoban.search.astar import NONE
from tokoban.sokoban.search.bit_slots import refill_slots
from tokoban.sokoban.search.vicinity.tables import MAIN

# Instead of the one before in its bucket: the position is not open any more.
CLOSED = -2

# Entries of `Positions.progress`.
(
    NUM_POSITIONS,
    NUM_EXPANSIONS,
    BUCKET,  # from which open positions are taken
    END,  # the cheapest position with all boxes on goals
    END_PRICE,
    IS_FAR,  # whether any position was left out because too many boxes stand elsewhere
    IS_LATE,  # whether any was left out because the plan gets as far for less
) = range(7)


class Positions(NamedTuple):
    """A position is the boxes and where the player stands right after a push.

    The open ones lie in buckets of equal totals, as lists linked both ways. Every push adds to the
    total, so that a position is at its cheapest, in both figures, when its bucket is taken up.
    """

    boxes: UInt64[np.ndarray, "P W"]
    mixed_boxes: UInt64[np.ndarray, " P"]  # all keys of the boxes, xored
    player: Int16[np.ndarray, " P"]
    push: Int16[np.ndarray, " P"]  # that led here; NONE for the first
    parent: Int32[np.ndarray, " P"]  # NONE for the first
    price: Int64[np.ndarray, " P"]
    pushes_left: Int32[np.ndarray, " P"]  # at least
    near: Int32[np.ndarray, " P"]  # how far in the plan it is; NONE if it is the plan's own
    next_open: Int32[np.ndarray, " P"]
    previous_open: Int32[np.ndarray, " P"]
    buckets: Int32[np.ndarray, " T"]  # the newest open position of each total; NONE if none is
    slots: Int32[np.ndarray, " S"]  # the size is a power of two
    progress: Int64[np.ndarray, "7"]


# What has one entry for each position.
_COLUMNS = Positions._fields[: Positions._fields.index("buckets")]


def empty_positions(capacity: int, num_words: int, num_totals: int) -> Positions:
    """Room for positions; the capacity is a power of two."""
    return Positions(
        boxes=np.empty((capacity, num_words), np.uint64),
        mixed_boxes=np.empty(capacity, np.uint64),
        player=np.empty(capacity, np.int16),
        push=np.empty(capacity, np.int16),
        parent=np.empty(capacity, np.int32),
        price=np.empty(capacity, np.int64),
        pushes_left=np.empty(capacity, np.int32),
        near=np.empty(capacity, np.int32),
        next_open=np.empty(capacity, np.int32),
        previous_open=np.empty(capacity, np.int32),
        buckets=np.full(num_totals, NONE, np.int32),
        slots=np.full(2 * capacity, NONE, np.int32),
        progress=np.zeros(7, np.int64),
    )


def grown(positions: Positions, player_keys: UInt64[np.ndarray, " F"]) -> Positions:
    """The same positions with room for twice as many."""
    capacity, num_words = positions.boxes.shape
    larger = empty_positions(2 * capacity, num_words, len(positions.buckets))
    for name in _COLUMNS:
        getattr(larger, name)[:capacity] = getattr(positions, name)
    larger.buckets[:] = positions.buckets
    larger.progress[:] = positions.progress
    refill_slots(larger, int(larger.progress[NUM_POSITIONS]), player_keys)
    return larger


@inner
@no_type_check
def bucket_of(positions, price):
    """The first bucket is that of the first position, whose price never changes."""
    return price // MAIN - positions.price[0] // MAIN


@inner
@no_type_check
def put_in(positions, position):
    """Opens a position: puts it into the bucket of its price."""
    bucket = bucket_of(positions, positions.price[position])
    newest = positions.buckets[bucket]
    positions.next_open[position] = newest
    positions.previous_open[position] = NONE
    if newest != NONE:
        positions.previous_open[newest] = position
    positions.buckets[bucket] = position


@inner
@no_type_check
def take_out(positions, position):
    """Closes an open position."""
    following, previous = positions.next_open[position], positions.previous_open[position]
    if following != NONE:
        positions.previous_open[following] = previous
    if previous != NONE:
        positions.next_open[previous] = following
    else:
        positions.buckets[bucket_of(positions, positions.price[position])] = following
    positions.previous_open[position] = CLOSED
