"""A beam search by pulls from the solved board: each layer keeps a number of positions.

Beam search is from Lowerre, "The Harpy speech recognition system" (1976). All positions of a layer
have as many moves behind them, each any pulls of one box alone, so that none crowds out the others
merely because it is easy to go on from, as in a best-first search that has come to a region without
a way out. What a layer drops is lost, so nothing is proved. Later rounds learn from the positions
in which earlier ones got stuck (``rounds``).
"""

from collections.abc import Iterator
from functools import cache, partial
from itertools import pairwise

import numpy as np
from jaxtyping import Bool, Int16, Int64, Integer, UInt64

from tokoban.sokoban.board import Direction
from tokoban.sokoban.search.answer import Progress
from tokoban.sokoban.search.level.flood import flood
from tokoban.sokoban.search.level.ground import (
    NONE,
    Ground,
    Squares,
    build_ground,
    reversed_in_steps,
)
from tokoban.sokoban.search.level.one_box import Step, directions_of_steps
from tokoban.sokoban.search.level.regions import empty_regions
from tokoban.sokoban.search.measures.shut_off import num_shut_off
from tokoban.sokoban.search.outcome import Outcome
from tokoban.sokoban.search.pauses import (
    ONE_PUSH,
    Budget,
    Search,
    found_by,
)
from tokoban.sokoban.search.rules import few_boxes
from tokoban.sokoban.search.rules.learned import Applied, Learned, learned_of
from tokoban.sokoban.search.searches.beam import pull_layers
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
    PATIENCE,
    SHUT_OFF_WORK,
    Rounds,
    Schedule,
    are_all_matched,
    badness_of,
    best_of,
    choose_in_steps,
    end_layer,
)
from tokoban.sokoban.search.state.positions import (
    Positions,
    empty_positions,
    enlarge,
    enlarged,
    next_capacity,
    num_bytes,
    packed_bits,
    refill,
    refill_slots,
    unpacked_bits,
)
from tokoban.sokoban.search.state.walks import chain
from tokoban.sokoban.search.state.workspace import workspace_for
from tokoban.sokoban.search.steps import Steps, completed

# How often regions of floor count, and boxes on the goals from which they have to be pulled. No
# pair is better on all levels, so the rounds take them in turn.
_SCHEDULE = Schedule(((1, 0), (1, 4), (0, 1)))
_FIRST_POSITIONS, _FIRST_CANDIDATES = 1 << 12, 1 << 14


