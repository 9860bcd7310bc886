"""Boxes and goals one to one: whether that can be, and how many pushes it takes at least."""

from typing import no_type_check

import numpy as np

from tokoban.compiling import inner
from tokoban.sokoban.search.astar import UNREACHABLE
from tokoban.sokoban.search.matching import assign, matched_pushes


@inner
@no_type_check
def every_box_has_a_goal(goals_of_box, matching):
    """Whether the boxes can be given different goals, each one that it reaches.

    ``matching`` is room for (box of each goal, goal of each box, from which box a goal was looked
    at, boxes to look at).
    """
    box_of_goal, goal_of_box, came_from, waiting = matching
    num_boxes = len(goals_of_box)
    box_of_goal[:] = -1
    for row in range(num_boxes):
        came_from[:] = -1
        waiting[0] = row
        first, count = 0, 1
        free_goal = -1
        while first < count and free_goal < 0:
            box = waiting[first]
            first += 1
            for goal in range(num_boxes):
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
        while free_goal >= 0:  # the boxes on the way move on, each to the goal it looked at
            box = came_from[free_goal]
            box_of_goal[free_goal] = box
            if box == row:
                break
            free_goal, goal_of_box[box] = goal_of_box[box], free_goal
        goal_of_box[row] = free_goal
    return True


@inner
@no_type_check
def match_all(tables, places, matching, path):
    """Fills ``matching[0]`` with the cheapest matching of the boxes on ``places``."""
    matching[0] = 0
    if tables.is_matched:
        for row in range(len(places)):
            assign(tables.pushes, places, row, matching[0], path)


@inner
@no_type_check
def pushes_left_after(tables, places, row, place, matching, path):
    """At least how many pushes remain once box ``row`` is on ``place``, and the others where
    ``match_all`` saw them; UNREACHABLE or more if that is known to be lost."""
    earlier_place = places[row]
    places[row] = place
    total = 0
    if tables.is_matched:
        # Only this box's row changes: the player walked around the others.
        before, after = matching
        for i in range(3):
            for j in range(len(places) + 1):
                after[i, j] = before[i, j]
        for goal in range(1, len(places) + 1):
            if after[2, goal] == row + 1:
                after[2, goal] = 0
        assign(tables.pushes, places, row, after, path)
        total = matched_pushes(tables.pushes, places, after)
    else:
        for other in places:
            total += tables.fewest_pushes[other]
    places[row] = earlier_place
    return min(total, UNREACHABLE)
