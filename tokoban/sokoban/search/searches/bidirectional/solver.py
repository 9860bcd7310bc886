"""Bidirectional FESS: any solution of a level of any size, or a proof that there is none.

Feature space search (Shoham and Schaeffer 2020, see ``features``) from the start by pushes and from
the solved board by pulls, until the two sides meet.
"""

from collections.abc import Callable, Iterator
from functools import cache, partial

from tokoban import compiling
from tokoban.sokoban.board import Board, Direction
from tokoban.sokoban.search.answer import Answer, Progress, Report
from tokoban.sokoban.search.level.ground import Ground, Squares
from tokoban.sokoban.search.level.one_box import Step
from tokoban.sokoban.search.level.regions import empty_regions
from tokoban.sokoban.search.limits import DEFAULT_LIMITS, Limits
from tokoban.sokoban.search.outcome import Outcome
from tokoban.sokoban.search.pauses import (
    ONE_PUSH,
    Budget,
    Search,
    found_by,
    run_compiled,
    set_up,
)
from tokoban.sokoban.search.rules import few_boxes
from tokoban.sokoban.search.rules.learned import Applied, Learned, learned_of
from tokoban.sokoban.search.run import find_answer
from tokoban.sokoban.search.searches.bidirectional.heaps import enter
from tokoban.sokoban.search.searches.bidirectional.paths import find_directions, steps_to_end
from tokoban.sokoban.search.searches.bidirectional.search import search
from tokoban.sokoban.search.searches.bidirectional.sides import (
    MET,
    NUM_EXPANSIONS,
    NUM_FLOODS,
    REACHED,
    Side,
    first_side,
    grown,
    num_bytes_while_growing,
)
from tokoban.sokoban.search.searches.bidirectional.tables import Tables, tables_in_steps
from tokoban.sokoban.search.state.positions import Positions, num_bytes, refill, refill_slots
from tokoban.sokoban.search.state.workspace import workspace_for
from tokoban.sokoban.search.steps import Steps, completed

_TURN_FLOODS = 1 << 12  # one side searches so far ahead of the other
_FIRST_CAPACITY = 1 << 12
_UNTIL_THE_END = 1 << 62  # floods


def solve_any(
    board: Board,
    *,
    limits: Limits = DEFAULT_LIMITS,
    report: Report | None = None,
    clock: Callable[[], float] = compiling.clock,
) -> Answer:
    """Finds some solution, or proves that there is none, as ``run.find_answer`` says.

    The answer does not depend on the clock except through its time limit. What is reported are
    sums over both sides of the search.
    """
    prepare()

    def search(budget: Budget) -> Search:
        return set_up(fess_in_steps(board, Squares(board)), budget)

    return find_answer(board, search, limits, report=report, clock=clock)


def fess_in_steps(
    board: Board, squares: Squares, ground: Ground | None = None
) -> "Steps[BidirectionalFess]":
    """The search for a board that is neither solved nor hopeless, set up in steps.

    ``ground`` is that of the board, if known.
    """
    forward, backward = yield from tables_in_steps(board, squares, ground)
    return BidirectionalFess(forward, backward, squares.number[board.player])


