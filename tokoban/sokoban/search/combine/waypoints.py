"""A beam of pulls, and after each of its rounds a beam of pushes to a position of that round.

A round that gets stuck has often made its first moves well and its last ones badly. A position
partway along its best path is a nearer goal for pushes from the start than the end itself, and the
moves from there are known. After Festival's pairs of searches (Yaron Shoham).

Where the pushes run out of positions without having dropped any, no play comes to that position
from the start, so the path is cut before it.
"""

from dataclasses import replace

import numpy as np
from jaxtyping import Bool

from tokoban.sokoban import rules
from tokoban.sokoban.board import Board, Direction
from tokoban.sokoban.search.answer import Progress
from tokoban.sokoban.search.combine.pair import Pair
from tokoban.sokoban.search.level.flood import flood
from tokoban.sokoban.search.level.ground import Squares, with_goals_in_steps
from tokoban.sokoban.search.level.one_box import directions_of_steps
from tokoban.sokoban.search.outcome import Outcome
from tokoban.sokoban.search.pauses import Budget, Found, Search, Turn
from tokoban.sokoban.search.searches.beam.pull_beam import PullBeam
from tokoban.sokoban.search.searches.beam.push_beam import TO_POSITIONS, PushBeam
from tokoban.sokoban.search.searches.fess.tables import tables_in_steps
from tokoban.sokoban.search.state.positions import Positions
from tokoban.sokoban.search.steps import Steps

# The position lies after this share of a round's best path, which begins at the solved board.
# Successive rounds take the shares in turn.
_PARTS = (0.75, 0.5, 0.625, 0.375)


class Waypoints:
    """A beam of pulls, and after each round a beam of pushes with as much work.

    The unit of the work is that of both beams.
    """

    def __init__(self, board: Board, squares: Squares, pulls: PullBeam) -> None:
        self._board, self._squares, self._pulls = board, squares, pulls
        self.steps_to_end = pulls.steps_to_end
        self._pair = Pair[PushBeam](pulls, "pull-beam")
        self.pause = self._pair.pause
        self._length = 0  # of the path to the position

    @property
    def pulled(self) -> Positions | None:
        """As ``FromTheEnd`` says."""
        return self._pulls.pulled

    def search(self, budget: Budget) -> Search:
        """As ``Searcher`` says."""
        pair, pulls, num_rounds = self._pair, self._pulls, 0

        def is_over(pause: Progress) -> bool:
            return pulls.is_over and pause.growing_bytes > 0

        while True:
            before = pair.first.pause.work
            found, budget = yield from pair.go_on_with_first(budget, is_over)
            if found is not None:
                return pair.found(found)
            part, num_rounds = _PARTS[num_rounds % len(_PARTS)], num_rounds + 1
            most_work = pair.first.pause.work - before
            found, budget = yield from self._push_to(int(part * len(pulls.path)), most_work, budget)
            if found is not None:
                return found
            # As the pulls say: they let go of the round.
            pause = self.pause()
            budget = yield pause._replace(growing_bytes=pause.num_bytes)

    def _push_to(
        self, length: int, work_left: int, budget: Budget
    ) -> Turn[tuple[Found | None, Budget]]:
        """The solution by way of the position after the first ``length`` steps of the path, if any.

        Where it is dead, that after half of them is tried. Only the step after them tells where the
        player has to be. The end is no such position.
        """
        pair = self._pair
        while work_left > 0 and 0 < length < len(self._pulls.path):
            self._length = length
            budget = yield self.pause()
            budget = yield from pair.set_up(self._pushes_in_steps(), budget)
            found, budget = yield from pair.go_on_with_later(budget, Budget(work_left))
            work_left -= pair.later_pause.work
            if (
                found is not None
                and found.outcome == Outcome.SOLVED
                and (whole := self._whole(found.directions))
            ):
                return pair.found(found)._replace(directions=whole), budget
            pair.end_later()
            if found is None or found.outcome != Outcome.EXHAUSTED:
                break
            self._pulls.cut_path(length - 1)
            length //= 2
        return None, budget

    def _pushes_in_steps(self) -> Steps[PushBeam]:
        is_box = self._is_box()
        numbers = np.flatnonzero(is_box).astype(np.int16)
        goals = {self._squares.squares[number] for number in numbers}
        goals |= self._board.goals - {*self._squares.squares}
        board = replace(self._board, goals=frozenset(goals))
        ground = yield from with_goals_in_steps(self._pulls.ground, numbers)
        tables = yield from tables_in_steps(board, self._squares, ground)
        return PushBeam(
            tables,
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

    def _whole(self, to_position: tuple[Direction, ...]) -> tuple[Direction, ...]:
        """The solution that begins so; none if the player ends in another region."""
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
