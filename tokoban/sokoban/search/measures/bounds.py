"""Lower bounds on the pushes of a position: the cheapest matching of boxes and goals.

The bound of Junghanns and Schaeffer 2001, by the Hungarian method (Kuhn 1955; one augmenting path a
box, after Jonker and Volgenant 1987). Axes: G goals, as many as boxes; L places of a lone box, to
which ``pushes`` [L, G] gives the price of each goal; X words of 64 goals.
"""

from functools import partial
from typing import no_type_check

import numpy as np

from tokoban.compiling import inner
from tokoban.sokoban.search.level.ground import UNREACHABLE

# With more boxes one expansion with the cheapest matching would delay limits and Ctrl-C, and no
# bound brings such a level within reach.
MAX_MATCHED = 256


@inner
@no_type_check
def assign(pushes, places, row, matching, path):
    """Gives box ``row`` a goal by the cheapest augmenting path (the Hungarian method, one row).

    ``places`` are rows of ``pushes``. ``matching`` [3, G + 1] is (price of each box, price of each
    goal, box of each goal), all counted from 1, 0 for none; the prices keep every reduced cost
    >= 0. ``path`` [3, G + 1] is room to work in.
    """
    box_price, goal_price, box_of_goal = matching
    slack, came_from, is_done = path
    num_boxes = len(places)
    slack[:] = 1 << 60
    is_done[:] = 0
    box_of_goal[0] = row + 1
    goal = 0
    while box_of_goal[goal] != 0:
        is_done[goal] = 1
        box = box_of_goal[goal]
        place = places[box - 1]
        least = 1 << 60
        best = 0
        for other in range(1, num_boxes + 1):
            if is_done[other] == 0:
                reduced = pushes[place, other - 1] - box_price[box] - goal_price[other]
                if reduced < slack[other]:
                    slack[other] = reduced
                    came_from[other] = goal
                if slack[other] < least:
                    least = slack[other]
                    best = other
        for other in range(num_boxes + 1):
            if is_done[other] == 1:
                box_price[box_of_goal[other]] += least
                goal_price[other] -= least
            else:
                slack[other] -= least
        goal = best
    while goal != 0:
        box_of_goal[goal] = box_of_goal[came_from[goal]]
        goal = came_from[goal]


@inner
@no_type_check
def matched_pushes(pushes, places, matching):
    """The pushes of a whole matching."""
    total = 0
    for goal in range(len(places)):
        total += pushes[places[matching[2, goal + 1] - 1], goal]
    return total


@inner
@no_type_check
def match_all(pushes, is_matched, places, matching, path):
    """Fills ``matching`` with the cheapest matching of the boxes on ``places``, if asked to."""
    matching[:] = 0
    if is_matched:
        for row in range(len(places)):
            assign(pushes, places, row, matching, path)


@partial(inner, is_inlined=True)
@no_type_check
def matched_pushes_after(pushes, places, row, place, matching, path):
    """The pushes of the cheapest matching once box ``row`` is on ``place``.

    ``matching`` is the cheapest one of ``places`` by ``assign``, of all rows in turn from zeros;
    both stay. The cheapest augmenting path from the box to the goal that it had, by Dijkstra.
    """
    box_price, goal_price, box_of_goal = matching
    distance, is_done = path[0], path[2]
    num_goals = len(places)
    own_goal = 1
    while box_of_goal[own_goal] != row + 1:
        own_goal += 1
    is_done[:] = 0
    distance[:] = 1 << 60
    length = -box_price[row + 1]
    from_place = np.int64(place)
    while True:
        least, next_goal = np.int64(1 << 60), 0
        for goal in range(1, num_goals + 1):
            if is_done[goal] == 0:
                reached = length + pushes[from_place, goal - 1] - goal_price[goal]
                if reached < distance[goal]:
                    distance[goal] = reached
                if distance[goal] < least:
                    least = distance[goal]
                    next_goal = goal
        if distance[own_goal] == least:
            # ``assign`` leaves the negated pushes of the whole matching there.
            return least - goal_price[0]
        is_done[next_goal] = 1
        box = box_of_goal[next_goal]
        length = least - box_price[box]
        from_place = np.int64(places[box - 1])


