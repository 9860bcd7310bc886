"""Workspace of searches, reused by level after level, and grown when it is too small.

Compiled code goes through many levels and comes back to Python only when it needs more room or when
a clock may have run out.
"""

from typing import NamedTuple

from tokoban.sokoban.search.answer import MAX_PRICE
from tokoban.sokoban.search.bitboard import layers, push_search
from tokoban.sokoban.search.bitboard.layers import Layers
from tokoban.sokoban.search.bitboard.push_search import Scratch, Store
from tokoban.sokoban.search.bitboard.terrain import Terrain, empty_terrain
from tokoban.sokoban.search.outcome import Outcome
from tokoban.sokoban.search.state.positions import num_bytes

_FIRST_POSITIONS = 1 << 11


class Workspace(NamedTuple):
    """The workspace of one thread."""

    terrain: Terrain
    store: Store
    scratch: Scratch
    layers: Layers

    @property
    def num_bytes(self) -> int:
        """The memory of its arrays."""
        return num_bytes(tuple(self))


def empty_workspace(num_boxes: int, *, is_one_sided: bool) -> Workspace:
    """Room for levels of up to so many boxes; ``is_one_sided`` if nothing searches forwards."""
    return Workspace(
        empty_terrain(num_boxes),
        push_search.empty_store(_FIRST_POSITIONS, MAX_PRICE),
        push_search.empty_scratch(num_boxes),
        layers.empty_layers(is_one_sided=is_one_sided),
    )


def grown(workspace: Workspace, stop: Outcome) -> Workspace:
    """The same searches with more of the room that had run out."""
    if stop == Outcome.STORE_FULL:
        return workspace._replace(store=push_search.grown(workspace.store))
    if stop == Outcome.LAYERS_FULL:
        return workspace._replace(layers=layers.grown(workspace.layers))
    return workspace._replace(layers=layers.deepened(workspace.layers))
