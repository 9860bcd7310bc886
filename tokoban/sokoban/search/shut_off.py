"""Goals that boxes on other goals shut off: an estimate, for those boxes may yet move.

Axes as in ``ground``, and K positions.
"""

from typing import no_type_check

import numpy as np
from jaxtyping import Bool, Int64

from tokoban.compiling import entry, inner
from tokoban.sokoban.search.bounds import find_goal
from tokoban.sokoban.search.ground import NONE, Ground

# Steps of the loops that a call may take: some 10 ms.
_STEPS_A_CALL = 1 << 24


def num_at_once(ground: Ground) -> int:
    """As many positions as ``num_shut_off`` should be asked about between two looks at a limit."""
    num_floor, num_goals = len(ground.zone), len(ground.goals)
    return max(1, _STEPS_A_CALL // (num_goals * (4 * num_floor + num_goals**2)))


def num_shut_off(ground: Ground, is_box: Bool[np.ndarray, "K F"]) -> Int64[np.ndarray, " K"]:
    """How many goals stay empty in each position if no box that is on a goal moves again.

    Boxes off the goals do not stand in each other's way, and the player is wherever a push needs
    him; the others go to as many goals as a matching fills.
    """
    num_floor, num_goals = len(ground.zone), len(ground.goals)
    counts = np.zeros(len(is_box), np.int64)
    _count(
        ground,
        is_box,
        counts,
        np.zeros((num_goals, -(-num_floor // 64)), np.uint64),
        np.empty(num_floor, np.int64),
        np.empty((num_goals, -(-num_goals // 64)), np.uint64),
        np.empty((4, num_goals), np.int32),
    )
    return counts


@entry
@no_type_check
def _count(ground, is_box, counts, sources, stack, goals_of_box, matching):
    """Fills ``counts``; the arrays after it are room to work in."""
    for position in range(len(is_box)):
        boxes = is_box[position]
        _find_sources(ground, boxes, sources, stack)
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
def _find_sources(ground, is_box, sources, stack):
    """Fills ``sources`` [G, W]: from which squares a box gets to each goal, none if it has one."""
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
                player = ground.neighbours[square, direction]
                if player == num_floor or (is_box[player] and is_goal[player]):
                    continue
                earlier = ground.goal_of[square]
                if NONE < earlier < goal:
                    # A box gets here from all these squares, so it gets from them to ``to``.
                    own |= sources[earlier]
                else:
                    own[square >> 6] |= bit
                    stack[height] = square
                    height += 1
