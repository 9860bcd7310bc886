"""Compiled: every position that play can come to, as far as it may still be solved.

A position is the boxes and the area that the player can walk to. Axes: F floor squares, G boxes,
P room for positions, E room for pushes, S slots of the hash table.
"""

from typing import NamedTuple, no_type_check

import numpy as np
from jaxtyping import Int16, Int32, Int64

from tokoban.compiling import entry, inner
from tokoban.sokoban.puzzles.pulling import move_in_order
from tokoban.sokoban.search.astar import NONE, UNREACHABLE, flood, is_frozen_off_goal, slot_of

# Entries of ``Positions.progress``.
NUM_POSITIONS, NUM_EXPANDED, NUM_EDGES = range(3)
# Why ``explore`` returned.
DONE, BUDGET_SPENT, FULL = range(3)

FAR = np.iinfo(np.int32).max  # a distance: lost


class Positions(NamedTuple):
    """Positions in the order in which they were found, the start first."""

    boxes: Int16[np.ndarray, "P G"]  # ascending
    player: Int16[np.ndarray, " P"]  # the lowest square of its area
    num_pushes: Int32[np.ndarray, " P"]  # legal ones; none from a solved position, for it is over
    ends: Int64[np.ndarray, " P"]  # of each position's edges; they start where the last ones end
    distance: Int32[np.ndarray, " P"]  # pushes to go, ``FAR`` where lost
    edges: Int32[np.ndarray, " E"]  # the positions after pushes that do not lose at once
    slots: Int32[np.ndarray, " S"]
    progress: Int64[np.ndarray, "3"]


def empty_positions(num_positions: int, num_boxes: int) -> Positions:
    """Room for so many positions, a power of two, and as many pushes eight times."""
    return Positions(
        boxes=np.empty((num_positions, num_boxes), np.int16),
        player=np.empty(num_positions, np.int16),
        num_pushes=np.empty(num_positions, np.int32),
        ends=np.empty(num_positions, np.int64),
        distance=np.empty(num_positions, np.int32),
        edges=np.empty(8 * num_positions, np.int32),
        slots=np.full(2 * num_positions, NONE, np.int32),
        progress=np.zeros(3, np.int64),
    )


def bytes_each(num_boxes: int) -> int:
    """What ``empty_positions`` takes for each position."""
    return 2 * num_boxes + 2 + 4 + 8 + 4 + 8 * 4 + 2 * 4


@entry
@no_type_check
def enter_start(explored, scratch, neighbours, player):
    """Makes the scratch's boxes, ascending, and the player's area the first position."""
    for box in scratch.boxes:
        scratch.is_blocked[box] = True
    _enter(explored, scratch, neighbours, player)
    for box in scratch.boxes:
        scratch.is_blocked[box] = False


@entry
@no_type_check
def explore(world, explored, scratch, is_held, num_positions):
    """Tries all pushes of the next ``num_positions`` positions; returns why it stopped."""
    progress = explored.progress
    room, num_boxes = explored.boxes.shape
    stop = progress[NUM_EXPANDED] + num_positions
    while progress[NUM_EXPANDED] < progress[NUM_POSITIONS]:
        if progress[NUM_EXPANDED] >= stop:
            return BUDGET_SPENT
        if max(progress[NUM_POSITIONS] - room, progress[NUM_EDGES] - len(explored.edges)) > (
            -4 * num_boxes
        ):
            return FULL
        _expand(world, explored, scratch, is_held, progress[NUM_EXPANDED])
        progress[NUM_EXPANDED] += 1
    return DONE


