"""A beam search by pulls from the solved board: each layer keeps a number of positions."""

from collections.abc import Iterator
from functools import cache, partial
from itertools import pairwise

import numpy as np
from jaxtyping import Bool, Int16, Integer, UInt64

from tokoban.sokoban.board import Direction
from tokoban.sokoban.search.answer import Progress
from tokoban.sokoban.search.level.flood import flood
from tokoban.sokoban.search.level.ground import NONE, Ground, Squares, grounds_both_ways
from tokoban.sokoban.search.level.one_box import Step, directions_of_steps
from tokoban.sokoban.search.outcome import Outcome
from tokoban.sokoban.search.pauses import ONE_PUSH, Budget, found_by
from tokoban.sokoban.search.searches.beam import pull_layers
from tokoban.sokoban.search.searches.beam.beam import Beam
from tokoban.sokoban.search.searches.beam.pull_layers import (
    NEXT,
    NUM_CANDIDATES,
    NUM_PULLS,
    SOLVED_BY,
    add_pulls,
    empty_layer,
    keep,
)
from tokoban.sokoban.search.searches.beam.rounds import (
    ORDERING_BYTES,
    Rounds,
    Schedule,
    are_all_matched,
    badness_of,
    in_order,
)
from tokoban.sokoban.search.state.columns import enlarge
from tokoban.sokoban.search.state.positions import (
    Positions,
    empty_positions,
    enlarged,
    next_capacity,
    num_bytes,
    packed_bits,
    refill,
    refill_slots,
    unpacked_bits,
)
from tokoban.sokoban.search.state.walks import chain
from tokoban.sokoban.search.steps import Steps

# The weights of regions of floor, and of boxes on the goals from which they have to be pulled. No
# pair is better on all levels, so the rounds take them in turn.
_SCHEDULE: Schedule = ((1, 0), (1, 4), (0, 1))
_FIRST_POSITIONS, _FIRST_CANDIDATES = 1 << 12, 1 << 14


