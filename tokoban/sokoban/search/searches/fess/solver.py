"""FESS from the start by pushes: any solution of a level of any size, or a proof of none."""

from collections.abc import Iterator, Set
from functools import cache, partial

from tokoban.sokoban.board import Direction
from tokoban.sokoban.search.answer import Progress
from tokoban.sokoban.search.level.ground import Ground, Squares, grounds_both_ways
from tokoban.sokoban.search.level.one_box import directions_of_steps
from tokoban.sokoban.search.level.regions import empty_regions
from tokoban.sokoban.search.measures.packing import planning
from tokoban.sokoban.search.outcome import Outcome
from tokoban.sokoban.search.pauses import ONE_PUSH, Budget, found_by, run_compiled
from tokoban.sokoban.search.rules.pruning import Applied, Pruning
from tokoban.sokoban.search.searches.fess.advisors import ADVISORS
from tokoban.sokoban.search.searches.fess.search import search
from tokoban.sokoban.search.searches.fess.tables import Tables, tables_in_steps
from tokoban.sokoban.search.searches.fess.tree import (
    FIRST_NEW,
    NUM_CHILDREN,
    NUM_LAID_OUT,
    NUM_PUSHES,
    SOLVED_BY,
    bytes_to_grow,
    first_tree,
    grown,
    refill_slots,
    steps_to,
)
from tokoban.sokoban.search.state.positions import num_bytes, refill, unpacked_bits
from tokoban.sokoban.search.state.workspace import workspace_for
from tokoban.sokoban.search.steps import Steps, completed


def fess_in_steps(
    ground: Ground,
    by_pulls: Ground,
    player: int,
    learned: Pruning | None = None,
    silent: Set[str] = frozenset(),
) -> "Steps[Fess]":
    """The search for a board that is neither solved nor hopeless, set up in steps.

    ``by_pulls`` is the ground for pulls. ``learned`` may be that of other searches of the level,
    ``silent`` are names of advisors.
    """
    tables = yield from tables_in_steps(ground, by_pulls, player)
    for advisor, name in enumerate(ADVISORS):
        tables.is_silent[advisor] = name in silent
    return Fess(tables, by_pulls.goals.tolist(), player, learned)


class Fess:
    """FESS; the unit of its work is a push that is tried."""

    optimum = None

    def __init__(
        self,
        tables: Tables,
        boxes: list[int],
        player: int,
        learned: Pruning | None = None,
    ) -> None:
        """For ``learned`` see ``Applied``."""
        self.tables, self.player = tables, player
        ground = tables.ground
        num_floor = len(ground.zone)
        self.tree = first_tree(ground, boxes, player, children_per_run=1)
        self.scratch = workspace_for(num_floor, len(boxes), regions=empty_regions(num_floor))
        self.rules = Applied(ground, learned)
        self._table_bytes = num_bytes((tables, self.scratch)) - num_bytes(ground)

    @property
    def num_expansions(self) -> int:
        """The positions that it has laid out besides the start."""
        return int(self.tree.progress[NUM_LAID_OUT]) - 1

    def pause(self) -> Progress:
        """As ``Searcher`` says; positions are children."""
        own = self._table_bytes + num_bytes(self.tree) + self.rules.num_bytes
        progress = self.tree.progress
        return Progress(
            "fess",
            self.num_expansions,
            int(progress[NUM_CHILDREN]),
            work=int(progress[NUM_PUSHES]),
            num_bytes=own,
        )

    search = run_compiled

    def advance(self, budget: Budget) -> Outcome:
        """As ``Compiled`` says."""
        stop_at = int(self.tree.progress[NUM_PUSHES]) + budget.work
        return search(
            self.tables, self.tree, self.scratch, self.rules.pruning, stop_at, budget.expansions
        )

    def bytes_to_grow(self) -> int:
        """As ``Compiled`` says."""
        return bytes_to_grow(self.tree, len(self.tables.ground.zone))

    def grow(self) -> Iterator[bool]:
        """As ``Compiled`` says."""
        num_slots = len(self.tree.slots)
        self.tree = grown(self.tree, len(self.tables.ground.zone))
        if len(self.tree.slots) > num_slots:
            yield from refill(int(self.tree.progress[FIRST_NEW]), partial(refill_slots, self.tree))

    def directions(self) -> tuple[Direction, ...]:
        """The solution, once one was found."""
        tree, ground = self.tree, self.tables.ground
        is_box = unpacked_bits(tree.boxes[0], len(ground.zone))
        steps = steps_to(tree, int(tree.progress[SOLVED_BY]))
        return directions_of_steps(ground, is_box, self.player, steps)


@cache
def prepare() -> None:
    """Searches a board of one push, so that no clock counts the seconds of a first compilation."""
    planning.prepare()
    squares = Squares(ONE_PUSH)
    grounds = grounds_both_ways(ONE_PUSH, squares)
    found_by(completed(fess_in_steps(*grounds, squares.number[ONE_PUSH.player])))
