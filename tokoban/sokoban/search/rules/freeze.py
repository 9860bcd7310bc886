"""Freezes: boxes that walls and each other hold for good, and goals that they cut off.

Conditions and sources in ``table``. The reference rule, slow and plain, is in
``tokoban.sokoban.deadlocks``; the checker of certificates has its own. On words of 8x8 squares
(``bitboard.terrain``) the rule tests all boxes at once by shifts of words, which is why it is
written again there; ``test_deadlocks`` holds it to the rule here.
"""

from functools import partial
from typing import NamedTuple, no_type_check

import numpy as np
from jaxtyping import Bool, Int32, UInt64

from tokoban.compiling import inner
from tokoban.sokoban.search.measures.bounds import every_box_has_a_goal
from tokoban.sokoban.search.state.columns import zeroed
from tokoban.sokoban.search.state.positions import are_equal, bit_of, copy

_MAX_BYTES = 1 << 25
_FEW_SETS, _MAX_SETS = 16, 4096


class FrozenWalls(NamedTuple):
    """Goals that boxes reach when frozen boxes are walls; a table of E sets of frozen boxes.

    A set has one place in the table, where it may be replaced by another. ``goals`` are bits:
    whether a box can be pushed from a square to each goal, wherever the player stands.
    """

    sets: UInt64[np.ndarray, "E W"]  # the frozen boxes; an unused entry has none
    goals: UInt64[np.ndarray, "E F X"]
    # Workspace.
    frozen: UInt64[np.ndarray, " W"]  # the set that is looked up
    is_frozen: Bool[np.ndarray, "F+1"]
    waiting: Int32[np.ndarray, " F"]
    goals_of_box: UInt64[np.ndarray, "G X"]
    pairs: Int32[np.ndarray, "4 G"]


def empty_frozen_walls(num_floor: int, num_goals: int, *, is_small: bool = False) -> FrozenWalls:
    """A table with no sets; the size is a power of two."""
    most = _FEW_SETS if is_small else _MAX_SETS
    num_words = -(-num_goals // 64)
    num_sets = 1
    while 2 * num_sets * num_floor * num_words * 8 <= _MAX_BYTES and num_sets < most:
        num_sets *= 2
    return zeroed(FrozenWalls, E=num_sets, F=num_floor, G=num_goals)


@inner
@no_type_check
def is_immobile(ground, is_frozen, box):
    """Whether a box can move in neither axis, where ``is_frozen`` marks walls and frozen boxes."""
    around = ground.neighbours[box]
    for axis in range(2):
        if not (
            ground.is_immovable[axis, box] or is_frozen[around[axis]] or is_frozen[around[axis + 2]]
        ):
            return False
    return True


@inner
@no_type_check
def mark_frozen(ground, boxes, is_blocked, is_frozen):
    """Marks walls and the boxes that can never move again; returns how many boxes these are.

    A box that can move only where it is deadlocked counts as one that cannot move. The number is -1
    if one of them is on no goal: then the position is deadlocked.
    """
    for square in range(len(is_frozen)):
        is_frozen[square] = is_blocked[square]
    return keep_frozen(ground, boxes, is_frozen)


@inner
@no_type_check
def is_frozen_off_goals(ground, boxes, is_blocked, is_frozen, box):
    """Whether a box is frozen together with one on no goal; ``is_frozen`` is workspace."""
    return (
        is_immobile(ground, is_blocked, box)
        and mark_frozen(ground, boxes, is_blocked, is_frozen) < 0
    )


@inner
@no_type_check
def keep_frozen(ground, boxes, is_frozen):
    """Keeps those of the ``boxes`` marked in ``is_frozen`` that hold each other.

    Returns how many are left, or -1 if one of them is on no goal.
    """
    has_changed = True
    while has_changed:
        has_changed = False
        for box in boxes:
            if is_frozen[box] and not is_immobile(ground, is_frozen, box):
                is_frozen[box] = False
                has_changed = True
    num_frozen = 0
    for box in boxes:
        if is_frozen[box]:
            if not ground.is_goal[box]:
                return -1
            num_frozen += 1
    return num_frozen


@inner
@no_type_check
def frozen_entry(ground, frozen_walls, boxes, is_frozen):
    """The entry of ``frozen_walls`` for the boxes that ``is_frozen`` marks; filled if need be.

    At least one box is marked. A hash chooses the entry, but the sets themselves are compared:
    what the entry says may prove a position deadlocked.
    """
    frozen, waiting = frozen_walls.frozen, frozen_walls.waiting
    frozen[:] = 0
    mixed = np.uint64(0)
    for box in boxes:
        if is_frozen[box]:
            frozen[box >> 6] |= bit_of(box)
            mixed ^= ground.keys[0, box]
    entry = np.int64(mixed & np.uint64(len(frozen_walls.sets) - 1))
    known = frozen_walls.sets[entry]
    if are_equal(known, frozen):
        return entry
    copy(frozen, known)
    reached_from = frozen_walls.goals[entry]
    reached_from[:] = 0
    for goal in range(len(ground.goals)):
        word, bit = goal >> 6, bit_of(goal)
        reached_from[ground.goals[goal], word] |= bit
        if is_frozen[ground.goals[goal]]:
            continue  # the box there stays
        waiting[0] = ground.goals[goal]
        count = 1
        while count > 0:
            count -= 1
            square = waiting[count]
            for direction in range(4):
                before = ground.neighbours[square, direction]
                if is_frozen[before] or reached_from[before, word] & bit:
                    continue
                if not is_frozen[ground.neighbours[before, direction]]:
                    reached_from[before, word] |= bit
                    waiting[count] = before
                    count += 1
    return entry


@partial(inner, is_inlined=True)
@no_type_check
def is_deadlocked_by_freeze(ground, frozen_walls, boxes, is_blocked):
    """Whether some box is frozen off the goals, or cut off from them by those frozen on goals."""
    is_frozen = frozen_walls.is_frozen
    num_frozen = mark_frozen(ground, boxes, is_blocked, is_frozen)
    if num_frozen <= 0:
        return num_frozen < 0
    entry = frozen_entry(ground, frozen_walls, boxes, is_frozen)
    goals = frozen_walls.goals[entry]
    for row in range(len(boxes)):
        copy(goals[boxes[row]], frozen_walls.goals_of_box[row])
    return not every_box_has_a_goal(frozen_walls.goals_of_box, frozen_walls.pairs)
