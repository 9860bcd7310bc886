"""A* on numbered floor squares for a board of any size; the search itself is in ``astar``."""

import time
from functools import cache
from itertools import pairwise

import numpy as np
from jaxtyping import Int16

from tokoban.sokoban.board import Board, Direction, Square
from tokoban.sokoban.solving import astar
from tokoban.sokoban.solving.answer import (
    HASTE,
    Answer,
    GaveUp,
    Limits,
    Solved,
    Unsolvable,
)

_NUM_TOTALS = 1 << 16  # solutions of so many moves (or pushes) are not looked for
_FIRST_CAPACITY_BITS = 12  # room for 2 ** 12 positions
_SLICE_S = 0.01  # how long the compiled search runs before limits and Ctrl-C are looked at


def solve_by_squares(board: Board, objective: str, limits: Limits) -> Answer:
    """Solves a board that is not solved yet, and whose boxes off their goals can be come near."""
    _compile()
    started_s = time.perf_counter()

    def elapsed_s() -> float:
        return time.perf_counter() - started_s

    squares = sorted(board.inside())
    world = _world(board, squares, objective)
    store = _first_store(world, board, squares)
    scratch = astar.empty_scratch(len(squares), store.boxes.shape[1])
    expansions, slice_expansions = 0, 1
    while True:
        slice_started_s = elapsed_s()
        stop_at = expansions + slice_expansions
        if limits.max_expansions is not None:
            stop_at = min(stop_at, limits.max_expansions)
        outcome = astar.search(world, store, scratch, stop_at)
        expansions = int(store.progress[astar.NUM_EXPANSIONS])
        if outcome == astar.SOLVED:
            directions = _directions(world, store, squares.index(board.player))
            return Solved(directions, expansions, elapsed_s())
        if outcome == astar.EXHAUSTED:
            return Unsolvable(expansions, elapsed_s())
        if outcome == astar.TOO_LONG:
            return GaveUp(f"a price of {_NUM_TOTALS}", expansions, elapsed_s())
        if expansions == limits.max_expansions:
            return GaveUp(f"{expansions} expansions", expansions, elapsed_s())
        if limits.time_limit_s is not None and elapsed_s() >= limits.time_limit_s:
            return GaveUp(f"{limits.time_limit_s:g} s", expansions, elapsed_s())
        if outcome == astar.STORE_FULL:
            if 3 * sum(array.nbytes for array in store) > limits.memory_limit_mb * 1e6:
                return GaveUp(f"{limits.memory_limit_mb:g} MB", expansions, elapsed_s())
            store = _grown(store)
        # Short boards expand a million positions a second, the largest a few hundred.
        elif elapsed_s() - slice_started_s < _SLICE_S:
            slice_expansions *= 2
        else:
            slice_expansions = max(slice_expansions // 2, 1)


@cache
def _compile() -> None:
    """Searches a board of one push, so that no clock counts the seconds of a first compilation."""
    board = Board(
        1, 3, frozenset(), frozenset({Square(0, 2)}), frozenset({Square(0, 1)}), Square(0, 0)
    )
    squares = sorted(board.inside())
    world = _world(board, squares, "moves")
    store = _first_store(world, board, squares)
    astar.search(world, store, astar.empty_scratch(3, 1), 1)


def numbered(squares: list[Square]) -> tuple[dict[Square, int], Int16[np.ndarray, "_ A"]]:
    """The number of each square, and its neighbours' in each direction.

    What is not among the squares has the number after the last one, and itself around it.
    """
    number = {square: i for i, square in enumerate(squares)}
    wall = len(squares)
    rows = [
        [number.get(square.neighbour(direction), wall) for direction in Direction]
        for square in squares
    ]
    return number, np.array([*rows, [wall] * len(Direction)], np.int16)


def _world(board: Board, squares: list[Square], objective: str) -> astar.World:
    number, neighbours = numbered(squares)
    wall = len(squares)
    goals = np.array([number[goal] for goal in sorted(board.goals) if goal in number], np.int16)
    side = astar.find_sides(neighbours)
    pushes = astar.find_pushes(neighbours, side, goals, False)
    is_goal = np.zeros(wall + 1, np.bool_)
    is_goal[goals] = True
    is_lost = pushes.min(axis=1) == astar.UNREACHABLE
    weight = HASTE if objective == "any" else 1
    return astar.World(neighbours, is_goal, side, pushes, is_lost, objective == "moves", weight)


def _empty_store(capacity: int, num_boxes: int) -> astar.Store:
    return astar.Store(
        boxes=np.empty((capacity, num_boxes), np.int16),
        player=np.empty(capacity, np.int16),
        price=np.empty(capacity, np.int32),
        pushes_left=np.empty(capacity, np.int32),
        parent=np.empty(capacity, np.int32),
        next_open=np.empty(capacity, np.int32),
        bucket=np.full(_NUM_TOTALS, astar.NONE, np.int32),
        slots=np.full(2 * capacity, astar.NONE, np.int32),
        progress=np.zeros(5, np.int64),
    )


def _first_store(world: astar.World, board: Board, squares: list[Square]) -> astar.Store:
    """A store with the start alone, which must not be solved already."""
    boxes = [i for i, square in enumerate(squares) if square in board.boxes]
    # One expansion adds up to four positions a box.
    bits = max(_FIRST_CAPACITY_BITS, (4 * len(boxes)).bit_length())
    store = _empty_store(1 << bits, len(boxes))
    store.boxes[0] = boxes
    store.player[0] = squares.index(board.player)
    store.price[0] = 0
    store.pushes_left[0] = 1
    store.parent[0] = store.next_open[0] = astar.NONE
    store.bucket[1] = 0
    store.progress[astar.NUM_POSITIONS] = 1
    astar.refill_slots(store)
    return store


def _grown(store: astar.Store) -> astar.Store:
    """The same search with room for twice as many positions."""
    capacity, num_boxes = store.boxes.shape
    larger = _empty_store(2 * capacity, num_boxes)
    for name in ("boxes", "player", "price", "pushes_left", "parent", "next_open"):
        getattr(larger, name)[:capacity] = getattr(store, name)
    larger.bucket[:] = store.bucket
    larger.progress[:] = store.progress
    astar.refill_slots(larger)
    return larger


def _directions(world: astar.World, store: astar.Store, player: int) -> tuple[Direction, ...]:
    """All moves to the position that the search reached, from a start with the player there."""
    chain = [int(store.progress[astar.REACHED])]
    while (parent := int(store.parent[chain[-1]])) != astar.NONE:
        chain.append(parent)
    directions: list[Direction] = []
    for before, after in pairwise(reversed(chain)):
        boxes, boxes_after = set(store.boxes[before].tolist()), set(store.boxes[after].tolist())
        (box,), (beyond,) = boxes - boxes_after, boxes_after - boxes
        push = Direction(world.neighbours[box].tolist().index(beyond))
        directions += _walk(world, boxes, player, int(world.neighbours[box, push.opposite]))
        directions.append(push)
        player = box
    return tuple(directions)


def _walk(world: astar.World, boxes: set[int], start: int, end: int) -> list[Direction]:
    """A shortest walk around the boxes; the search has seen to it that there is one."""
    is_blocked = np.zeros(len(world.neighbours), np.bool_)
    is_blocked[[*boxes, len(is_blocked) - 1]] = True
    steps = np.empty(len(is_blocked), np.int32)
    astar.flood(world.neighbours, is_blocked, end, steps, np.empty(len(is_blocked), np.int16))
    directions = []
    while start != end:
        ahead = world.neighbours[start].tolist()
        direction = next(d for d in Direction if steps[ahead[d]] == steps[start] - 1)
        directions.append(direction)
        start = ahead[direction]
    return directions