class PullBeam(Beam):
    """Beams from the solved board, in the rounds of ``rounds``."""

    def __init__(
        self,
        ground: Ground,
        goals: Int16[np.ndarray, " G"],
        player: int,
        *,
        seed: int,
    ) -> None:
        """``ground`` is that for pulls; ``goals`` where boxes are in the end.

        The ground is shared, and not counted in the bytes. ``seed`` is that of ``Round``.
        """
        self._player, self.goals, self.seed = player, goals, seed
        self._is_matched = are_all_matched(ground)
        num_floor = len(ground.zone)
        starts = _is_blocked(num_floor, ground.goals)
        marks, waiting = np.zeros(num_floor + 1, np.int64), np.empty(num_floor + 1, np.int32)
        self._start_player = flood(ground.neighbours, starts, player, marks, 1, waiting)
        self._lacks_slots = False
        rounds = Rounds(ground.is_goal[:-1], _SCHEDULE, seed=seed)
        super().__init__(ground, rounds)
        self._scratch_bytes = num_bytes(self._scratch)

    def _begin(self) -> None:
        ground, current = self.ground, self._rounds.current
        num_floor = len(ground.zone)
        is_blocked = _is_blocked(num_floor, self.goals)
        goal_words = packed_bits(is_blocked[:-1])
        # A step of the path pushes back to the position before its pull, where the player's region
        # is ``step.player``. So the step after the prefix tells where the player begins.
        for step in current.prefix:
            is_blocked[step.end] = False
            is_blocked[step.box] = True
        player = None if current.next_step is None else current.next_step.player
        self._positions = _first_positions(ground.keys, is_blocked, ground.neighbours, player)
        self._pulled_to = np.full(len(self._positions.player), NONE, np.int16)
        self._layer = empty_layer(_FIRST_CANDIDATES + 8 * num_floor, goal_words)
        self._layer_ends = int(self._positions.num_known[0])  # the position after its last

    @property
    def path(self) -> list[Step]:
        """From the end to the best position of the round, once that is over.

        Each step pushes back to the position before its pull, where the player's region is
        ``step.player``.
        """
        return self._rounds.path_of_round

    def cut_path(self, length: int) -> None:
        """Drops all but the first so many steps of ``path``: no solution uses the others."""
        self._rounds.cut_path(length)

    @property
    def num_expansions(self) -> int:
        """The expansions of all rounds."""
        return self._earlier_expansions + int(self._layer.progress[NEXT])

    @property
    def _work(self) -> int:
        return int(self._layer.progress[NUM_PULLS])

    def pause(self) -> Progress:
        """As ``Searcher`` says."""
        own = self._scratch_bytes + num_bytes((self._positions, self._layer, self._pulled_to))
        return Progress(
            "pull-beam",
            self.num_expansions,
            int(self._positions.num_known[0]),
            work=self._rounds.work + self._work,
            num_bytes=own + ORDERING_BYTES * int(self._layer.progress[NUM_CANDIDATES]),
        )

    def _expand(self, budget: Budget) -> Outcome:
        if self._lacks_positions:
            return Outcome.STORE_FULL
        num_left = budget.expansions - self.num_expansions
        last = min(self._layer_ends, int(self._layer.progress[NEXT]) + num_left)
        outcome: Outcome = add_pulls(
            self.ground,
            self._is_matched,
            self._positions,
            self._layer,
            self._scratch,
            self._start_player,
            self._rounds.current.weights,
            self._rounds.current.bonuses,
            last,
            self._work + budget.work,
        )
        is_cut = outcome == Outcome.EXHAUSTED and last < self._layer_ends
        return Outcome.BUDGET_SPENT if is_cut else outcome

    @property
    def _lacks_positions(self) -> bool:
        """Whether another layer might not find room."""
        return self._layer_ends + self._rounds.current.width > len(self._positions.player)

    def _bytes_to_grow(self) -> int:
        return num_bytes((self._layer, self._layer.slots, self._positions, self._pulled_to))

    def _grow(self) -> Iterator[bool]:
        if not self._lacks_positions:
            num_slots = len(self._layer.slots)
            self._layer = pull_layers.grown(self._layer)
            if len(self._layer.slots) > num_slots:
                enter = partial(pull_layers.refill_slots, self._layer, self.ground.keys)
                yield from refill(int(self._layer.progress[NUM_CANDIDATES]), enter)
            return
        num_slots, capacity = len(self._positions.slots), next_capacity(len(self._pulled_to))
        self._positions = enlarged(self._positions, capacity)
        enlarge(self._pulled_to, capacity)
        if len(self._positions.slots) > num_slots:
            enter = partial(refill_slots, self._positions, self.ground.keys)
            count = int(self._positions.num_known[0])
            for self._lacks_slots in refill(count, enter):
                yield self._lacks_slots

    def _end_layer(self) -> Steps[Outcome]:
        """Stores the positions that are kept, and begins their layer."""
        layer, positions, current = self._layer, self._positions, self._rounds.current
        first, count = self._layer_ends, int(layer.progress[NUM_CANDIDATES])
        yield
        score, key = layer.score[:count], layer.boxes_key[:count]
        chosen = in_order(score, key, current.width, current.seed)[: current.width]
        keep(self.ground, positions, layer, chosen, self._scratch.words)
        self._layer_ends = last = int(positions.num_known[0])
        self._pulled_to[first:last] = layer.to[chosen]
        self._has_dropped |= len(chosen) < count
        badness = badness_of(layer.score[chosen])
        layer.progress[NUM_CANDIDATES] = 0
        layer.slots.fill(NONE)
        return self._judge_layer(np.arange(first, last), badness, is_last=count == 0)

    def _boxes_of(self, positions: Integer[np.ndarray, " K"]) -> Bool[np.ndarray, "K F"]:
        return unpacked_bits(self._positions.boxes[positions], len(self.ground.zone))

    def directions(self) -> tuple[Direction, ...]:
        """The solution: the pulls in the order of play."""
        is_box = self.ground.is_goal[:-1]
        return directions_of_steps(self.ground, is_box, self._player, self._solution())

    def _solution(self) -> list[Step]:
        layer, last = self._layer, int(self._layer.progress[SOLVED_BY])
        parent = int(layer.parent[last])
        player = int(self._positions.player[parent])
        first = Step(int(layer.to[last]), int(layer.box[last]), player)
        return [first, *self.steps_to_end(parent)]

    @property
    def pulled(self) -> Positions | None:
        """As ``FromTheEnd`` says."""
        return None if self._lacks_slots else self._positions

    def steps_to_end(self, position: int) -> list[Step]:
        """As ``FromTheEnd`` says."""
        return [*self._path_to(position)[::-1], *self._rounds.current.prefix[::-1]]

    def _path_to(self, position: int) -> list[Step]:
        positions, num_floor = self._positions, len(self.ground.zone)
        return [
            _step_between(positions, before, after, int(self._pulled_to[before]), num_floor)
            for before, after in pairwise(chain(positions, position))
        ][::-1]


