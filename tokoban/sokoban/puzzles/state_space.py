"""Every position that play can reach from the start of a level, and which of them are solvable.

Forward breadth-first search, then retrograde analysis over the stored pushes. A position is the
boxes and the player's zone; it is stored with the least square of the zone. Positions that the dead
square rule or the freeze rule proves deadlocked are left out. Axes: those of
``search.level.ground``, and E capacity for edges, K boxes, Q positions.
"""

from dataclasses import dataclass
from functools import cache, partial
from typing import NamedTuple, no_type_check

import numpy as np
from jaxtyping import Int16, Int32, Int64, UInt64

from tokoban import compiling
from tokoban.compiling import entry, inner
from tokoban.sokoban.board import Board
from tokoban.sokoban.search.level.ground import NONE, UNREACHABLE, Ground, Squares, build_ground
from tokoban.sokoban.search.limits import UNWATCHED, Limits, OutOfTimeError, Watch
from tokoban.sokoban.search.outcome import Outcome
from tokoban.sokoban.search.pauses import ONE_PUSH
from tokoban.sokoban.search.rules.freeze import mark_frozen
from tokoban.sokoban.search.state.columns import zeroed
from tokoban.sokoban.search.state.positions import (
    Positions,
    add,
    bit_of,
    empty_positions,
    key_of,
    num_bytes,
    slot_of,
    write_moved,
)
from tokoban.sokoban.search.state.single_pushes import single_pushes
from tokoban.sokoban.search.state.workspace import (
    lay_out_area,
    least_of_area,
    place_boxes,
    workspace_for,
)
from tokoban.sokoban.search.steps import next_slice

FAR = np.iinfo(np.int32).max  # a distance: deadlocked

_EDGES_EACH = 8  # pushes that a position has on average, at most

# Entries of ``StateSpace.progress``.
_NUM_EXPANDED, _NUM_EDGES = range(2)


class StateSpace(NamedTuple):
    """Positions in the order in which they were found, the start first."""

    positions: Positions
    num_pushes: Int32[np.ndarray, " P"]  # legal ones; none from a solved position
    ends: Int64[np.ndarray, " P"]  # of each position's edges; they start where the last ones end
    distance: Int32[np.ndarray, " P"]  # pushes that remain, ``FAR`` where deadlocked
    edges: Int32[np.ndarray, " E"]  # the positions after pushes, but for those left out
    progress: Int64[np.ndarray, "2"]


@dataclass(frozen=True)
class Choices:
    """Sums over some positions, none of them solved or deadlocked."""

    positions: int
    pushes: int  # legal ones
    losing: int  # those after which the level is proved to have no solution
    unknown: int = 0  # those of which neither that nor a solution was found within the limits

    @property
    def branching(self) -> float:
        """Mean number of legal pushes in a position."""
        return self.pushes / self.positions if self.positions else 0.0

    @property
    def losing_share(self) -> float:
        """The share of these pushes that lose; at least so much where some are unknown."""
        return self.losing / self.pushes if self.pushes else 0.0


@dataclass(frozen=True)
class Reachable:
    """The positions that play can reach from the start of a level until it is solved.

    Left out are those that one look proves deadlocked: with a box where a lone box never reaches a
    goal, or with boxes frozen off their goals.
    """

    positions: int
    solvable: int
    fewest_pushes: int | None  # from the start; None if it has no solution
    choices: Choices  # in all that are neither solved nor deadlocked


@dataclass(frozen=True, eq=False)
class Exploration:
    """The state space of one level, and its figures."""

    reachable: Reachable
    ground: Ground
    states: StateSpace

    def count_losing(
        self, boxes: UInt64[np.ndarray, "Q W"], player: Int16[np.ndarray, " Q"]
    ) -> int:
        """The number of positions without a solution that are one push from a solvable one."""
        is_solvable = np.empty(len(boxes), np.bool_)
        num_boxes = int(np.bitwise_count(self.states.positions.boxes[0]).sum())
        scratch = workspace_for(len(self.ground.zone), num_boxes)
        _look_up(self.ground, self.states, scratch, boxes, player, is_solvable)
        return int((~is_solvable).sum())


