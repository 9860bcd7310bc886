"""Compiled: the hash table of positions whose boxes are bits of words and whose player is a square.

Positions have ``slots``, a power of two of them, and rows of ``boxes``, ``mixed_boxes`` (the boxes
as one scrambled word) and ``player``.
"""

from typing import no_type_check

import numpy as np

from tokoban.compiling import entry, inner
from tokoban.sokoban.search.astar import NONE


@inner
@no_type_check
def slot_of(positions, boxes, mixed_boxes, player, player_key):
    """The slot of the hash table that holds this position, or the empty one where it belongs."""
    mask = len(positions.slots) - 1
    slot = np.int64((mixed_boxes ^ player_key) >> np.uint64(1)) & mask
    while positions.slots[slot] != NONE:
        position = positions.slots[slot]
        if positions.mixed_boxes[position] == mixed_boxes and positions.player[position] == player:
            is_same = True
            for word in range(len(boxes)):
                is_same &= positions.boxes[position, word] == boxes[word]
            if is_same:
                break
        slot = (slot + 1) & mask
    return slot


@entry
@no_type_check
def refill_slots(positions, num_positions, player_keys):
    """Enters the first so many positions into an empty hash table."""
    for position in range(num_positions):
        player = positions.player[position]
        slot = slot_of(
            positions,
            positions.boxes[position],
            positions.mixed_boxes[position],
            player,
            player_keys[player],
        )
        positions.slots[slot] = position