def _step_between(
    positions: Positions, before: int, after: int, around: int, num_floor: int
) -> Step:
    """The pushes from one position to the next.

    ``around`` is the square of the box if its pushes lead back to where it was.
    """
    is_box, is_box_after = (unpacked_bits(positions.boxes[i], num_floor) for i in (before, after))
    box = end = around
    if (is_box != is_box_after).any():
        box = int(np.flatnonzero(is_box & ~is_box_after)[0])
        end = int(np.flatnonzero(is_box_after & ~is_box)[0])
    return Step(box, end, int(positions.player[after]))


def _is_blocked(num_floor: int, boxes: Int16[np.ndarray, " _"]) -> Bool[np.ndarray, " _"]:
    """Walls and boxes."""
    is_blocked = np.zeros(num_floor + 1, np.bool_)
    is_blocked[[*boxes, num_floor]] = True
    return is_blocked


def _first_positions(
    keys: UInt64[np.ndarray, "2 F"],
    is_blocked: Bool[np.ndarray, "F+1"],
    neighbours: Int16[np.ndarray, "F+1 4"],
    player: int | None,
) -> Positions:
    """A position with the player, or if that is None one for each region that it may be in."""
    num_floor = len(neighbours) - 1
    marks, waiting = np.zeros(num_floor + 1, np.int64), np.empty(num_floor + 1, np.int32)
    positions = empty_positions(max(_FIRST_POSITIONS, num_floor), num_floor)
    positions.boxes[:num_floor] = packed_bits(is_blocked[:-1])
    positions.boxes_key[:num_floor] = np.bitwise_xor.reduce(keys[0, is_blocked[:-1]])
    positions.parent[:num_floor] = NONE
    squares = np.flatnonzero(~is_blocked).tolist() if player is None else [player]
    for square in squares:
        if not marks[square]:
            least = flood(neighbours, is_blocked, square, marks, 1, waiting)
            positions.player[positions.num_known[0]] = least
            positions.num_known[0] += 1
    refill_slots(positions, keys, 0, int(positions.num_known[0]))
    return positions


@cache
def prepare() -> None:
    """Searches a board of one push, so that no clock counts the seconds of a first compilation."""
    squares = Squares(ONE_PUSH)
    ground, by_pulls = grounds_both_ways(ONE_PUSH, squares)
    player = squares.number[ONE_PUSH.player]
    beam = PullBeam(by_pulls, ground.goals, player, seed=0)
    # Otherwise first called when a layer grows or ends, which only happens on larger levels.
    pull_layers.refill_slots(beam._layer, by_pulls.keys, 0, 0)
    words = np.empty(beam._positions.boxes.shape[1], np.uint64)
    keep(by_pulls, beam._positions, beam._layer, np.empty(0, np.int64), words)
    found_by(beam)