def explore(
    board: Board,
    *,
    max_positions: int,
    limits: Limits,
) -> Exploration | None:
    """The state space of a level; None where it is too large or a limit is reached.

    ``max_positions`` is a power of two. Half of the memory limit is for positions. The compilation
    on first use does not count. Raises ``ValueError`` where the player can reach fewer goals than
    boxes, or more.
    """
    _compile()
    return _explore(board, max_positions, Watch(limits))


def _explore(board: Board, max_positions: int, watch: Watch) -> Exploration | None:
    squares = Squares(board)
    boxes, goals = squares.numbers(board.boxes), squares.numbers(board.goals)
    if len(boxes) != len(goals):
        raise ValueError(f"{len(boxes)} boxes but {len(goals)} goals inside the walls")
    num_floor = len(squares.squares)
    one = num_bytes(_empty_states(1, num_floor))
    while max_positions * one > watch.limits.memory_limit_mb * 1e6 / 2:
        max_positions //= 2
    if max_positions == 0:
        return None
    try:
        ground = build_ground(board, squares, watch.check)
        states = _empty_states(max_positions, num_floor)
        if not _fill(ground, states, boxes, squares.number[board.player], watch):
            return None
    except OutOfTimeError:
        return None
    num_open, pushes, losing, solvable = _count_choices(states)
    reachable = Reachable(
        positions=int(states.positions.num_known[0]),
        solvable=solvable,
        fewest_pushes=None if solvable == 0 else int(states.distance[0]),
        choices=Choices(num_open, pushes, losing),
    )
    return Exploration(reachable, ground, states)


def _fill(
    ground: Ground, states: StateSpace, boxes: Int16[np.ndarray, " K"], player: int, watch: Watch
) -> bool:
    """Finds all positions and distances; False if there are too many."""
    scratch = workspace_for(len(ground.zone), len(boxes))
    _enter_start(ground, states, scratch, boxes, player)
    stop, slice_positions = Outcome.BUDGET_SPENT, 1
    expansions_left = watch.limits.max_expansions
    while stop == Outcome.BUDGET_SPENT:
        watch.check()
        if expansions_left is not None:
            slice_positions = min(slice_positions, expansions_left)
            if slice_positions == 0:
                return False
            expansions_left -= slice_positions
        slice_started_s = compiling.clock()
        stop = _search(ground, states, scratch, slice_positions)
        slice_positions = next_slice(slice_positions, compiling.clock() - slice_started_s)
    if stop == Outcome.STORE_FULL:
        return False
    while _settle_more(states):
        watch.check()
    return True


def _empty_states(capacity: int, num_floor: int) -> StateSpace:
    """Capacity for positions, a power of two, and eight times as many pushes."""
    positions = empty_positions(capacity, num_floor)
    return zeroed(StateSpace, P=capacity, E=_EDGES_EACH * capacity, positions=positions)


@cache
def _compile() -> None:
    """Explores a board of one push, so that no clock counts the seconds of a first compilation."""
    exploration = _explore(ONE_PUSH, 16, UNWATCHED)
    assert exploration is not None
    start = exploration.states.positions
    exploration.count_losing(start.boxes[:1], start.player[:1])


@inner
@no_type_check
def enter(neighbours, keys, positions, scratch, boxes_key, parent, player):
    """The number of the position of ``scratch.words``, whose boxes are blocked; added if new."""
    least = least_of_area(neighbours, scratch, player)
    slot = slot_of(positions, scratch.words, boxes_key, least, keys[1, least])
    if positions.slots[slot] != NONE:
        return positions.slots[slot]
    return add(positions, slot, scratch.words, boxes_key, least, parent)


@entry
@no_type_check
def _enter_start(ground, states, scratch, boxes, player):
    """Makes the boxes and the player's zone the first position."""
    scratch.words[:] = 0
    for box in boxes:
        scratch.is_blocked[box] = True
        scratch.words[box >> 6] |= bit_of(box)
    key = key_of(ground.keys, boxes)
    enter(ground.neighbours, ground.keys, states.positions, scratch, key, NONE, player)


