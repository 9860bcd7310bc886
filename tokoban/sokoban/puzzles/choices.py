"""How much there is to choose from in a level, and how much of it loses.

A position is a set of boxes and the area that the player can walk to, so that each legal push from
it is one choice. Axes: Q pushes, G boxes.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache

import numpy as np
from jaxtyping import Int16

from tokoban import compiling
from tokoban.sokoban.board import Board, Direction, Square
from tokoban.sokoban.deadlocks import frozen_boxes
from tokoban.sokoban.formats import lurd
from tokoban.sokoban.puzzles import exploring, pulling
from tokoban.sokoban.puzzles.following import follow
from tokoban.sokoban.search import astar
from tokoban.sokoban.search.bitboard.batch import solve_many
from tokoban.sokoban.search.bitboard.driver import Verdict
from tokoban.sokoban.search.bitboard.levels import Levels, from_board
from tokoban.sokoban.search.by_squares import numbered
from tokoban.sokoban.search.fess.solver import solve_any
from tokoban.sokoban.search.limits import Limits
from tokoban.sokoban.search.lone_box import completed, pushes_in_steps, sides_in_steps
from tokoban.sokoban.search.solver import solve
from tokoban.sokoban.sizes import SIDE

# What most pushes need to be known; the limits are for the others.
_FIRST_EXPANSIONS = 200
_SLICE_S = 0.05  # explored before the clock is looked at
_LEVELS_AT_ONCE = 1024  # solved before the clock is looked at
_MOST_BYTES = 1_000_000_000  # of the positions that are explored
_PART_BYTES = 64_000_000  # of the pushes along a part of a plan


@dataclass(frozen=True)
class Choices:
    """Sums over some positions, none of them solved or lost."""

    positions: int
    pushes: int  # legal ones
    lost: int  # those after which the level is proved to have no solution
    unknown: int = 0  # those of which neither that nor a solution was found within the limits

    @property
    def branching(self) -> float:
        """Mean pushes to choose from in a position."""
        return self.pushes / self.positions if self.positions else 0.0

    @property
    def lost_share(self) -> float:
        """The share of these pushes that lose; at least so much where some are unknown."""
        return self.lost / self.pushes if self.pushes else 0.0


@dataclass(frozen=True)
class Explored:
    """What play can come to from the start of a level, until it is solved.

    Left out are positions that are lost at sight: with a box where a lone box never reaches a goal,
    or with boxes frozen off their goals.
    """

    positions: int
    solvable: int
    fewest_pushes: int | None  # from the start; None if it has no solution
    choices: Choices  # in all that are neither solved nor lost


@dataclass(frozen=True, eq=False)
class Exploration:
    """All positions of one level, and the figures over them."""

    explored: Explored
    neighbours: Int16[np.ndarray, "_ A"]
    positions: exploring.Positions

    def count_lost(self, boxes: Int16[np.ndarray, "Q G"], player: Int16[np.ndarray, " Q"]) -> int:
        """How many positions have no solution, each one push from one that has."""
        is_solvable = np.empty(len(boxes), np.bool_)
        scratch = pulling.empty_scratch(len(self.neighbours) - 1, boxes.shape[1])
        ascending = np.sort(boxes, axis=1)
        exploring.are_solvable(
            self.positions, scratch, self.neighbours, ascending, player, is_solvable
        )
        return int((~is_solvable).sum())


def choices_along(
    board: Board,
    plan: Sequence[int],
    *,
    limits: Limits,
    exploration: Exploration | None = None,
) -> Choices:
    """What there is to choose from wherever the plan, which solves ``board``, makes a push.

    ``limits`` hold for each push that is looked into, their time for all of them together; none is
    where there is an ``exploration`` of the same board, which knows.
    """
    squares = sorted(board.inside())
    number, neighbours = numbered(squares)
    boxes = _numbers(board.boxes, number)
    most_pushes = max(_PART_BYTES // (8 * max(len(boxes), 1) ** 2), 1)
    parts = list(_parts(board, plan, most_pushes))
    most = 4 * len(boxes) * min(most_pushes, len(plan))
    after_boxes = np.empty((most, len(boxes)), np.int16)
    after_player = np.empty(most, np.int16)
    was_made = np.empty(most, np.bool_)
    scratch = pulling.empty_scratch(len(squares), len(boxes))
    count = _count_lost if from_board(board) is None else _count_lost_of_words
    ends_s = None if limits.time_limit_s is None else compiling.clock() + limits.time_limit_s
    player = number[board.player]
    sums = np.zeros(4, np.int64)
    for part in parts:
        moves = np.array(part, np.int8)
        positions, pushes = follow(
            neighbours, boxes, player, moves, scratch, after_boxes, after_player, was_made
        )
        is_other = np.flatnonzero(~was_made[:pushes])  # what the plan does is no loss
        after = after_boxes[is_other], after_player[is_other]
        if exploration is not None:
            lost, unknown = exploration.count_lost(*after), 0
        else:
            lost, unknown = count(board, squares, *after, _until(ends_s, limits))
        sums += positions, pushes, lost, unknown
        for move in part:
            player = int(neighbours[player, move])
    return Choices(*sums.tolist())


def _parts(board: Board, plan: Sequence[int], most_pushes: int) -> Iterator[list[int]]:
    """The plan in parts of so many pushes."""
    part: list[int] = []
    pushes = 0
    for letter, direction in zip(lurd.format(board, plan), plan, strict=True):
        part.append(direction)
        pushes += letter.isupper()
        if pushes == most_pushes:
            yield part
            part, pushes = [], 0
    yield part


def _until(ends_s: float | None, limits: Limits) -> Limits:
    """The limits with the time that is left until ``ends_s``."""
    if ends_s is None:
        return limits
    return replace(limits, time_limit_s=max(ends_s - compiling.clock(), 0.0))


def _numbers(chosen: Iterable[Square], number: dict[Square, int]) -> Int16[np.ndarray, " G"]:
    """The squares inside, ascending."""
    return np.array(sorted(number[square] for square in chosen if square in number), np.int16)


def _count_lost_of_words(
    board: Board,
    squares: list[Square],
    boxes: Int16[np.ndarray, "Q G"],
    player: Int16[np.ndarray, " Q"],
    limits: Limits,
) -> tuple[int, int]:
    """``_count_lost`` of boards that fit one word, many at once."""
    level = from_board(board)
    assert level is not None
    top, left = (min(numbers) for numbers in zip(*squares, strict=True))
    cells = [(row - top) * SIDE + column - left for row, column in squares]
    bits = np.array([1 << cell for cell in cells], np.uint64)
    walls, goals = (np.repeat(word, len(boxes)) for word in (level.walls, level.goals))
    after = Levels(walls, goals, bits[boxes].sum(axis=1, dtype=np.uint64), bits[player])
    ends_s = None if limits.time_limit_s is None else compiling.clock() + limits.time_limit_s
    verdicts = np.full(len(boxes), Verdict.OUT_OF_TIME, np.uint8)
    for first in range(0, len(boxes), _LEVELS_AT_ONCE):
        if _until(ends_s, limits).time_limit_s == 0.0:
            break
        part = after.part(first, first + _LEVELS_AT_ONCE)
        verdicts[first : first + _LEVELS_AT_ONCE] = solve_many(
            part, "any", limits=Limits(max_expansions=_FIRST_EXPANSIONS)
        ).verdict
    rest = np.flatnonzero(verdicts == Verdict.OUT_OF_EXPANSIONS)
    limits = _until(ends_s, limits)
    if limits.time_limit_s is not None:
        limits = replace(limits, time_limit_s=limits.time_limit_s / max(len(rest), 1))
    hard = Levels(*(word[rest] for word in after))
    verdicts[rest] = solve_many(hard, "any", limits=limits).verdict
    is_lost = verdicts == Verdict.UNSOLVABLE
    return int(is_lost.sum()), int((~is_lost & (verdicts != Verdict.SOLVED)).sum())


def _count_lost(
    board: Board,
    squares: list[Square],
    boxes: Int16[np.ndarray, "Q G"],
    player: Int16[np.ndarray, " Q"],
    limits: Limits,
) -> tuple[int, int]:
    """How many of these positions of the level have no solution, and of how many it is unknown."""
    ends_s = None if limits.time_limit_s is None else compiling.clock() + limits.time_limit_s
    outside = board.boxes.difference(squares)
    lost = unknown = 0
    for numbers, stands_on in zip(boxes.tolist(), player.tolist(), strict=True):
        after = replace(
            board,
            boxes=outside.union(squares[box] for box in numbers),
            player=squares[stands_on],
        )
        if after.is_solved:
            continue
        left_s = _until(ends_s, limits).time_limit_s
        if left_s == 0.0:
            unknown += 1
            continue
        if not frozen_boxes(after) <= after.goals:
            lost += 1
            continue
        # Most are easy, and this one begins sooner.
        answer = solve(
            after, minimise="pushes", max_expansions=_FIRST_EXPANSIONS, time_limit_s=left_s
        )
        if answer.status == "gave up":
            answer = solve_any(after, **vars(_until(ends_s, limits)))
        unknown += answer.status == "gave up"
        lost += answer.status == "unsolvable"
    return lost, unknown


def explore(board: Board, *, max_positions: int, time_limit_s: float | None) -> Exploration | None:
    """Goes through all positions of a level; None where they are too many or it takes too long.

    ``max_positions`` is a power of two; the compilation on first use does not count. Raises
    ``ValueError`` where the player can come to fewer goals than boxes, or to more.
    """
    _compile()
    return _explore(board, max_positions=max_positions, time_limit_s=time_limit_s)


def _explore(board: Board, *, max_positions: int, time_limit_s: float | None) -> Exploration | None:
    started_s = compiling.clock()

    def check() -> None:
        if time_limit_s is not None and compiling.clock() - started_s >= time_limit_s:
            raise _TimeIsUpError

    squares = sorted(board.inside())
    number, neighbours = numbered(squares)
    boxes, goals = (_numbers(chosen, number) for chosen in (board.boxes, board.goals))
    if len(boxes) != len(goals):
        raise ValueError(f"{len(boxes)} boxes but {len(goals)} goals inside the walls")
    while max_positions * exploring.bytes_each(len(boxes)) > _MOST_BYTES:
        max_positions //= 2
    try:
        positions = _explored(neighbours, boxes, goals, number[board.player], max_positions, check)
    except _TimeIsUpError:
        return None
    if positions is None:
        return None
    num_open, pushes, lost, solvable = exploring.count_choices(positions)
    explored = Explored(
        positions=int(positions.progress[exploring.NUM_POSITIONS]),
        solvable=solvable,
        fewest_pushes=None if solvable == 0 else int(positions.distance[0]),
        choices=Choices(num_open, pushes, lost),
    )
    return Exploration(explored, neighbours, positions)


class _TimeIsUpError(Exception):
    """Ends an exploration."""


def _explored(
    neighbours: Int16[np.ndarray, "_ A"],
    boxes: Int16[np.ndarray, " G"],
    goals: Int16[np.ndarray, " G"],
    player: int,
    max_positions: int,
    check: Callable[[], None],
) -> exploring.Positions | None:
    """All positions and distances, None if there are too many; ``check`` may raise to stop."""
    world = _world(neighbours, goals, check)
    positions = exploring.empty_positions(max_positions, len(boxes))
    num_floor = len(neighbours) - 1
    scratch = pulling.empty_scratch(num_floor, len(boxes))
    is_held = np.empty(num_floor + 1, np.bool_)
    scratch.boxes[:] = boxes
    exploring.enter_start(positions, scratch, neighbours, player)
    stop, slice_positions = exploring.BUDGET_SPENT, 1
    while stop == exploring.BUDGET_SPENT:
        check()
        slice_started_s = compiling.clock()
        stop = exploring.explore(world, positions, scratch, is_held, slice_positions)
        if compiling.clock() - slice_started_s < _SLICE_S:
            slice_positions *= 2
        else:
            slice_positions = max(slice_positions // 2, 1)
    if stop == exploring.FULL:
        return None
    while exploring.settle_more(positions):
        check()
    return positions


@cache
def _compile() -> None:
    """Explores a board of one push, so that no clock counts the seconds of a first compilation."""
    board = Board(
        1, 3, frozenset(), frozenset({Square(0, 2)}), frozenset({Square(0, 1)}), Square(0, 0)
    )
    exploration = _explore(board, max_positions=16, time_limit_s=None)
    choices_along(board, [Direction.RIGHT], limits=Limits(), exploration=exploration)


def _world(
    neighbours: Int16[np.ndarray, "_ A"],
    goals: Int16[np.ndarray, " G"],
    check: Callable[[], None],
) -> astar.World:
    side = completed(sides_in_steps(neighbours), check)
    pushes = completed(pushes_in_steps(neighbours, side, goals), check)
    is_goal = np.zeros(len(neighbours), np.bool_)
    is_goal[goals] = True
    return astar.World(
        neighbours,
        is_goal,
        side,
        pushes,
        fewest_pushes=pushes.min(axis=1, initial=astar.UNREACHABLE),
        counts_moves=False,
        is_matched=True,
    )
