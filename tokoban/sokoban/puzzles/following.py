"""Compiled: what there was to choose from along a plan.

Axes: F floor squares, G boxes, M moves, Q pushes that could have been made.
"""

from typing import no_type_check

from tokoban.compiling import entry
from tokoban.sokoban.search.astar import NONE, flood


@entry
@no_type_check
def follow(neighbours, boxes, player, moves, scratch, after_boxes, after_player, was_made):
    """Plays ``moves`` [M] and lists each push that was possible whenever a push was made.

    Fills the boxes and the player after each of these pushes, and whether it was the one made.
    ``boxes`` [G] are moved along; ``scratch`` is ``pulling``'s. Returns how many positions there
    were, and how many pushes.
    """
    is_blocked, walk = scratch.is_blocked, scratch.walk[0]
    for box in boxes:
        is_blocked[box] = True
    num_positions, num_pushes = 0, 0
    for move in moves:
        ahead = neighbours[player, move]
        if is_blocked[ahead]:
            num_positions += 1
            flood(neighbours, is_blocked, player, walk, scratch.reached[0])
            for row in range(len(boxes)):
                for direction in range(4):
                    box = boxes[row]
                    beyond = neighbours[box, direction]
                    if walk[neighbours[box, direction ^ 2]] == NONE or is_blocked[beyond]:
                        continue
                    for i in range(len(boxes)):
                        after_boxes[num_pushes, i] = boxes[i]
                    after_boxes[num_pushes, row] = beyond
                    after_player[num_pushes] = box
                    was_made[num_pushes] = box == ahead and direction == move
                    num_pushes += 1
            for row in range(len(boxes)):
                if boxes[row] == ahead:
                    boxes[row] = neighbours[ahead, move]
                    is_blocked[ahead], is_blocked[boxes[row]] = False, True
                    break
        player = ahead
    for box in boxes:
        is_blocked[box] = False
    return num_positions, num_pushes
