"""Positions that pushes from the start and pulls from the end have both met.

Both stores are compared exactly, so a meeting is a solution. Axes as in ``ground``.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, no_type_check, runtime_checkable

import numpy as np
from jaxtyping import UInt64

from tokoban.compiling import entry
from tokoban.sokoban.search.level.ground import NONE
from tokoban.sokoban.search.level.one_box import Step
from tokoban.sokoban.search.searches.fess import tree as trees
from tokoban.sokoban.search.searches.fess.tree import NUM_CHILDREN, Tree
from tokoban.sokoban.search.state import positions as stores
from tokoban.sokoban.search.state.positions import Positions
from tokoban.sokoban.search.steps import Steps

_AT_ONCE = 1 << 17  # lookups between two checks of limits: some 20 ms


@runtime_checkable
class FromTheEnd(Protocol):
    """A search by pulls."""

    @property
    def pulled(self) -> Positions | None:
        """The positions stored so far; None while some are missing in the hash table.

        A search that begins anew has another store, with a ``num_known`` of its own.
        """

    def steps_to_end(self, position: int) -> list[Step]:
        """The pushes from one of these positions to the end."""


@dataclass(frozen=True)
class Meeting:
    """A child of a tree that is a position of a search by pulls."""

    child: int
    search: FromTheEnd
    position: int


@dataclass
class _Compared:
    """The first children of a tree and positions of a store, compared with one another."""

    tree_progress: np.ndarray  # of this tree: both arrays stay when their store grows
    num_known: np.ndarray  # of this store
    num_positions: int
    num_children: int = 1  # the start, child 0, is met by the pulls themselves


class Meetings:
    """The meetings of the children of trees, one tree after another, with searches by pulls."""

    def __init__(self, searches: Sequence[FromTheEnd]) -> None:
        """``searches`` is read at each call: it may gain and lose members."""
        self._searches = searches
        self._compared: list[_Compared] = []

    def find_in_steps(self, keys: UInt64[np.ndarray, "2 F"], tree: Tree) -> Steps[Meeting | None]:
        """Compares all children with all positions, except those compared before.

        Between two steps a search may enlarge its store, begin anew, or end. What cannot be
        compared then is compared at the next call.
        """
        num_children = int(tree.progress[NUM_CHILDREN])
        words = np.empty(tree.boxes.shape[1], np.uint64)
        for search in tuple(self._searches):
            positions = search.pulled
            if positions is None:
                continue
            done = self._compared_with(tree, positions)
            num_positions = int(positions.num_known[0])
            parts = [(find_child, *part) for part in _parts(done.num_children, num_children)]
            parts += [(find_position, *part) for part in _parts(done.num_positions, num_positions)]
            for find, first, last in parts:
                positions = search.pulled
                if positions is None or positions.num_known is not done.num_known:
                    break
                child, position = find(tree, keys, positions, words, first, last)
                if child != NONE:
                    return Meeting(child, search, position)
                yield
            else:
                done.num_children, done.num_positions = num_children, num_positions
        return None

    def _compared_with(self, tree: Tree, positions: Positions) -> _Compared:
        """What has been compared of these two; the trees before are forgotten."""
        self._compared = [one for one in self._compared if one.tree_progress is tree.progress]
        for one in self._compared:
            if one.num_known is positions.num_known:
                return one
        # These positions are now compared with every child but child 0.
        count = int(positions.num_known[0])
        self._compared.append(_Compared(tree.progress, positions.num_known, count))
        return self._compared[-1]


def _parts(first: int, last: int) -> list[tuple[int, int]]:
    """A range in parts; limits are checked between them."""
    return [(begin, min(begin + _AT_ONCE, last)) for begin in range(first, last, _AT_ONCE)]


def prepare(keys: UInt64[np.ndarray, "2 F"], tree: Tree) -> None:
    """Looks nothing up, so that no clock counts the seconds of a first compilation."""
    positions = stores.empty_positions(1, keys.shape[1])
    words = np.empty(tree.boxes.shape[1], np.uint64)
    for find in (find_child, find_position):
        find(tree, keys, positions, words, 0, 0)


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
def find_position(tree, keys, positions, _words, first, last):
    """The same for the first position from ``first`` on, before ``last``, that is a child.

    The arguments are those of ``find_child``, though this needs no words.
    """
    for position in range(first, last):
        player = np.int64(positions.player[position])
        key = positions.boxes_key[position] ^ keys[1, player]
        slot = trees.slot_of(tree, positions.boxes[position], key, player)
        if tree.slots[slot] != NONE:
            return np.int64(tree.slots[slot]), position
    return np.int64(NONE), np.int64(NONE)