@inner
@no_type_check
def lower_bound_after(ground, is_matched, places, row, place, matching, path):
    """The lower bound once box ``row`` is on ``place``; the others are as for ``match_all``.

    UNREACHABLE if that is known to be deadlocked. Unless ``is_matched``, each box is counted to its
    nearest goal.
    """
    if is_matched:
        total = matched_pushes_after(ground.pushes, places, row, place, matching, path)
    else:
        total = np.int64(ground.lower_bound[place])
        for other in range(len(places)):
            if other != row:
                total += ground.lower_bound[places[other]]
    return min(total, UNREACHABLE)


@inner
@no_type_check
def every_box_has_a_goal(goals_of_box, matching):
    """Whether the boxes can be given different goals, each box one that it reaches.

    ``matching`` [4, G] is workspace for (box of each goal, goal of each box, from which box a goal
    was looked at, boxes to look at).
    """
    matching[0] = -1
    row = 0
    while row < len(goals_of_box) and find_goal(goals_of_box, row, matching):
        row += 1
    return row == len(goals_of_box)


@inner
@no_type_check
def find_goal(goals_of_box, row, matching):
    """Assigns a goal to box ``row`` by an augmenting path; returns whether there is one.

    ``matching`` is as for ``every_box_has_a_goal``, with -1 for goals that are free.
    """
    box_of_goal, goal_of_box, came_from, waiting = matching
    came_from[:] = -1
    waiting[0] = row
    first, count = 0, 1
    free_goal = -1
    while first < count and free_goal < 0:
        box = waiting[first]
        first += 1
        for goal in range(len(box_of_goal)):
            bit = np.uint64(1) << np.uint64(goal & 63)
            if came_from[goal] < 0 and goals_of_box[box, goal >> 6] & bit:
                came_from[goal] = box
                if box_of_goal[goal] < 0:
                    free_goal = goal
                    break
                waiting[count] = box_of_goal[goal]
                count += 1
    if free_goal < 0:
        return False
    box = came_from[free_goal]
    while box != row:  # the boxes on the way move on, each to the goal it looked at
        box_of_goal[free_goal] = box
        free_goal, goal_of_box[box] = goal_of_box[box], free_goal
        box = came_from[free_goal]
    box_of_goal[free_goal] = row
    goal_of_box[row] = free_goal
    return True


@inner
@no_type_check
def match_threes(pushes, places, without):
    """For each of four boxes and four goals, the pushes of the other boxes to the other goals.

    ``without`` [4, 4] is by box and goal.
    """
    _match_pair_and_each(pushes, places[0], places[1], places[2], places[3], without[3], without[2])
    _match_pair_and_each(pushes, places[2], places[3], places[0], places[1], without[1], without[0])


@inner
@no_type_check
def _match_pair_and_each(pushes, first, second, third, fourth, with_third, with_fourth):
    """For each goal, the pushes of two boxes and a third, or a fourth, to the other goals."""
    a0, a1, a2, a3 = pushes[first, 0], pushes[first, 1], pushes[first, 2], pushes[first, 3]
    b0, b1, b2, b3 = pushes[second, 0], pushes[second, 1], pushes[second, 2], pushes[second, 3]
    ab01, ab02, ab03 = min(a0 + b1, a1 + b0), min(a0 + b2, a2 + b0), min(a0 + b3, a3 + b0)
    ab12, ab13, ab23 = min(a1 + b2, a2 + b1), min(a1 + b3, a3 + b1), min(a2 + b3, a3 + b2)
    c0, c1, c2, c3 = pushes[third, 0], pushes[third, 1], pushes[third, 2], pushes[third, 3]
    d0, d1, d2, d3 = pushes[fourth, 0], pushes[fourth, 1], pushes[fourth, 2], pushes[fourth, 3]
    with_third[0] = min(c1 + ab23, c2 + ab13, c3 + ab12)
    with_third[1] = min(c0 + ab23, c2 + ab03, c3 + ab02)
    with_third[2] = min(c0 + ab13, c1 + ab03, c3 + ab01)
    with_third[3] = min(c0 + ab12, c1 + ab02, c2 + ab01)
    with_fourth[0] = min(d1 + ab23, d2 + ab13, d3 + ab12)
    with_fourth[1] = min(d0 + ab23, d2 + ab03, d3 + ab02)
    with_fourth[2] = min(d0 + ab13, d1 + ab03, d3 + ab01)
    with_fourth[3] = min(d0 + ab12, d1 + ab02, d2 + ab01)
