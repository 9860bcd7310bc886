"""A position in workspace, ready to be expanded. Axes as in ``ground``.

The workspace of a search has ``is_blocked``, ``boxes``, ``places``, ``area`` and ``waiting``
among its fields.
"""

from functools import partial
from typing import no_type_check

from tokoban.compiling import inner
from tokoban.sokoban.search.level.flood import flood, flood_rest
from tokoban.sokoban.search.state.positions import list_boxes


@partial(inner, is_inlined=True)
@no_type_check
def lay_out_position(ground, words, player, scratch):
    """Fills the workspace except ``may_move``; returns how many regions the player cannot enter."""
    boxes, is_blocked = scratch.boxes, scratch.is_blocked
    list_boxes(words, boxes)
    is_blocked[: len(is_blocked) - 1] = False
    for row in range(len(boxes)):
        is_blocked[boxes[row]] = True
        scratch.places[row] = boxes[row] * 4 + ground.zone[boxes[row], player]
    scratch.area[:] = 0
    flood(ground.neighbours, is_blocked, player, scratch.area, 1, scratch.waiting)
    return flood_rest(ground.neighbours, is_blocked, scratch.area, 1, scratch.waiting)
