"""A beam search by pushes from the start: each layer keeps a number of positions.

After a move a box may stand where the packing plan wants it, so the features of FESS tell which
positions are worth keeping. The tree is that of FESS.
"""

from collections.abc import Iterator, Sequence
from functools import cache, partial

import numpy as np
from jaxtyping import Bool, Int16, Integer

from tokoban.sokoban.board import Direction
from tokoban.sokoban.search.answer import Progress
from tokoban.sokoban.search.level.ground import Squares, grounds_both_ways
from tokoban.sokoban.search.level.one_box import Step, directions_of_steps
from tokoban.sokoban.search.measures.packing import planning
from tokoban.sokoban.search.outcome import Outcome
from tokoban.sokoban.search.pauses import ONE_PUSH, Budget, found_by
from tokoban.sokoban.search.rules.pruning import Applied, Pruning
from tokoban.sokoban.search.searches.beam import meetings
from tokoban.sokoban.search.searches.beam.beam import Beam
from tokoban.sokoban.search.searches.beam.meetings import FromTheEnd, Meeting, Meetings
from tokoban.sokoban.search.searches.beam.push_layers import expand_layer
from tokoban.sokoban.search.searches.beam.rounds import (
    ORDERING_BYTES,
    Rounds,
    Schedule,
    are_all_matched,
    badness_of,
    in_order,
)
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
from tokoban.sokoban.search.steps import Steps, completed

# The weights of regions of floor, and of packed squares and boxes out of plan. No pair is better on
# all levels, so the rounds take them in turn. Pushes to the goals ignore the packing plan, which
# FESS follows.
TO_POSITIONS: Schedule = ((1, 4), (1, 1), (4, 4))
TO_GOALS: Schedule = ((1, 0),)


