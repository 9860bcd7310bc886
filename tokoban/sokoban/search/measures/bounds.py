"""Lower bounds on the pushes of a position: the cheapest matching of boxes and goals.

The bound of Junghanns and Schaeffer 2001, by the Hungarian method (Kuhn 1955; one augmenting path a
box, after Jonker and Volgenant 1987). Axes: G goals, as many as boxes; L places of a lone box, to
which ``pushes`` [L, G] gives the price of each goal; X words of 64 goals. Rows of arrays are taken
by number: where an array is unpacked, numba forgets that its rows are contiguous.
"""

from functools import partial
from typing import no_type_check

import numpy as np

from tokoban.compiling import inner
from tokoban.sokoban.search.level.ground import NONE, UNREACHABLE

# With more boxes one expansion with the cheapest matching would delay limits and Ctrl-C, and no
# bound brings such a level within reach.
MAX_MATCHED = 256

_FAR = 1 << 60  # above the length of any path


@inner
@no_type_check
def assign(pushes, places, row, matching, path):
    """Gives box ``row`` a goal by the cheapest augmenting path (the Hungarian method, one row).

    ``places`` are rows of ``pushes``. ``matching`` [2, G + 1] is (price of each goal, box of each
    goal or NONE); the price of a box is what its goal leaves of its pushes. The last entry is that
    of no goal: its price is the negated pushes of the whole matching. ``path`` [3, G + 1] is room
    to work in.
    """
    goal_price, box_of_goal = matching[0], matching[1]
    distance, open_price, came_from = path[0], path[1], path[2]
    num_goals = len(places)
    for goal in range(num_goals):
        distance[goal] = _FAR
        open_price[goal] = goal_price[goal]
    length, box, goal = np.int64(0), np.int64(row), np.int64(num_goals)
    while box != NONE:
        place = np.int64(places[box])
        least = np.int64(_FAR)
        for other in range(num_goals):
            reached = length + pushes[place, other] - open_price[other]
            is_nearer = reached < distance[other]
            distance[other] = reached if is_nearer else distance[other]
            came_from[other] = goal if is_nearer else came_from[other]
            least = min(least, distance[other])
        goal = _first(distance, least)
        box = box_of_goal[goal]
        if box != NONE:
            length = least - (pushes[places[box], goal] - goal_price[goal])
            _close(distance, open_price, goal)
    for other in range(num_goals):
        if open_price[other] < -_FAR:
            goal_price[other] += open_price[other] + 2 * _FAR - least
    goal_price[num_goals] -= least
    while goal != num_goals:
        before = came_from[goal]
        box_of_goal[goal] = row if before == num_goals else box_of_goal[before]
        goal = before


@inner
@no_type_check
def _first(distance, least):
    """The first goal at this distance."""
    goal = np.int64(0)
    while distance[goal] != least:
        goal += 1
    return goal


@inner
@no_type_check
def _close(distance, open_price, goal):
    """Takes a goal whose distance is known out of the search; ``open_price`` still tells it.

    No distance through such a price is below ``_FAR``, so loops over all goals need no branches.
    """
    open_price[goal] = distance[goal] - 2 * _FAR
    distance[goal] = _FAR


@inner
@no_type_check
def matched_pushes(pushes, places, matching):
    """The pushes of a whole matching."""
    total = 0
    for goal in range(len(places)):
        total += pushes[places[matching[1, goal]], goal]
    return total


@inner
@no_type_check
def match_all(pushes, is_matched, places, matching, path):
    """Fills ``matching`` with the cheapest matching of the boxes on ``places``, if asked to.

    It begins with the prices of goals that are there. Any will do, and those of another position
    are nearly right.
    """
    if not is_matched:
        return
    matching[1] = NONE
    _lower_prices(pushes, places, matching)
    for row in range(len(places)):
        assign(pushes, places, row, matching, path)


@inner
@no_type_check
def match_again(pushes, is_matched, places, matching, path):
    """``match_all`` for one position after another of a level; of each, ``places`` ascend.

    ``matching`` [3, G + 1] also has the places of the previous call, at first NONE; ``path`` is
    [4, G + 1]. A box whose place had a box in the previous call keeps that box's goal: by the
    prices no other goal is cheaper for it.
    """
    if not is_matched:
        return
    box_of_goal, places_before = matching[1], matching[2]
    goal_before, has_goal, num_goals = path[0], path[3], len(places)
    for goal in range(num_goals):
        goal_before[box_of_goal[goal]] = goal
    box_of_goal[:] = NONE
    before = 0
    for row in range(num_goals):
        while before < num_goals and places_before[before] < places[row]:
            before += 1
        has_goal[row] = before < num_goals and places_before[before] == places[row]
        if has_goal[row]:
            box_of_goal[goal_before[before]] = row
    _lower_prices(pushes, places, matching)
    for row in range(num_goals):
        places_before[row] = places[row]
        if not has_goal[row]:
            assign(pushes, places, row, matching, path)


@inner
@no_type_check
def _lower_prices(pushes, places, matching):
    """Shifts the prices of goals so that the highest is 0, and all stay within the pushes of a box.

    The last price, of no goal, becomes minus the sum of the pushes of boxes that have goals and of
    the prices of goals that have no box.
    """
    goal_price, box_of_goal, num_goals = matching[0], matching[1], len(places)
    highest = goal_price[0]
    for goal in range(num_goals):
        highest = max(highest, goal_price[goal])
    total = np.int64(0)
    for goal in range(num_goals):
        goal_price[goal] -= highest
        box = box_of_goal[goal]
        total += goal_price[goal] if box == NONE else np.int64(pushes[places[box], goal])
    goal_price[num_goals] = -total


@partial(inner, is_inlined=True)
@no_type_check
def matched_pushes_after(pushes, places, row, place, matching, path):
    """The pushes of the cheapest matching once box ``row`` is on ``place``.

    ``matching`` is the cheapest one of ``places``, by ``match_all``; both stay. The cheapest
    augmenting path from the box to the goal that it had, by Dijkstra.
    """
    goal_price, box_of_goal = matching[0], matching[1]
    distance, open_price = path[0], path[1]
    num_goals = len(places)
    own_goal = _first(box_of_goal, row)
    length = np.int64(goal_price[own_goal]) - pushes[places[row], own_goal]
    least = np.int64(_FAR)
    for goal in range(num_goals):
        open_price[goal] = goal_price[goal]
        distance[goal] = length + pushes[place, goal] - goal_price[goal]
        least = min(least, distance[goal])
    while distance[own_goal] != least:
        goal = _first(distance, least)
        from_place = np.int64(places[box_of_goal[goal]])
        length = least - (pushes[from_place, goal] - goal_price[goal])
        _close(distance, open_price, goal)
        least = np.int64(_FAR)
        for other in range(num_goals):
            reached = length + pushes[from_place, other] - open_price[other]
            distance[other] = min(distance[other], reached)
            least = min(least, distance[other])
    return least - goal_price[num_goals]


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
    box_of_goal, goal_of_box = matching[0], matching[1]
    came_from, waiting = matching[2], matching[3]
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
