"""FESS from the start by pushes: any solution of a level of any size, or a proof of none."""

from collections.abc import Iterator, Set
from functools import cache, partial

import numpy as np

from tokoban.sokoban.board import Board, Direction
from tokoban.sokoban.search.level.ground import NONE, Ground, Squares
from tokoban.sokoban.search.measures.packing import planning
from tokoban.sokoban.search.outcome import Outcome
from tokoban.sokoban.search.pauses import ONE_PUSH, Budget, Pause, found_by, run_compiled
from tokoban.sokoban.search.rules import few_boxes
from tokoban.sokoban.search.rules.few_boxes import FewBoxesLater
from tokoban.sokoban.search.rules.pruning import Pruning, empty_pruning
from tokoban.sokoban.search.searches.fess.advisors import ADVISORS, MAX_ADVICE
from tokoban.sokoban.search.searches.fess.moves import empty_scratch
from tokoban.sokoban.search.searches.fess.paths import find_directions
from tokoban.sokoban.search.searches.fess.search import search
from tokoban.sokoban.search.searches.fess.tables import Tables, tables_in_steps
from tokoban.sokoban.search.searches.fess.tree import (
    FIRST_NEW,
    NUM_CHILDREN,
    NUM_LAID_OUT,
    NUM_PUSHES,
    SOLVED_BY,
    first_tree,
    grown,
    num_bytes_while_growing,
    refill_slots,
)
from tokoban.sokoban.search.state.positions import num_bytes, refill
from tokoban.sokoban.search.steps import Steps, completed


def fess_in_steps(
    board: Board,
    squares: Squares,
    ground: Ground | None = None,
    pruning: Pruning | None = None,
    few_boxes: FewBoxesLater | None = None,
    silent: Set[str] = frozenset(),
    *,
    has_one_sink: bool = False,
) -> "Steps[Fess]":
    """The search for a board that is neither solved nor hopeless, set up in steps.

    ``ground``, ``pruning`` and ``few_boxes`` may be those of other searches of the same level.
    ``silent`` are names of advisors; ``has_one_sink`` chooses the kind of plan (``pulls``).
    """
    tables = yield from tables_in_steps(board, squares, ground, has_one_sink=has_one_sink)
    for advisor, name in enumerate(ADVISORS):
        tables.is_silent[advisor] = name in silent
    boxes = squares.numbers(board.boxes)
    numbers = [int(box) for box in boxes]
    name = "fess-sink" if has_one_sink else "fess"
    return Fess(tables, numbers, squares.number[board.player], pruning, few_boxes, name=name)


class Fess:
    """FESS; the unit of its work is a push that is tried."""

    optimum = None

    def __init__(
        self,
        tables: Tables,
        boxes: list[int],
        player: int,
        pruning: Pruning | None = None,
        few_boxes: FewBoxesLater | None = None,
        *,
        name: str = "fess",
    ) -> None:
        """``pruning`` and ``few_boxes`` may be those of other searches of the same level.

        Then they and the ground are not counted in the bytes.
        """
        self.tables, self.player, self.name = tables, player, name
        ground = tables.ground
        num_floor = len(ground.zone)
        self.tree = first_tree(ground, boxes, player, children_per_run=1)
        self.scratch = empty_scratch(num_floor, len(boxes), MAX_ADVICE)
        self.pruning = pruning or empty_pruning(num_floor, len(boxes))
        self._few_boxes = few_boxes or FewBoxesLater(ground, pairs_at=0)
        self._now = np.full(1, NONE)  # as in ``FewBoxes``; others search while this waits
        self._is_sharing = pruning is not None
        self._table_bytes = num_bytes((tables, self.scratch))
        if self._is_sharing:
            self._table_bytes -= num_bytes(ground)

    @property
    def num_expansions(self) -> int:
        """The positions that it has laid out beside the start."""
        return int(self.tree.progress[NUM_LAID_OUT]) - 1

    def pause(self) -> Pause:
        """As ``Searcher`` says; positions are children."""
        own = self._table_bytes + num_bytes(self.tree)
        if not self._is_sharing:
            own += num_bytes(self.pruning) + self._few_boxes.num_bytes()
        progress = self.tree.progress
        return Pause(
            self.name,
            self.num_expansions,
            int(progress[NUM_CHILDREN]),
            work=int(progress[NUM_PUSHES]),
            num_bytes=own,
        )

    search = run_compiled

    def advance(self, budget: Budget) -> Outcome:
        """As ``Compiled`` says."""
        later = self._few_boxes
        if self.num_expansions >= later.next_at:
            later.go_on()
            return Outcome.BUDGET_SPENT
        stop_at = int(self.tree.progress[NUM_PUSHES]) + budget.work
        most = min(budget.expansions, later.next_at)
        pruning = self.pruning._replace(few_boxes=later.tables._replace(now=self._now))
        return search(self.tables, self.tree, self.scratch, pruning, stop_at, most)

    def bytes_to_grow(self) -> int:
        """As ``Compiled`` says."""
        num_floor = len(self.tables.ground.zone)
        return num_bytes_while_growing(self.tree, num_floor) - num_bytes(self.tree)

    def grow(self) -> Iterator[bool]:
        """As ``Compiled`` says."""
        slots = self.tree.slots
        self.tree = grown(self.tree, len(self.tables.ground.zone))
        if self.tree.slots is not slots:
            del slots
            yield from refill(int(self.tree.progress[FIRST_NEW]), partial(refill_slots, self.tree))

    def directions(self) -> tuple[Direction, ...]:
        """The solution, once one was found."""
        child = int(self.tree.progress[SOLVED_BY])
        return find_directions(self.tables.ground, self.tree, child, self.player)


@cache
def prepare() -> None:
    """Searches a board of one push, so that no clock counts the seconds of a first compilation."""
    few_boxes.prepare()
    planning.prepare()
    found_by(completed(fess_in_steps(ONE_PUSH, Squares(ONE_PUSH))))
