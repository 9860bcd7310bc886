"""The moves of FESS from both ends: all ways to move one box alone (``searches.moves``)."""

from functools import partial
from typing import no_type_check

import numpy as np

from tokoban.compiling import inner
from tokoban.sokoban.search.level.ground import NONE, UNREACHABLE
from tokoban.sokoban.search.measures.bounds import lower_bound_after
from tokoban.sokoban.search.rules.pruning import is_deadlocked_by_push
from tokoban.sokoban.search.searches.bidirectional.features import cell_of
from tokoban.sokoban.search.searches.bidirectional.sides import EXPANDING, MET, NUM_FLOODS, REACHED
from tokoban.sokoban.search.searches.moves import lift, moves_of_one_box
from tokoban.sokoban.search.state.positions import add, slot_of, write_moved


@partial(inner, is_inlined=True)
@no_type_check
def add_position(state, ground, scratch, row, box_before, place, least, num_made):
    """Stores the position with box ``row`` of the expanded one on ``place``, if it is new.

    A ``visit`` of ``moves_of_one_box``: none go on from a deadlocked position.
    """
    tables, side, other_side, pruning = state
    positions, parent = side.positions, side.progress[EXPANDING]
    box, words = place >> 2, scratch.words
    side.progress[NUM_FLOODS] += 1
    write_moved(positions.boxes[parent], box_before, box, words)
    key = positions.boxes_key[parent] ^ ground.keys[0, box_before] ^ ground.keys[0, box]
    slot = slot_of(positions, words, key, least, ground.keys[1, least])
    if positions.slots[slot] != NONE:
        return True
    if not tables.is_backward and is_deadlocked_by_push(
        ground, pruning, words, scratch.boxes, scratch.is_blocked, box, least
    ):
        return False
    lower_bound = lower_bound_after(
        ground, tables.is_matched, scratch.places, row, place, scratch.matching, scratch.path
    )
    if lower_bound >= UNREACHABLE:
        return False
    num_regions = np.int64(scratch.regions.num_regions[box]) - 1
    position = add(positions, slot, words, key, least, parent)
    side.pushed_to[position] = box
    side.num_pushes[position] = side.num_pushes[parent] + num_made
    side.lower_bound[position] = lower_bound
    side.cell[position] = cell_of(tables, scratch.is_blocked, words, num_regions)
    side.is_open[position] = False
    others = other_side.positions
    met = slot_of(others, words, key, least, ground.keys[1, least])
    if others.slots[met] != NONE:
        side.progress[REACHED] = position
        side.progress[MET] = others.slots[met]
    return True


move_lifted = moves_of_one_box(add_position)


@partial(inner, is_inlined=True)
@no_type_check
def move_box(tables, side, other_side, scratch, pruning, row):
    """Adds the positions after any moves of box ``row`` alone; backwards they are pulls."""
    ground, by_pulls = tables.ground, tables.is_backward
    words = side.positions.boxes[side.progress[EXPANDING]]
    if lift(ground, words, scratch, row, by_pulls) >= 0:
        state = (tables, side, other_side, pruning)
        move_lifted(state, ground, pruning.few_boxes, scratch, row, by_pulls)
