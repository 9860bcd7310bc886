"""A solution as pushes, with what lies between them: the shortest walks.

Axes in this folder, besides those of ``ground``: M pushes of a solution, T totals that are
searched. A push is the square of its box times 4, plus its direction.
"""

from collections.abc import Callable
from typing import NamedTuple, no_type_check

import numpy as np
from jaxtyping import Int16, Int32, Int64, UInt64

from tokoban.compiling import entry, inner
from tokoban.sokoban.board import Board, Direction
from tokoban.sokoban.search.level.flood import flood
from tokoban.sokoban.search.level.ground import Ground, Squares, build_ground
from tokoban.sokoban.search.state.columns import zeroed
from tokoban.sokoban.search.state.positions import write_moved
from tokoban.sokoban.search.state.walks import directions_through
from tokoban.sokoban.search.state.workspace import Workspace, place_boxes

# A cost is the minimised figure times this, plus the other one.
MAIN = 1 << 32

_PUSHES_A_STEP = 256  # followed between two checks of limits and Ctrl-C


class Task(NamedTuple):
    """A level without its boxes and player, and what is minimised."""

    counts_moves: bool  # moves are minimised, and pushes where moves are equal; else the reverse
    ground: Ground
    lower_bound: Int32[np.ndarray, " F"]  # on the pushes of a lone box, from its best zone


class PushPath(NamedTuple):
    """The position before each push of a solution, and the last one."""

    pushes: Int16[np.ndarray, " M"]
    boxes: UInt64[np.ndarray, "M+1 W"]
    player: Int16[np.ndarray, " M+1"]  # right after the push before
    cost: Int64[np.ndarray, " M+1"]  # up to here

    @property
    def main_figure(self) -> int:
        """The figure that is minimised: moves or pushes."""
        return int(self.cost[-1]) // MAIN


def build_task(
    board: Board, squares: Squares, minimise: str, check: Callable[[], None] = lambda: None
) -> Task:
    """The task of a level; ``check`` is called between steps and may raise to stop."""
    ground = build_ground(board, squares, check)
    lower_bound = ground.lower_bound.reshape(-1, 4).min(axis=1)
    return Task(minimise == "moves", ground, lower_bound)


def path_of(
    task: Task,
    scratch: Workspace,
    board: Board,
    squares: Squares,
    directions: tuple[int, ...],
    check: Callable[[], None] = lambda: None,
) -> PushPath:
    """The pushes among moves, which the rules must allow; ``check`` may end the work."""
    number = squares.number
    boxes, player = set(board.boxes), board.player
    pushes = []
    for direction in directions:
        player = player.neighbour(direction)
        if player in boxes:
            boxes.remove(player)
            boxes.add(player.neighbour(direction))
            pushes.append(number[player] * 4 + direction)
    start = np.zeros_like(scratch.words)
    for box in squares.numbers(board.boxes).tolist():
        start[box // 64] |= np.uint64(1 << box % 64)
    in_numbers = np.array(pushes, np.int16)
    return followed(task, scratch, start, number[board.player], in_numbers, check)


def followed(
    task: Task,
    scratch: Workspace,
    start: UInt64[np.ndarray, " W"],
    player: int,
    pushes: Int16[np.ndarray, " M"],
    check: Callable[[], None] = lambda: None,
) -> PushPath:
    """The path of these pushes, which the rules must allow; ``check`` may end the work."""
    path = zeroed(PushPath, M=len(pushes), W=len(start), pushes=pushes)
    path.boxes[0], path.player[0] = start, player
    for first in range(0, len(pushes), _PUSHES_A_STEP):
        if not _follow(task, path, scratch, first, min(first + _PUSHES_A_STEP, len(pushes))):
            raise RuntimeError("a solution contains a push that the rules forbid")
        check()
    return path


def directions_of(task: Task, path: PushPath) -> tuple[Direction, ...]:
    """All moves of the path."""
    # The moves are one of the two figures in the cost.
    most = sum(divmod(int(path.cost[-1]), MAIN))
    neighbours, player = task.ground.neighbours, int(path.player[0])
    return directions_through(neighbours, path.boxes, player, most=most)


@inner
@no_type_check
def mark_walks(ground, scratch, start):
    """Marks where the player can walk, and how far that is; returns the mark."""
    scratch.last_mark[0] += 1
    mark = scratch.last_mark[0]
    flood(
        ground.neighbours,
        scratch.is_blocked,
        start,
        scratch.marks,
        mark,
        scratch.waiting,
        scratch.steps,
    )
    return mark


@inner
@no_type_check
def cost_of_push(counts_moves, steps):
    """The cost of a walk of so many steps and the push after it."""
    if counts_moves:
        return (steps + 1) * MAIN + 1
    return MAIN + steps + 1


@entry
@no_type_check
def _follow(task, path, scratch, first, last):
    """Fills in what follows each push from ``first`` to ``last``; returns whether all are legal."""
    neighbours, is_blocked = task.ground.neighbours, scratch.is_blocked
    for i in range(first, last):
        place_boxes(path.boxes[i], scratch.boxes, is_blocked)
        mark = mark_walks(task.ground, scratch, path.player[i])
        box, direction = path.pushes[i] // 4, path.pushes[i] % 4
        behind, beyond = neighbours[box, direction ^ 2], neighbours[box, direction]
        if not is_blocked[box] or scratch.marks[behind] != mark or is_blocked[beyond]:
            return False
        write_moved(path.boxes[i], box, beyond, path.boxes[i + 1])
        path.player[i + 1] = box
        steps = np.int64(scratch.steps[behind])
        path.cost[i + 1] = path.cost[i] + cost_of_push(task.counts_moves, steps)
    return True
