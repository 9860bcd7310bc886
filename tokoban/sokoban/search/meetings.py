"""Positions that pushes from the start and pulls from the end have both met.

Both stores are compared exactly, so a meeting is a solution. Axes as in ``ground``.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, no_type_check, runtime_checkable

import numpy as np
from jaxtyping import UInt64

from tokoban.compiling import entry
from tokoban.sokoban.search import positions as stores
from tokoban.sokoban.search.fess import tree as trees
from tokoban.sokoban.search.fess.tree import NUM_CHILDREN, Tree
from tokoban.sokoban.search.ground import NONE
from tokoban.sokoban.search.one_box import Step
from tokoban.sokoban.search.positions import Positions


@runtime_checkable
class FromTheEnd(Protocol):
    """A search by pulls."""

    @property
    def pulled(self) -> Positions:
        """What it has met so far; once it drops that and begins anew, others."""

    def steps_to_end(self, position: int) -> list[Step]:
        """The pulls of one of these, in the order of play."""


@dataclass(frozen=True)
class Meeting:
    """A child of a tree that is a position of a search by pulls."""

    child: int
    search: FromTheEnd
    position: int


class Meetings:
    """The meetings of the children of trees, one tree after another, with searches by pulls."""

    def __init__(self, searches: Sequence[FromTheEnd]) -> None:
        """Of the ``searches`` there may be more and fewer later on."""
        self._searches = searches
        # How many positions of each were looked up; the counter of a store tells which it is.
        self._looked_up: list[tuple[np.ndarray, int]] = []

    def find(self, keys: UInt64[np.ndarray, "2 F"], tree: Tree, first: int) -> Meeting | None:
        """Looks up the children from ``first`` on, and all positions that are new since."""
        last = int(tree.progress[NUM_CHILDREN])
        looked_up = []
        for search in self._searches:
            positions = search.pulled
            count = int(positions.num_known[0])
            known = (done for one, done in self._looked_up if one is positions.num_known)
            words = np.empty(positions.boxes.shape[1], np.uint64)
            child, position = find_child(tree, keys, positions, words, first, last)
            if child == NONE:
                child, position = find_position(tree, keys, positions, next(known, 0), count)
            if child != NONE:
                return Meeting(child, search, position)
            looked_up.append((positions.num_known, count))
        self._looked_up = looked_up
        return None


@entry
@no_type_check
def find_child(tree, keys, positions, words, first, last):
    """The first child from ``first`` on, before ``last``, that is a position, and which it is.

    Both are NONE if there is none. ``words`` is workspace.
    """
    for child in range(first, last):
        trees.child_words(tree, child, words)
        player = np.int64(tree.child_player[child])
        boxes_key = tree.key[child] ^ keys[1, player]
        slot = stores.slot_of(positions, words, boxes_key, player, keys[1, player])
        if positions.slots[slot] != NONE:
            return child, np.int64(positions.slots[slot])
    return np.int64(NONE), np.int64(NONE)


@entry
@no_type_check
def find_position(tree, keys, positions, first, last):
    """The same for the first position from ``first`` on, before ``last``, that is a child."""
    for position in range(first, last):
        player = np.int64(positions.player[position])
        key = positions.boxes_key[position] ^ keys[1, player]
        slot = trees.slot_of(tree, positions.boxes[position], key, player)
        if tree.slots[slot] != NONE:
            return np.int64(tree.slots[slot]), position
    return np.int64(NONE), np.int64(NONE)
