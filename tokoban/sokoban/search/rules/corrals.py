"""PI-corrals: regions that the player cannot enter, and the boxes around them that must be pushed.

After YASS (Brian Damgaard) and the Sokoban wiki; conditions in ``table``. In all functions
``marks`` is 1 where the player can walk, a number from 2 on for each other region of free floor,
and 0 on walls and boxes.
"""

from typing import no_type_check

from tokoban.compiling import inner

NO_CORRAL, PUSH_THESE, DEADLOCKED = range(3)


@inner
@no_type_check
def touches(neighbours, marks, box, is_inside):
    """Whether a box lies beside a region of the corral."""
    is_beside = False
    for direction in range(4):
        is_beside |= is_inside[marks[neighbours[box, direction]]]
    return is_beside


@inner
@no_type_check
def push_into(ground, marks, is_blocked, is_inside, is_around, box, direction):
    """What a push of a box around the corral means: the region that must join it, or one of these:

    0: it cannot be the first push of such a box in any solution; -1: it can be made now and leads
    into the corral; -2: it may become possible later, so the corral does not bind.
    """
    start = ground.neighbours[box, direction ^ 2]
    end = ground.neighbours[box, direction]
    wall = len(marks) - 1
    if start == wall or end == wall or ground.is_dead[end]:
        return 0
    if is_around[start] or is_around[end] or is_inside[marks[start]]:
        return 0
    if is_blocked[start] or is_blocked[end] or marks[end] == 1:
        return -2
    if not is_inside[marks[end]]:
        return marks[end]
    if marks[start] != 1:
        return marks[start]
    return -1


@inner
@no_type_check
def is_unfinished(ground, boxes, is_blocked, marks, is_inside, is_around):
    """Whether some box around the corral is off the goals, or a goal inside is bare."""
    for box in boxes:
        if is_around[box] and not ground.is_goal[box]:
            return True
    is_bare = False
    for goal in ground.goals:
        is_bare |= not is_blocked[goal] and is_inside[marks[goal]]
    return is_bare


@inner
@no_type_check
def grow_corral(ground, boxes, is_blocked, marks, is_inside, is_around):
    """Joins regions to the one in ``is_inside`` until all first pushes lead into the corral.

    Returns how many there are, or -1 if the corral does not bind. ``is_around`` marks its boxes.
    """
    while True:
        for box in boxes:
            is_around[box] = touches(ground.neighbours, marks, box, is_inside)
        num_pushes = 0
        joined = 0
        for box in boxes:
            if not is_around[box]:
                continue
            for direction in range(4):
                found = push_into(ground, marks, is_blocked, is_inside, is_around, box, direction)
                if found == -2:
                    return -1
                if found == -1:
                    num_pushes += 1
                elif found > 0:
                    joined = found
        if joined == 0:
            return num_pushes
        is_inside[joined] = True


@inner
@no_type_check
def find_pi_corral(ground, boxes, is_blocked, marks, num_regions, is_inside, is_around, may_move):
    """Which boxes ``may_move`` without loss of solutions: those around a corral to enter now.

    A PI-corral: any first push of a box around it leads into it and can be made at once, so such a
    push may as well come before all others. Returns PUSH_THESE, NO_CORRAL when every box may move,
    or DEADLOCKED when an unfinished corral has no first push at all.
    """
    best = 1 << 30
    for region in range(2, 2 + num_regions):
        is_inside[: num_regions + 2] = False
        is_inside[region] = True
        num_pushes = grow_corral(ground, boxes, is_blocked, marks, is_inside, is_around)
        is_bound = num_pushes >= 0 and is_unfinished(
            ground, boxes, is_blocked, marks, is_inside, is_around
        )
        if is_bound and num_pushes < best:
            best = num_pushes
            for row in range(len(boxes)):
                may_move[row] = is_around[boxes[row]]
        for box in boxes:
            is_around[box] = False
    if best == 1 << 30:
        return NO_CORRAL
    return PUSH_THESE if best > 0 else DEADLOCKED
