"""Counts the goals that are shut off: empty ones to which no box off the goals can be pushed while
the boxes on goals stay where they are.

It is a heuristic, because a box on a goal may move again. Axes as in ``ground``, and K positions.
"""

from typing import no_type_check

import numpy as np
from jaxtyping import Bool, Int64

from tokoban.compiling import entry, inner
from tokoban.sokoban.search.level.ground import NONE, Ground
from tokoban.sokoban.search.measures.bounds import find_goal

# The most steps of inner loops in a call, so that time limits are checked often enough.
_STEPS_A_CALL = 1 << 24


def num_at_once(ground: Ground) -> int:
    """How many positions one call of ``num_shut_off`` may have, so that it does not take long."""
    num_floor, num_goals = len(ground.zone), len(ground.goals)
    return max(1, _STEPS_A_CALL // (num_goals * (4 * num_floor + num_goals**2)))


def num_shut_off(
    ground: Ground, is_box: Bool[np.ndarray, "K F"], *, by_pulls: bool = False
) -> Int64[np.ndarray, " K"]:
    """How many goals stay empty in each position if no box on a goal moves again.

    ``by_pulls`` says that boxes are pulled to the goals, which are then squares where boxes start.
    The boxes on goals are walls. The other boxes do not block each other, the player can reach any
    free square, and a largest matching assigns boxes to the empty goals.
    """
    num_floor, num_goals = len(ground.zone), len(ground.goals)
    counts = np.zeros(len(is_box), np.int64)
    _count(
        ground,
        is_box,
        by_pulls,
        counts,
        np.zeros((num_goals, -(-num_floor // 64)), np.uint64),
        np.empty(num_floor, np.int64),
        np.empty((num_goals, -(-num_goals // 64)), np.uint64),
        np.empty((4, num_goals), np.int32),
    )
    return counts


@entry
@no_type_check
def _count(ground, is_box, by_pulls, counts, sources, stack, goals_of_box, matching):
    """Fills ``counts`` [K]; the arrays after it are workspace."""
    for position in range(len(is_box)):
        boxes = is_box[position]
        _find_sources(ground, boxes, by_pulls, sources, stack)
        matching[0] = NONE
        row = 0
        for square in range(len(boxes)):
            if not boxes[square] or ground.is_goal[square]:
                continue
            goals_of_box[row] = 0
            for goal in range(len(sources)):
                if sources[goal, square >> 6] >> np.uint64(square & 63) & np.uint64(1):
                    goals_of_box[row, goal >> 6] |= np.uint64(1) << np.uint64(goal & 63)
            if not find_goal(goals_of_box, row, matching):
                counts[position] += 1
            row += 1


@inner
@no_type_check
def _find_sources(ground, is_box, by_pulls, sources, stack):
    """Fills ``sources`` [G, W] with the squares from which a box can be pushed to each goal.

    Or pulled, if ``by_pulls``.
    There are none for a goal that has a box.
    """
    num_floor, is_goal = len(is_box), ground.is_goal
    for goal in range(len(ground.goals)):
        own = sources[goal]
        own[:] = 0
        end = np.int64(ground.goals[goal])
        if is_box[end]:
            continue
        own[end >> 6] |= np.uint64(1) << np.uint64(end & 63)
        stack[0] = end
        height = 1
        while height:
            height -= 1
            to = stack[height]
            for direction in range(4):
                square = np.int64(ground.neighbours[to, direction])
                if square == num_floor or (is_box[square] and is_goal[square]):
                    continue
                bit = np.uint64(1) << np.uint64(square & 63)
                if own[square >> 6] & bit:
                    continue
                # Before a push the player stands behind the box, after a pull before it.
                player = ground.neighbours[to, direction ^ 2]
                if not by_pulls:
                    player = ground.neighbours[square, direction]
                if player == num_floor or (is_box[player] and is_goal[player]):
                    continue
                earlier = ground.goal_of[square]
                if NONE < earlier < goal:
                    # From all these squares a box can be pushed here, and on to ``to``.
                    own |= sources[earlier]
                else:
                    own[square >> 6] |= bit
                    stack[height] = square
                    height += 1
