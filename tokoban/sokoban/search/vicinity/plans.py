"""A plan as pushes, with what lies between them: the shortest walks."""

from collections.abc import Callable
from functools import partial
from typing import NamedTuple, no_type_check

import numpy as np
from jaxtyping import Int16, Int64, UInt64

from tokoban.compiling import entry
from tokoban.sokoban.board import Board, Direction, Square
from tokoban.sokoban.search import astar
from tokoban.sokoban.search.vicinity.tables import MAIN, Tables, bit_of, list_boxes, price_of_push

_PUSHES_A_STEP = 256  # followed before limits and Ctrl-C are looked at


class Plan(NamedTuple):
    """The position before each push, and the last one."""

    pushes: Int16[np.ndarray, " M"]
    boxes: UInt64[np.ndarray, "M+1 W"]
    player: Int16[np.ndarray, " M+1"]  # right after the push before
    price: Int64[np.ndarray, " M+1"]  # up to here

    @property
    def main_figure(self) -> int:
        """What is to be small: the moves of the plan, or its pushes."""
        return int(self.price[-1]) // MAIN


def plan_of(
    tables: Tables,
    scratch: astar.Scratch,
    board: Board,
    squares: list[Square],
    directions: tuple[int, ...],
    check: Callable[[], None] = lambda: None,
) -> Plan:
    """The pushes among moves, which the rules must allow; ``check`` may end the work."""
    number = {square: i for i, square in enumerate(squares)}
    boxes, player = set(board.boxes), board.player
    pushes = []
    for direction in directions:
        player = player.neighbour(direction)
        if player in boxes:
            boxes.remove(player)
            boxes.add(player.neighbour(direction))
            pushes.append(number[player] * 4 + direction)
    start = np.zeros(-(-len(squares) // 64), np.uint64)
    for box in board.boxes & number.keys():
        start[number[box] // 64] |= np.uint64(1 << number[box] % 64)
    in_numbers = np.array(pushes, np.int16)
    return followed(tables, scratch, start, number[board.player], in_numbers, check)


def followed(
    tables: Tables,
    scratch: astar.Scratch,
    start: UInt64[np.ndarray, " W"],
    player: int,
    pushes: Int16[np.ndarray, " M"],
    check: Callable[[], None] = lambda: None,
) -> Plan:
    """The plan of these pushes, which the rules must allow; ``check`` may end the work."""
    plan = Plan(
        pushes=pushes,
        boxes=np.zeros((len(pushes) + 1, len(start)), np.uint64),
        player=np.zeros(len(pushes) + 1, np.int16),
        price=np.zeros(len(pushes) + 1, np.int64),
    )
    plan.boxes[0], plan.player[0] = start, player
    for first in range(0, len(pushes), _PUSHES_A_STEP):
        if not follow(tables, plan, scratch, first, min(first + _PUSHES_A_STEP, len(pushes))):
            raise RuntimeError("a solution contains a push that the rules forbid")
        check()
    return plan


@entry
@no_type_check
def follow(tables, plan, scratch, first, last):
    """Fills in what follows each push from ``first`` to ``last``; whether all can be made."""
    neighbours, is_blocked, walk = tables.neighbours, scratch.is_blocked, scratch.walk[0]
    for i in range(first, last):
        list_boxes(plan.boxes[i], scratch.boxes)
        for other in scratch.boxes:
            is_blocked[other] = True
        astar.flood(neighbours, is_blocked, plan.player[i], walk, scratch.reached[0])
        box, direction = plan.pushes[i] // 4, plan.pushes[i] % 4
        steps = walk[neighbours[box, direction ^ 2]]
        beyond = neighbours[box, direction]
        can_push = is_blocked[box] and steps != astar.NONE and not is_blocked[beyond]
        for other in scratch.boxes:
            is_blocked[other] = False
        if not can_push:
            return False
        for word in range(plan.boxes.shape[1]):
            plan.boxes[i + 1, word] = plan.boxes[i, word]
        plan.boxes[i + 1, box >> 6] ^= bit_of(box)
        plan.boxes[i + 1, beyond >> 6] ^= bit_of(beyond)
        plan.player[i + 1] = box
        plan.price[i + 1] = plan.price[i] + price_of_push(tables.counts_moves, np.int64(steps))
    return True


def directions_of(tables: Tables, scratch: astar.Scratch, plan: Plan) -> tuple[Direction, ...]:
    """All moves of the plan."""
    # The moves are one of the two figures in the price.
    most = sum(divmod(int(plan.price[-1]), MAIN))
    return tuple(map(Direction, moves_of(tables.neighbours, plan, scratch, most).tolist()))


@partial(entry, makes_arrays=True)
@no_type_check
def moves_of(neighbours, plan, scratch, most):
    """The moves of a plan, of which there are at most so many."""
    moves = np.empty(most, np.int8)
    is_blocked, walk = scratch.is_blocked, scratch.walk[0]
    count = 0
    for i in range(len(plan.pushes)):
        list_boxes(plan.boxes[i], scratch.boxes)
        for other in scratch.boxes:
            is_blocked[other] = True
        box, push = plan.pushes[i] // 4, plan.pushes[i] % 4
        # From the end of the walk, so that from its start each step leads to a smaller number.
        astar.flood(neighbours, is_blocked, neighbours[box, push ^ 2], walk, scratch.reached[0])
        player = np.int64(plan.player[i])
        while walk[player] > 0:
            for direction in range(4):
                ahead = neighbours[player, direction]
                if walk[ahead] == walk[player] - 1 and walk[ahead] != astar.NONE:
                    moves[count] = direction
                    break
            count += 1
            player = np.int64(ahead)
        moves[count] = push
        count += 1
        for other in scratch.boxes:
            is_blocked[other] = False
    return moves[:count]