class BidirectionalFess:
    """The two sides, in turns; the unit of its work is a flood."""

    optimum = None

    def __init__(
        self,
        forward: Tables,
        backward: Tables,
        player: int,
        learned: Learned | None = None,
        *,
        is_backward_only: bool = False,
    ) -> None:
        """``learned``, which other searches share, and the tables are not in ``num_bytes`` then."""
        self.player = player
        self.tables = (forward, backward)
        goals, boxes = forward.ground.goals, backward.ground.goals
        num_floor = len(forward.ground.zone)
        # At least the moves of one box, beside as many positions of the end as there are areas.
        capacity = max(_FIRST_CAPACITY, 1 << (5 * num_floor).bit_length())
        self.sides: list[Side] = [
            first_side(forward, boxes, [self.player], capacity),
            first_side(backward, goals, list(range(num_floor)), capacity),
        ]
        for side in self.sides:
            for position in range(side.positions.num_known[0]):
                enter(side, position)
        regions = empty_regions(num_floor)
        self.scratch = workspace_for(num_floor, len(boxes), regions=regions)
        self._is_sharing = learned is not None
        self.learned = learned or learned_of(forward.ground, backward.ground, player)
        self._rules = [
            Applied(self.learned, is_shared=self._is_sharing, by_pulls=by_pulls)
            for by_pulls in (False, True)
        ]
        self._lacks_slots = False
        self.turn = int(is_backward_only)
        self._is_backward_only = is_backward_only

    def pause(self) -> Progress:
        """As ``Searcher`` says: sums over both sides."""
        progress = [side.progress for side in self.sides]
        own = num_bytes((*self.sides, self.scratch))
        if not self._is_sharing:
            own += num_bytes(self.tables) + self.learned.num_bytes
        return Progress(
            "bidirectional-fess",
            sum(int(one[NUM_EXPANSIONS]) for one in progress),
            sum(int(side.positions.num_known[0]) for side in self.sides),
            work=sum(int(one[NUM_FLOODS]) for one in progress),
            num_bytes=own,
        )

    search = run_compiled

    def advance(self, budget: Budget) -> Outcome:
        """As ``Compiled`` says."""
        side, other = self.sides[self.turn], self.sides[1 - self.turn]
        # The turns must not depend on the budgets, for these depend on the clock.
        turn_ends = int(other.progress[NUM_FLOODS]) // _TURN_FLOODS * _TURN_FLOODS + _TURN_FLOODS
        if self._is_backward_only:
            turn_ends = _UNTIL_THE_END
        rules = self._rules[self.turn]
        if rules.goes_on(int(side.progress[NUM_EXPANSIONS])):
            return Outcome.BUDGET_SPENT
        outcome: Outcome = search(
            self.tables[self.turn],
            side,
            other,
            self.scratch,
            rules.pruning,
            min(int(side.progress[NUM_FLOODS]) + budget.work, turn_ends),
            min(rules.next_at, budget.expansions - int(other.progress[NUM_EXPANSIONS])),
        )
        if outcome == Outcome.BUDGET_SPENT and side.progress[NUM_FLOODS] >= turn_ends:
            self.turn = 1 - self.turn
        return outcome

    def bytes_to_grow(self) -> int:
        """As ``Compiled`` says."""
        side = self.sides[self.turn]
        return num_bytes_while_growing(side) - num_bytes(side)

    def grow(self) -> Iterator[bool]:
        """As ``Compiled`` says."""
        slots = self.sides[self.turn].positions.slots
        self.sides[self.turn] = side = grown(self.sides[self.turn])
        positions = side.positions
        if positions.slots is not slots:
            del slots
            enter = partial(refill_slots, positions, self.tables[self.turn].ground.keys)
            for self._lacks_slots in refill(int(positions.num_known[0]), enter):
                yield self._lacks_slots

    def directions(self) -> tuple[Direction, ...]:
        """The solution, once the sides have met."""
        progress = self.sides[self.turn].progress
        here, there = int(progress[REACHED]), int(progress[MET])
        meeting = (there, here) if self.turn else (here, there)
        forward, backward = self.sides
        return find_directions(self.tables[0].ground, forward, backward, meeting, self.player)

    @property
    def pulled(self) -> Positions | None:
        """As ``FromTheEnd`` says."""
        return None if self._lacks_slots else self.sides[1].positions

    def steps_to_end(self, position: int) -> list[Step]:
        """As ``FromTheEnd`` says."""
        return steps_to_end(self.sides[1], position, len(self.tables[0].ground.zone))


@cache
def prepare() -> None:
    """Searches a board of one push, so that no clock counts the seconds of a first compilation."""
    few_boxes.prepare()
    found_by(completed(fess_in_steps(ONE_PUSH, Squares(ONE_PUSH))))
