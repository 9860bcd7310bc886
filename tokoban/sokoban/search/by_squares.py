"""A* on numbered floor squares for a board of any size; the search itself is in ``astar``."""

from functools import cache
from itertools import pairwise

import numpy as np
from jaxtyping import Int16

from tokoban.sokoban.board import Board, Direction, Square
from tokoban.sokoban.search import astar
from tokoban.sokoban.search.answer import MAX_PRICE, Optimum, Progress
from tokoban.sokoban.search.lone_box import Steps, completed, pushes_in_steps, sides_in_steps
from tokoban.sokoban.search.single import InSteps, Outcome, Search

_FIRST_CAPACITY_BITS = 12  # room for 2 ** 12 positions
_ENTERED_AT_ONCE = 1 << 16  # positions, between which Ctrl-C is heard while a store grows
# With more boxes one expansion with the cheapest matching would keep limits and Ctrl-C waiting, and
# no bound brings such a level within reach.
MAX_MATCHED = 256

_OUTCOMES = {
    astar.BUDGET_SPENT: Outcome.BUDGET_SPENT,
    astar.STORE_FULL: Outcome.NO_ROOM,
    astar.SOLVED: Outcome.SOLVED,
    astar.EXHAUSTED: Outcome.EXHAUSTED,
    astar.TOO_LONG: Outcome.TOO_LONG,
}


def new_search(board: Board, objective: Optimum) -> Search:
    """The search for the fewest moves or pushes; its tables are made in steps too."""

    def in_steps() -> Steps[Search]:
        squares = sorted(board.inside())
        world = yield from _world_in_steps(board, squares, objective)
        return BySquares(board, squares, world)

    return InSteps(in_steps())


class BySquares:
    """A search for the fewest moves or pushes; the unit of its work is an expansion."""

    name = "astar"

    def __init__(self, board: Board, squares: list[Square], world: astar.World) -> None:
        self.player = squares.index(board.player)
        self.world = world
        self.store = _first_store(board, squares)
        self.scratch = astar.empty_scratch(len(squares), self.store.boxes.shape[1])
        self._at_least = 0

    def go_on(self, budget: int, max_expansions: int | None) -> Outcome:
        """As ``single.Search`` says."""
        stop_at = int(self.store.progress[astar.NUM_EXPANSIONS]) + budget
        if max_expansions is not None:
            stop_at = min(stop_at, max_expansions)
        outcome = astar.search(self.world, self.store, self.scratch, stop_at)
        # No plan costs less than the least total of an open position.
        self._at_least = max(self._at_least, int(self.store.progress[astar.LOWEST_BUCKET]))
        return _OUTCOMES[outcome]

    def progress(self, elapsed_s: float) -> Progress:
        """As ``single.Search`` says."""
        expansions = int(self.store.progress[astar.NUM_EXPANSIONS])
        positions = int(self.store.progress[astar.NUM_POSITIONS])
        return Progress(expansions, positions, elapsed_s, self._at_least)

    def num_bytes(self) -> int:
        """As ``single.Search`` says."""
        arrays = [*self.world, *self.store, *self.scratch]
        return sum(array.nbytes for array in arrays if isinstance(array, np.ndarray))

    def num_bytes_while_growing(self) -> int:
        """The larger store is twice the old one, which stays until it is copied."""
        return self.num_bytes() + 2 * sum(array.nbytes for array in self.store)

    def grow(self) -> None:
        """As ``single.Search`` says."""
        self.store = _grown(self.store)

    def directions(self) -> tuple[Direction, ...]:
        """As ``single.Search`` says."""
        return _directions(self.world, self.store, self.player)

    def optimum(self) -> Optimum:
        """As ``single.Search`` says."""
        return "moves" if self.world.counts_moves else "pushes"


@cache
def prepare() -> None:
    """Searches a board of one push, so that no clock counts the seconds of a first compilation."""
    board = Board(
        1, 3, frozenset(), frozenset({Square(0, 2)}), frozenset({Square(0, 1)}), Square(0, 0)
    )
    search = new_search(board, "moves")
    while search.go_on(1, None) != Outcome.SOLVED:
        pass
    search.directions()


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
    return completed(_world_in_steps(board, squares, objective))


def _world_in_steps(board: Board, squares: list[Square], objective: str) -> Steps[astar.World]:
    number, neighbours = numbered(squares)
    wall = len(squares)
    goals = np.array([number[goal] for goal in sorted(board.goals) if goal in number], np.int16)
    side = yield from sides_in_steps(neighbours)
    pushes = yield from pushes_in_steps(neighbours, side, goals)
    is_goal = np.zeros(wall + 1, np.bool_)
    is_goal[goals] = True
    return astar.World(
        neighbours,
        is_goal,
        side,
        pushes,
        fewest_pushes=pushes.min(axis=1),
        counts_moves=objective == "moves",
        is_matched=len(goals) <= MAX_MATCHED,
    )


def _empty_store(capacity: int, num_boxes: int) -> astar.Store:
    return astar.Store(
        boxes=np.empty((capacity, num_boxes), np.int16),
        player=np.empty(capacity, np.int16),
        price=np.empty(capacity, np.int32),
        pushes_left=np.empty(capacity, np.int32),
        parent=np.empty(capacity, np.int32),
        next_open=np.empty(capacity, np.int32),
        bucket=np.full(MAX_PRICE, astar.NONE, np.int32),
        slots=np.full(2 * capacity, astar.NONE, np.int32),
        progress=np.zeros(5, np.int64),
    )


def _first_store(board: Board, squares: list[Square]) -> astar.Store:
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
    astar.enter_slots(store, 0, 1)
    return store


def _grown(store: astar.Store) -> astar.Store:
    """The same search with room for twice as many positions."""
    capacity, num_boxes = store.boxes.shape
    larger = _empty_store(2 * capacity, num_boxes)
    for name in ("boxes", "player", "price", "pushes_left", "parent", "next_open"):
        getattr(larger, name)[:capacity] = getattr(store, name)
    larger.bucket[:] = store.bucket
    larger.progress[:] = store.progress
    num_positions = int(store.progress[astar.NUM_POSITIONS])
    for first in range(0, num_positions, _ENTERED_AT_ONCE):
        astar.enter_slots(larger, first, min(first + _ENTERED_AT_ONCE, num_positions))
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
