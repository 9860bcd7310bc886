"""Targets: positions that pulls from the end have loosened, to which FESS pushes from the start.

After the pairs of searches of Festival (Yaron Shoham): a crowded end is far from anything that the
features of a forward search know; with some boxes pulled out of it, it is an easier goal. FESS
takes the boxes of the target for the goals. Nothing but a meeting comes of that: no target has to
be reachable, so this search proves nothing.
"""

import numpy as np

from tokoban.sokoban.board import Board, Direction
from tokoban.sokoban.search.aims import continued, with_boxes_as_goals
from tokoban.sokoban.search.bidirectional.features import (
    MAX_AT_ARTICULATIONS,
    MAX_OUTSIDE,
    MAX_REGIONS,
)
from tokoban.sokoban.search.bidirectional.paths import steps_to_end
from tokoban.sokoban.search.bidirectional.solver import BidirectionalFess
from tokoban.sokoban.search.fess.solver import Fess, fess_in_steps
from tokoban.sokoban.search.ground import NONE, Squares
from tokoban.sokoban.search.outcome import Outcome
from tokoban.sokoban.search.positions import Positions, packed_bits, unpacked_bits
from tokoban.sokoban.search.relay import Relay

# Expansions: of the pulls in all rounds so far, and of FESS to each target; both grow by round.
_PULLS, _MOST_PULLS = 3_000, 24_000
_PUSHES = 1_000
_GROWTH = 4
# The shares of boxes that a target has on goals, in the first round and in later ones.
_FIRST_SHARES = (0.75, 0.5, 0.25)
_LATER_SHARES = (0.875, 0.75, 0.625, 0.5, 0.375, 0.25, 0.125, 0.0)


