"""A beam search by moves of one box from the start: each layer keeps a number of positions.

All positions of a layer have as many moves behind them, each any pushes of one box alone, as in
FESS. ``pull_beam`` says what a beam is for. After a move a box may stand where the packing plan
wants it, so what FESS counts tells which positions are worth keeping. What a layer drops no later
one takes up, so nothing is proved. Later rounds learn from the positions in which earlier ones got
stuck (``squeaky_wheel``).
"""

from collections.abc import Sequence
from functools import cache, partial

import numpy as np
from jaxtyping import Bool, Int16, Int64, UInt64

from tokoban.sokoban.board import Direction
from tokoban.sokoban.search import few_boxes, meetings
from tokoban.sokoban.search.answer import Progress
from tokoban.sokoban.search.fess import planning
from tokoban.sokoban.search.fess.moves import empty_scratch
from tokoban.sokoban.search.fess.paths import steps_to
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
from tokoban.sokoban.search.ground import NONE, Squares
from tokoban.sokoban.search.meetings import FromTheEnd, Meeting, Meetings
from tokoban.sokoban.search.one_box import Step, directions_of_steps
from tokoban.sokoban.search.outcome import Outcome
from tokoban.sokoban.search.positions import Refill, num_bytes, unpacked_bits
from tokoban.sokoban.search.pruning import Pruning, empty_pruning
from tokoban.sokoban.search.pull_beam import ranks_in_kind
from tokoban.sokoban.search.push_layers import BADNESS_BITS, expand_layer
from tokoban.sokoban.search.shut_off import num_at_once, num_shut_off
from tokoban.sokoban.search.single import ONE_PUSH, solve_in_slices
from tokoban.sokoban.search.squeaky_wheel import Bonuses
from tokoban.sokoban.search.steps import Steps, completed

# Positions that a layer keeps in the narrowest rounds; each wider kind keeps so many times more.
_FIRST_WIDTH, _GROWTH = 100, 3
# How often regions of floor count, and packed squares and boxes out of plan. No pair is better on
# all levels, so the rounds take them in turn.
_WEIGHTS = (1, 4), (1, 1), (4, 4)
# Added to the badness for each goal that is shut off, in every other round of either kind.
_SHUT_OFF = 8
_SHUT_OFF_WORK = 4  # of counting these goals in one position, in the unit of ``work``
_LEARNT_FROM = 300  # positions of a round, the best ones
_PLAIN, _TAUGHT = range(2)  # kinds of rounds
_NUM_PARTS = 4  # taught rounds begin in turn where each of these parts of the best path begins
_PATIENCE = 20  # layers in which no badness falls below the least so far; then the round ends
_BADNESS_MASK = (1 << BADNESS_BITS) - 1
_ORDERING_BYTES = 80  # for each candidate, while ``_in_order`` sorts them


