"""FESS from the start by pushes: any solution of a level of any size, or a proof of none."""

from collections.abc import Set
from functools import cache, partial

import numpy as np

from tokoban.sokoban.board import Board, Direction
from tokoban.sokoban.search import few_boxes
from tokoban.sokoban.search.answer import Progress
from tokoban.sokoban.search.fess import planning
from tokoban.sokoban.search.fess.advisors import ADVISORS, MAX_ADVICE
from tokoban.sokoban.search.fess.moves import empty_scratch
from tokoban.sokoban.search.fess.paths import find_directions
from tokoban.sokoban.search.fess.search import search
from tokoban.sokoban.search.fess.tables import Tables, tables_in_steps
from tokoban.sokoban.search.fess.tree import (
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
from tokoban.sokoban.search.few_boxes import FewBoxesLater
from tokoban.sokoban.search.ground import NONE, Ground, Squares
from tokoban.sokoban.search.outcome import Outcome
from tokoban.sokoban.search.positions import Refill, num_bytes
from tokoban.sokoban.search.pruning import Pruning, empty_pruning
from tokoban.sokoban.search.single import ONE_PUSH, solve_in_slices
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
    search = Fess(tables, numbers, squares.number[board.player], pruning, few_boxes)
    if has_one_sink:
        search.name = "fess-sink"
    return search


class Fess:
    """FESS; the unit of its work is a push that is tried."""

    name = "fess"
    is_complete = True  # only sound rules drop positions, so that EXHAUSTED is a proof

    def __init__(
        self,
        tables: Tables,
        boxes: list[int],
        player: int,
        pruning: Pruning | None = None,
        few_boxes: FewBoxesLater | None = None,
    ) -> None:
        """``pruning`` and ``few_boxes`` may be those of other searches of the same level.

        Then ``num_bytes`` leaves them and the ground out.
        """
        self.tables, self.player = tables, player
        ground = tables.ground
        num_floor = len(ground.zone)
        self.tree = first_tree(ground, boxes, player, children_per_run=1)
        self.scratch = empty_scratch(num_floor, len(boxes), MAX_ADVICE)
        self.pruning = pruning or empty_pruning(num_floor, len(boxes))
        self._few_boxes = few_boxes or FewBoxesLater(ground, pairs_at=0)
        self._now = np.full(1, NONE)  # as in ``FewBoxes``; others search while this waits
        self._is_sharing = pruning is not None
        self._refill = Refill()
        self._table_bytes = num_bytes((tables, self.scratch))
        if self._is_sharing:
            self._table_bytes -= num_bytes(ground)

    @property
    def work(self) -> int:
        """The pushes tried so far."""
        return int(self.tree.progress[NUM_PUSHES])

    def progress(self, elapsed_s: float) -> Progress:
        """As ``single.Search`` says; positions are children."""
        progress = self.tree.progress
        return Progress(int(progress[NUM_LAID_OUT]) - 1, int(progress[NUM_CHILDREN]), elapsed_s)

    def num_bytes(self) -> int:
        """As ``single.Search`` says."""
        own = self._table_bytes + num_bytes(self.tree)
        return (
            own if self._is_sharing else own + num_bytes(self.pruning) + self._few_boxes.num_bytes()
        )

    def num_bytes_while_growing(self) -> int:
        """As ``single.Search`` says."""
        now = self.num_bytes() - num_bytes(self.tree)
        return now + num_bytes_while_growing(self.tree, len(self.tables.ground.zone))

    def grow(self) -> None:
        """As ``single.Search`` says."""
        slots = self.tree.slots
        self.tree = grown(self.tree, len(self.tables.ground.zone))
        if self.tree.slots is not slots:
            self._refill.begin()

    def go_on(self, budget: int, max_expansions: int | None) -> Outcome:
        """As ``single.Search`` says."""
        num_filed = int(self.tree.progress[FIRST_NEW])
        if self._refill.go_on(num_filed, partial(refill_slots, self.tree)):
            return Outcome.BUDGET_SPENT
        stop_at = int(self.tree.progress[NUM_PUSHES]) + budget
        later = self._few_boxes
        if self.progress(0.0).expansions >= later.next_at:
            later.go_on()
            return Outcome.BUDGET_SPENT
        most = later.next_at if max_expansions is None else min(max_expansions, later.next_at)
        pruning = self.pruning._replace(few_boxes=later.tables._replace(now=self._now))
        return search(self.tables, self.tree, self.scratch, pruning, stop_at, most)

    def directions(self) -> tuple[Direction, ...]:
        """The solution, once one was found."""
        child = int(self.tree.progress[SOLVED_BY])
        return find_directions(self.tables.ground, self.tree, child, self.player)

    def optimum(self) -> None:
        """As ``single.Search`` says: none."""


@cache
def prepare() -> None:
    """Searches a board of one push, so that no clock counts the seconds of a first compilation."""
    few_boxes.prepare()
    planning.prepare()
    solve_in_slices(completed(fess_in_steps(ONE_PUSH, Squares(ONE_PUSH))))
