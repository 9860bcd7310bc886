"""A beam search by moves of one box from the start: each layer keeps a number of positions.

All positions of a layer have as many moves behind them, each any pushes of one box alone, as in
FESS. ``pull_beam`` says what a beam is for. After a move a box may stand where the packing plan
wants it, so what FESS counts tells which positions are worth keeping. What a layer drops no later
one takes up, so nothing is proved. Later rounds learn from the positions in which earlier ones got
stuck (``squeaky_wheel``).
"""

from collections.abc import Iterator, Sequence
from functools import cache, partial

import numpy as np
from jaxtyping import Bool, Int16, Int64

from tokoban.sokoban.board import Direction
from tokoban.sokoban.search.answer import Progress
from tokoban.sokoban.search.level.ground import Squares
from tokoban.sokoban.search.level.one_box import Step, directions_of_steps
from tokoban.sokoban.search.level.regions import empty_regions
from tokoban.sokoban.search.measures.packing import planning
from tokoban.sokoban.search.measures.shut_off import num_shut_off
from tokoban.sokoban.search.outcome import Outcome
from tokoban.sokoban.search.pauses import (
    ONE_PUSH,
    Budget,
    Found,
    Search,
    found_by,
)
from tokoban.sokoban.search.rules import few_boxes
from tokoban.sokoban.search.rules.learned import Applied, Learned, learned_of
from tokoban.sokoban.search.searches.beam import meetings
from tokoban.sokoban.search.searches.beam.meetings import FromTheEnd, Meeting, Meetings
from tokoban.sokoban.search.searches.beam.push_layers import expand_layer
from tokoban.sokoban.search.searches.beam.rounds import (
    ORDERING_BYTES,
    PATIENCE,
    SHUT_OFF_WORK,
    Rounds,
    Schedule,
    badness_of,
    best_of,
    choose_in_steps,
    end_layer,
)
from tokoban.sokoban.search.searches.fess.paths import steps_to
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
from tokoban.sokoban.search.state.positions import num_bytes, refill, unpacked_bits
from tokoban.sokoban.search.state.workspace import workspace_for
from tokoban.sokoban.search.steps import Steps, completed

# How often regions of floor count, and packed squares and boxes out of plan. No pair is better on
# all levels, so the rounds take them in turn. Pushes to a position midway solve more by other pairs
# than pushes from the start to the goals.
TO_POSITIONS = Schedule(((1, 4), (1, 1), (4, 4)))
FROM_START = Schedule(((1, 0), (1, 4), (4, 4)), counts_shut_off_first=True)


