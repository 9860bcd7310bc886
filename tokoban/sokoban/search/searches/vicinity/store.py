"""The positions that a vicinity search has met, with their costs, and which are open."""

from typing import NamedTuple, no_type_check

import numpy as np
from jaxtyping import Int16, Int32, Int64

from tokoban.compiling import inner
from tokoban.sokoban.search.level.ground import NONE, Ground
from tokoban.sokoban.search.searches.vicinity.push_paths import MAIN
from tokoban.sokoban.search.state import positions as stored
from tokoban.sokoban.search.state.columns import enlarge_columns, zeroed
from tokoban.sokoban.search.state.positions import Positions

# In place of the previous one in its bucket: the position is no longer open.
CLOSED = -2

# Entries of `Store.progress`.
(
    NUM_EXPANSIONS,
    BUCKET,  # from which open positions are taken
    END,  # the cheapest position with all boxes on goals
    END_COST,
    IS_FAR,  # whether any position was left out because too many boxes stand elsewhere
    IS_LATE,  # whether any was left out because the path gets equally far at a lower cost
) = range(6)


class Store(NamedTuple):
    """A position is the boxes and where the player stands right after a push.

    The open ones lie in buckets of equal totals, as lists linked both ways. Every push adds to the
    total, so that a position is at its cheapest, in both figures, when its bucket is taken up.
    """

    positions: Positions
    push: Int16[np.ndarray, " P"]  # that led here; NONE for the first
    cost: Int64[np.ndarray, " P"]
    lower_bound: Int32[np.ndarray, " P"]  # on the pushes that remain
    near: Int32[np.ndarray, " P"]  # how far in the path it is; NONE if it is one of the path's own
    next_open: Int32[np.ndarray, " P"]
    previous_open: Int32[np.ndarray, " P"]
    buckets: Int32[np.ndarray, " T"]  # the newest open position of each total; NONE if none is
    progress: Int64[np.ndarray, "6"]


def empty_store(capacity: int, num_floor: int, num_totals: int) -> Store:
    """Capacity for positions; it is a power of two."""
    positions = stored.empty_positions(capacity, num_floor)
    buckets = np.full(num_totals, NONE, np.int32)
    return zeroed(Store, P=capacity, positions=positions, buckets=buckets)


def grown(store: Store, ground: Ground) -> Store:
    """The same positions, in the same arrays, with room for twice as many."""
    enlarge_columns(store, "P", 2 * len(store.cost))
    return store._replace(positions=stored.grown(store.positions, ground.keys))


@inner
@no_type_check
def bucket_of(store, cost):
    """The first bucket is that of the first position, whose cost never changes."""
    return cost // MAIN - store.cost[0] // MAIN


@inner
@no_type_check
def put_in(store, position):
    """Opens a position: puts it into the bucket of its cost."""
    bucket = bucket_of(store, store.cost[position])
    newest = store.buckets[bucket]
    store.next_open[position] = newest
    store.previous_open[position] = NONE
    if newest != NONE:
        store.previous_open[newest] = position
    store.buckets[bucket] = position


@inner
@no_type_check
def take_out(store, position):
    """Closes an open position."""
    following, previous = store.next_open[position], store.previous_open[position]
    if following != NONE:
        store.previous_open[following] = previous
    if previous != NONE:
        store.next_open[previous] = following
    else:
        store.buckets[bucket_of(store, store.cost[position])] = following
    store.previous_open[position] = CLOSED
