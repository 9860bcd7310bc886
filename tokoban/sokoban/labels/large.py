"""Labels of one level of any size: positions along a short solution, and one push off it.

The solution is one of the fewest pushes where A* proves it, else a given or found one, shortened by
the optimiser. After each push of a position, A* searches for a few hundred expansions: most pushes
are proved to begin a solution with the fewest pushes, to cost so many more, or to deadlock; the
others are unknown. All limits are counts of expansions, so that the labels depend on no clock.
Axes: F floor squares, numbered as in ``search.level.ground``; K boxes.
"""

import random
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import IntEnum

import numpy as np

from tokoban.sokoban.board import OFFSETS, Board, Direction
from tokoban.sokoban.search.bitboard.driver import Verdict
from tokoban.sokoban.search.bitboard.labels import DEADLOCKED
from tokoban.sokoban.search.combine.optimiser import optimise
from tokoban.sokoban.search.combine.solver import solve
from tokoban.sokoban.search.level.flood import flood
from tokoban.sokoban.search.level.ground import NONE, Squares, build_ground
from tokoban.sokoban.search.limits import Limits
from tokoban.sokoban.search.outcome import Outcome
from tokoban.sokoban.search.pauses import Budget
from tokoban.sokoban.search.rules.pruning import empty_pruning
from tokoban.sokoban.search.searches.astar import search as push_search
from tokoban.sokoban.search.searches.astar.solver import AStar
from tokoban.sokoban.search.state.positions import unpacked_bits

# As in ``puzzles``, so that the solution of every generated puzzle is proved again.
_PROOF_EXPANSIONS = 30_000
_SOLUTION_EXPANSIONS = _OPTIMISER_EXPANSIONS = 20_000
_PUSH_EXPANSIONS = 200  # of each position after a push
_ASIDE_SHARE = 4  # one in four of the positions is off the solution
_DIRECTIONS = range(len(OFFSETS))


class After(IntEnum):
    """The result of a push; a shard has four bits for it."""

    FEWEST = 0  # it begins a solution of ``pushes_left`` pushes
    TWO_MORE = 1  # of two pushes more; with the same boxes, no number between can be
    MORE = 2
    DEADLOCKED = 3
    UNKNOWN = 4
    ILLEGAL = 15


class LargeOrigin(IntEnum):
    """The origin of a position, and what is proved of it."""

    SOLUTION = 0  # on the solution; ``pushes_left`` is proved to be the fewest
    BOUND = 1  # on the solution; ``pushes_left`` suffice, but may not be the fewest
    ASIDE = 2  # one push off the solution, and solvable; ``pushes_left`` is proved
    DEADLOCKED = 3  # one push off the solution, and proved deadlocked


@dataclass(frozen=True)
class LargePosition:
    """A position of a level with its labels; squares are numbers."""

    boxes: tuple[int, ...]  # ascending
    player: int  # the least square that it can walk to
    origin: LargeOrigin
    pushes_left: int  # ``DEADLOCKED`` for those that are
    after: tuple[After, ...]  # four for each box, by direction


@dataclass(frozen=True)
class LargeLabels:
    """The positions of one level; none unless it was solved."""

    verdict: Verdict
    positions: tuple[LargePosition, ...] = ()


