"""Solves a level as a guide advises: by LevinTS, PHS, PHS*, or greedy play.

``tree`` has the methods and their sources. No position is ever dropped on the guide's word, so an
exhausted search proves that there is no solution.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Literal, get_args

import numpy as np
from jaxtyping import Bool

from tokoban.sokoban.board import Board, Direction
from tokoban.sokoban.search.answer import Answer, Progress, Report
from tokoban.sokoban.search.level.flood import flood
from tokoban.sokoban.search.level.ground import (
    NONE,
    Squares,
    build_ground,
    ground_in_steps,
    zobrist_keys,
)
from tokoban.sokoban.search.limits import DEFAULT_LIMITS, UNLIMITED, Limits
from tokoban.sokoban.search.outcome import Outcome
from tokoban.sokoban.search.pauses import Budget, found_by, run_compiled, set_up
from tokoban.sokoban.search.run import find_answer
from tokoban.sokoban.search.searches.guided import tree as compiled
from tokoban.sokoban.search.searches.guided.classical import Classical, classical_rules
from tokoban.sokoban.search.searches.guided.guide import Guidance, Guide, UniformGuide
from tokoban.sokoban.search.searches.guided.tree import Asked, Level, Tree
from tokoban.sokoban.search.state import positions as stores
from tokoban.sokoban.search.state.columns import enlarge_columns, zeroed
from tokoban.sokoban.search.state.positions import packed_bits
from tokoban.sokoban.search.state.walks import directions_through
from tokoban.sokoban.search.state.workspace import workspace_for
from tokoban.sokoban.search.steps import Steps

SearchOrder = Literal["levin", "phs", "phs*"]
Order = Literal[SearchOrder, "greedy"]
SEARCHES: tuple[SearchOrder, ...] = get_args(SearchOrder)
ORDERS: tuple[Order, ...] = get_args(Order)

_FIRST_CAPACITY = 1 << 10  # positions, pushes and nodes
_MOST_EXPANSIONS_AT_ONCE = 1000  # of positions that were evaluated earlier


@dataclass(frozen=True, kw_only=True)
class GuidedOptions:
    """The options of a guided search."""

    order: str = "phs"  # one of ORDERS
    is_classical: bool = False  # prunes by the classical deadlock rules too

    def __post_init__(self) -> None:
        if self.order not in ORDERS:
            raise ValueError(f"order is {self.order!r}; expected one of {', '.join(ORDERS)}")


def solve_guided(
    board: Board,
    guide: Guide,
    *,
    options: GuidedOptions | None = None,
    limits: Limits = DEFAULT_LIMITS,
    report: Report | None = None,
) -> Answer:
    """Finds any solution, or proves that there is none; ``guide`` is made for ``Squares(board)``.

    ``Answer.num_evaluated`` counts the positions that the guide judged, ``num_expansions`` the
    nodes whose pushes were put into the queue. Limits and all else are as ``run.find_answer`` says.
    """
    options = options or GuidedOptions()
    prepare(options.is_classical)

    def in_steps() -> Steps[GuidedSearch]:
        squares = Squares(board)
        classical = None
        if options.is_classical:
            classical = classical_rules((yield from ground_in_steps(board, squares)))
        return GuidedSearch(board, squares, guide, options, classical=classical)

    return find_answer(board, lambda budget: set_up(in_steps(), budget), limits, report=report)


class GuidedSearch:
    """A guided search; the unit of its work is one call of ``ask``."""

    optimum = None

    def __init__(
        self,
        board: Board,
        squares: Squares,
        guide: Guide,
        options: GuidedOptions,
        max_evaluated: int | None = None,
        classical: Classical | None = None,
    ) -> None:
        """The level must have as many boxes as goals; outside there are only boxes on goals."""
        self.name = options.order
        self._guide, self._classical, self._max_evaluated = guide, classical, max_evaluated
        self._player = squares.number[board.player]
        num_floor = len(squares.squares)
        boxes, goals = squares.numbers(board.boxes), squares.numbers(board.goals)
        self._level = Level(
            neighbours=squares.neighbours,
            keys=zobrist_keys(num_floor),
            goals=packed_bits(np.isin(np.arange(num_floor), goals)),
            order=ORDERS.index(options.order),
        )
        self._asked = zeroed(Asked, F=num_floor)
        self._scratch = workspace_for(num_floor, len(boxes))
        needed = 4 * len(boxes) + 1  # the start, and what one position adds
        capacity = max(_FIRST_CAPACITY, 1 << needed.bit_length())
        positions = stores.empty_positions(capacity, num_floor)
        self.tree = zeroed(Tree, P=capacity, E=capacity, N=capacity, positions=positions)
        is_box = np.zeros(len(self._scratch.is_blocked), np.bool_)
        is_box[boxes] = is_box[-1] = True
        marks, waiting = np.zeros_like(self._scratch.marks), self._scratch.waiting
        zone = flood(self._level.neighbours, is_box, self._player, marks, 1, waiting)
        key = np.bitwise_xor.reduce(self._level.keys[0, boxes])
        compiled.begin(self._level, self.tree, key, packed_bits(is_box[:-1]), zone)

    search = run_compiled

    def advance(self, budget: Budget) -> Outcome:
        """As ``Compiled`` says."""
        for _ in range(budget.work):
            outcome = self.ask(budget.expansions)
            if outcome is None:
                self.tell(self._guide.evaluate(*self.asked))
            elif outcome != Outcome.BUDGET_SPENT or self._is_spent(budget.expansions):
                return outcome
        return Outcome.BUDGET_SPENT

    def ask(self, max_expansions: int = UNLIMITED) -> Outcome | None:
        """Searches until a position must be judged: then None; else why it stopped."""
        tree = self.tree
        if self.is_at_limit:
            return Outcome.BUDGET_SPENT
        num_expanded = int(tree.progress[compiled.NUM_EXPANDED])
        stop = compiled.take(
            self._level,
            tree,
            self._scratch,
            self._classical,
            self._asked,
            min(max_expansions, num_expanded + _MOST_EXPANSIONS_AT_ONCE),
        )
        if stop == NONE:
            return None
        if stop == Outcome.EXHAUSTED and self.name not in SEARCHES:
            return Outcome.STUCK
        return Outcome(stop)

    @property
    def asked(self) -> tuple[Bool[np.ndarray, "1 F"], Bool[np.ndarray, "1 F"]]:
        """Boxes and the player's zone of the position to judge, once ``ask`` has returned None."""
        return self._asked.boxes, self._asked.zone

    def tell(self, guidance: Guidance) -> None:
        """Goes on with the judgement of what was ``asked``."""
        compiled.expand_asked(self._level, self.tree, self._asked, *guidance)

    @property
    def is_at_limit(self) -> bool:
        """Whether it may ask for no more judgements."""
        return self._max_evaluated is not None and self.num_evaluated >= self._max_evaluated

    def _is_spent(self, max_expansions: int) -> bool:
        """Whether a limit is reached; else it came back only for a check of the limits."""
        return self.is_at_limit or int(self.tree.progress[compiled.NUM_EXPANDED]) >= max_expansions

    @property
    def num_evaluated(self) -> int:
        """The number of positions that the guide has judged."""
        return int(self.tree.progress[compiled.NUM_EVALUATED])

    def pause(self) -> Progress:
        """As ``Searcher`` says."""
        tree = self.tree
        return Progress(
            self.name,
            int(tree.progress[compiled.NUM_EXPANDED]),
            int(tree.positions.num_known[0]),
            evaluated=self.num_evaluated,
            num_bytes=stores.num_bytes((self._level, tree, self._asked, self._classical)),
        )

    def bytes_to_grow(self) -> int:
        """As ``Compiled`` says: the larger tree is twice the old one, which may be copied."""
        return 2 * stores.num_bytes(self.tree)

    def grow(self) -> Iterator[bool]:
        """As ``Compiled`` says."""
        tree, capacity = self.tree, 2 * len(self.tree.parent)
        for axis in "PEN":
            enlarge_columns(tree, axis, capacity)
        self.tree = tree._replace(positions=stores.grown(tree.positions, self._level.keys))
        yield from ()

    def directions(self) -> tuple[Direction, ...]:
        """As ``Compiled`` says."""
        tree = self.tree
        node = int(tree.progress[compiled.REACHED])
        nodes: list[int] = []
        while node != NONE:
            nodes.append(node)
            node = int(tree.parent[node])
        boxes = tree.positions.boxes[tree.position[nodes[::-1]]]
        return directions_through(self._level.neighbours, boxes, self._player)


@cache
def prepare(is_classical: bool = False) -> None:
    """Searches a board of two pushes, so that no clock counts the seconds of a compilation."""
    board = Board.from_xsb("######|#@$ .#|######")
    squares = Squares(board)
    classical = classical_rules(build_ground(board, squares)) if is_classical else None
    search = GuidedSearch(
        board, squares, UniformGuide(squares.neighbours), GuidedOptions(), classical=classical
    )
    found_by(search)
