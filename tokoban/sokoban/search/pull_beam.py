"""A beam search by pulls from the solved board: each layer keeps a number of positions.

Beam search is from Lowerre, "The Harpy speech recognition system" (1976). All positions of a layer
have as many pulls behind them, so that none crowds out the others merely because it is easy to go
on from, as in a best-first search that has come to a region without a way out. Half of those that
are kept are the best of all, the others the best of each kind in turn (``_chosen``), after the
types of Xie, Müller, Holte and Imai, "Type-based exploration with multiple search queues for
satisficing planning" (AAAI 2014). What a layer drops is lost, so nothing is proved.
"""

from functools import cache, partial
from itertools import pairwise

import numpy as np
from jaxtyping import Bool, Int16, Int64, UInt64

from tokoban.sokoban.board import Direction
from tokoban.sokoban.search import few_boxes
from tokoban.sokoban.search.answer import Progress
from tokoban.sokoban.search.bidirectional.moves import empty_scratch
from tokoban.sokoban.search.bidirectional.paths import chain, step_between
from tokoban.sokoban.search.bidirectional.tables import Tables, tables_in_steps
from tokoban.sokoban.search.few_boxes import FewBoxesLater, few_boxes_both_ways
from tokoban.sokoban.search.flood import flood
from tokoban.sokoban.search.ground import NONE, Squares
from tokoban.sokoban.search.one_box import Step, directions_of_steps
from tokoban.sokoban.search.outcome import Outcome
from tokoban.sokoban.search.positions import (
    Positions,
    Refill,
    empty_positions,
    enlarged,
    next_capacity,
    num_bytes,
    packed_bits,
    refill_slots,
    unpacked_bits,
)
from tokoban.sokoban.search.pull_layers import (
    NEXT,
    NUM_CANDIDATES,
    NUM_PULLS,
    SOLVED_BY,
    Layer,
    add_pulls,
    empty_layer,
    keep,
)
from tokoban.sokoban.search.single import ONE_PUSH, solve_in_slices
from tokoban.sokoban.search.steps import completed

# Positions that a layer keeps in the first round, and how many times as many in each later one.
_FIRST_WIDTH, _GROWTH = 100, 3
_PATIENCE = 200  # layers in which no lower bound falls below the least so far; then the round ends
_FIRST_CAPACITY = 1 << 12  # positions