@inner
@no_type_check
def _expand(world, explored, scratch, is_held, position):
    boxes, neighbours = explored.boxes[position], world.neighbours
    is_blocked, walk = scratch.is_blocked, scratch.walk[0]
    is_solved = True
    for box in boxes:
        is_blocked[box] = True
        is_solved &= world.is_goal[box]
    explored.num_pushes[position] = 0
    explored.distance[position] = 0 if is_solved else FAR
    if not is_solved:
        flood(neighbours, is_blocked, explored.player[position], walk, scratch.reached[0])
        for row in range(len(boxes)):
            for direction in range(4):
                box = boxes[row]
                beyond = neighbours[box, direction]
                if walk[neighbours[box, direction ^ 2]] == NONE or is_blocked[beyond]:
                    continue
                explored.num_pushes[position] += 1
                if world.fewest_pushes[beyond * 4 + world.side[beyond, box]] == UNREACHABLE:
                    continue
                move_in_order(boxes, row, beyond, scratch.boxes)
                is_blocked[box], is_blocked[beyond] = False, True
                if not is_frozen_off_goal(world, scratch.boxes, is_blocked, is_held):
                    after = _enter(explored, scratch, neighbours, box)
                    explored.edges[explored.progress[NUM_EDGES]] = after
                    explored.progress[NUM_EDGES] += 1
                is_blocked[beyond], is_blocked[box] = False, True
    for box in boxes:
        is_blocked[box] = False
    explored.ends[position] = explored.progress[NUM_EDGES]


@inner
@no_type_check
def _enter(explored, scratch, neighbours, player):
    """The number of the position of the scratch's boxes, which are blocked; entered if new."""
    reached = scratch.reached[1]
    count = flood(neighbours, scratch.is_blocked, player, scratch.walk[1], reached)
    for i in range(count):
        player = min(player, reached[i])
    slot = slot_of(explored, scratch.boxes, player)
    if explored.slots[slot] == NONE:
        position = explored.progress[NUM_POSITIONS]
        explored.progress[NUM_POSITIONS] += 1
        for i in range(len(scratch.boxes)):
            explored.boxes[position, i] = scratch.boxes[i]
        explored.player[position] = player
        explored.slots[slot] = position
    return explored.slots[slot]


@entry
@no_type_check
def settle_more(explored):
    """Goes once through all positions, after all pushes of all were tried, and shortens distances.

    Returns whether any was: they are final once none is.
    """
    has_changed = False
    # Pushes lead to later positions as a rule, so that most is settled the first time.
    for position in range(explored.progress[NUM_POSITIONS] - 1, -1, -1):
        nearest = explored.distance[position]
        start = explored.ends[position - 1] if position else 0
        for edge in range(start, explored.ends[position]):
            after = explored.distance[explored.edges[edge]]
            if after != FAR and after + 1 < nearest:
                nearest = after + 1
                has_changed = True
        explored.distance[position] = nearest
    return has_changed


@entry
@no_type_check
def count_choices(explored):
    """Of the positions that are neither solved nor lost: how many they are, their legal pushes, and
    those of the pushes that lose; and how many positions are not lost, solved ones included."""
    num_open, num_pushes, num_kept, num_solvable = 0, 0, 0, 0
    for position in range(explored.progress[NUM_POSITIONS]):
        if explored.distance[position] == FAR:
            continue
        num_solvable += 1
        num_open += explored.distance[position] > 0
        num_pushes += explored.num_pushes[position]
        start = explored.ends[position - 1] if position else 0
        for edge in range(start, explored.ends[position]):
            num_kept += explored.distance[explored.edges[edge]] != FAR
    return num_open, num_pushes, num_pushes - num_kept, num_solvable


@entry
@no_type_check
def are_solvable(explored, scratch, neighbours, boxes, player, answers):
    """Fills which of some positions, each with its ``boxes`` ascending, have a solution: those that
    were met and are not lost, for whatever one push from such a one is not met is lost at sight."""
    for i in range(len(answers)):
        for row in range(boxes.shape[1]):
            scratch.is_blocked[boxes[i, row]] = True
        reached = scratch.reached[1]
        square = player[i]
        count = flood(neighbours, scratch.is_blocked, square, scratch.walk[1], reached)
        for j in range(count):
            square = min(square, reached[j])
        position = explored.slots[slot_of(explored, boxes[i], square)]
        answers[i] = position != NONE and explored.distance[position] != FAR
        for row in range(boxes.shape[1]):
            scratch.is_blocked[boxes[i, row]] = False