def label_level(
    board: Board,
    given: Sequence[Direction] | None,
    *,
    rng: random.Random,
    num_states: int,
    stop: threading.Event,
) -> LargeLabels | None:
    """Labels about ``num_states`` positions, and some deadlocked ones besides.

    ``given`` is a solution, if one is known. Returns None once ``stop`` is set.
    """
    verdict, solution, is_proved = _shortest_solution(board, given, stop)
    if stop.is_set():
        return None
    if verdict != Verdict.SOLVED or not solution:
        return LargeLabels(verdict)
    level = _Level(board)
    line = [*level.line(solution)]
    num_aside = num_states // _ASIDE_SHARE
    chosen = sorted(rng.sample(range(len(line)), min(len(line), num_states - num_aside)))
    positions: list[LargePosition] = []
    aside: dict[_Place, int] = {}
    for number in chosen:
        place, made = line[number]
        bound = len(line) - number
        left = bound if is_proved else level.pushes_left(place)
        if left is None:
            position = level.bounded(place, bound, made)
        else:
            position = level.labelled(place, left, LargeOrigin.SOLUTION)
        positions.append(position)
        aside.update(level.known_after(place))
        if stop.is_set():
            return None
    for place, _ in line:
        aside.pop(place, None)
    for left_is_known, origin in ((True, LargeOrigin.ASIDE), (False, LargeOrigin.DEADLOCKED)):
        places = sorted(
            place for place, left in aside.items() if (left != DEADLOCKED) == left_is_known and left
        )
        for place in sorted(rng.sample(places, min(len(places), num_aside))):
            positions.append(level.labelled(place, aside[place], origin))
            if stop.is_set():
                return None
    return LargeLabels(verdict, tuple(positions))


# The squares of the boxes, ascending, and the least square of the player's zone.
_Place = tuple[tuple[int, ...], int]


def _shortest_solution(
    board: Board, given: Sequence[Direction] | None, stop: threading.Event
) -> tuple[Verdict, Sequence[Direction], bool]:
    """A solution, and whether it is proved to have the fewest pushes; ``stop`` ends it early."""
    limits = Limits(stop=stop)
    answer = solve(board, minimise="pushes", limits=limits.at_most(_PROOF_EXPANSIONS))
    if answer.status == "unsolvable":
        return Verdict.UNSOLVABLE, (), True
    if answer.solution is not None:
        return Verdict.SOLVED, answer.solution.directions, True
    if given is None:
        answer = solve(board, minimise="any", limits=limits.at_most(_SOLUTION_EXPANSIONS))
        if answer.solution is None:
            return Verdict.OUT_OF_EXPANSIONS, (), False
        given = answer.solution.directions
    limits = limits.at_most(_OPTIMISER_EXPANSIONS)
    answer = optimise(board, given, minimise="pushes", limits=limits)
    assert answer.solution is not None
    return Verdict.SOLVED, answer.solution.directions, answer.optimum == "pushes"


