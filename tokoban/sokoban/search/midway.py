"""A beam of pulls, and after each of its rounds a beam of pushes to a position of that round.

A round that gets stuck has often made its first moves well and its last ones badly. A position
partway along its best path is a nearer goal for pushes from the start than the end itself, and the
moves from there are known. After Festival's pairs of searches (Yaron Shoham), as ``targets`` is.

Where the pushes run out of positions without having dropped any, no play comes to that position
from the start, so the path is cut before it.
"""

import numpy as np
from jaxtyping import Bool

from tokoban.sokoban import rules
from tokoban.sokoban.board import Board, Direction
from tokoban.sokoban.search.aims import continued, with_boxes_as_goals
from tokoban.sokoban.search.beam_rounds import are_all_matched
from tokoban.sokoban.search.fess.tables import tables_in_steps
from tokoban.sokoban.search.ground import Squares, with_goals_in_steps
from tokoban.sokoban.search.outcome import Outcome
from tokoban.sokoban.search.positions import Positions
from tokoban.sokoban.search.pull_beam import PullBeam
from tokoban.sokoban.search.push_beam import TO_POSITIONS, PushBeam
from tokoban.sokoban.search.relay import Relay
from tokoban.sokoban.search.steps import Steps

# The position lies after this share of a round's best path, which begins at the solved board.
# Successive rounds take the shares in turn.
_PARTS = (0.75, 0.5, 0.625, 0.375)


class Midway:
    """A beam of pulls, and after each round a beam of pushes with as much work.

    The unit of the work is that of both beams.
    """

    name = "pull-beam"
    is_complete = False

    def __init__(self, board: Board, squares: Squares, pulls: PullBeam) -> None:
        self._board, self._squares, self._pulls = board, squares, pulls
        self.steps_to_end = pulls.steps_to_end
        self._relay = relay = Relay[PushBeam](pulls)
        self.progress, self.num_bytes = relay.progress, relay.num_bytes
        self.num_bytes_while_growing = relay.num_bytes_while_growing
        self._num_rounds = 0  # of pulls, that are over
        self._has_aimed = False  # since the last one
        self._work_before = 0  # of the pulls, until then
        self._work_left = 0  # for the pushes
        self._length = 0  # of the path to the position
        self._solution: tuple[Direction, ...] = ()

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
        relay, pulls = self._relay, self._pulls
        if relay.later is not None:
            return self._push(relay.later, budget, max_expansions)
        if relay.set_up():
            return Outcome.BUDGET_SPENT
        outcome = relay.go_on(pulls, budget, None, max_expansions)
        if outcome == Outcome.SOLVED:
            self._solution = pulls.directions()
        if outcome != Outcome.STORE_FULL or not pulls.is_over or self._has_aimed:
            return outcome
        self._has_aimed = True
        part = _PARTS[self._num_rounds % len(_PARTS)]
        self._num_rounds += 1
        self._work_left = pulls.work - self._work_before
        self._work_before = pulls.work
        self._aim(int(part * len(pulls.path)))
        return Outcome.BUDGET_SPENT

    def _aim(self, length: int) -> None:
        """Starts a beam of pushes to the position after the first ``length`` steps of the path.

        Only the step after them tells where the player has to be. The end is no such position.
        """
        if 0 < length < len(self._pulls.path):
            self._length = length
            self._relay.begin(self._pushes_in_steps())

    def _pushes_in_steps(self) -> Steps[PushBeam]:
        is_box = self._is_box()
        numbers = np.flatnonzero(is_box).astype(np.int16)
        board = with_boxes_as_goals(self._board, self._squares, is_box)
        ground = yield from with_goals_in_steps(self._pulls.tables.ground, numbers)
        tables = yield from tables_in_steps(board, self._squares, ground)
        return PushBeam(
            tables._replace(is_matched=are_all_matched(ground)),
            self._squares.numbers(board.boxes),
            self._squares.number[board.player],
            pulls=[self._pulls],
            schedule=TO_POSITIONS,
            seed=self._pulls.seed,
        )

    def _is_box(self) -> Bool[np.ndarray, " F"]:
        """The boxes of the position."""
        is_box = np.zeros(len(self._squares.squares), np.bool_)
        is_box[self._pulls.goals] = True
        for step in self._pulls.path[: self._length]:
            is_box[step.end], is_box[step.box] = False, True
        return is_box

    def _push(self, pushes: PushBeam, budget: int, max_expansions: int | None) -> Outcome:
        """Goes on with the pushes until their work is used up."""
        before = pushes.work
        outcome = self._relay.go_on(pushes, min(budget, self._work_left), None, max_expansions)
        self._work_left -= pushes.work - before
        if outcome == Outcome.SOLVED:
            self._solution = self._whole(pushes.directions())
            if self._solution:
                return outcome
        is_dead = outcome == Outcome.EXHAUSTED
        if is_dead:
            self._pulls.cut_path(self._length - 1)
        if is_dead or outcome == Outcome.SOLVED or self._work_left <= 0:
            self._relay.end_later()
            if is_dead and self._work_left > 0:
                self._aim(self._length // 2)
            return Outcome.BUDGET_SPENT
        return outcome

    def _whole(self, to_position: tuple[Direction, ...]) -> tuple[Direction, ...]:
        """The solution that begins so; none if the player ends in another region."""
        end = rules.play(self._board, to_position)[-1]
        if end.is_solved:  # by way of another position of the round
            return to_position
        path, length = self._pulls.path, self._length
        return continued(
            self._board,
            self._squares,
            self._pulls.tables.ground,
            to_position,
            self._is_box(),
            path[length].player,
            path[:length][::-1],
        )

    def grow(self) -> None:
        """As ``single.Search`` says."""
        if self._relay.later is None and self._pulls.is_over:
            self._has_aimed = False
        self._relay.grow()

    def directions(self) -> tuple[Direction, ...]:
        """As ``single.Search`` says."""
        return self._solution

    def optimum(self) -> None:
        """As ``single.Search`` says: none."""
