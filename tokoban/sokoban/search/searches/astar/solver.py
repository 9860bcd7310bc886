"""A* for a board of any size, as a search that can pause; ``search`` is its loop."""

from collections.abc import Iterator
from functools import cache, partial

import numpy as np

from tokoban.sokoban.board import Board, Direction
from tokoban.sokoban.search.answer import HASTE, MAX_PRICE, Objective, Optimum, Progress
from tokoban.sokoban.search.level.ground import NONE, Ground, Squares, build_ground, ground_in_steps
from tokoban.sokoban.search.measures.bounds import MAX_MATCHED
from tokoban.sokoban.search.outcome import Outcome
from tokoban.sokoban.search.pauses import ONE_PUSH, Budget, found_by, run_compiled
from tokoban.sokoban.search.rules.pruning import Applied, Pruning
from tokoban.sokoban.search.searches.astar import search as push_search
from tokoban.sokoban.search.searches.astar.search import Frontier, Problem
from tokoban.sokoban.search.state import positions as stores
from tokoban.sokoban.search.state.columns import enlarge_columns, zeroed
from tokoban.sokoban.search.state.positions import packed_bits, refill, refill_slots
from tokoban.sokoban.search.state.walks import chain, directions_through
from tokoban.sokoban.search.state.workspace import workspace_for
from tokoban.sokoban.search.steps import Steps

_FIRST_CAPACITY_BITS = 12  # 2 ** 12 positions at first
# Expansions before the deadlock tables grow to their full size. Most searches of the generator and
# of ratings end earlier; with full tables for each, puzzles took 1.5 times as long.
_FEW_EXPANSIONS = 512


def astar_in_steps(board: Board, objective: Objective) -> "Steps[AStar]":
    """A* alone, set up in steps."""
    squares = Squares(board)
    ground = yield from ground_in_steps(board, squares)
    return AStar(board, squares, ground, objective)


class AStar:
    """A search for the fewest moves or pushes, or any solution."""

    def __init__(
        self,
        board: Board,
        squares: Squares,
        ground: Ground,
        objective: Objective,
        learned: Pruning | None = None,
        *,
        work: int = 1,
    ) -> None:
        """For ``learned`` see ``Applied``. Each expansion counts as ``work`` units of work."""
        self.player = squares.number[board.player]
        self._objective = objective
        self.problem = Problem(
            ground,
            counts_moves=objective == "moves",
            weight=HASTE if objective == "any" else 1,
            is_matched=len(ground.goals) <= MAX_MATCHED,
        )
        boxes = squares.numbers(board.boxes)
        self.frontier = _first_frontier(ground, boxes, self.player)
        num_floor = len(squares.squares)
        self.scratch = workspace_for(num_floor, len(boxes))
        self._is_small = learned is None
        self._rules = Applied(ground, learned, is_small=True)
        self._work = work
        self._at_least = 0
        # Summed once, not at each of the many pauses of a short search.
        self._num_bytes = self._count_bytes()

    @property
    def _num_expansions(self) -> int:
        return int(self.frontier.progress[push_search.NUM_EXPANSIONS])

    def pause(self) -> Progress:
        """As ``Searcher`` says."""
        is_any = self._objective == "any"
        return Progress(
            "weighted-astar" if is_any else "astar",
            self._num_expansions,
            int(self.frontier.positions.num_known[0]),
            None if is_any else self._at_least,
            work=self._work * self._num_expansions,
            num_bytes=self._num_bytes,
        )

    search = run_compiled

    def advance(self, budget: Budget) -> Outcome:
        """As ``Compiled`` says."""
        num_expansions = self._num_expansions
        stop_at = min(num_expansions - (-budget.work // self._work), budget.expansions)
        if self._is_small:
            if num_expansions >= _FEW_EXPANSIONS:
                self._rules.grow()
                self._is_small = False
                self._num_bytes = self._count_bytes()
            else:
                stop_at = min(stop_at, _FEW_EXPANSIONS)
        outcome: Outcome = push_search.search(
            self.problem, self.frontier, self.scratch, self._rules.pruning, stop_at
        )
        # No solution costs less than the least total of an open position.
        lowest = int(self.frontier.progress[push_search.LOWEST_BUCKET])
        self._at_least = max(self._at_least, lowest)
        return outcome

    def bytes_to_grow(self) -> int:
        """As ``Compiled`` says: the old hash table stays while the new one is filled."""
        frontier = self.frontier
        slots, others = frontier.positions.slots, (frontier.bucket, frontier.progress)
        return stores.num_bytes((frontier, slots)) - stores.num_bytes(others)

    def grow(self) -> Iterator[bool]:
        """As ``Compiled`` says."""
        capacity = 2 * len(self.frontier.cost)
        enlarge_columns(self.frontier, "P", capacity)
        positions = stores.enlarged(self.frontier.positions, capacity)
        self.frontier = self.frontier._replace(positions=positions)
        self._num_bytes = self._count_bytes()
        enter = partial(refill_slots, positions, self.problem.ground.keys)
        yield from refill(int(positions.num_known[0]), enter)

    def directions(self) -> tuple[Direction, ...]:
        """As ``Compiled`` says."""
        positions, reached = self.frontier.positions, self.frontier.progress[push_search.REACHED]
        boxes = positions.boxes[chain(positions, int(reached))[::-1]]
        return directions_through(self.problem.ground.neighbours, boxes, self.player)

    @property
    def optimum(self) -> Optimum | None:
        """As ``Compiled`` says."""
        return None if self._objective == "any" else self._objective

    def _count_bytes(self) -> int:
        return stores.num_bytes((self.frontier, self.scratch)) + self._rules.num_bytes


@cache
def prepare() -> None:
    """Searches a board of one push, so that no clock counts the seconds of a first compilation."""
    squares = Squares(ONE_PUSH)
    found_by(AStar(ONE_PUSH, squares, build_ground(ONE_PUSH, squares), "moves"))


def _first_frontier(ground: Ground, boxes: np.ndarray, player: int) -> Frontier:
    """The start alone, which must not be solved already."""
    # One expansion adds up to four positions a box.
    bits = max(_FIRST_CAPACITY_BITS, (4 * len(boxes)).bit_length())
    num_floor = len(ground.zone)
    frontier = zeroed(
        Frontier,
        P=1 << bits,
        positions=stores.empty_positions(1 << bits, num_floor),
        bucket=np.full(MAX_PRICE, NONE, np.int32),
    )
    is_box = np.zeros(num_floor, np.bool_)
    is_box[boxes] = True
    positions = frontier.positions
    positions.boxes[0] = packed_bits(is_box)
    positions.boxes_key[0] = np.bitwise_xor.reduce(ground.keys[0, boxes])
    positions.player[0] = player
    positions.parent[0] = NONE
    positions.num_known[0] = 1
    refill_slots(positions, ground.keys, 0, 1)
    frontier.lower_bound[0] = 1
    frontier.next_open[0] = NONE
    frontier.bucket[1] = 0
    return frontier
