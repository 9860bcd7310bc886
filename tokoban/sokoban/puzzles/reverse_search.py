"""Compiled: reverse play of a room by pulls, a beam search over layers of equally many pulls.

Taylor and Parberry, "Procedural generation of Sokoban levels" (GAME-ON NA, 2011), pull back from
the goals exhaustively; here the beam makes rooms of any size feasible. Axes: those of
``search.level.ground``.
"""

from typing import no_type_check

import numpy as np

from tokoban.compiling import entry
from tokoban.sokoban.puzzles.state_space import enter
from tokoban.sokoban.search.level.ground import NONE
from tokoban.sokoban.search.measures.bounds import match_all, matched_pushes
from tokoban.sokoban.search.state.positions import (
    bit_of,
    copy,
    key_of,
    list_boxes,
    refill_slots,
    write_moved,
)
from tokoban.sokoban.search.state.workspace import lay_out_area


@entry
@no_type_check
def enter_goals(ground, positions, scratch):
    """Makes the first layer: boxes on all goals, and the player in each zone."""
    scratch.words[:] = 0
    for goal in ground.goals:
        scratch.is_blocked[goal] = True
        scratch.words[goal >> 6] |= bit_of(goal)
    key = key_of(ground.keys, ground.goals)
    for square in range(len(ground.zone)):
        if not scratch.is_blocked[square]:
            enter(ground.neighbours, ground.keys, positions, scratch, key, NONE, square)
    for goal in ground.goals:
        scratch.is_blocked[goal] = False


@entry
@no_type_check
def pull_all(ground, positions, scratch, first, last):
    """Enters the new ones of the positions one pull from those from ``first`` on, before ``last``.

    The capacity must suffice for four times as many as boxes of each.
    """
    neighbours, keys = ground.neighbours, ground.keys
    is_blocked, words = scratch.is_blocked, scratch.words
    for position in range(first, last):
        lay_out_area(neighbours, positions.boxes[position], positions.player[position], scratch)
        for box in scratch.boxes:
            for direction in range(4):
                beside = neighbours[box, direction]
                beyond = neighbours[beside, direction]
                if scratch.area[beside] != 1 or is_blocked[beyond]:
                    continue
                write_moved(positions.boxes[position], np.int64(box), np.int64(beside), words)
                key = positions.boxes_key[position] ^ keys[0, box] ^ keys[0, beside]
                is_blocked[box], is_blocked[beside] = False, True
                enter(neighbours, keys, positions, scratch, key, position, beyond)
                is_blocked[beside], is_blocked[box] = False, True


@entry
@no_type_check
def find_bounds(ground, positions, scratch, first, bounds):
    """Fills ``bounds`` with a lower bound on the pushes of each position from ``first`` on."""
    places, matching, boxes = scratch.places, scratch.matching, scratch.boxes
    for i in range(len(bounds)):
        list_boxes(positions.boxes[first + i], boxes)
        player = positions.player[first + i]
        for row in range(len(boxes)):
            places[row] = boxes[row] * 4 + ground.zone[boxes[row], player]
        match_all(ground.pushes, True, places, matching, scratch.path)
        bounds[i] = matched_pushes(ground.pushes, places, matching)


@entry
@no_type_check
def keep(ground, positions, first, chosen):
    """Drops the positions from ``first`` on that are not ``chosen``, which ascends."""
    for i in range(len(chosen)):
        copy(positions.boxes[chosen[i]], positions.boxes[first + i])
        positions.boxes_key[first + i] = positions.boxes_key[chosen[i]]
        positions.player[first + i] = positions.player[chosen[i]]
    positions.num_known[0] = first + len(chosen)
    positions.slots[:] = NONE
    refill_slots(positions, ground.keys, 0, positions.num_known[0])
