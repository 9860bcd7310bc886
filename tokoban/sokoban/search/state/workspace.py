"""The workspace of a search, and how a position is laid out in it, to be expanded.

Axes as in ``ground``.
"""

from functools import partial
from typing import Any, NamedTuple, no_type_check

import numpy as np
from jaxtyping import Bool, Int16, Int32, Int64, UInt64

from tokoban.compiling import inner
from tokoban.sokoban.search.level.flood import flood, flood_rest
from tokoban.sokoban.search.level.ground import NONE
from tokoban.sokoban.search.state.columns import zeroed
from tokoban.sokoban.search.state.positions import list_boxes


class Workspace(NamedTuple):
    """Workspace for one position, which it holds while the expansion is interrupted."""

    is_blocked: Bool[np.ndarray, "F+1"]  # walls and boxes
    is_frozen: Bool[np.ndarray, "F+1"]
    boxes: Int16[np.ndarray, " G"]  # ascending
    places: Int32[np.ndarray, " G"]
    may_move: Bool[np.ndarray, " G"]
    area: Int32[np.ndarray, "F+1"]  # 1 where the player can walk, other regions from 2 on
    num_areas: Int64[np.ndarray, "1"]
    least: Int16[np.ndarray, "F+2"]  # square of each area
    steps: Int32[np.ndarray, "F+1"]  # of the walk to each square
    marks: Int64[np.ndarray, "F+1"]  # never cleared: each area takes a new mark
    seen: Int64[np.ndarray, "F*4"]  # the mark of a moved box where it was, by the player's side
    last_mark: Int64[np.ndarray, "1"]
    waiting: Int32[np.ndarray, "F+1"]
    ways: Int32[np.ndarray, "2 F*4"]
    words: UInt64[np.ndarray, " W"]  # the boxes after a move
    others: UInt64[np.ndarray, " W"]  # the boxes that do not move
    matching: Int64[np.ndarray, "3 G+1"]
    path: Int64[np.ndarray, "4 G+1"]
    regions: Any  # ``Regions`` once the box that is moved is lifted, where a search asks for them


def workspace_for(num_floor: int, num_boxes: int, *, regions: Any = None) -> Workspace:
    """Only the wall is blocked yet."""
    workspace = zeroed(Workspace, F=num_floor, G=num_boxes, regions=regions)
    workspace.is_blocked[num_floor] = True
    workspace.matching[2] = NONE
    return workspace


@inner
@no_type_check
def place_boxes(words, boxes, is_blocked):
    """Writes the squares of ``words`` into ``boxes``, and blocks them and the wall alone."""
    list_boxes(words, boxes)
    is_blocked[: len(is_blocked) - 1] = False
    for box in boxes:
        is_blocked[box] = True


@inner
@no_type_check
def least_of_area(neighbours, scratch, player):
    """Marks where the player can walk with the next mark; returns the least such square."""
    scratch.last_mark[0] += 1
    mark = scratch.last_mark[0]
    return flood(neighbours, scratch.is_blocked, player, scratch.marks, mark, scratch.waiting)


@inner
@no_type_check
def lay_out_area(neighbours, words, player, scratch):
    """Fills ``boxes`` and ``is_blocked``, and ``area`` with 1 where the player can walk, else 0."""
    place_boxes(words, scratch.boxes, scratch.is_blocked)
    scratch.area[:] = 0
    flood(neighbours, scratch.is_blocked, player, scratch.area, 1, scratch.waiting)


@partial(inner, is_inlined=True)
@no_type_check
def lay_out_position(ground, words, player, scratch, steps=None):
    """Fills the workspace except ``may_move``; returns how many regions the player cannot enter.

    ``steps`` as in ``flood``.
    """
    boxes, is_blocked = scratch.boxes, scratch.is_blocked
    place_boxes(words, boxes, is_blocked)
    for row in range(len(boxes)):
        scratch.places[row] = boxes[row] * 4 + ground.zone[boxes[row], player]
    area, least, waiting = scratch.area, scratch.least, scratch.waiting
    area[:] = 0
    least[1] = flood(ground.neighbours, is_blocked, player, area, 1, waiting, steps)
    num_others = flood_rest(ground.neighbours, is_blocked, area, waiting, least)
    scratch.num_areas[0] = 1 + num_others
    return num_others