class Targets:
    """Pulls, then pushes to each of some targets, then more of both.

    The unit of its work is a flood of the pulls, or a push that FESS tries.
    """

    name = "targets"
    is_complete = False

    def __init__(self, board: Board, squares: Squares, pulls: BidirectionalFess) -> None:
        """``pulls`` searches backwards alone."""
        self._board, self._squares, self._pulls = board, squares, pulls
        self.steps_to_end = pulls.steps_to_end
        self._relay = relay = Relay[Fess](pulls)
        self.progress, self.num_bytes = relay.progress, relay.num_bytes
        self.num_bytes_while_growing, self.grow = relay.num_bytes_while_growing, relay.grow
        self._round = 0
        self._shares: list[float] = []  # of boxes on goals, for which targets are to be chosen
        self._targets: list[int] = []  # positions of the backward side, the next one first
        self._is_pulled = False  # as much as this round asks for
        self._are_all_pulled = False
        self._has_met = False  # pulls alone have come to the start
        self._is_unfinished = False  # FESS was stopped before a target of this round

    @property
    def pulled(self) -> Positions | None:
        """As ``FromTheEnd`` says."""
        return self._pulls.pulled

    @property
    def work(self) -> int:
        """As ``SliceSearch`` says."""
        return self._relay.work

    def go_on(self, budget: int, max_expansions: int | None) -> Outcome:
        """As ``single.Search`` says."""
        if not self._is_pulled:
            return self._pull(budget, max_expansions)
        if self._shares:  # one at a time, for there may be millions of positions
            self._choose(self._shares.pop(0))
            return Outcome.BUDGET_SPENT
        if self._relay.later is not None:
            return self._push(self._relay.later, budget, max_expansions)
        if self._relay.set_up():
            return Outcome.BUDGET_SPENT
        if not self._targets:
            # Later rounds have the same targets.
            has_most = self._pulls.progress(0.0).expansions >= _MOST_PULLS
            is_last = self._are_all_pulled or (has_most and not self._is_unfinished)
            if is_last and self._round > 0:
                return Outcome.EXHAUSTED
            self._round += 1
            self._is_pulled = self._is_unfinished = False
            return Outcome.BUDGET_SPENT
        self._aim(self._targets[0])
        return Outcome.BUDGET_SPENT

    def _pull(self, budget: int, max_expansions: int | None) -> Outcome:
        """Goes on from the end, until that was enough for this round."""
        most = min(_PULLS * _GROWTH**self._round, _MOST_PULLS)
        outcome = Outcome.BUDGET_SPENT
        if self._pulls.progress(0.0).expansions < most and not self._are_all_pulled:
            outcome = self._relay.go_on(self._pulls, budget, most, max_expansions)
        self._has_met = outcome == Outcome.SOLVED
        self._are_all_pulled |= outcome == Outcome.EXHAUSTED
        if self._are_all_pulled or self._pulls.progress(0.0).expansions >= most:
            self._is_pulled = True
            self._shares = list(_LATER_SHARES if self._round else _FIRST_SHARES)
            return Outcome.BUDGET_SPENT
        return outcome

    def _choose(self, share: float) -> None:
        """Adds targets with this share of the boxes on goals.

        Those with few pulls, with few regions of floor, and those near the start.
        """
        side = self._pulls.sides[1]
        count = int(side.positions.num_known[0])
        ground = self._pulls.tables[0].ground
        on_goals = side.positions.boxes[:count] & packed_bits(ground.is_goal[:-1])
        num_on = np.bitwise_count(on_goals).sum(axis=1, dtype=np.int64)
        gap = np.abs(num_on - int(share * len(ground.goals)))
        regions = side.cell[:count] // (MAX_OUTSIDE * MAX_AT_ARTICULATIONS) % MAX_REGIONS
        regions = regions.astype(np.int64)
        num_pulls, to_start = side.num_pushes[:count], side.lower_bound[:count]
        is_root = side.positions.parent[:count] == NONE
        for first, second, third in (
            (gap, regions, num_pulls),
            (regions, gap, num_pulls),
            (regions, gap // 2, to_start),
        ):
            key = (first << 44) + (second << 28) + third
            key[is_root] = np.iinfo(np.int64).max
            best = int(key.argmin())
            if not is_root[best] and best not in self._targets:
                self._targets.append(best)

    def _aim(self, target: int) -> None:
        """Begins to set FESS up for a target."""
        boxes = self._pulls.sides[1].positions.boxes[target]
        is_box = unpacked_bits(boxes, len(self._squares.squares))
        board = with_boxes_as_goals(self._board, self._squares, is_box)
        if board.is_solved:  # the pulls go on to the start themselves
            del self._targets[0]
        else:
            self._relay.begin(fess_in_steps(board, self._squares))

    def _push(self, fess: Fess, budget: int, max_expansions: int | None) -> Outcome:
        """Goes on to the target; gives it up after so many expansions."""
        most = _PUSHES * _GROWTH**self._round
        outcome = self._relay.go_on(fess, budget, most, max_expansions)
        if outcome == Outcome.SOLVED and self._whole(fess.directions()):
            return outcome
        is_over = fess.progress(0.0).expansions >= most
        self._is_unfinished |= is_over and outcome == Outcome.BUDGET_SPENT
        if outcome in (Outcome.SOLVED, Outcome.EXHAUSTED) or is_over:
            self._relay.end_later()
            del self._targets[0]
            return Outcome.BUDGET_SPENT
        return outcome

    def _whole(self, to_target: tuple[Direction, ...]) -> tuple[Direction, ...]:
        """The solution by way of the target; none if the player ends in another region."""
        side, target, num_floor = self._pulls.sides[1], self._targets[0], len(self._squares.squares)
        return continued(
            self._board,
            self._squares,
            self._pulls.tables[0].ground,
            to_target,
            unpacked_bits(side.positions.boxes[target], num_floor),
            int(side.positions.player[target]),
            steps_to_end(side, target, num_floor),
        )

    def directions(self) -> tuple[Direction, ...]:
        """The pushes to the target, and the pulls to it in the order of play."""
        if self._has_met:
            return self._pulls.directions()
        assert self._relay.later is not None
        return self._whole(self._relay.later.directions())

    def optimum(self) -> None:
        """As ``single.Search`` says: none."""
