"""The score of a position: its features in one number, so that more is better.

From the most important on: steps of the plan that are fulfilled (``plan``), regions of free floor,
boxes out of plan. They make the cells, in the sense of
Yaron Shoham and Jonathan Schaeffer, "The FESS Algorithm: A Feature Based Approach to
Single-Agent Search", IEEE Conference on Games 2020.
"""

from functools import partial
from typing import no_type_check

from tokoban.compiling import inner
from tokoban.sokoban.search.measures.packing.plan import num_packed, out_of_plan, point_of_plan

# Lowest bit of each feature; all but packing are counted down from 255 and saturate.
PACKING, REGIONS, OUT_OF_PLAN = 48, 40, 32
CELL_SHIFT = OUT_OF_PLAN  # below, a beam keeps what it decides on
_MAX = 255


@partial(inner, is_inlined=True)
@no_type_check
def score_of(tables, is_blocked, words, num_regions):
    """The score of a position with so many regions of free floor, that of the player included."""
    packing = tables.packing
    packed = num_packed(packing, is_blocked)
    num_outside = out_of_plan(packing, words, point_of_plan(packing, is_blocked))
    return (
        packed << PACKING
        | (_MAX - min(num_regions, _MAX)) << REGIONS
        | (_MAX - min(num_outside, _MAX)) << OUT_OF_PLAN
    )


@inner
@no_type_check
def feature_of(score, feature):
    """One feature of a score, named by its lowest bit; more is better."""
    return score >> PACKING if feature == PACKING else score >> feature & _MAX
