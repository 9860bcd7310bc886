"""What is seen to be lost without any search: traps that boxes stand in, and frozen groups."""

from collections.abc import Set

import numpy as np

from tokoban.sokoban.board import Direction, Square
from tokoban.sokoban.proofs.certificate import FrozenGroup
from tokoban.sokoban.proofs.search import find_group
from tokoban.sokoban.proofs.world import Ground
from tokoban.sokoban.search.astar import UNREACHABLE

_AXES = ((Direction.UP, Direction.DOWN), (Direction.LEFT, Direction.RIGHT))


def smallest_crowd(ground: Ground, boxes: Set[Square]) -> list[Square] | None:
    """The fewest boxes of those found that have fewer goals together than they are.

    None if each box can have a goal of its own. Without any of its boxes, the others of a crowd can
    have one each.
    """
    player = ground.board.player
    reached = {
        box: np.flatnonzero(ground.world.reaches[ground.place(box, player)]).tolist()
        for box in sorted(boxes)
    }
    taken: dict[int, Square] = {}  # the box matched with each goal
    crowds = []
    for start in reached:
        # Boxes that may have to take another goal, breadth first, each with the goal it has and
        # the box that would take that; ``by`` says which box came to each goal.
        waiting, by = [start], dict[int, Square]()
        free = None
        for box in waiting:  # grows while it is read
            for goal in reached[box]:
                if goal not in by:
                    by[goal] = box
                    if goal not in taken:
                        free = goal
                        break
                    waiting.append(taken[goal])
            if free is not None:
                break
        if free is None:
            crowds.append(waiting)
            continue
        held = {box: goal for goal, box in taken.items()}
        while free is not None:
            box = by[free]
            taken[free], free = box, held.get(box)
    return min(crowds, key=len, default=None)


def smallest_frozen(ground: Ground, boxes: Set[Square]) -> frozenset[Square] | None:
    """Frozen boxes, one of them on no goal, none of which can be left out; None if there are none.

    The smallest of those found by leaving out the boxes in different orders.
    """
    found = []
    numbers = ground.numbers(boxes)
    for order in (numbers, numbers[::-1]):
        is_blocked = np.zeros(len(ground.world.is_goal), np.bool_)
        is_blocked[[*order, -1]] = True
        kept = np.empty(len(order), np.int16)
        in_order = np.array(order, np.int16)
        count = find_group(ground.world, in_order, is_blocked, np.empty_like(is_blocked), kept)
        if count == 0:
            return None
        found.append(frozenset(ground.squares[box] for box in kept[:count]))
    return min(found, key=len)


def frozen_group(ground: Ground, boxes: frozenset[Square]) -> tuple[FrozenGroup, set[int]]:
    """What holds each of the boxes, which must be frozen, and the traps that some are held by."""
    places: set[int] = set()
    holds = []
    for box in sorted(boxes):
        held: list[Square | None] = []
        for axis in _AXES:
            beside = [box.neighbour(direction) for direction in axis]
            holding = [x for x in beside if x not in ground.number or x in boxes]
            held.append(holding[0] if holding else None)
            if not holding:
                places.update(ground.place(square, box) for square in beside)
        holds.append((held[0], held[1]))
    if any(ground.world.fewest[place] != UNREACHABLE for place in places):
        raise RuntimeError(f"not all of the boxes {sorted(boxes)} are frozen")
    return FrozenGroup(tuple(sorted(boxes)), tuple(holds)), places
