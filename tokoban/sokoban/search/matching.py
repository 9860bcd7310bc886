"""The cheapest matching of boxes and goals: at least so many pushes remain.

Axes: G goals, as many as boxes; P places of a lone box, to which ``pushes`` [P, G] gives the price
of each goal.
"""

from typing import no_type_check

from tokoban.compiling import inner


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
def match_three(pushes, first, second, third, without):
    """For each of four goals, the pushes of three boxes to the other goals: ``without`` [4]."""
    a0, a1, a2, a3 = pushes[first, 0], pushes[first, 1], pushes[first, 2], pushes[first, 3]
    b0, b1, b2, b3 = pushes[second, 0], pushes[second, 1], pushes[second, 2], pushes[second, 3]
    c0, c1, c2, c3 = pushes[third, 0], pushes[third, 1], pushes[third, 2], pushes[third, 3]
    ab01, ab02, ab03 = min(a0 + b1, a1 + b0), min(a0 + b2, a2 + b0), min(a0 + b3, a3 + b0)
    ab12, ab13, ab23 = min(a1 + b2, a2 + b1), min(a1 + b3, a3 + b1), min(a2 + b3, a3 + b2)
    without[0] = min(c1 + ab23, c2 + ab13, c3 + ab12)
    without[1] = min(c0 + ab23, c2 + ab03, c3 + ab02)
    without[2] = min(c0 + ab13, c1 + ab03, c3 + ab01)
    without[3] = min(c0 + ab12, c1 + ab02, c2 + ab01)
