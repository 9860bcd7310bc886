"""A level as numbered squares, and what is known of it before any search begins.

Axes in this folder: F floor squares, G goals (as many as boxes), W words of 64 squares, X words of
64 goals, P capacity for positions, S slots of a hash table.
A square is a number below F, in the order of ``Board``'s squares; number F is the wall around
everything. A *zone* is the part of the floor where the player can walk around a lone box, named by
the lowest direction from the box to a square of it. A *place* is a lone box and the player's zone,
``box * 4 + zone``. Sets of squares in words are bits, the least first.
The tables for lone boxes follow Junghanns and Schaeffer, "Sokoban: Enhancing general single-agent
search methods using domain knowledge", Artificial Intelligence 129 (2001), except that they
distinguish the zones of the player.
"""

from collections.abc import Callable, Container, Iterable
from functools import lru_cache, partial
from typing import NamedTuple, no_type_check

import numpy as np
from jaxtyping import Bool, Int8, Int16, Int32, UInt64

from tokoban.compiling import entry
from tokoban.sokoban.board import OFFSETS, Board, Square
from tokoban.sokoban.search.level.flood import flood
from tokoban.sokoban.search.steps import Steps, completed

UNREACHABLE = 1 << 28  # above the sum of any distances: 4,096 boxes times 16,384 pushes
NONE = -1  # no square, no position, no goal, no zone

_SQUARES_A_STEP = 1 << 20  # visited between two steps: some 10 ms


class Ground(NamedTuple):
    """A level without its boxes and player.

    For a search backwards, the goals are the squares where boxes start, and pushes are pulls.
    """

    neighbours: Int16[np.ndarray, "F+1 4"]  # the square in each direction; row F is never left
    goals: Int16[np.ndarray, " G"]
    is_goal: Bool[np.ndarray, "F+1"]
    zone: Int8[np.ndarray, "F F"]  # by box and player; NONE where they cannot be
    pushes: Int32[np.ndarray, "F*4 G"]  # of a lone box, by place, to each goal
    lower_bound: Int32[np.ndarray, "F*4"]  # on these to any goal; UNREACHABLE if there is none
    is_dead: Bool[np.ndarray, "F+1"]  # no goal can be reached from any zone, or wall
    # Whether a box can be pushed neither up nor down (row 0), left nor right (row 1), however empty
    # the board is, without being deadlocked alone. All False backwards.
    is_immovable: Bool[np.ndarray, "2 F+1"]
    keys: UInt64[np.ndarray, "2 F"]  # Zobrist keys of a box and of the player on each square


class Squares:
    """The numbers of the squares that the player could walk to if there were no boxes.

    ``squares`` has the square of each number, ``number`` the number of each square, and
    ``neighbours`` [F + 1, 4] the number of its neighbour in each direction, F for a wall.
    """

    def __init__(self, board: Board) -> None:
        self.squares = sorted(board.inside())
        # Plain tuples, which are equal to squares, are much quicker to make.
        self.number = {(row, column): i for i, (row, column) in enumerate(self.squares)}
        wall = len(self.squares)
        rows = [
            [self.number.get((row + down, column + right), wall) for down, right in OFFSETS]
            for row, column in self.squares
        ]
        self.neighbours = np.array([*rows, [wall] * len(OFFSETS)], np.int16)

    def numbers(self, squares: Iterable[Square]) -> Int16[np.ndarray, " _"]:
        """The numbers of those squares that have one, ascending."""
        found = (self.number[square] for square in squares if square in self.number)
        return np.array(sorted(found), np.int16)

    def is_among(self, squares: Container[Square]) -> Bool[np.ndarray, " F"]:
        """Which of the numbered squares are among these."""
        return np.array([square in squares for square in self.squares])


def build_ground(
    board: Board, squares: Squares, check: Callable[[], None] = lambda: None
) -> Ground:
    """``ground_in_steps`` at once; ``check`` is called between steps and may raise to stop."""
    return completed(ground_in_steps(board, squares), check)


def ground_in_steps(board: Board, squares: Squares) -> Steps[Ground]:
    """The ``Ground`` of a board."""
    zone = yield from zones_in_steps(squares.neighbours)
    goals = squares.numbers(board.goals)
    return (yield from ground_to_in_steps(goals, squares.neighbours, zone))


def grounds_both_ways(board: Board, squares: Squares) -> tuple[Ground, Ground]:
    """The ``Ground`` of a board, and that for pulls, at once."""
    ground = build_ground(board, squares)
    return ground, completed(reversed_in_steps(ground, squares.numbers(board.boxes)))


@lru_cache(maxsize=16)  # a rating or a generator searches the same level hundreds of times
def zobrist_keys(num_floor: int) -> UInt64[np.ndarray, "2 F"]:
    """``Ground.keys``, shared by all levels and never changed."""
    return np.random.default_rng(0).integers(1 << 64, size=(2, num_floor), dtype=np.uint64)


def reversed_in_steps(ground: Ground, starts: Int16[np.ndarray, " G"]) -> Steps[Ground]:
    """The same level for a search by pulls from the goals to where the boxes start."""
    return ground_to_in_steps(starts, ground.neighbours, ground.zone, by_pulls=True)


