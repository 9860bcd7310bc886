"""A pairing heap gives its entries in order, also after heaps were melded."""

from typing import NamedTuple, no_type_check

import numpy as np
from jaxtyping import Int64

from tokoban.compiling import entry, inner
from tokoban.sokoban.search.level.ground import NONE
from tokoban.sokoban.search.state.pairing_heap import pairing_heap


class Store(NamedTuple):
    rank: Int64[np.ndarray, " N"]
    first_below: Int64[np.ndarray, " N"]
    next_beside: Int64[np.ndarray, " N"]


@inner
@no_type_check
def is_before(store, one, other):
    return store.rank[one] < store.rank[other]


meld, without_root = pairing_heap(is_before)


@entry
@no_type_check
def melded(store, one, other):
    return meld(store, one, other)


@entry
@no_type_check
def rest(store, root):
    return without_root(store, root)


def test_entries_come_in_order_from_heaps_that_are_melded_and_taken_from() -> None:
    draw = np.random.default_rng(7)
    rank = draw.integers(40, size=211)  # many are equal
    store = Store(rank, np.full(211, NONE), np.full(211, NONE))
    heaps: list[tuple[int, set[int]]] = [(one, {one}) for one in range(211)]
    num_taken = 0
    while heaps:
        root, members = heaps.pop(int(draw.integers(len(heaps))))
        if heaps and draw.random() < 0.6:
            other, others = heaps.pop()
            heaps.append((melded(store, root, other), members | others))
            continue
        assert root in members and rank[root] == min(rank[list(members)])
        num_taken += 1
        if members - {root}:
            heaps.append((rest(store, root), members - {root}))
        else:
            assert rest(store, root) == NONE
    assert num_taken == 211
    assert melded(store, NONE, 3) == melded(store, 3, NONE) == 3