class PullBeam:
    """Beams from the solved board, each wider than the one before.

    The unit of its work is a pull that is tried.
    """

    name = "pull-beam"
    is_complete = False

    def __init__(
        self, tables: Tables, goals: Int16[np.ndarray, " G"], player: int, few_boxes: FewBoxesLater
    ) -> None:
        """``tables`` and ``few_boxes`` are those for pulls, and shared with other searches.

        ``goals`` are where the boxes are in the end.
        """
        self._tables, self._player, self._few_boxes = tables, player, few_boxes
        self._goals = goals
        ground = tables.ground
        num_floor = len(ground.zone)
        starts = _is_blocked(num_floor, ground.goals)
        marks, waiting = np.zeros(num_floor + 1, np.int64), np.empty(num_floor + 1, np.int32)
        self._start_player = flood(ground.neighbours, starts, player, marks, 1, waiting)
        self._now = np.full(1, NONE)  # as in ``FewBoxes``
        self._scratch = empty_scratch(num_floor, len(ground.goals))
        self._refill = Refill()
        self._earlier_pulls = self._earlier_expansions = 0  # of the rounds before
        self._reached = NONE  # the position that is the start
        self._begin_round(_FIRST_WIDTH)

    def _begin_round(self, width: int) -> None:
        ground, num_floor = self._tables.ground, len(self._tables.ground.zone)
        self._width = width
        goals = _is_blocked(num_floor, self._goals)
        self._positions = _solved_board(ground.keys, goals, ground.neighbours)
        capacity = 4 * len(ground.goals) * max(width, int(self._positions.num_known[0]))
        self._layer = empty_layer(capacity, packed_bits(goals[:-1]), num_floor)
        self._layer_ends = int(self._positions.num_known[0])  # the position after its last
        self._least, self._patience = int(np.iinfo(np.int32).max), _PATIENCE
        self._is_over = self._has_dropped = False

    @property
    def work(self) -> int:
        """As ``SliceSearch`` says."""
        return self._earlier_pulls + int(self._layer.progress[NUM_PULLS])

    def progress(self, elapsed_s: float) -> Progress:
        """As ``single.Search`` says."""
        expansions = self._earlier_expansions + int(self._layer.progress[NEXT])
        return Progress(expansions, int(self._positions.num_known[0]), elapsed_s)

    def num_bytes(self) -> int:
        """As ``single.Search`` says."""
        return num_bytes((self._positions, self._layer, self._scratch))

    def num_bytes_while_growing(self) -> int:
        """As ``single.Search`` says."""
        more = _GROWTH * num_bytes(self._layer) if self._is_over else num_bytes(self._positions)
        return self.num_bytes() + more

    def grow(self) -> None:
        """As ``single.Search`` says: begins the next round if one is over."""
        if self._is_over:
            self._earlier_pulls = self.work
            self._earlier_expansions = self.progress(0.0).expansions
            self._begin_round(_GROWTH * self._width)
            return
        slots = self._positions.slots
        self._positions = enlarged(self._positions, next_capacity(len(self._positions.player)))
        if self._positions.slots is not slots:
            self._refill.begin()

    def go_on(self, budget: int, max_expansions: int | None) -> Outcome:
        """As ``single.Search`` says."""
        ground, positions, progress = self._tables.ground, self._positions, self._layer.progress
        enter = partial(refill_slots, positions, ground.keys)
        if self._refill.go_on(int(positions.num_known[0]), enter):
            return Outcome.BUDGET_SPENT
        expansions = self.progress(0.0).expansions
        if expansions >= self._few_boxes.next_at:
            self._few_boxes.go_on()
            return Outcome.BUDGET_SPENT
        if self._is_over:
            return Outcome.STORE_FULL if self._has_dropped else Outcome.EXHAUSTED
        if progress[NEXT] == self._layer_ends or progress[SOLVED_BY] != NONE:
            return self._end_layer()
        last = self._layer_ends
        if max_expansions is not None:
            last = min(last, int(progress[NEXT]) + max_expansions - expansions)
        add_pulls(
            self._tables,
            positions,
            self._layer,
            self._scratch,
            self._few_boxes.tables._replace(now=self._now),
            self._start_player,
            last,
            int(progress[NUM_PULLS]) + budget,
        )
        return Outcome.BUDGET_SPENT

    def _end_layer(self) -> Outcome:
        """Stores the positions that are kept, which are the next to be gone on from."""
        positions, layer = self._positions, self._layer
        num_candidates = int(layer.progress[NUM_CANDIDATES])
        solved_by = int(layer.progress[SOLVED_BY])
        chosen = _chosen(layer, self._width) if solved_by == NONE else np.array([solved_by])
        if int(positions.num_known[0]) + len(chosen) > len(positions.player):
            return Outcome.STORE_FULL
        keep(self._tables.ground, positions, layer, chosen, self._scratch.words)
        self._layer_ends = int(positions.num_known[0])
        if solved_by != NONE:
            self._reached = self._layer_ends - 1
            return Outcome.SOLVED
        least = int(layer.lower_bound[chosen].min(initial=self._least))
        self._patience = _PATIENCE if least < self._least else self._patience - 1
        self._least = least
        self._is_over = num_candidates == 0 or self._patience == 0
        self._has_dropped |= len(chosen) < num_candidates or self._patience == 0
        layer.progress[NUM_CANDIDATES] = 0
        layer.slots.fill(NONE)
        return Outcome.BUDGET_SPENT

    def directions(self) -> tuple[Direction, ...]:
        """As ``single.Search`` says: the pulls in the order of play."""
        ground, reached = self._tables.ground, self._reached
        is_box = unpacked_bits(self._positions.boxes[reached], len(ground.zone))
        return directions_of_steps(ground, is_box, self._player, self.steps_to_end(reached))

    @property
    def pulled(self) -> Positions | None:
        """As ``FromTheEnd`` says."""
        return None if self._refill.is_underway else self._positions

    def steps_to_end(self, position: int) -> list[Step]:
        """As ``FromTheEnd`` says."""
        positions, num_floor = self._positions, len(self._tables.ground.zone)
        return [
            step_between(positions, before, after, NONE, num_floor)
            for before, after in pairwise(chain(positions, position))
        ]

    def optimum(self) -> None:
        """As ``single.Search`` says: none."""


