"""Pairing heaps: Fredman, Sedgewick, Sleator and Tarjan 1986.

A heap is known by its root, the number of an entry of a store, or NONE if it is empty. The store
has two columns for the links, ``first_below`` and ``next_beside``, which end with NONE. An entry
without links, NONE in both, is a heap of one.
"""

from collections.abc import Callable
from typing import no_type_check

from tokoban.compiling import inner
from tokoban.sokoban.search.level.ground import NONE


def pairing_heap(is_before: Callable) -> tuple[Callable, Callable]:
    """``meld`` and ``without_root`` of heaps in the order of ``is_before(store, one, other)``."""

    @inner
    @no_type_check
    def meld(store, one, other):
        """Joins two heaps, of which either may be empty; returns the root."""
        if one == NONE:
            return other
        if other == NONE:
            return one
        if is_before(store, other, one):
            one, other = other, one
        store.next_beside[other] = store.first_below[one]
        store.first_below[one] = other
        return one

    @inner
    @no_type_check
    def without_root(store, root):
        """Removes the first entry of a heap, ``root``; returns the root of the rest."""
        # Pairs from left to right, then all pairs from right to left.
        pairs = NONE
        entry = store.first_below[root]
        while entry != NONE:
            partner, following = store.next_beside[entry], NONE
            if partner != NONE:
                following = store.next_beside[partner]
            pair = meld(store, entry, partner)
            store.next_beside[pair] = pairs
            pairs, entry = pair, following
        root = NONE
        while pairs != NONE:
            following = store.next_beside[pairs]
            root = meld(store, root, pairs)
            pairs = following
        return root

    return meld, without_root