def ground_to_in_steps(
    goals: Int16[np.ndarray, " G"],
    neighbours: Int16[np.ndarray, "_ 4"],
    zone: Int8[np.ndarray, "F F"],
    *,
    by_pulls: bool = False,
) -> Steps[Ground]:
    """The ``Ground`` of a floor, for a search by pushes, or by pulls, to any goals."""
    num_floor = len(zone)
    pushes = yield from _pushes_in_steps(neighbours, zone, goals, are_starts=by_pulls)
    is_goal = np.zeros(num_floor + 1, np.bool_)
    is_goal[goals] = True
    lower_bound = pushes.min(axis=1, initial=UNREACHABLE)
    is_dead = (lower_bound == UNREACHABLE).reshape(num_floor, 4).all(axis=1)
    is_immovable = np.zeros((2, num_floor + 1), np.bool_)
    if not by_pulls:
        _fill_immovable(neighbours, zone, lower_bound, is_immovable)
    return Ground(
        neighbours=neighbours,
        goals=goals,
        is_goal=is_goal,
        zone=zone,
        pushes=pushes,
        lower_bound=lower_bound,
        is_dead=np.append(is_dead, True),
        is_immovable=is_immovable,
        keys=zobrist_keys(num_floor),
    )


@entry
@no_type_check
def _fill_immovable(neighbours, zone, lower_bound, is_immovable):
    """Fills ``Ground.is_immovable``: a wall on one side, or pushes to both sides that deadlock."""
    num_floor = len(zone)
    is_immovable[:, num_floor] = True
    for box in range(num_floor):
        for axis in range(2):
            first, second = neighbours[box, axis], neighbours[box, axis + 2]
            is_immovable[axis, box] = (
                first == num_floor
                or second == num_floor
                or (
                    lower_bound[np.int64(first) * 4 + zone[first, box]] == UNREACHABLE
                    and lower_bound[np.int64(second) * 4 + zone[second, box]] == UNREACHABLE
                )
            )


def zones_in_steps(neighbours: Int16[np.ndarray, "_ 4"]) -> Steps[Int8[np.ndarray, "F F"]]:
    """``Ground.zone``."""
    num_floor = len(neighbours) - 1
    zone = np.full((num_floor, num_floor), NONE, np.int8)
    at_once = max(_SQUARES_A_STEP // (2 * num_floor), 1)
    for first in range(0, num_floor, at_once):
        _fill_zones(neighbours, zone, first, min(first + at_once, num_floor))
        yield
    return zone


@partial(entry, makes_arrays=True)
@no_type_check
def _fill_zones(neighbours, zone, first, last):
    """Fills ``Ground.zone``, which is NONE everywhere, for the boxes from ``first`` to ``last``."""
    num_floor = len(neighbours) - 1
    is_blocked = np.zeros(num_floor + 1, np.bool_)
    is_blocked[num_floor] = True
    marks = np.full(num_floor + 1, NONE, np.int64)
    waiting = np.empty(num_floor + 1, np.int32)
    for box in range(first, last):
        is_blocked[box] = True
        for direction in range(4):
            beside = neighbours[box, direction]
            mark = box * 4 + direction
            if beside != num_floor and marks[beside] < box * 4:
                flood(neighbours, is_blocked, beside, marks, mark, waiting)
        for square in range(num_floor):
            if marks[square] >= box * 4:
                zone[box, square] = marks[square] - box * 4
        is_blocked[box] = False


def _pushes_in_steps(
    neighbours: Int16[np.ndarray, "_ 4"],
    zone: Int8[np.ndarray, "F F"],
    squares: Int16[np.ndarray, " G"],
    *,
    are_starts: bool,
) -> Steps[Int32[np.ndarray, "_ G"]]:
    """By place, the pushes of a lone box to each square, or from each if ``are_starts``.

    UNREACHABLE where there are none.
    """
    num_floor = len(zone)
    pushes = np.full((num_floor * 4, len(squares)), UNREACHABLE, np.int32)
    at_once = max(_SQUARES_A_STEP // (16 * num_floor), 1)
    for first in range(0, len(squares), at_once):
        last = min(first + at_once, len(squares))
        _fill_pushes(neighbours, zone, squares, are_starts, pushes, first, last)
        yield
    return pushes


@partial(entry, makes_arrays=True)
@no_type_check
def _fill_pushes(neighbours, zone, squares, are_starts, pushes, first_square, last_square):
    """Fills columns of ``_pushes_in_steps``, which are UNREACHABLE everywhere.

    Breadth first from each square: by pulls, or by pushes.
    """
    num_floor = len(neighbours) - 1
    waiting = np.empty(num_floor * 4, np.int32)
    for i in range(first_square, last_square):
        square = squares[i]
        count = 0
        for direction in range(4):
            beside = neighbours[square, direction]
            if beside != num_floor and zone[square, beside] == direction:
                pushes[square * 4 + direction, i] = 0
                waiting[count] = square * 4 + direction
                count += 1
        first = 0
        while first < count:
            place = waiting[first]
            first += 1
            box = place // 4
            for direction in range(4):
                end = neighbours[box, direction]
                player = neighbours[box, direction ^ 2] if are_starts else end
                player_end = box if are_starts else neighbours[end, direction]
                is_outside = end == num_floor or player == num_floor or player_end == num_floor
                if is_outside or zone[box, player] != place % 4:
                    continue
                later = end * 4 + zone[end, player_end]
                if pushes[later, i] == UNREACHABLE:
                    pushes[later, i] = pushes[place, i] + 1
                    waiting[count] = later
                    count += 1
