"""The score of a position: its features in one number, so that more is better.

From the most important on: steps of the plan that are fulfilled (``plan``), regions of free floor,
boxes out of plan, broken links of rooms (``rooms``), boxes in the way of others (``hotspots``). The
first three make the cells, the others only decide between children of one weight in one cell. So
do two marks of the move by which a position is reached.
After Yaron Shoham and Jonathan Schaeffer, "The FESS Algorithm: A Feature Based Approach to
Single-Agent Search", IEEE Conference on Games 2020.
"""

from functools import partial
from typing import no_type_check

from tokoban.compiling import inner
from tokoban.sokoban.search.measures.hotspots import num_hotspots
from tokoban.sokoban.search.measures.packing.plan import num_packed, out_of_plan, point_of_plan
from tokoban.sokoban.search.measures.rooms import num_broken_links

# Lowest bit of each feature; all but packing are counted down from 255 and saturate.
PACKING, REGIONS, OUT_OF_PLAN, ROOMS, HOTSPOTS = 48, 40, 32, 24, 16
CELL_SHIFT = OUT_OF_PLAN
# Marks of the move that leads to a position; they decide last.
OPENS, RETURNS = 1, 0  # it opens a push to the player; it can be undone
_MAX = 255


@partial(inner, is_inlined=True)
@no_type_check
def score_of_cell(tables, is_blocked, words, num_regions):
    """The features that make cells, of a position with so many regions of free floor.

    That of the player is one of them.
    """
    packing = tables.packing
    packed = num_packed(packing, is_blocked)
    num_outside = out_of_plan(packing, words, point_of_plan(packing, is_blocked))
    return (
        packed << PACKING
        | (_MAX - min(num_regions, _MAX)) << REGIONS
        | (_MAX - min(num_outside, _MAX)) << OUT_OF_PLAN
    )


@partial(inner, is_inlined=True)
@no_type_check
def score_within_cell(tables, is_blocked, words):
    """The other features: they take most of the time, and children known before need none."""
    num_broken = num_broken_links(tables.rooms, tables.ground.neighbours, is_blocked)
    num_in_the_way = num_hotspots(tables.hotspots, words)
    return (_MAX - min(num_broken, _MAX)) << ROOMS | (_MAX - min(num_in_the_way, _MAX)) << HOTSPOTS


@inner
@no_type_check
def feature_of(score, feature):
    """One feature of a score, named by its lowest bit; more is better."""
    return score >> PACKING if feature == PACKING else score >> feature & _MAX


@inner
@no_type_check
def has_mark(score, mark):
    """Whether the score of a child has a mark of its move."""
    return score >> mark & 1 == 1
