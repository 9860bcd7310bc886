"""The packing plan of FESS: which squares are filled in which order, and what that cuts off.

After the packing plan of Shoham and Schaeffer 2020. It only guides the search: nothing is held
deadlocked because of it. Axes as in ``ground``, and S steps of the plan, each of which fills a
square.
"""

from typing import NamedTuple, no_type_check

import numpy as np
from jaxtyping import Int16, UInt64

from tokoban.compiling import inner
from tokoban.sokoban.board import Board
from tokoban.sokoban.search.bidirectional.packing import (
    goal_rooms,
    packing_order_in_steps,
    squares_in_plan,
)
from tokoban.sokoban.search.bitboard.words import count
from tokoban.sokoban.search.ground import NONE, Ground, Squares
from tokoban.sokoban.search.steps import Steps


class Packing(NamedTuple):
    """A plan for one level."""

    steps: Int16[np.ndarray, " S"]  # the square that each step fills
    by_room: Int16[np.ndarray, "2 S"]  # these squares room by room, and their rooms
    out_of_plan: UInt64[np.ndarray, "S+1 W"]  # squares that so many first steps cut off


def packing_in_steps(board: Board, squares: Squares, ground: Ground) -> Steps[Packing]:
    """The plan for a level; boxes and goals are equally many."""
    neighbours, goals = ground.neighbours, ground.goals
    rank = yield from packing_order_in_steps(
        neighbours, goals, squares.numbers(board.boxes), squares.number[board.player]
    )
    in_plan = squares_in_plan(neighbours, goals, rank)
    yield
    room = goal_rooms(neighbours, goals)
    by_room = np.lexsort((rank, room))
    return Packing(
        steps=goals[np.argsort(rank)],
        by_room=np.stack([goals[by_room], room[by_room]]),
        out_of_plan=~in_plan,
    )


@inner
@no_type_check
def num_packed(packing, is_blocked):
    """How much of the plan is fulfilled, from 0 to S: squares filled without a gap in their room.

    ``is_blocked`` marks walls and boxes.
    """
    packed = np.int64(0)
    gap_in = NONE
    for i in range(packing.by_room.shape[1]):
        if packing.by_room[1, i] == gap_in:
            continue
        if is_blocked[packing.by_room[0, i]]:
            packed += 1
        else:
            gap_in = packing.by_room[1, i]
    return packed


@inner
@no_type_check
def point_of_plan(packing, is_blocked):
    """The first step of the plan that is not fulfilled, S if all are."""
    for step in range(len(packing.steps)):
        if not is_blocked[packing.steps[step]]:
            return np.int64(step)
    return np.int64(len(packing.steps))


@inner
@no_type_check
def out_of_plan(packing, words, point):
    """The number of boxes that cannot come to a later square of the plan.

    ``words`` are the boxes; ``point`` is that of ``point_of_plan``.
    """
    num_boxes = np.int64(0)
    for word in range(len(words)):
        num_boxes += count(words[word] & packing.out_of_plan[point, word])
    return num_boxes


@inner
@no_type_check
def next_square(packing, is_blocked, point):
    """The square that the plan fills next; NONE if it is fulfilled."""
    for step in range(point, len(packing.steps)):
        if not is_blocked[packing.steps[step]]:
            return np.int64(packing.steps[step])
    return np.int64(NONE)


@inner
@no_type_check
def out_of_plan_word(packing, point, word):
    """The squares out of plan at ``point``: 64 of them as bits."""
    return packing.out_of_plan[point, word]
