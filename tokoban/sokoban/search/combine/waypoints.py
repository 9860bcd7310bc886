"""A beam of pulls, and after each of its rounds a beam of pushes to a position of that round.

A round that gets stuck has often made its first moves well and its last ones badly. A position
partway along its best path is a nearer goal for pushes from the start than the end itself, and the
moves from there are known. After Festival's pairs of searches (Yaron Shoham).

If the pushes run out of positions without having dropped any, the start cannot reach that position,
so the path is cut before it.
"""

import numpy as np
from jaxtyping import Bool

from tokoban.sokoban import rules
from tokoban.sokoban.board import Board, Direction
from tokoban.sokoban.search.answer import Progress
from tokoban.sokoban.search.level.flood import flood
from tokoban.sokoban.search.level.ground import Squares, ground_to_in_steps
from tokoban.sokoban.search.level.one_box import directions_of_steps
from tokoban.sokoban.search.outcome import Outcome
from tokoban.sokoban.search.pauses import (
    Budget,
    Found,
    Search,
    Turn,
    Underway,
    go_on_until,
    in_pauses,
    underway,
)
from tokoban.sokoban.search.searches.beam.pull_beam import PullBeam
from tokoban.sokoban.search.searches.beam.push_beam import TO_POSITIONS, PushBeam
from tokoban.sokoban.search.searches.fess.tables import tables_in_steps
from tokoban.sokoban.search.state.positions import Positions
from tokoban.sokoban.search.steps import Steps

# The position lies after this share of a round's best path, which begins at the solved board.
# Successive rounds take the shares in turn.
_PARTS = (0.75, 0.5, 0.625, 0.375)
_SETUP_WORK = 1 << 10  # of each step of setting a beam up, which takes up to some 10 ms


class Waypoints:
    """A beam of pulls, and after each round a beam of pushes with as much work.

    The unit of the work is that of both beams. Work and expansions include ended beams of pushes;
    memory counts only what exists. Setting a beam up counts as work, or one turn might go to
    hundreds of hopeless ones.
    """

    def __init__(self, board: Board, squares: Squares, pulls: PullBeam) -> None:
        self._board, self._squares, self._pulls = board, squares, pulls
        self.steps_to_end = pulls.steps_to_end
        self._pulling = underway(pulls)
        self._pushing: Underway | None = None  # while there is one
        self._ended = Progress("pull-beam")
        self._length = 0  # of the path to the position

    @property
    def pulled(self) -> Positions | None:
        """As ``FromTheEnd`` says."""
        return self._pulls.pulled

    def pause(self) -> Progress:
        """As ``Searcher`` says; only the positions of the beams that exist are counted."""
        whole = self._ended.beside(self._pulling.pause)
        return whole if self._pushing is None else whole.beside(self._pushing.pause)

    def search(self, budget: Budget) -> Search:
        """As ``Searcher`` says."""
        pulls, pulling, num_rounds = self._pulls, self._pulling, 0

        def is_over(pause: Progress) -> bool:
            return pulls.is_over and pause.growing_bytes > 0

        while True:
            before = pulling.pause.work
            found, budget = yield from go_on_until(is_over, pulling, budget, whole=self.pause)
            if found is not None:
                return found._replace(last=self.pause())
            part, num_rounds = _PARTS[num_rounds % len(_PARTS)], num_rounds + 1
            most_work = pulling.pause.work - before
            found, budget = yield from self._push_to(int(part * len(pulls.path)), most_work, budget)
            if found is not None:
                return found
            # The next step of the pulls frees the round.
            pause = self.pause()
            budget = yield pause._replace(growing_bytes=pause.num_bytes)

    def _push_to(
        self, length: int, work_left: int, budget: Budget
    ) -> Turn[tuple[Found | None, Budget]]:
        """The solution by way of the position after the first ``length`` steps of the path, if any.

        If that position cannot be reached, the one after half as many steps is tried. The step
        after it tells where the player has to be, so the end of the path is no such position.
        """
        while work_left > 0 and 0 < length < len(self._pulls.path):
            self._length = length
            budget = yield self.pause()
            pushes, budget = yield from in_pauses(self._pushes_in_steps(), self._set_up, budget)
            self._pushing = pushing = underway(pushes)
            budget = yield self._set_up()

            def is_spent(pause: Progress, most: int = work_left) -> bool:
                return pause.work >= most

            found, budget = yield from go_on_until(
                is_spent, pushing, budget, most=Budget(work_left), whole=self.pause
            )
            work_left -= pushing.pause.work
            if (
                found is not None
                and found.outcome == Outcome.SOLVED
                and (whole := self._whole(found.directions))
            ):
                return found._replace(last=self.pause(), directions=whole), budget
            work = self._ended.work + pushing.pause.work
            expansions = self._ended.expansions + pushing.pause.expansions
            self._ended, self._pushing = Progress("pull-beam", expansions, work=work), None
            if found is None or found.outcome != Outcome.EXHAUSTED:
                break
            self._pulls.cut_path(length - 1)
            length //= 2
        return None, budget

    def _set_up(self) -> Progress:
        """The pause after one more step of setting a beam up."""
        self._ended = self._ended._replace(work=self._ended.work + _SETUP_WORK)
        return self.pause()

    def _pushes_in_steps(self) -> Steps[PushBeam]:
        numbers = np.flatnonzero(self._is_box()).astype(np.int16)
        by_pulls, player = self._pulls.ground, self._squares.number[self._board.player]
        ground = yield from ground_to_in_steps(numbers, by_pulls.neighbours, by_pulls.zone)
        tables = yield from tables_in_steps(ground, by_pulls, player)
        return PushBeam(
            tables,
            by_pulls.goals,
            player,
            pulls=[self._pulls],
            schedule=TO_POSITIONS,
            seed=self._pulls.seed,
        )

    def _is_box(self) -> Bool[np.ndarray, " F"]:
        """Where the boxes of the position are."""
        is_box = np.zeros(len(self._squares.squares), np.bool_)
        is_box[self._pulls.goals] = True
        for step in self._pulls.path[: self._length]:
            is_box[step.end], is_box[step.box] = False, True
        return is_box

    def _whole(self, to_position: tuple[Direction, ...]) -> tuple[Direction, ...]:
        """The solution that begins so; empty if the player ends in another region."""
        end = rules.play(self._board, to_position)[-1]
        if end.is_solved:  # by way of another position of the round
            return to_position
        path, length, ground = self._pulls.path, self._length, self._pulls.ground
        here, is_box = self._squares.number[end.player], self._is_box()
        marks, waiting = np.zeros(len(is_box) + 1, np.int64), np.empty(len(is_box) + 1, np.int32)
        flood(ground.neighbours, np.append(is_box, True), here, marks, 1, waiting)
        if not marks[path[length].player]:
            return ()
        return (*to_position, *directions_of_steps(ground, is_box, here, path[:length][::-1]))