class PushBeam(Beam):
    """Beams from the start, in the rounds of ``rounds``."""

    def __init__(
        self,
        tables: Tables,
        boxes: Int16[np.ndarray, " G"],
        player: int,
        learned: Pruning | None = None,
        pulls: Sequence[FromTheEnd] = (),
        *,
        schedule: Schedule,
        seed: int,
    ) -> None:
        """For ``learned`` see ``Applied``.

        ``pulls`` are searches that come from the end, for meetings; ``seed`` is that of ``Round``.
        """
        ground = tables.ground
        self._tables = tables._replace(is_matched=are_all_matched(ground), has_ties=False)
        self._player = player
        self._is_box = np.zeros(len(ground.zone), np.bool_)
        self._is_box[boxes] = True
        self._meetings = Meetings(pulls)
        self._meeting: Meeting | None = None
        rounds = Rounds(ground.is_goal[:-1], schedule, seed=seed)
        self._rules = Applied(ground, learned)
        super().__init__(ground, rounds)
        self._table_bytes = num_bytes((tables, self._scratch)) - num_bytes(ground)

    def _begin(self) -> None:
        prefix = self._rounds.current.prefix
        is_box = self._is_box.copy()
        for step in prefix:
            is_box[step.box] = False
            is_box[step.end] = True
        player = prefix[-1].player if prefix else self._player
        boxes = np.flatnonzero(is_box).tolist()
        self._tree = first_tree(self.ground, boxes, player, children_per_run=4)
        self._tree.is_done[0] = True
        self._chosen = np.zeros(1, np.int64)  # the start is its own first child
        self._next_chosen = np.zeros(1, np.int64)
        self._layer_ends = 1 + self._rounds.current.width  # ``NUM_LAID_OUT`` once the layer is full
        self._first_new = 1  # the first child that this layer adds
        self._num_candidates = 1  # children of the layer before, of which ``_chosen`` are tried

    @property
    def num_expansions(self) -> int:
        """The expansions of all rounds."""
        return self._earlier_expansions + int(self._tree.progress[NUM_LAID_OUT]) - 1

    @property
    def _work(self) -> int:
        return int(self._tree.progress[NUM_PUSHES])

    def pause(self) -> Progress:
        """As ``Searcher`` says; positions are children."""
        num_children = int(self._tree.progress[NUM_CHILDREN])
        own = self._table_bytes + num_bytes((self._tree, self._chosen)) + self._rules.num_bytes
        return Progress(
            "push-beam",
            self.num_expansions,
            num_children,
            work=self._rounds.work + self._work,
            num_bytes=own + ORDERING_BYTES * (num_children - self._first_new),
        )

    def _expand(self, budget: Budget) -> Outcome:
        return expand_layer(
            self._tables,
            self._tree,
            self._scratch,
            self._rules.pruning,
            self._chosen,
            self._next_chosen,
            self._rounds.current.weights,
            self._rounds.current.bonuses,
            self._layer_ends,
            self._work + budget.work,
            budget.expansions - self._earlier_expansions,
        )

    def _bytes_to_grow(self) -> int:
        return bytes_to_grow(self._tree, len(self.ground.zone))

    def _grow(self) -> Iterator[bool]:
        num_slots = len(self._tree.slots)
        self._tree = grown(self._tree, len(self.ground.zone))
        if len(self._tree.slots) > num_slots:
            enter = partial(refill_slots, self._tree)
            yield from refill(int(self._tree.progress[FIRST_NEW]), enter)

    def _end_layer(self) -> Steps[Outcome]:
        """Looks for meetings, then chooses the positions to go on from."""
        tree, first = self._tree, self._first_new
        self._meeting = yield from self._meetings.find_in_steps(self.ground.keys, tree)
        if self._meeting is not None:
            return Outcome.SOLVED
        yield
        self._has_dropped |= bool(self._next_chosen[0] < self._num_candidates)
        self._first_new = last = int(tree.progress[NUM_CHILDREN])
        self._num_candidates = last - first
        score = tree.child_score[first:last]
        outcome = self._judge_layer(
            np.arange(first, last), badness_of(score), is_last=first == last
        )
        if not self.is_over:
            current = self._rounds.current
            chosen = in_order(score, tree.key[first:last], current.width, current.seed)
            self._chosen = first + chosen
            self._next_chosen[0] = 0
            self._layer_ends = int(tree.progress[NUM_LAID_OUT]) + current.width
        return outcome

    def _boxes_of(self, children: Integer[np.ndarray, " K"]) -> Bool[np.ndarray, "K F"]:
        tree, rows = self._tree, np.arange(len(children))
        parents = tree.parent[tree.run[children]]
        is_box = unpacked_bits(tree.boxes[parents], len(self.ground.zone))
        is_box[rows, tree.box[children]] = False
        is_box[rows, tree.to[children]] = True
        return is_box

    def _path_to(self, child: int) -> list[Step]:
        return steps_to(self._tree, child)

    def directions(self) -> tuple[Direction, ...]:
        """The solution."""
        child, then = int(self._tree.progress[SOLVED_BY]), list[Step]()
        if self._meeting is not None:
            child = self._meeting.child
            then = self._meeting.search.steps_to_end(self._meeting.position)
        steps = [*self._rounds.current.prefix, *steps_to(self._tree, child), *then]
        return directions_of_steps(self.ground, self._is_box, self._player, steps)


@cache
def prepare() -> None:
    """Searches a board of one push, so that no clock counts the seconds of a first compilation."""
    planning.prepare()
    squares = Squares(ONE_PUSH)
    ground, by_pulls = grounds_both_ways(ONE_PUSH, squares)
    player = squares.number[ONE_PUSH.player]
    tables = completed(tables_in_steps(ground, by_pulls, player))
    beam = PushBeam(tables, by_pulls.goals, player, schedule=TO_GOALS, seed=0)
    found_by(beam)
    # One push solves that board before a layer ends, so nothing was looked up yet.
    meetings.prepare(tables.ground.keys, beam._tree)
