"""Boxes that can never move again, and which goals the others still reach around them."""

from typing import NamedTuple, no_type_check

import numpy as np
from jaxtyping import UInt64

from tokoban.compiling import inner
from tokoban.sokoban.search.astar import NONE

_MAX_BYTES = 1 << 25


class FrozenWalls(NamedTuple):
    """Goals that boxes reach when frozen boxes are walls; a table of E sets of frozen boxes.

    A set has one place in the table, where it may be replaced by another. ``goals`` are bits:
    whether a box can be pushed from a square to each goal, wherever the player stands.
    """

    sets: UInt64[np.ndarray, "E W"]  # the frozen boxes; an unused entry has none
    goals: UInt64[np.ndarray, "E F X"]
    frozen: UInt64[np.ndarray, " W"]  # the set that is looked up


def empty_frozen_walls(num_floor: int, num_goals: int) -> FrozenWalls:
    """A table with no sets; the size is a power of two."""
    num_words = -(-num_goals // 64)
    num_sets = 1
    while 2 * num_sets * num_floor * num_words * 8 <= _MAX_BYTES and num_sets < 4096:
        num_sets *= 2
    return FrozenWalls(
        sets=np.zeros((num_sets, -(-num_floor // 64)), np.uint64),
        goals=np.zeros((num_sets, num_floor, num_words), np.uint64),
        frozen=np.zeros(-(-num_floor // 64), np.uint64),
    )


@inner
@no_type_check
def is_stuck(tables, is_held, box):
    """Whether walls, held boxes or dead squares on both sides hold a box in both axes."""
    around = tables.neighbours[box]
    for axis in range(2):
        before, beyond = around[axis], around[axis + 2]
        if not (
            is_held[before]
            or is_held[beyond]
            or (tables.is_dead[before] and tables.is_dead[beyond])
        ):
            return False
    return True


@inner
@no_type_check
def mark_frozen(tables, boxes, is_blocked, is_held):
    """Marks walls and the boxes that cannot move unless onto a dead square; returns how many.

    The count is -1 if one of them is on no goal: then the position is lost.
    """
    for square in range(len(is_held)):
        is_held[square] = is_blocked[square]
    num_frozen = len(boxes)
    has_changed = True
    while has_changed:
        has_changed = False
        for box in boxes:
            if is_held[box] and not is_stuck(tables, is_held, box):
                is_held[box] = False
                num_frozen -= 1
                has_changed = True
    for box in boxes:
        if is_held[box] and tables.goal_of[box] == NONE:
            return -1
    return num_frozen


@inner
@no_type_check
def frozen_entry(tables, frozen_walls, boxes, is_held, waiting):
    """The entry of ``frozen_walls`` for the boxes that ``is_held`` marks; filled if need be.

    At least one box is marked. A hash chooses the entry, but the sets themselves are compared:
    positions are proved lost by what the entry says.
    """
    frozen = frozen_walls.frozen
    frozen[:] = 0
    mixed = np.uint64(0)
    for box in boxes:
        if is_held[box]:
            frozen[box >> 6] |= np.uint64(1) << np.uint64(box & 63)
            mixed ^= tables.keys[0, box]
    entry = np.int64(mixed & np.uint64(len(frozen_walls.sets) - 1))
    known = frozen_walls.sets[entry]
    is_known = True
    for word in range(len(frozen)):
        is_known &= known[word] == frozen[word]
    if is_known:
        return entry
    for word in range(len(frozen)):
        known[word] = frozen[word]
    reached_from = frozen_walls.goals[entry]
    reached_from[:] = 0
    for goal in range(len(tables.goals)):
        word, bit = goal >> 6, np.uint64(1) << np.uint64(goal & 63)
        reached_from[tables.goals[goal], word] |= bit
        if is_held[tables.goals[goal]]:
            continue  # the box there stays
        waiting[0] = tables.goals[goal]
        count = 1
        while count > 0:
            count -= 1
            square = waiting[count]
            for direction in range(4):
                before = tables.neighbours[square, direction]
                if is_held[before] or reached_from[before, word] & bit:
                    continue
                if not is_held[tables.neighbours[before, direction]]:
                    reached_from[before, word] |= bit
                    waiting[count] = before
                    count += 1
    return entry
