"""The score of a position: its features in one number, so that more is better.

From the most important on: steps of the plan that are fulfilled (``plan``), regions of free floor,
boxes out of plan, boxes in the way of others (``hotspots``). The first three make the cells, the
last only decides between children of one weight in one cell.
After Yaron Shoham and Jonathan Schaeffer, "The FESS Algorithm: A Feature Based Approach to
Single-Agent Search", IEEE Conference on Games 2020.
"""

from functools import partial
from typing import no_type_check

from tokoban.compiling import inner
from tokoban.sokoban.search.measures.hotspots import num_hotspots
from tokoban.sokoban.search.measures.packing.plan import out_of_plan, progress_of_plan

# Lowest bit of each feature; all but packing are counted down from 255 and saturate.
PACKING, REGIONS, OUT_OF_PLAN, HOTSPOTS = 48, 40, 32, 24
CELL_SHIFT = OUT_OF_PLAN  # below it, a beam keeps its own badness
_MAX = 255


@partial(inner, is_inlined=True)
@no_type_check
def score_of_cell(tables, is_blocked, words, num_regions):
    """The features that make cells, of a position with so many regions of free floor.

    The player's region is one of them.
    """
    packing = tables.packing
    packed, point = progress_of_plan(packing, is_blocked)
    num_outside = out_of_plan(packing, words, point)
    return (
        packed << PACKING
        | (_MAX - min(num_regions, _MAX)) << REGIONS
        | (_MAX - min(num_outside, _MAX)) << OUT_OF_PLAN
    )


@partial(inner, is_inlined=True)
@no_type_check
def score_within_cell(tables, words):
    """The feature within a cell, if it is used: it takes most of the time."""
    if not tables.has_ties:
        return 0
    return (_MAX - min(num_hotspots(tables.hotspots, words), _MAX)) << HOTSPOTS


@inner
@no_type_check
def feature_of(score, feature):
    """One feature of a score, named by its lowest bit; more is better."""
    return score >> PACKING if feature == PACKING else score >> feature & _MAX
