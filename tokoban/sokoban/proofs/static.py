"""Deadlocks that need no search: dead squares, bipartite deadlocks and frozen boxes.

The rules and their sources are those of ``search.rules.table``; here they also return the boxes at
fault.
"""

from collections.abc import Set
from dataclasses import dataclass
from typing import no_type_check

import numpy as np

from tokoban.compiling import entry
from tokoban.sokoban.board import Direction, Square
from tokoban.sokoban.proofs.certificate import FrozenGroup, Position, Trap
from tokoban.sokoban.proofs.numbered_board import NumberedBoard
from tokoban.sokoban.proofs.search import empty_scratch, find_group
from tokoban.sokoban.search.level.ground import NONE, UNREACHABLE

_AXES = ((Direction.UP, Direction.DOWN), (Direction.LEFT, Direction.RIGHT))


@dataclass(frozen=True)
class Proof:
    """Why boxes are deadlocked: what ``certificate`` lists."""

    traps: tuple[Trap, ...] = ()
    frozen: tuple[FrozenGroup, ...] = ()
    positions: tuple[Position, ...] = ()


@dataclass(frozen=True)
class Deadlock:
    """Boxes that cannot all reach goals even where no others are, and why."""

    kind: str  # of ``certificate.KINDS``
    boxes: frozenset[Square]
    proof: Proof

    @property
    def cost(self) -> tuple[int, int]:
        """The smaller the better: the number of boxes, then the size of the proof."""
        return len(self.boxes), len(self.proof.positions)


def static_deadlock(numbered: NumberedBoard, boxes: frozenset[Square]) -> Deadlock | None:
    """A deadlock of few of the boxes that needs no search; None if there is none."""
    unmatched = smallest_unmatched(numbered, boxes)
    if unmatched is None or len(unmatched) > 1:
        frozen = smallest_frozen(numbered, boxes)
        if frozen is not None and (unmatched is None or len(frozen) <= len(unmatched)):
            group, states = frozen_group(numbered, frozen)
            traps = (numbered.trap(states),) if states else ()
            return Deadlock("frozen", frozen, Proof(traps, (group,)))
    if unmatched is None:
        return None
    trap = numbered.trap(numbered.state(box, numbered.board.player) for box in unmatched)
    kind = "dead" if len(unmatched) == 1 else "bipartite"
    return Deadlock(kind, frozenset(unmatched), Proof((trap,)))


def smallest_unmatched(numbered: NumberedBoard, boxes: Set[Square]) -> list[Square] | None:
    """The smallest set found of boxes that outnumber the goals that they reach together.

    None if each box can have a goal of its own. Without any of its boxes, the others of such a set
    can have one each (Hall's theorem).
    """
    numbers, player = numbered.numbers(boxes), numbered.number[numbered.board.player]
    goal_box = np.full(len(numbered.ground.goals), NONE, np.int16)
    is_seen, path = np.empty(len(goal_box), np.bool_), np.empty((3, len(boxes)), np.int16)
    found = []
    for row in range(len(boxes)):
        if count := _augment(numbered.ground, numbers, goal_box, is_seen, path, row, player):
            found.append(numbers[path[0, :count]].tolist())
    smallest = min(found, key=len, default=None)
    return None if smallest is None else [numbered.squares[box] for box in smallest]


@entry
@no_type_check
def _augment(ground, boxes, goal_box, is_seen, path, row, player):
    """Matches box ``row`` of ``boxes`` with a goal by an augmenting path; returns 0 if it can be.

    Else returns how many boxes, the first rows of ``path`` [3 K], together reach fewer goals than
    there are such boxes: those of ``is_seen`` [G]. ``goal_box`` [G] is the row of the box matched
    with each goal, or NONE.
    """
    is_seen[:] = False
    # Boxes that may have to take another goal, breadth first: each, the goal it has now, and where
    # in the list the box is that would take that goal.
    path[0, 0], path[1, 0], path[2, 0] = row, NONE, NONE
    first, count, goal = 0, 1, NONE
    while first < count and goal == NONE:
        box = boxes[path[0, first]]
        state = box * 4 + ground.zone[box, player]
        for other in range(len(goal_box)):
            if ground.pushes[state, other] == UNREACHABLE or is_seen[other]:
                continue
            is_seen[other] = True
            if goal_box[other] == NONE:
                goal = other
                break
            path[0, count], path[1, count], path[2, count] = goal_box[other], other, first
            count += 1
        first += 1
    if goal == NONE:
        return count
    i = first - 1
    while i != NONE:
        goal_box[goal] = path[0, i]
        goal, i = path[1, i], path[2, i]
    return 0


def smallest_frozen(numbered: NumberedBoard, boxes: Set[Square]) -> frozenset[Square] | None:
    """Frozen boxes, one of them on no goal, none of which can be left out; None if there are none.

    The smallest of those found by leaving out the boxes in different orders.
    """
    found = []
    in_order = numbered.numbers(boxes)
    for order in (in_order, in_order[::-1].copy()):
        scratch = empty_scratch(numbered.ground, len(order))
        scratch.is_blocked[order] = True
        count = find_group(numbered.ground, order, scratch)
        if count == 0:
            return None
        found.append(frozenset(numbered.squares[box] for box in scratch.group[:count]))
    return min(found, key=len)


def frozen_group(numbered: NumberedBoard, boxes: frozenset[Square]) -> tuple[FrozenGroup, set[int]]:
    """The blockers of each frozen box, and the box states of the traps among them."""
    states: set[int] = set()
    blocked_by = []
    for box in sorted(boxes):
        blocks: list[Square | None] = []
        for axis in _AXES:
            beside = [box.neighbour(direction) for direction in axis]
            blocking = [x for x in beside if x not in numbered.number or x in boxes]
            blocks.append(blocking[0] if blocking else None)
            if not blocking:
                states.update(numbered.state(square, box) for square in beside)
        blocked_by.append((blocks[0], blocks[1]))
    if any(numbered.ground.lower_bound[state] != UNREACHABLE for state in states):
        raise RuntimeError(f"not all of the boxes {sorted(boxes)} are frozen")
    return FrozenGroup(tuple(sorted(boxes)), tuple(blocked_by)), states
