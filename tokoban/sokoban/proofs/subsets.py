"""Whether some of the boxes can be brought to goals where no others are, by search."""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from tokoban import compiling
from tokoban.sokoban.board import Direction, Square
from tokoban.sokoban.proofs import search
from tokoban.sokoban.proofs.certificate import Position
from tokoban.sokoban.proofs.numbered_board import NumberedBoard
from tokoban.sokoban.proofs.search import NUM_EXPANSIONS, NUM_GROUPS, NUM_TRAPS
from tokoban.sokoban.proofs.static import Proof, frozen_group
from tokoban.sokoban.search.level.ground import NONE
from tokoban.sokoban.search.limits import Watch
from tokoban.sokoban.search.outcome import Outcome
from tokoban.sokoban.search.state.positions import unpacked_bits

_FIRST_CAPACITY = 1 << 8
_SLICE_S = 0.01  # between two looks at the clock and the stop flag


@dataclass(frozen=True)
class Searched:
    """A solution for the boxes, or a proof that there is none, or the limit that ended the search.

    The solution is all moves of the player.
    """

    num_expansions: int
    solution: tuple[Direction, ...] | None = None
    proof: Proof | None = None
    limit: str | None = None


def search_subset(
    numbered: NumberedBoard, boxes: frozenset[Square], watch: Watch, max_positions: int
) -> Searched:
    """Searches with these boxes alone; static rules must not prove them deadlocked.

    Expands at most ``max_positions``, which are those of the proof.
    """
    ground, numbers = numbered.ground, numbered.numbers(boxes)
    bits = max(_FIRST_CAPACITY, 8 * len(boxes)).bit_length()
    store = search.empty_store(1 << bits, len(numbered.squares))
    deadlocks = search.no_deadlocks(ground, len(numbers))
    scratch = search.empty_scratch(ground, len(numbers))
    search.begin(ground, store, scratch, numbers, numbered.number[numbered.board.player])
    expansions, slice_expansions = 0, 1
    while True:
        stop_at = min(expansions + slice_expansions, max_positions)
        slice_started_s = compiling.clock()
        outcome = search.search(ground, store, deadlocks, scratch, stop_at)
        expansions = int(store.progress[NUM_EXPANSIONS])
        if compiling.clock() - slice_started_s < _SLICE_S:
            slice_expansions = min(2 * slice_expansions, max_positions)
        else:
            slice_expansions = max(slice_expansions // 2, 1)
        if outcome == Outcome.SOLVED:
            return Searched(expansions, solution=_solution(numbered, store))
        if outcome == Outcome.EXHAUSTED:
            return Searched(expansions, proof=_proof(numbered, store, deadlocks))
        limit = f"{max_positions} positions" if expansions >= max_positions else None
        if outcome == Outcome.STORE_FULL:
            # The larger one is twice the old one, which stays until it is copied.
            num_bytes = 3 * sum(array.nbytes for array in (*store.positions, *store[1:]))
            if num_bytes > watch.limits.memory_limit_mb * 1e6:
                limit = f"{watch.limits.memory_limit_mb:g} MB"
        limit = watch.reason_to_end() or limit
        if limit is not None:
            return Searched(expansions, limit=limit)
        if outcome == Outcome.STORE_FULL:
            store = search.grown(store, ground)


def _solution(numbered: NumberedBoard, store: search.Store) -> tuple[Direction, ...]:
    """The moves to the position that the search reached."""
    chain = [int(store.progress[search.REACHED])]
    while (parent := int(store.positions.parent[chain[-1]])) != NONE:
        chain.append(parent)
    neighbours, num_floor = numbered.ground.neighbours.tolist(), len(numbered.squares)
    player = numbered.number[numbered.board.player]
    directions: list[int] = []
    on_the_way = [
        set(np.flatnonzero(unpacked_bits(store.positions.boxes[position], num_floor)).tolist())
        for position in chain[::-1]
    ]
    for boxes, boxes_after in pairwise(on_the_way):
        (box,), (beyond,) = boxes - boxes_after, boxes_after - boxes
        push = neighbours[box].index(beyond)
        directions += _walk(neighbours, boxes | {num_floor}, player, neighbours[box][push ^ 2])
        directions.append(push)
        player = box
    return tuple(map(Direction, directions))


def _walk(neighbours: list[list[int]], blocked: set[int], start: int, end: int) -> list[int]:
    """A shortest walk around walls and boxes; there must be one."""
    before: dict[int, tuple[int, int]] = {}
    waiting = [start]
    for square in waiting:  # grows while it is read
        if square == end:
            break
        for direction, ahead in enumerate(neighbours[square]):
            if ahead not in before and ahead not in blocked:
                before[ahead] = (square, direction)
                waiting.append(ahead)
    directions = []
    while end != start:
        end, direction = before[end]
        directions.append(direction)
    return directions[::-1]


def _boxes(numbered: NumberedBoard, store: search.Store, position: int) -> frozenset[Square]:
    is_box = unpacked_bits(store.positions.boxes[position], len(numbered.squares))
    return frozenset(numbered.squares[box] for box in np.flatnonzero(is_box).tolist())


def _proof(numbered: NumberedBoard, store: search.Store, deadlocks: search.Deadlocks) -> Proof:
    squares = numbered.squares
    groups = [
        frozen_group(numbered, frozenset(squares[box] for box in group if box != NONE))
        for group in deadlocks.groups[: store.progress[NUM_GROUPS]].tolist()
    ]
    traps = [
        set(np.flatnonzero(is_in).tolist())
        for is_in in deadlocks.trap_states[: store.progress[NUM_TRAPS]]
    ]
    # A frozen box may be blocked by traps without a goal on both sides.
    traps[0].update(*(states for _, states in groups))
    positions = [
        Position(_boxes(numbered, store, position), squares[store.positions.player[position]])
        for position in range(int(store.positions.num_known[0]))
    ]
    return Proof(
        tuple(numbered.trap(states) for states in traps if states),
        tuple(group for group, _ in groups),
        tuple(positions),
    )
