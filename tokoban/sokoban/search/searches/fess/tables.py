"""What FESS knows of a level before it starts. Axes as in ``ground``."""

from typing import NamedTuple

import numpy as np
from jaxtyping import Bool, UInt64

from tokoban.sokoban.search.level.ground import Ground
from tokoban.sokoban.search.measures.bounds import MAX_MATCHED
from tokoban.sokoban.search.measures.hotspots import hotspots_in_steps
from tokoban.sokoban.search.measures.packing.plan import Packing
from tokoban.sokoban.search.measures.packing.planning import packing_in_steps
from tokoban.sokoban.search.searches.fess.advisors import ADVISORS
from tokoban.sokoban.search.state.positions import packed_bits
from tokoban.sokoban.search.steps import Steps


class Tables(NamedTuple):
    """A level without its boxes and player."""

    ground: Ground
    packing: Packing
    hotspots: UInt64[np.ndarray, "F W"]
    has_ties: bool  # whether hotspots are counted; a beam does not use them
    is_silent: Bool[np.ndarray, " _"]  # by advisor
    is_matched: bool  # whether boxes that no matching brings to goals are looked for
    goal_words: UInt64[np.ndarray, " W"]


def tables_in_steps(ground: Ground, by_pulls: Ground, player: int) -> Steps[Tables]:
    """The tables of a level; boxes and goals are equally many. ``by_pulls`` is for pulls."""
    packing = yield from packing_in_steps(ground, by_pulls, player)
    hotspots = yield from hotspots_in_steps(ground)
    return Tables(
        ground=ground,
        packing=packing,
        hotspots=hotspots,
        has_ties=True,
        is_silent=np.zeros(len(ADVISORS), np.bool_),
        is_matched=len(ground.goals) <= MAX_MATCHED,
        goal_words=packed_bits(ground.is_goal[:-1]),
    )