class _Level:
    """One level, and what the searches have found out about its positions."""

    def __init__(self, board: Board) -> None:
        self._board = board
        self._squares = Squares(board)
        self._outside = board.boxes.difference(self._squares.squares)  # on goals, never reached
        self._ground = build_ground(board, self._squares)
        num_floor, num_boxes = len(self._squares.squares), len(self._ground.goals)
        self._goals = tuple(self._ground.goals.tolist())
        self._neighbours = self._squares.neighbours.tolist()
        self._pruning = empty_pruning(num_floor, num_boxes)  # deadlocks that all its searches share
        self._is_blocked = np.zeros(num_floor + 1, np.bool_)
        self._marks = np.zeros(num_floor + 1, np.int64)
        self._waiting = np.zeros(num_floor + 1, np.int32)
        self._num_floods = 0
        self._left: dict[_Place, int | None] = {}

    def line(self, solution: Sequence[Direction]) -> Iterator[tuple[_Place, tuple[int, int]]]:
        """Each position in which the solution pushes, with the box and the direction pushed."""
        player = self._squares.number[self._board.player]
        boxes = set(self._squares.numbers(self._board.boxes).tolist())
        for direction in solution:
            ahead = self._neighbours[player][direction]
            if ahead in boxes:
                yield self._place(boxes, player), (ahead, int(direction))
                boxes.remove(ahead)
                boxes.add(self._neighbours[ahead][direction])
            player = ahead

    def pushes_left(self, place: _Place) -> int | None:
        """The fewest pushes, or ``DEADLOCKED``; None if unknown."""
        if place not in self._left:
            self._left[place] = self._search(place)
        return self._left[place]

    def labelled(self, place: _Place, left: int, origin: LargeOrigin) -> LargePosition:
        """A position of so many pushes at least."""
        self._left[place] = left
        after = [After.ILLEGAL] * (4 * len(place[0]))
        for number, later in self._pushes(place):
            later_left = DEADLOCKED if left == DEADLOCKED else self.pushes_left(later)
            if later_left is None:
                after[number] = After.UNKNOWN
            elif later_left == DEADLOCKED:
                after[number] = After.DEADLOCKED
            else:
                more = (later_left + 1 - left) // 2
                after[number] = (After.FEWEST, After.TWO_MORE, After.MORE)[min(more, 2)]
        return LargePosition(*place, origin, left, tuple(after))

    def bounded(self, place: _Place, bound: int, made: tuple[int, int]) -> LargePosition:
        """A position that the push ``made`` begins to solve in ``bound`` pushes."""
        boxes, _ = place
        best = 4 * boxes.index(made[0]) + made[1]
        after = [After.ILLEGAL] * (4 * len(boxes))
        for number, later in self._pushes(place):
            is_deadlocked = number != best and self.pushes_left(later) == DEADLOCKED
            after[number] = After.DEADLOCKED if is_deadlocked else After.UNKNOWN
        after[best] = After.FEWEST
        return LargePosition(*place, LargeOrigin.BOUND, bound, tuple(after))

    def known_after(self, place: _Place) -> dict[_Place, int]:
        """The positions after a push whose pushes left are known from the searches."""
        known = ((later, self._left.get(later)) for _, later in self._pushes(place))
        return {later: left for later, left in known if left is not None}

    def _pushes(self, place: _Place) -> Iterator[tuple[int, _Place]]:
        """The legal pushes by number, ``4 * box + direction``, and the positions after them."""
        boxes, player = place
        self._flood(boxes, player)
        reached = {*np.flatnonzero(self._marks == self._num_floods).tolist()}
        for row, box in enumerate(boxes):
            around = self._neighbours[box]
            for direction in _DIRECTIONS:
                ahead = around[direction]
                is_free = ahead != len(self._neighbours) - 1 and ahead not in boxes
                if is_free and around[direction ^ 2] in reached:
                    later = {*boxes[:row], *boxes[row + 1 :], ahead}
                    yield 4 * row + direction, self._place(later, box)

    def _place(self, boxes: set[int], player: int) -> _Place:
        in_order = tuple(sorted(boxes))
        return in_order, self._flood(in_order, player)

    def _flood(self, boxes: tuple[int, ...], player: int) -> int:
        """Marks the player's zone with ``_num_floods``; returns its least square."""
        self._is_blocked[:] = False
        self._is_blocked[-1] = True
        self._is_blocked[list(boxes)] = True
        self._num_floods += 1
        neighbours, mark = self._squares.neighbours, self._num_floods
        return int(flood(neighbours, self._is_blocked, player, self._marks, mark, self._waiting))

    def _search(self, place: _Place) -> int | None:
        boxes, player = place
        if boxes == self._goals:
            return 0
        squares = self._squares.squares
        board = replace(
            self._board,
            boxes=self._outside.union(squares[box] for box in boxes),
            player=squares[player],
        )
        search = AStar(board, self._squares, self._ground, "pushes", self._pruning)
        budget = Budget(_PUSH_EXPANSIONS, _PUSH_EXPANSIONS)
        while (outcome := search.advance(budget)) == Outcome.STORE_FULL:
            list(search.grow())
        if outcome == Outcome.EXHAUSTED:
            return DEADLOCKED
        if outcome != Outcome.SOLVED:
            return None
        # Now the fewest pushes of every position on the way are known.
        frontier = search.frontier
        position = int(frontier.progress[push_search.REACHED])
        pushes = int(frontier.cost[position])
        while (position := int(frontier.positions.parent[position])) != NONE:
            is_box = unpacked_bits(frontier.positions.boxes[position], len(squares))
            on_the_way = tuple(np.flatnonzero(is_box).tolist())
            later = on_the_way, int(frontier.positions.player[position])
            self._left[later] = pushes - int(frontier.cost[position])
        return pushes
