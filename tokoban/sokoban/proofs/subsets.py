"""Whether some of the boxes, alone on the board, can be brought to goals, by search."""

from dataclasses import dataclass

import numpy as np

from tokoban import compiling
from tokoban.sokoban.board import Direction, Square
from tokoban.sokoban.proofs import search
from tokoban.sokoban.proofs.certificate import Position
from tokoban.sokoban.proofs.numbered_board import NumberedBoard
from tokoban.sokoban.proofs.search import NUM_EXPANSIONS, NUM_GROUPS
from tokoban.sokoban.proofs.static import Proof, frozen_group
from tokoban.sokoban.search.level.ground import NONE
from tokoban.sokoban.search.limits import Watch, out_of_memory
from tokoban.sokoban.search.outcome import Outcome
from tokoban.sokoban.search.state.positions import num_bytes, unpacked_bits
from tokoban.sokoban.search.state.walks import chain, directions_through
from tokoban.sokoban.search.steps import next_slice
from tokoban.sokoban.wording import counted

_FIRST_CAPACITY = 1 << 8


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

    Expands at most ``max_positions``; the expanded positions are those of the proof.
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
        slice_expansions = next_slice(slice_expansions, compiling.clock() - slice_started_s)
        if outcome == Outcome.SOLVED:
            return Searched(expansions, solution=_solution(numbered, store))
        if outcome == Outcome.EXHAUSTED:
            return Searched(expansions, proof=_proof(numbered, store, deadlocks))
        limit = counted(max_positions, "position") if expansions >= max_positions else None
        if outcome == Outcome.STORE_FULL:
            # The larger one is twice the old one, which stays until it is copied.
            needed_bytes = 3 * num_bytes(store)
            if needed_bytes > watch.limits.memory_limit_mb * 1e6:
                limit = out_of_memory(watch.limits.memory_limit_mb)
        limit = watch.reason_to_end() or limit
        if limit is not None:
            return Searched(expansions, limit=limit)
        if outcome == Outcome.STORE_FULL:
            store = search.grown(store, ground)


def _solution(numbered: NumberedBoard, store: search.Store) -> tuple[Direction, ...]:
    """The moves to the position that the search reached."""
    numbers = chain(store.positions, int(store.progress[search.REACHED]))
    player = numbered.number[numbered.board.player]
    boxes = store.positions.boxes[numbers[::-1]]
    return directions_through(numbered.ground.neighbours, boxes, player)


def _boxes(numbered: NumberedBoard, store: search.Store, position: int) -> frozenset[Square]:
    is_box = unpacked_bits(store.positions.boxes[position], len(numbered.squares))
    return frozenset(numbered.squares[box] for box in np.flatnonzero(is_box).tolist())


def _proof(numbered: NumberedBoard, store: search.Store, deadlocks: search.Deadlocks) -> Proof:
    squares = numbered.squares
    groups = [
        frozen_group(numbered, frozenset(squares[box] for box in group if box != NONE))
        for group in deadlocks.groups[: store.progress[NUM_GROUPS]].tolist()
    ]
    dead = set(np.flatnonzero(deadlocks.dead_states).tolist())
    # A frozen box may be blocked by dead states on both sides.
    dead.update(*(states for _, states in groups))
    positions = [
        Position(_boxes(numbered, store, position), squares[store.positions.player[position]])
        for position in range(int(store.positions.num_known[0]))
    ]
    return Proof(
        (numbered.trap(dead),) if dead else (),
        tuple(group for group, _ in groups),
        tuple(positions),
    )
