"""Targets: positions that pulls from the end have loosened, to which FESS pushes from the start.

After the pairs of searches of Festival (Yaron Shoham): a crowded end is far from anything that the
features of a forward search know; with some boxes pulled out of it, it is an easier goal. FESS
takes the boxes of the target for the goals. Nothing but a meeting comes of that: no target has to
be reachable, so this search proves nothing.
"""

import numpy as np

from tokoban.sokoban.board import Board, Direction
from tokoban.sokoban.search.answer import Progress
from tokoban.sokoban.search.combine.aims import continued, with_boxes_as_goals
from tokoban.sokoban.search.combine.pair import Pair
from tokoban.sokoban.search.level.ground import NONE, Squares
from tokoban.sokoban.search.outcome import Outcome
from tokoban.sokoban.search.pauses import UNLIMITED, Budget, Found, Search, Turn
from tokoban.sokoban.search.searches.bidirectional.features import (
    MAX_AT_ARTICULATIONS,
    MAX_OUTSIDE,
    MAX_REGIONS,
)
from tokoban.sokoban.search.searches.bidirectional.paths import steps_to_end
from tokoban.sokoban.search.searches.bidirectional.solver import BidirectionalFess
from tokoban.sokoban.search.searches.fess.solver import Fess, fess_in_steps
from tokoban.sokoban.search.state.positions import Positions, packed_bits, unpacked_bits

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

    def __init__(self, board: Board, squares: Squares, pulls: BidirectionalFess) -> None:
        """``pulls`` searches backwards alone."""
        self._board, self._squares, self._pulls = board, squares, pulls
        self.steps_to_end = pulls.steps_to_end
        self._pair = Pair[Fess](pulls, "targets")
        self.pause = self._pair.pause
        self._targets: list[int] = []  # positions of the backward side, the next one first

    @property
    def pulled(self) -> Positions | None:
        """As ``FromTheEnd`` says."""
        return self._pulls.pulled

    def search(self, budget: Budget) -> Search:
        """As ``Searcher`` says: EXHAUSTED once there are no more targets."""
        pair, number, are_all_pulled = self._pair, 0, False
        while True:
            most = min(_PULLS * _GROWTH**number, _MOST_PULLS)
            if not are_all_pulled and pair.first.pause.expansions < most:

                def is_over(pause: Progress, most: int = most) -> bool:
                    return pause.expansions >= most and not pause.growing_bytes

                found, budget = yield from pair.go_on_with_first(
                    budget, is_over, Budget(UNLIMITED, most)
                )
                if found is not None and found.outcome == Outcome.SOLVED:
                    return pair.found(found)
                are_all_pulled = found is not None
            for share in _LATER_SHARES if number else _FIRST_SHARES:
                budget = yield self.pause()  # one at a time, for there may be millions of positions
                self._choose(share)
            is_unfinished = False  # FESS was stopped before a target of this round
            while self._targets:
                budget = yield self.pause()
                target = self._targets.pop(0)
                found, budget = yield from self._push_to(target, _PUSHES * _GROWTH**number, budget)
                if found is not None and found.outcome == Outcome.SOLVED:
                    return found
                is_unfinished |= found is None
            # Later rounds have the same targets.
            has_most = pair.first.pause.expansions >= _MOST_PULLS
            if number > 0 and (are_all_pulled or (has_most and not is_unfinished)):
                return Found(Outcome.EXHAUSTED, self.pause())
            budget = yield self.pause()
            number += 1

    def _choose(self, share: float) -> None:
        """Adds targets with this share of the boxes on goals.

        Those with few pulls, with few regions of floor, and those near the start.
        """
        side = self._pulls.sides[1]
        num_known = int(side.positions.num_known[0])
        ground = self._pulls.tables[0].ground
        on_goals = side.positions.boxes[:num_known] & packed_bits(ground.is_goal[:-1])
        num_on = np.bitwise_count(on_goals).sum(axis=1, dtype=np.int64)
        gap = np.abs(num_on - int(share * len(ground.goals)))
        regions = side.cell[:num_known] // (MAX_OUTSIDE * MAX_AT_ARTICULATIONS) % MAX_REGIONS
        regions = regions.astype(np.int64)
        num_pulls, to_start = side.num_pushes[:num_known], side.lower_bound[:num_known]
        is_root = side.positions.parent[:num_known] == NONE
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

    def _push_to(
        self, target: int, most_expansions: int, budget: Budget
    ) -> Turn[tuple[Found | None, Budget]]:
        """What FESS to a target finds, or None if it is given up; SOLVED for whole solutions."""
        pair = self._pair
        boxes = self._pulls.sides[1].positions.boxes[target]
        is_box = unpacked_bits(boxes, len(self._squares.squares))
        board = with_boxes_as_goals(self._board, self._squares, is_box)
        if board.is_solved:  # the pulls go on to the start themselves
            return Found(Outcome.INCONCLUSIVE, self.pause()), budget
        budget = yield self.pause()
        budget = yield from pair.set_up(fess_in_steps(board, self._squares), budget)
        found, budget = yield from pair.go_on_with_later(budget, Budget(UNLIMITED, most_expansions))
        if found is not None:
            found = pair.found(found)
            if found.outcome == Outcome.SOLVED:
                whole = self._whole(target, found.directions)
                outcome = Outcome.SOLVED if whole else Outcome.INCONCLUSIVE
                found = found._replace(outcome=outcome, directions=whole)
        pair.end_later()
        return found, budget

    def _whole(self, target: int, to_target: tuple[Direction, ...]) -> tuple[Direction, ...]:
        """The solution by way of the target; none if the player ends in another region."""
        side, num_floor = self._pulls.sides[1], len(self._squares.squares)
        return continued(
            self._board,
            self._squares,
            self._pulls.tables[0].ground,
            to_target,
            unpacked_bits(side.positions.boxes[target], num_floor),
            int(side.positions.player[target]),
            steps_to_end(side, target, num_floor),
        )