class PushBeam:
    """Beams from the start, in rounds of two kinds, which have as much work each.

    Plain rounds begin at the start and grow wider. Taught rounds add the bonuses that all rounds so
    far have led to, and most of them begin partway along the best path so far, the first moves of
    which may be right where the last ones are not. The unit of its work is a push that is tried, or
    a lower bound.
    """

    name = "push-beam"
    is_complete = False

    def __init__(
        self,
        tables: Tables,
        boxes: Int16[np.ndarray, " G"],
        player: int,
        pruning: Pruning,
        few_boxes: FewBoxesLater,
        pulls: Sequence[FromTheEnd] = (),
    ) -> None:
        """``pruning`` and ``few_boxes`` are shared with other searches, like the ground.

        ``pulls`` are those of them that come from the end, for meetings.
        """
        self._tables, self._player = tables, player
        self._is_box = np.zeros(len(tables.ground.zone), np.bool_)
        self._is_box[boxes] = True
        self._pruning, self._few_boxes = pruning, few_boxes
        self._now = np.full(1, NONE)  # as in ``FewBoxes``
        self._scratch = empty_scratch(len(tables.ground.zone), len(boxes), 0)
        self._table_bytes = num_bytes((tables, self._scratch)) - num_bytes(tables.ground)
        self._refill = Refill()
        self._meetings = Meetings(pulls)
        self._meeting: Meeting | None = None
        self._bonuses = Bonuses(tables.ground.is_goal[:-1])
        self._no_bonuses = np.zeros_like(self._bonuses.of_square)
        self._num_rounds, self._work_of = [0, 0], [0, 0]  # of either kind, that are over
        self._earlier_expansions = 0
        # From the start to the position with the most boxes on goals among those learnt from.
        self._best_path: list[Step] = []
        self._most_on_goals = 0
        self._begin_round()

    def _begin_round(self) -> None:
        self._kind = _TAUGHT if self._work_of[_TAUGHT] < self._work_of[_PLAIN] else _PLAIN
        num_before = self._num_rounds[self._kind]
        turn, which = divmod(num_before, len(_WEIGHTS))
        widening = turn if self._kind == _PLAIN else _widening(turn)
        self._width, self._weights = _FIRST_WIDTH * _GROWTH**widening, _WEIGHTS[which]
        # On boards too large for a matching of all boxes, counting would take too long too.
        self._shut_off_weight = _SHUT_OFF * (num_before % 2) if self._tables.is_matched else 0
        part = 0 if self._kind == _PLAIN else num_before // 2 % _NUM_PARTS
        # From the start of the level to where the round begins.
        self._prefix = self._best_path[: len(self._best_path) * part // _NUM_PARTS]
        is_box = self._is_box.copy()
        for step in self._prefix:
            is_box[step.box] = False
            is_box[step.end] = True
        player = self._prefix[-1].player if self._prefix else self._player
        boxes = np.flatnonzero(is_box).tolist()
        self._tree = first_tree(self._tables.ground, boxes, player, children_per_run=4)
        self._tree.is_done[0] = True
        self._chosen = np.zeros(1, np.int64)  # the start is its own first child
        self._next_chosen = np.zeros(1, np.int64)
        self._layer_ends = 1 + self._width  # ``NUM_LAID_OUT`` once the layer is full
        self._first_new = 1  # the first child that this layer adds
        self._num_candidates = 1  # children of the layer before, of which ``_chosen`` are tried
        self._ending: Steps[Outcome] | None = None  # of a layer
        self._least, self._patience = int(np.iinfo(np.int64).max), _PATIENCE
        self._best = np.empty(0, np.int64)  # the best children of the round
        self._is_over = self._has_dropped = False

    @property
    def work(self) -> int:
        """As ``SliceSearch`` says."""
        return sum(self._work_of) + int(self._tree.progress[NUM_PUSHES])

    @property
    def _num_expansions(self) -> int:
        """In this round."""
        return int(self._tree.progress[NUM_LAID_OUT]) - 1

    def progress(self, elapsed_s: float) -> Progress:
        """As ``single.Search`` says; positions are children."""
        expansions = self._earlier_expansions + self._num_expansions
        return Progress(expansions, int(self._tree.progress[NUM_CHILDREN]), elapsed_s)

    def num_bytes(self) -> int:
        """As ``single.Search`` says."""
        num_new = int(self._tree.progress[NUM_CHILDREN]) - self._first_new
        own = self._table_bytes + num_bytes((self._tree, self._chosen))
        return own + _ORDERING_BYTES * num_new

    def num_bytes_while_growing(self) -> int:
        """As ``single.Search`` says."""
        if self._is_over:
            return self.num_bytes()
        now = self.num_bytes() - num_bytes(self._tree)
        return now + num_bytes_while_growing(self._tree, len(self._tables.ground.zone))

    def grow(self) -> None:
        """As ``single.Search`` says: begins the next round if one is over."""
        if self._is_over:
            self._num_rounds[self._kind] += 1
            self._work_of[self._kind] += int(self._tree.progress[NUM_PUSHES])
            self._earlier_expansions += self._num_expansions
            self._learn()
            del self._tree  # before there is another
            self._begin_round()
            return
        slots = self._tree.slots
        self._tree = grown(self._tree, len(self._tables.ground.zone))
        if self._tree.slots is not slots:
            self._refill.begin()

    def go_on(self, budget: int, max_expansions: int | None) -> Outcome:
        """As ``single.Search`` says."""
        tree, later = self._tree, self._few_boxes
        if self._refill.go_on(int(tree.progress[FIRST_NEW]), partial(refill_slots, tree)):
            return Outcome.BUDGET_SPENT
        if self._is_over:
            return Outcome.STORE_FULL
        if self.progress(0.0).expansions >= later.next_at:
            later.go_on()
            return Outcome.BUDGET_SPENT
        if self._ending is None:
            most = later.next_at if max_expansions is None else min(max_expansions, later.next_at)
            outcome: Outcome = expand_layer(
                self._tables,
                tree,
                self._scratch,
                self._pruning._replace(few_boxes=later.tables._replace(now=self._now)),
                self._chosen,
                self._next_chosen,
                self._weights,
                self._no_bonuses if self._kind == _PLAIN else self._bonuses.of_square,
                self._layer_ends,
                int(tree.progress[NUM_PUSHES]) + budget,
                most - self._earlier_expansions,
            )
            if outcome != Outcome.EXHAUSTED:
                return outcome
            self._ending = self._end_layer()
        try:
            next(self._ending)
        except StopIteration as end:
            self._ending = None
            ended: Outcome = end.value
            return ended
        return Outcome.BUDGET_SPENT

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
        badness = score & _BADNESS_MASK
        best = np.concatenate([self._best, first + _least(badness, _LEARNT_FROM)])
        self._best = best[_least(tree.child_score[best] & _BADNESS_MASK, _LEARNT_FROM)]
        least = int(badness.min(initial=self._least))
        self._patience = _PATIENCE if least < self._least else self._patience - 1
        self._least = least
        # Where nothing was dropped a wider round would be the same.
        is_idle = self._patience <= 0 and self._has_dropped
        self._is_over = first == last or is_idle
        if first == last and not self._has_dropped:
            if not self._prefix:
                return Outcome.EXHAUSTED
            # No solution begins with this prefix.
            self._best_path, self._most_on_goals = [], 0
            self._best = self._best[:0]
        if not self._is_over:
            self._chosen = yield from self._choose_in_steps(np.arange(first, last))
            self._next_chosen[0] = 0
            self._layer_ends = int(tree.progress[NUM_LAID_OUT]) + self._width
        return Outcome.BUDGET_SPENT

    def _choose_in_steps(self, children: Int64[np.ndarray, " N"]) -> Steps[Int64[np.ndarray, " _"]]:
        """The children that the next layer tries to expand, in this order."""
        tree, width = self._tree, self._width
        score = tree.child_score[children]
        if self._shut_off_weight and len(children) > width:
            # Counting is slow, so it only reorders the children that would be tried without it.
            children = children[np.sort(_in_order(score, tree.key[children], width))]
            score = tree.child_score[children]
            at_once = num_at_once(self._tables.ground)
            for i in range(0, len(children), at_once):
                is_box = self._boxes_of(children[i : i + at_once])
                counts = num_shut_off(self._tables.ground, is_box)
                score[i : i + at_once] += self._shut_off_weight * counts
                tree.progress[NUM_PUSHES] += _SHUT_OFF_WORK * len(counts)
                yield
        return children[_in_order(score, tree.key[children], width)]

    def _learn(self) -> None:
        """Updates the bonuses and the best path after a round."""
        if len(self._best) == 0:
            return
        is_box = self._boxes_of(self._best)
        self._bonuses.learn(is_box)
        num_on_goals = is_box[:, self._tables.ground.goals].sum(axis=1)
        end = int(num_on_goals.argmax())
        if num_on_goals[end] >= self._most_on_goals:
            self._most_on_goals = int(num_on_goals[end])
            self._best_path = [*self._prefix, *steps_to(self._tree, int(self._best[end]))]

    def _boxes_of(self, children: Int64[np.ndarray, " K"]) -> Bool[np.ndarray, "K F"]:
        """The boxes of each child."""
        tree, rows = self._tree, np.arange(len(children))
        parents = tree.parent[tree.run[children]]
        is_box = unpacked_bits(tree.boxes[parents], len(self._tables.ground.zone))
        is_box[rows, tree.box[children]] = False
        is_box[rows, tree.to[children]] = True
        return is_box

    def directions(self) -> tuple[Direction, ...]:
        """As ``single.Search`` says."""
        child, then = int(self._tree.progress[SOLVED_BY]), list[Step]()
        if self._meeting is not None:
            child = self._meeting.child
            then = self._meeting.search.steps_to_end(self._meeting.position)
        steps = [*self._prefix, *steps_to(self._tree, child), *then]
        return directions_of_steps(self._tables.ground, self._is_box, self._player, steps)

    def optimum(self) -> None:
        """As ``single.Search`` says: none."""


def _widening(turn: int) -> int:
    """The power of ``_GROWTH`` that multiplies the width: 0 0 0 1 0 0 0 1 0 0 0 1 2 and so on.

    ``_GROWTH`` turns of one width are followed by one of the next, so all widths get equal work.
    The universal sequence of Luby, Sinclair and Zuckerman, "Optimal speedup of Las Vegas
    algorithms" (1993), with ``_GROWTH`` in place of 2.
    """
    length, widening = 1, 0  # of the sequence up to the first turn of this width
    while length <= turn:
        length, widening = _GROWTH * length + 1, widening + 1
    while turn < length - 1:
        length, widening = length // _GROWTH, widening - 1
        turn %= length
    return widening


def _least(badness: Int64[np.ndarray, " N"], count: int) -> Int64[np.ndarray, " _"]:
    """The least ``count``, ascending; of equal ones the first."""
    if len(badness) > count:
        candidates = np.flatnonzero(badness <= np.partition(badness, count - 1)[count - 1])
    else:
        candidates = np.arange(len(badness))
    return candidates[np.argsort(badness[candidates], kind="stable")[:count]]


def _in_order(
    score: Int64[np.ndarray, " N"], key: UInt64[np.ndarray, " N"], width: int
) -> Int64[np.ndarray, " _"]:
    """The candidates in the order in which they are tried, until ``width`` have been expanded.

    By turns the next best, and the next of the best of each kind in turn, a kind being a cell of
    FESS: up to twice ``width`` of either.
    """
    if len(score) <= width:
        return np.arange(len(score))
    # Equal ones are ordered by their hash, as good as drawn.
    badness = ((score & _BADNESS_MASK) << 16) + (key >> np.uint64(48)).astype(np.int64)
    kind = score >> BADNESS_BITS
    best = np.argsort(badness, kind="stable")[: 2 * width]
    in_turn = np.lexsort((badness, ranks_in_kind(kind, badness)))[: 2 * width]
    by_turns = np.stack([best, in_turn], axis=1).ravel()
    places = np.unique(by_turns, return_index=True)[1]
    return by_turns[np.sort(places)]


@cache
def prepare() -> None:
    """Searches a board of one push, so that no clock counts the seconds of a first compilation."""
    few_boxes.prepare()
    planning.prepare()
    squares = Squares(ONE_PUSH)
    tables = completed(tables_in_steps(ONE_PUSH, squares))
    boxes, player = squares.numbers(ONE_PUSH.boxes), squares.number[ONE_PUSH.player]
    num_shut_off(tables.ground, squares.is_among(ONE_PUSH.boxes)[np.newaxis])
    pruning = empty_pruning(len(squares.squares), len(boxes))
    later = FewBoxesLater(tables.ground, pairs_at=0)
    beam = PushBeam(tables, boxes, player, pruning, later)
    solve_in_slices(beam)
    # One push solves that board before a layer ends, so nothing was looked up yet.
    meetings.prepare(tables.ground.keys, beam._tree)