class PullBeam:
    """Beams from the solved board, in the rounds of ``rounds``.

    The unit of its work is a pull that is tried, or a lower bound.
    """

    def __init__(
        self,
        ground: Ground,
        goals: Int16[np.ndarray, " G"],
        player: int,
        learned: Learned,
        *,
        seed: int,
    ) -> None:
        """``ground`` is that for pulls; ``goals`` where boxes are in the end.

        The ground and ``learned`` are shared, and not counted in the bytes. ``seed`` is that of
        ``Round``.
        """
        self.ground, self._player = ground, player
        self.goals, self.seed = goals, seed
        # On boards too large for a matching of all boxes, counting would take too long too.
        self._is_matched = are_all_matched(ground)
        self._rules = Applied(learned, is_shared=True, by_pulls=True)
        num_floor = len(ground.zone)
        starts = _is_blocked(num_floor, ground.goals)
        marks, waiting = np.zeros(num_floor + 1, np.int64), np.empty(num_floor + 1, np.int32)
        self._start_player = flood(ground.neighbours, starts, player, marks, 1, waiting)
        self._scratch = workspace_for(
            num_floor, len(ground.goals), regions=empty_regions(num_floor)
        )
        self._lacks_slots = False
        self._earlier_expansions = 0  # of the rounds before
        self._reached = NONE  # the position that is the start
        self._rounds = Rounds(
            ground.is_goal[:-1], _SCHEDULE, counts_shut_off=self._is_matched, seed=seed
        )
        self._begin_round()

    def _begin_round(self) -> None:
        ground, current = self.ground, self._rounds.current
        num_floor = len(ground.zone)
        is_blocked = _is_blocked(num_floor, self.goals)
        goal_words = packed_bits(is_blocked[:-1])
        # A step of the path pushes back to the position before its pull, where the player's region
        # is ``step.player``. So the step after the prefix tells where the player begins.
        for step in current.prefix:
            is_blocked[step.end] = False
            is_blocked[step.box] = True
        player = (
            current.next_step.player if current.prefix and current.next_step is not None else None
        )
        self._positions = _first_positions(ground.keys, is_blocked, ground.neighbours, player)
        self._pulled_to = np.full(len(self._positions.player), NONE, np.int16)
        self._layer = empty_layer(_FIRST_CANDIDATES + 8 * num_floor, goal_words)
        self._layer_ends = int(self._positions.num_known[0])  # the position after its last
        self._least, self._patience = int(np.iinfo(np.int64).max), PATIENCE
        # The best positions of the round, and how bad they are.
        self._best, self._badness = np.empty((2, 0), np.int64)
        self.is_over = self._has_dropped = False

    @property
    def path(self) -> list[Step]:
        """From the end to the best position of the round, once that is over.

        Each step pushes back to the position before its pull, where the player's region is
        ``step.player``.
        """
        return self._rounds.path_of_round

    def cut_path(self, length: int) -> None:
        """Drops all but the first so many steps of ``path``: no solution comes by the others."""
        self._rounds.cut_path(length)

    @property
    def num_expansions(self) -> int:
        """Of all rounds."""
        return self._earlier_expansions + int(self._layer.progress[NEXT])

    def pause(self) -> Progress:
        """As ``Searcher`` says."""
        own = num_bytes((self._positions, self._layer, self._scratch)) + self._pulled_to.nbytes
        progress = self._layer.progress
        return Progress(
            "pull-beam",
            self.num_expansions,
            int(self._positions.num_known[0]),
            work=self._rounds.work + int(progress[NUM_PULLS]),
            num_bytes=own + ORDERING_BYTES * int(progress[NUM_CANDIDATES]),
        )

    def search(self, budget: Budget) -> Search:
        """As ``Searcher`` says.

        Between two rounds it pauses as if it had to grow, for it then lets go of the last one.
        """
        while True:
            if self._rules.goes_on(self.num_expansions):
                budget = yield self.pause()
                continue
            if self.is_over:
                pause = self.pause()
                budget = yield pause._replace(growing_bytes=pause.num_bytes)
                self._end_round()
            outcome = self._pull(budget)
            if outcome == Outcome.STORE_FULL:
                budget = yield self._pause_to_grow()
                for _ in self._grow_layer():
                    budget = yield self.pause()
            elif outcome == Outcome.BUDGET_SPENT:
                budget = yield self.pause()
            else:
                width, count = self._rounds.current.width, int(self._layer.progress[NUM_CANDIDATES])
                most = 1 if outcome == Outcome.SOLVED else min(width, count)
                while self._layer_ends + most > len(self._positions.player):
                    budget = yield self._pause_to_grow()
                    for _ in self._grow_positions():
                        budget = yield self.pause()
                found, budget = yield from end_layer(self, self._end_layer(), budget)
                if found is not None:
                    return found

    def _pull(self, budget: Budget) -> Outcome:
        """Adds pulls of this layer; EXHAUSTED once it has none left."""
        progress = self._layer.progress
        last = min(self._layer_ends, int(progress[NEXT]) + budget.expansions - self.num_expansions)
        outcome: Outcome = add_pulls(
            self.ground,
            self._is_matched,
            self._positions,
            self._layer,
            self._scratch,
            self._rules.few_boxes,
            self._start_player,
            self._rounds.current.weights,
            self._rounds.current.bonuses,
            last,
            int(progress[NUM_PULLS]) + budget.work,
        )
        is_cut = outcome == Outcome.EXHAUSTED and last < self._layer_ends
        return Outcome.BUDGET_SPENT if is_cut else outcome

    def _pause_to_grow(self) -> Progress:
        pause = self.pause()
        more = pull_layers.num_bytes_while_growing(self._layer) - num_bytes(self._layer)
        more += num_bytes(self._positions) + self._pulled_to.nbytes
        return pause._replace(growing_bytes=pause.num_bytes + more)

    def _grow_layer(self) -> Iterator[bool]:
        slots = self._layer.slots
        self._layer = pull_layers.grown(self._layer)
        if self._layer.slots is not slots:
            del slots
            enter = partial(pull_layers.refill_slots, self._layer, self.ground.keys)
            yield from refill(int(self._layer.progress[NUM_CANDIDATES]), enter)

    def _grow_positions(self) -> Iterator[bool]:
        slots, capacity = self._positions.slots, next_capacity(len(self._positions.player))
        self._positions = enlarged(self._positions, capacity)
        enlarge(self._pulled_to, capacity)
        if self._positions.slots is not slots:
            del slots
            count = int(self._positions.num_known[0])
            enter = partial(refill_slots, self._positions, self.ground.keys)
            for self._lacks_slots in refill(count, enter):
                yield self._lacks_slots

    def _end_round(self) -> None:
        """Begins the next round."""
        self._earlier_expansions = self.num_expansions
        self._rounds.end(int(self._layer.progress[NUM_PULLS]))
        self._begin_round()

    def _end_layer(self) -> Steps[Outcome]:
        """Stores the positions that are kept, for which there is room, and begins their layer."""
        layer, positions, current = self._layer, self._positions, self._rounds.current
        first = self._layer_ends
        count, solved_by = int(layer.progress[NUM_CANDIDATES]), int(layer.progress[SOLVED_BY])
        chosen = np.array([solved_by])
        if solved_by == NONE:
            key = layer.boxes_key[:count]
            chosen = yield from choose_in_steps(
                layer.score[:count], key, current, self.ground, self._counted, by_pulls=True
            )
            chosen = chosen[: current.width]
        keep(self.ground, positions, layer, chosen, self._scratch.words)
        self._layer_ends = int(positions.num_known[0])
        self._pulled_to[first : self._layer_ends] = layer.to[chosen]
        if solved_by != NONE:
            self._reached = first
            return Outcome.SOLVED
        badness = badness_of(layer.score[chosen])
        self._best = np.append(self._best, np.arange(first, self._layer_ends))
        self._badness = np.append(self._badness, badness)
        best = best_of(self._badness)
        self._best, self._badness = self._best[best], self._badness[best]
        least = int(badness.min(initial=self._least))
        self._patience = PATIENCE if least < self._least else self._patience - 1
        self._least = least
        self._has_dropped |= len(chosen) < count
        # Where nothing was dropped a wider round would be the same.
        self.is_over = count == 0 or (self._patience <= 0 and self._has_dropped)
        layer.progress[NUM_CANDIDATES] = 0
        layer.slots.fill(NONE)
        if count == 0 and not self._has_dropped:
            if not current.prefix:
                return Outcome.EXHAUSTED
            self._rounds.forget_path()
            self._best = self._best[:0]
        if self.is_over:
            self._rounds.learn(
                self._boxes_of(self._best),
                lambda i: self._steps_of_round(int(self._best[i]))[::-1],
            )
        return Outcome.BUDGET_SPENT

    def _counted(self, candidates: Int64[np.ndarray, " K"]) -> Bool[np.ndarray, "K F"]:
        """The boxes of candidates in which starts that are shut off are counted."""
        layer, rows = self._layer, np.arange(len(candidates))
        layer.progress[NUM_PULLS] += SHUT_OFF_WORK * len(candidates)
        is_box = self._boxes_of(layer.parent[candidates])
        is_box[rows, layer.box[candidates]] = False
        is_box[rows, layer.to[candidates]] = True
        return is_box

    def _boxes_of(self, positions: Integer[np.ndarray, " K"]) -> Bool[np.ndarray, "K F"]:
        """The boxes of each position."""
        return unpacked_bits(self._positions.boxes[positions], len(self.ground.zone))

    def directions(self) -> tuple[Direction, ...]:
        """The solution: the pulls in the order of play."""
        ground, reached = self.ground, self._reached
        is_box = unpacked_bits(self._positions.boxes[reached], len(ground.zone))
        return directions_of_steps(ground, is_box, self._player, self.steps_to_end(reached))

    @property
    def pulled(self) -> Positions | None:
        """As ``FromTheEnd`` says."""
        return None if self._lacks_slots else self._positions

    def steps_to_end(self, position: int) -> list[Step]:
        """As ``FromTheEnd`` says."""
        return [*self._steps_of_round(position), *self._rounds.current.prefix[::-1]]

    def _steps_of_round(self, position: int) -> list[Step]:
        """The pushes from a position to where the round began."""
        positions, num_floor = self._positions, len(self.ground.zone)
        return [
            _step_between(positions, before, after, int(self._pulled_to[before]), num_floor)
            for before, after in pairwise(chain(positions, position))
        ]


def _step_between(
    positions: Positions, before: int, after: int, around: int, num_floor: int
) -> Step:
    """The pushes from one position to the next.

    ``around`` is the square of the box should it only be pushed around to where it was.
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
    """A position with the player, or one for each region that the player may be in if None."""
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
    few_boxes.prepare()
    squares = Squares(ONE_PUSH)
    ground, player = build_ground(ONE_PUSH, squares), squares.number[ONE_PUSH.player]
    by_pulls = completed(reversed_in_steps(ground, squares.numbers(ONE_PUSH.boxes)))
    num_shut_off(by_pulls, squares.is_among(ONE_PUSH.boxes)[np.newaxis], by_pulls=True)
    beam = PullBeam(by_pulls, ground.goals, player, learned_of(ground, by_pulls, player), seed=0)
    # Else first called where a layer has grown, as on large levels alone.
    pull_layers.refill_slots(beam._layer, by_pulls.keys, 0, 0)
    found_by(beam)
