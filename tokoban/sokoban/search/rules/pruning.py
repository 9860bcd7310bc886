"""The deadlock rules as searches apply them: after a push, and before a position is expanded.

``table`` says why each rule is sound. Pruning saves more work than it costs only where pushes
are expensive to try, so the searches on words of 8x8 squares test dead squares and freezes alone.
"""

from functools import partial
from typing import NamedTuple, no_type_check

import numpy as np
from jaxtyping import Bool

from tokoban.compiling import inner
from tokoban.sokoban.search.level.ground import Ground
from tokoban.sokoban.search.rules.corral_search import (
    CorralSearch,
    empty_corral_search,
    has_deadlocked_corral,
)
from tokoban.sokoban.search.rules.corrals import DEADLOCKED, NO_CORRAL, find_pi_corral
from tokoban.sokoban.search.rules.freeze import (
    FrozenWalls,
    empty_frozen_walls,
    is_deadlocked_by_freeze,
    is_immobile,
)
from tokoban.sokoban.search.rules.patterns import Patterns, has_pattern, no_patterns
from tokoban.sokoban.search.rules.patterns import grown as grown_patterns
from tokoban.sokoban.search.state.columns import zeroed
from tokoban.sokoban.search.state.positions import num_bytes

# Floods of corral searches: one expansion tries so many moves that all are worth it.
_UNLIMITED = 1 << 62


class Pruning(NamedTuple):
    """The deadlocks learned in one level, and workspace."""

    frozen_walls: FrozenWalls
    patterns: Patterns
    corral_search: CorralSearch
    is_inside: Bool[np.ndarray, "F+2"]  # by region
    is_around: Bool[np.ndarray, "F+1"]
    may_move: Bool[np.ndarray, " G"]  # after PUSH_THESE, which boxes


def empty_pruning(num_floor: int, num_boxes: int, *, is_small: bool = False) -> Pruning:
    """Nothing is learned yet; ``is_small`` is for a search of a few hundred expansions."""
    return zeroed(
        Pruning,
        F=num_floor,
        G=num_boxes,
        frozen_walls=empty_frozen_walls(num_floor, num_boxes, is_small=is_small),
        patterns=no_patterns(num_floor, is_small=is_small),
        corral_search=empty_corral_search(num_floor),
    )


def grown(pruning: Pruning) -> Pruning:
    """The same patterns, with tables of full size."""
    num_floor, num_boxes = len(pruning.is_around) - 1, len(pruning.may_move)
    larger = empty_pruning(num_floor, num_boxes)
    return larger._replace(
        patterns=grown_patterns(pruning.patterns),
        corral_search=pruning.corral_search,
    )


class Applied:
    """What one search applies.

    Searches of one level share what they learn, never ``may_move``: another search may have its
    turn between two boxes of one position.
    """

    def __init__(self, ground: Ground, learned: Pruning | None, *, is_small: bool = False) -> None:
        """``learned`` and then also the ground are shared with other searches; without it, nothing
        is learned yet, and ``is_small`` is that of ``empty_pruning``."""
        num_floor, num_boxes = len(ground.zone), len(ground.goals)
        shared = learned or empty_pruning(num_floor, num_boxes, is_small=is_small)
        self._ground = ground
        self.pruning = shared._replace(may_move=np.zeros_like(shared.may_move))
        # Of what only this search holds, its ground included.
        self.num_bytes = 0 if learned else num_bytes((ground, self.pruning))

    def grow(self) -> None:
        """Gives tables that were small their full size."""
        self.pruning = grown(self.pruning)
        self.num_bytes = num_bytes((self._ground, self.pruning))


@partial(inner, is_inlined=True)
@no_type_check
def is_deadlocked_by_push(ground, pruning, words, boxes, is_blocked, box, player):
    """Whether a pattern or a freeze shows a deadlock after a push to the square ``box``."""
    if has_pattern(pruning.patterns, words, box, player, 0):
        return True
    return is_immobile(ground, is_blocked, box) and is_deadlocked_by_freeze(
        ground, pruning.frozen_walls, boxes, is_blocked
    )


@partial(inner, is_inlined=True)
@no_type_check
def judge_position(
    ground, words, player, scratch, pruning, num_regions, since=0, max_floods=_UNLIMITED
):
    """The verdict on a position that is laid out, and the floods of corral searches that it took.

    Fills ``may_move`` with the boxes whose pushes suffice for any solution and for one of fewest
    pushes. Patterns are tried from number ``since`` on; no search of a corral begins after
    ``max_floods`` floods.
    """
    num_floods = pruning.corral_search.num_floods
    before = num_floods[0]
    verdict = verdict_on(
        ground, words, player, scratch, pruning, num_regions, since, before + max_floods
    )
    for row in range(len(scratch.may_move)):
        scratch.may_move[row] = verdict == NO_CORRAL or pruning.may_move[row]
    return verdict, num_floods[0] - before


@partial(inner, is_inlined=True)
@no_type_check
def verdict_on(ground, words, player, scratch, pruning, num_regions, since, max_floods):
    """``judge_position`` while there are fewer than ``max_floods`` in all."""
    boxes, is_blocked, area = scratch.boxes, scratch.is_blocked, scratch.area
    for box in boxes:
        if has_pattern(pruning.patterns, words, box, player, since):
            return DEADLOCKED
    if has_deadlocked_corral(
        ground,
        pruning.patterns,
        pruning.corral_search,
        boxes,
        area,
        num_regions,
        pruning.is_inside,
        player,
        max_floods,
    ):
        return DEADLOCKED
    return find_pi_corral(
        ground,
        boxes,
        is_blocked,
        area,
        num_regions,
        pruning.is_inside,
        pruning.is_around,
        pruning.may_move,
    )