@entry
@no_type_check
def _search(ground, states, scratch, num_positions):
    """Makes all pushes of the next ``num_positions`` positions; returns why it stopped."""
    progress, num_known = states.progress, states.positions.num_known
    room = 4 * len(scratch.boxes)
    stop = progress[_NUM_EXPANDED] + num_positions
    while progress[_NUM_EXPANDED] < num_known[0]:
        if progress[_NUM_EXPANDED] >= stop:
            return Outcome.BUDGET_SPENT
        is_full = num_known[0] + room > len(states.distance)
        if is_full or progress[_NUM_EDGES] + room > len(states.edges):
            return Outcome.STORE_FULL
        _expand(ground, states, scratch, progress[_NUM_EXPANDED])
        progress[_NUM_EXPANDED] += 1
    return Outcome.EXHAUSTED


@partial(inner, is_inlined=True)
@no_type_check
def _add_push(state, _row, box, _direction, end):
    """Counts a push, and adds its edge unless the position after it is deadlocked."""
    ground, states, scratch, position = state
    positions, progress = states.positions, states.progress
    states.num_pushes[position] += 1
    if (
        ground.lower_bound[end * 4 + ground.zone[end, box]] != UNREACHABLE
        and mark_frozen(ground, scratch.boxes, scratch.is_blocked, scratch.is_frozen) != -1
    ):
        write_moved(positions.boxes[position], box, end, scratch.words)
        key = positions.boxes_key[position] ^ ground.keys[0, box] ^ ground.keys[0, end]
        after = enter(ground.neighbours, ground.keys, positions, scratch, key, position, box)
        states.edges[progress[_NUM_EDGES]] = after
        progress[_NUM_EDGES] += 1
    return True


_push_each = single_pushes(_add_push)


@inner
@no_type_check
def _expand(ground, states, scratch, position):
    positions, boxes, neighbours = states.positions, scratch.boxes, ground.neighbours
    lay_out_area(neighbours, positions.boxes[position], positions.player[position], scratch)
    is_solved = True
    for box in boxes:
        is_solved &= ground.is_goal[box]
    states.num_pushes[position] = 0
    states.distance[position] = 0 if is_solved else FAR
    if not is_solved:
        state = (ground, states, scratch, position)
        _push_each(state, neighbours, boxes, scratch.is_blocked, scratch.area, 1)
    states.ends[position] = states.progress[_NUM_EDGES]


@entry
@no_type_check
def _settle_more(states):
    """Goes once through all positions, after the search has ended, and shortens distances.

    Returns whether any was: they are final once none is.
    """
    has_changed = False
    # Pushes lead to later positions as a rule, so that most is settled the first time.
    for position in range(states.positions.num_known[0] - 1, -1, -1):
        nearest = states.distance[position]
        start = states.ends[position - 1] if position else 0
        for edge in range(start, states.ends[position]):
            after = states.distance[states.edges[edge]]
            if after != FAR and after + 1 < nearest:
                nearest = after + 1
                has_changed = True
        states.distance[position] = nearest
    return has_changed


@entry
@no_type_check
def _count_choices(states):
    """Of the positions neither solved nor deadlocked: how many they are, their legal pushes, and
    those of the pushes that lose; and how many positions are solvable, solved ones included."""
    num_open, num_pushes, num_kept, num_solvable = 0, 0, 0, 0
    for position in range(states.positions.num_known[0]):
        if states.distance[position] == FAR:
            continue
        num_solvable += 1
        num_open += states.distance[position] > 0
        num_pushes += states.num_pushes[position]
        start = states.ends[position - 1] if position else 0
        for edge in range(start, states.ends[position]):
            num_kept += states.distance[states.edges[edge]] != FAR
    return num_open, num_pushes, num_pushes - num_kept, num_solvable


@entry
@no_type_check
def _look_up(ground, states, scratch, boxes, player, is_solvable):
    """Fills which of some positions have a solution: those found and not deadlocked, since any that
    was left out one push from a solvable one is deadlocked."""
    positions = states.positions
    for i in range(len(is_solvable)):
        place_boxes(boxes[i], scratch.boxes, scratch.is_blocked)
        least = least_of_area(ground.neighbours, scratch, player[i])
        key = key_of(ground.keys, scratch.boxes)
        slot = slot_of(positions, boxes[i], key, least, ground.keys[1, least])
        position = positions.slots[slot]
        is_solvable[i] = position != NONE and states.distance[position] != FAR