def _is_blocked(num_floor: int, boxes: Int16[np.ndarray, " _"]) -> Bool[np.ndarray, " _"]:
    """Walls and boxes."""
    is_blocked = np.zeros(num_floor + 1, np.bool_)
    is_blocked[[*boxes, num_floor]] = True
    return is_blocked


def _solved_board(
    keys: UInt64[np.ndarray, "2 F"],
    is_blocked: Bool[np.ndarray, "F+1"],
    neighbours: Int16[np.ndarray, "F+1 4"],
) -> Positions:
    """The solved board, once for each region that the player may be in."""
    num_floor = len(neighbours) - 1
    marks, waiting = np.zeros(num_floor + 1, np.int64), np.empty(num_floor + 1, np.int32)
    positions = empty_positions(max(_FIRST_CAPACITY, num_floor), num_floor)
    positions.boxes[:num_floor] = packed_bits(is_blocked[:-1])
    positions.boxes_key[:num_floor] = np.bitwise_xor.reduce(keys[0, is_blocked[:-1]])
    positions.parent[:num_floor] = NONE
    for square in np.flatnonzero(~is_blocked).tolist():
        if not marks[square]:
            least = flood(neighbours, is_blocked, square, marks, 1, waiting)
            positions.player[positions.num_known[0]] = least
            positions.num_known[0] += 1
    refill_slots(positions, keys, 0, int(positions.num_known[0]))
    return positions


def _chosen(layer: Layer, width: int) -> Int64[np.ndarray, " _"]:
    """The candidates that are kept, at most ``width``.

    The lower the sum of the lower bound and the regions of free floor, the better. Half are the
    best of all, the others the best of each kind in turn, by boxes on goals and regions.
    """
    count = int(layer.progress[NUM_CANDIDATES])
    if count <= width:
        return np.arange(count)
    num_regions = layer.num_regions[:count].astype(np.int64)
    # Equal ones are ordered by their hash, as good as drawn.
    tie = (layer.boxes_key[:count] >> np.uint64(48)).astype(np.int64)
    badness = (layer.lower_bound[:count] + num_regions << 16) + tie
    kind = (layer.num_on_goals[:count].astype(np.int64) << 16) + num_regions
    in_turn = np.lexsort((badness, ranks_in_kind(kind, badness)))[: width // 2]
    badness[in_turn] = np.iinfo(np.int64).max
    return np.concatenate([in_turn, np.argsort(badness, kind="stable")[: width - width // 2]])


def ranks_in_kind(
    kind: Int64[np.ndarray, " N"], badness: Int64[np.ndarray, " N"]
) -> Int64[np.ndarray, " N"]:
    """The place of each candidate among those of its kind, from 0 for the least badness."""
    by_kind = np.lexsort((badness, kind))
    firsts = np.flatnonzero(np.diff(kind[by_kind], prepend=-1))
    ranks = np.empty(len(kind), np.int64)
    ranks[by_kind] = np.arange(len(kind)) - np.repeat(firsts, np.diff(firsts, append=len(kind)))
    return ranks


@cache
def prepare() -> None:
    """Searches a board of one push, so that no clock counts the seconds of a first compilation."""
    few_boxes.prepare()
    squares = Squares(ONE_PUSH)
    forward, backward = completed(tables_in_steps(ONE_PUSH, squares))
    player = squares.number[ONE_PUSH.player]
    later = few_boxes_both_ways(forward.ground, backward.ground, player)[1]
    solve_in_slices(PullBeam(backward, forward.ground.goals, player, later))
