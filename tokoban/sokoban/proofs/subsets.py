"""Whether some of the boxes can be brought to goals where the others are not there."""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from tokoban import compiling
from tokoban.sokoban.board import Board, Direction, Square
from tokoban.sokoban.proofs import search
from tokoban.sokoban.proofs.certificate import FrozenGroup, Position, Trap
from tokoban.sokoban.proofs.search import NUM_EXPANSIONS, NUM_GROUPS, NUM_POSITIONS, NUM_TRAPS
from tokoban.sokoban.proofs.standing import frozen_group
from tokoban.sokoban.proofs.world import Ground
from tokoban.sokoban.search.astar import NONE

_FIRST_CAPACITY = 1 << 8
_SLICE_S = 0.01  # between two looks at the clock


class OutOfTimeError(Exception):
    """The time of a ``Budget`` is over before anything is known."""


@dataclass(frozen=True)
class Budget:
    """What the searches may cost together; ``clock`` counts seconds."""

    ends_s: float
    clock: Callable[[], float]
    max_positions: int  # expanded by one search, which are those of its proof

    @property
    def is_spent(self) -> bool:
        """Whether the time is over."""
        return self.clock() >= self.ends_s

    def check(self) -> None:
        """Raises ``OutOfTimeError`` if the time is over."""
        if self.is_spent:
            raise OutOfTimeError


@dataclass(frozen=True)
class Proof:
    """All positions that some boxes can come to, none of them solved, and what is lost around."""

    traps: tuple[Trap, ...]
    frozen: tuple[FrozenGroup, ...]
    positions: tuple[Position, ...]


@dataclass(frozen=True)
class Searched:
    """A plan for the boxes or a proof that there is none; neither where the budget was spent."""

    expansions: int
    plan: tuple[Direction, ...] | None = None
    proof: Proof | None = None


def search_subset(ground: Ground, boxes: frozenset[Square], budget: Budget) -> Searched:
    """Searches with these boxes alone; none of them may be lost without any search."""
    world, numbers = ground.world, ground.numbers(boxes)
    bits = max(_FIRST_CAPACITY, 8 * len(boxes)).bit_length()
    store = search.empty_store(1 << bits, len(numbers))
    lost = search.nothing_lost(world, len(numbers))
    scratch = search.empty_scratch(world, len(numbers))
    player = ground.number[ground.board.player]
    search.begin(world, store, scratch, np.array(numbers, np.int16), player)
    expansions, slice_expansions = 0, 1
    while True:
        stop_at = min(expansions + slice_expansions, budget.max_positions)
        slice_started_s = compiling.clock()
        outcome = search.search(world, store, lost, scratch, stop_at)
        expansions = int(store.progress[NUM_EXPANSIONS])
        if compiling.clock() - slice_started_s < _SLICE_S:
            slice_expansions = min(2 * slice_expansions, budget.max_positions)
        else:
            slice_expansions = max(slice_expansions // 2, 1)
        if outcome == search.SOLVED:
            return Searched(expansions, plan=_plan(ground, store))
        if outcome == search.EXHAUSTED:
            return Searched(expansions, proof=_proof(ground, store, lost))
        if expansions >= budget.max_positions or budget.is_spent:
            return Searched(expansions)
        if outcome == search.STORE_FULL:
            store = search.grown(store)


def _plan(ground: Ground, store: search.Store) -> tuple[Direction, ...]:
    """The moves to the position that the search reached."""
    chain = [int(store.progress[search.REACHED])]
    while (parent := int(store.parent[chain[-1]])) != NONE:
        chain.append(parent)
    player = ground.board.player
    directions: list[Direction] = []
    for before, after in pairwise(reversed(chain)):
        boxes, boxes_after = (
            frozenset(ground.squares[box] for box in store.boxes[position].tolist())
            for position in (before, after)
        )
        (box,), (beyond,) = boxes - boxes_after, boxes_after - boxes
        push = next(direction for direction in Direction if box.neighbour(direction) == beyond)
        directions += _walk(ground.board, boxes, player, box.neighbour(push.opposite))
        directions.append(push)
        player = box
    return tuple(directions)


def _walk(board: Board, boxes: frozenset[Square], start: Square, end: Square) -> list[Direction]:
    """A shortest walk around the boxes; there must be one."""
    blocked = board.walls | boxes
    before: dict[Square, tuple[Square, Direction]] = {}
    waiting = [start]
    for square in waiting:  # grows while it is read
        if square == end:
            break
        for direction in Direction:
            ahead = square.neighbour(direction)
            if ahead not in before and ahead not in blocked and board.contains(ahead):
                before[ahead] = (square, direction)
                waiting.append(ahead)
    directions = []
    while end != start:
        end, direction = before[end]
        directions.append(direction)
    return directions[::-1]


def _proof(ground: Ground, store: search.Store, lost: search.Lost) -> Proof:
    progress = store.progress
    squares = ground.squares
    groups = [
        frozen_group(ground, frozenset(squares[box] for box in group if box != NONE))
        for group in lost.groups[: progress[NUM_GROUPS]].tolist()
    ]
    trapped = [
        set(np.flatnonzero(is_in).tolist()) for is_in in lost.trap_places[: progress[NUM_TRAPS]]
    ]
    # What holds a frozen box may be traps without a goal beside it.
    trapped[0].update(*(places for _, places in groups))
    traps = [Trap(tuple(map(ground.named, ground.closure(places)))) for places in trapped if places]
    num_positions = int(progress[NUM_POSITIONS])
    positions = [
        Position(frozenset(squares[box] for box in boxes), squares[player])
        for boxes, player in zip(
            store.boxes[:num_positions].tolist(), store.player[:num_positions].tolist(), strict=True
        )
    ]
    return Proof(tuple(traps), tuple(group for group, _ in groups), tuple(positions))