class PushBeam:
    """Beams from the start, in the rounds of ``rounds``.

    The unit of its work is a push that is tried, or a lower bound.
    """

    def __init__(
        self,
        tables: Tables,
        boxes: Int16[np.ndarray, " G"],
        player: int,
        learned: Learned | None = None,
        pulls: Sequence[FromTheEnd] = (),
        *,
        schedule: Schedule,
        seed: int,
    ) -> None:
        """``learned``, which other searches share, and the ground are not in ``num_bytes`` then.

        ``pulls`` are searches that come from the end, for meetings; ``seed`` is that of ``Round``.
        """
        self._tables, self._player = tables, player
        num_floor = len(tables.ground.zone)
        self._is_box = np.zeros(num_floor, np.bool_)
        self._is_box[boxes] = True
        is_shared = learned is not None
        self._rules = Applied(learned or learned_of(tables.ground), is_shared=is_shared)
        self._scratch = workspace_for(num_floor, len(boxes), regions=empty_regions(num_floor))
        self._table_bytes = num_bytes((tables, self._scratch))
        if learned:
            self._table_bytes -= num_bytes(tables.ground)
        self._meetings = Meetings(pulls)
        self._meeting: Meeting | None = None
        self._earlier_expansions = 0
        # On boards too large for a matching of all boxes, counting would take too long too.
        self._rounds = Rounds(
            tables.ground.is_goal[:-1],
            schedule,
            counts_shut_off=tables.is_matched,
            seed=seed,
        )
        self._begin_round()

    def _begin_round(self) -> None:
        prefix = self._rounds.current.prefix
        is_box = self._is_box.copy()
        for step in prefix:
            is_box[step.box] = False
            is_box[step.end] = True
        player = prefix[-1].player if prefix else self._player
        boxes = np.flatnonzero(is_box).tolist()
        self._tree = first_tree(self._tables.ground, boxes, player, children_per_run=4)
        self._tree.is_done[0] = True
        self._chosen = np.zeros(1, np.int64)  # the start is its own first child
        self._next_chosen = np.zeros(1, np.int64)
        self._layer_ends = 1 + self._rounds.current.width  # ``NUM_LAID_OUT`` once the layer is full
        self._first_new = 1  # the first child that this layer adds
        self._num_candidates = 1  # children of the layer before, of which ``_chosen`` are tried
        self._least, self._patience = int(np.iinfo(np.int64).max), PATIENCE
        self._best = np.empty(0, np.int64)  # the best children of the round
        self._is_over = self._has_dropped = False

    @property
    def _num_expansions(self) -> int:
        """In this round."""
        return int(self._tree.progress[NUM_LAID_OUT]) - 1

    def pause(self) -> Progress:
        """As ``Searcher`` says; positions are children."""
        progress = self._tree.progress
        own = self._table_bytes + num_bytes((self._tree, self._chosen))
        own += self._rules.num_bytes
        return Progress(
            "push-beam",
            self._earlier_expansions + self._num_expansions,
            int(progress[NUM_CHILDREN]),
            work=self._rounds.work + int(progress[NUM_PUSHES]),
            num_bytes=own + ORDERING_BYTES * (int(progress[NUM_CHILDREN]) - self._first_new),
        )

    def search(self, budget: Budget) -> Search:
        """As ``Searcher`` says.

        Between two rounds it pauses as if it had to grow, for it then lets go of the last one.
        """
        while True:
            if self._is_over:
                pause = self.pause()
                budget = yield pause._replace(growing_bytes=pause.num_bytes)
                self._end_round()
            if self._rules.goes_on(self._earlier_expansions + self._num_expansions):
                budget = yield self.pause()
                continue
            outcome = self._push(budget)
            if outcome == Outcome.SOLVED:
                return Found(outcome, self.pause(), self.directions())
            if outcome == Outcome.STORE_FULL:
                pause, num_floor = self.pause(), len(self._tables.ground.zone)
                more = num_bytes_while_growing(self._tree, num_floor) - num_bytes(self._tree)
                budget = yield pause._replace(growing_bytes=pause.num_bytes + more)
                for _ in self._grow():
                    budget = yield self.pause()
            elif outcome == Outcome.BUDGET_SPENT:
                budget = yield self.pause()
            else:
                found, budget = yield from end_layer(self, self._end_layer(), budget)
                if found is not None:
                    return found

    def _push(self, budget: Budget) -> Outcome:
        """Makes moves of this layer; EXHAUSTED once it has none left."""
        tree, rules = self._tree, self._rules
        return expand_layer(
            self._tables,
            tree,
            self._scratch,
            rules.pruning,
            self._chosen,
            self._next_chosen,
            self._rounds.current.weights,
            self._rounds.current.bonuses,
            self._layer_ends,
            int(tree.progress[NUM_PUSHES]) + budget.work,
            min(budget.expansions, rules.next_at) - self._earlier_expansions,
        )

    def _grow(self) -> Iterator[bool]:
        slots = self._tree.slots
        self._tree = grown(self._tree, len(self._tables.ground.zone))
        if self._tree.slots is not slots:
            del slots
            enter = partial(refill_slots, self._tree)
            yield from refill(int(self._tree.progress[FIRST_NEW]), enter)

    def _end_round(self) -> None:
        """Begins the next round."""
        self._earlier_expansions += self._num_expansions
        self._rounds.end(int(self._tree.progress[NUM_PUSHES]))
        del self._tree  # before there is another
        self._begin_round()

    def _end_layer(self) -> Steps[Outcome]:
        """Looks for meetings, then chooses the positions that are gone on from."""
        tree, first = self._tree, self._first_new
        self._meeting = yield from self._meetings.find_in_steps(self._tables.ground.keys, tree)
        if self._meeting is not None:
            return Outcome.SOLVED
        yield
        self._has_dropped |= self._next_chosen[0] < self._num_candidates
        self._first_new = last = int(tree.progress[NUM_CHILDREN])
        self._num_candidates = last - first
        score = tree.child_score[first:last]
        badness = badness_of(score)
        best = np.concatenate([self._best, first + best_of(badness)])
        self._best = best[best_of(badness_of(tree.child_score[best]))]
        least = int(badness.min(initial=self._least))
        self._patience = PATIENCE if least < self._least else self._patience - 1
        self._least = least
        # Where nothing was dropped a wider round would be the same.
        is_idle = self._patience <= 0 and self._has_dropped
        self._is_over = first == last or is_idle
        if first == last and not self._has_dropped:
            if not self._rounds.current.prefix:
                return Outcome.EXHAUSTED
            self._rounds.forget_path()
            self._best = self._best[:0]
        if self._is_over:
            best = self._best
            self._rounds.learn(self._boxes_of(best), lambda i: steps_to(tree, int(best[i])))
        else:
            chosen = yield from choose_in_steps(
                score,
                tree.key[first:last],
                self._rounds.current,
                self._tables.ground,
                lambda candidates: self._counted(first + candidates),
                by_pulls=False,
            )
            self._chosen = first + chosen
            self._next_chosen[0] = 0
            self._layer_ends = int(tree.progress[NUM_LAID_OUT]) + self._rounds.current.width
        return Outcome.BUDGET_SPENT

    def _counted(self, children: Int64[np.ndarray, " K"]) -> Bool[np.ndarray, "K F"]:
        """The boxes of children in which goals that are shut off are counted."""
        self._tree.progress[NUM_PUSHES] += SHUT_OFF_WORK * len(children)
        return self._boxes_of(children)

    def _boxes_of(self, children: Int64[np.ndarray, " K"]) -> Bool[np.ndarray, "K F"]:
        """The boxes of each child."""
        tree, rows = self._tree, np.arange(len(children))
        parents = tree.parent[tree.run[children]]
        is_box = unpacked_bits(tree.boxes[parents], len(self._tables.ground.zone))
        is_box[rows, tree.box[children]] = False
        is_box[rows, tree.to[children]] = True
        return is_box

    def directions(self) -> tuple[Direction, ...]:
        """The solution."""
        child, then = int(self._tree.progress[SOLVED_BY]), list[Step]()
        if self._meeting is not None:
            child = self._meeting.child
            then = self._meeting.search.steps_to_end(self._meeting.position)
        steps = [*self._rounds.current.prefix, *steps_to(self._tree, child), *then]
        return directions_of_steps(self._tables.ground, self._is_box, self._player, steps)


@cache
def prepare() -> None:
    """Searches a board of one push, so that no clock counts the seconds of a first compilation."""
    few_boxes.prepare()
    planning.prepare()
    squares = Squares(ONE_PUSH)
    tables = completed(tables_in_steps(ONE_PUSH, squares))
    boxes, player = squares.numbers(ONE_PUSH.boxes), squares.number[ONE_PUSH.player]
    num_shut_off(tables.ground, squares.is_among(ONE_PUSH.boxes)[np.newaxis])
    beam = PushBeam(tables, boxes, player, schedule=FROM_START, seed=0)
    found_by(beam)
    # One push solves that board before a layer ends, so nothing was looked up yet.
    meetings.prepare(tables.ground.keys, beam._tree)
