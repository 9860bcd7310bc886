"""FESS with second plans: from positions that it met, FESS anew, with a plan made there.

A plan is made once, for the start. It may park boxes that have long been out of the way, or count
on squares that are blocked by now; and what is packed most is often dead. So positions that FESS
has expanded are starts of shorter searches, each with a plan of its own. One that is exhausted
proves that its start is dead, and so is all that FESS found beyond it.
"""

from collections.abc import Set
from dataclasses import replace

import numpy as np
from jaxtyping import Bool, Int64

from tokoban.sokoban import rules
from tokoban.sokoban.board import Board, Direction
from tokoban.sokoban.search.answer import Progress
from tokoban.sokoban.search.combine.pair import Pair
from tokoban.sokoban.search.level.ground import NONE, Ground, Squares
from tokoban.sokoban.search.outcome import Outcome
from tokoban.sokoban.search.pauses import UNLIMITED, Budget, Found, Search, Turn
from tokoban.sokoban.search.rules.learned import Learned
from tokoban.sokoban.search.searches.fess import scores
from tokoban.sokoban.search.searches.fess.paths import find_directions
from tokoban.sokoban.search.searches.fess.solver import Fess, fess_in_steps
from tokoban.sokoban.search.searches.fess.tree import BEST, EXPANDING, FIRST_NEW, NUM_LAID_OUT, Tree
from tokoban.sokoban.search.state.positions import unpacked_bits
from tokoban.sokoban.search.steps import Steps

# Expansions: of the first search in all rounds so far, and of each later one; both grow by round.
_FIRST, _LATER, _GROWTH = 1_000, 50, 2
# Later searches begin at positions that pack at least these shares of the most ever packed.
_SHARES = (1.0, 0.75, 0.5, 0.25, 0.0)
_MOST_DEAD = 8  # positions that a round may find dead for each share
_AT_ONCE = 1 << 20  # children that are looked at, so that the memory for that is bounded


class Replanning:
    """FESS from the start, and in turns with it FESS from positions that it met.

    The unit of its work is a push that is tried.
    """

    def __init__(
        self,
        board: Board,
        squares: Squares,
        first: Fess,
        learned: Learned,
        silent: Set[str] = frozenset(),
        *,
        has_one_sink: bool = False,
    ) -> None:
        """``learned`` is shared with other searches, like the ground.

        ``silent`` are names of advisors; ``has_one_sink`` chooses the kind of later plans.
        """
        self.first = first
        self.pair = Pair[Fess](first, first.name)
        self.pause = self.pair.pause
        self._has_one_sink = has_one_sink
        self._silent = silent
        self._board, self._squares = board, squares
        self._ground: Ground = first.tables.ground
        self._learned = learned
        self._tried: set[int] = set()  # positions of the first search
        self._from: int = NONE  # the one where the later search begins

    def search(self, budget: Budget) -> Search:
        """As ``Searcher`` says: EXHAUSTED is a proof, for the first search is complete."""
        pair, number = self.pair, 0
        while True:
            most = _FIRST * _GROWTH**number

            def is_over(pause: Progress, most: int = most) -> bool:
                # In the middle of an expansion some children are not yet in the heaps.
                is_filed = self.first.tree.progress[EXPANDING] == NONE
                return pause.expansions >= most and is_filed and not pause.growing_bytes

            found, budget = yield from pair.go_on_with_first(
                budget, is_over, Budget(UNLIMITED, most)
            )
            if found is not None:
                return pair.found(found)
            number += 1
            for share in _SHARES:
                found, budget = yield from self._go_on_later(
                    share, _LATER * _GROWTH**number, budget
                )
                if found is not None:
                    return found

    def _go_on_later(
        self, share: float, most_expansions: int, budget: Budget
    ) -> Turn[tuple[Found | None, Budget]]:
        """The solution by way of a position that packs so large a share, if it is found soon.

        If the position is dead, another is taken, but not too often.
        """
        pair = self.pair
        for _ in range(_MOST_DEAD):
            later = self._chosen(share)
            budget = yield self.pause()
            if later is None:
                break
            budget = yield from pair.set_up(later, budget)
            found, budget = yield from pair.go_on_with_later(
                budget, Budget(UNLIMITED, most_expansions)
            )
            if found is not None and found.outcome == Outcome.SOLVED:
                assert pair.later is not None
                return pair.found(found)._replace(directions=self._whole(pair.later)), budget
            pair.end_later()
            if found is None:
                break
            bury(self.first.tree, self._from)
            budget = yield self.pause()
        return None, budget

    def _chosen(self, share: float) -> Steps[Fess] | None:
        """A search from the most open position that packs so large a share of the most."""
        tree = self.first.tree
        score = tree.score[: int(tree.progress[NUM_LAID_OUT])]
        packed = score >> scores.PACKING
        is_dead = dead_positions(tree)
        most = int(packed[~is_dead].max(initial=0))
        openness: Int64[np.ndarray, " E"] = packed.copy()
        for weight, feature in ((48, scores.REGIONS), (40, scores.HOTSPOTS)):
            openness += (score >> feature & 255) << weight
        openness[is_dead | (packed < most * share)] = NONE
        openness[[0, *self._tried]] = NONE
        best = int(openness.argmax())
        if openness[best] == NONE:
            return None
        self._tried.add(best)
        self._from = best
        num_floor = len(self._squares.squares)
        boxes = unpacked_bits(tree.boxes[best], num_floor)
        squares = self._squares.squares
        here = {squares[i] for i in np.flatnonzero(boxes)}
        board = replace(
            self._board,
            boxes=frozenset(here | self._board.boxes - frozenset(squares)),
            player=squares[int(tree.player[best])],
        )
        return fess_in_steps(
            board,
            self._squares,
            self._ground,
            self._learned,
            self._silent,
            has_one_sink=self._has_one_sink,
        )

    def _whole(self, later: Fess) -> tuple[Direction, ...]:
        """The solution that the later search has found, from the start."""
        tree = self.first.tree
        ahead = find_directions(
            self._ground, tree, int(tree.came_by[self._from]), self.first.player
        )
        # The later search began with the player elsewhere in the same region.
        later.player = self._squares.number[rules.play(self._board, ahead)[-1].player]
        return (*ahead, *later.directions())


def dead_positions(tree: Tree) -> Bool[np.ndarray, " E"]:
    """Which positions have been buried."""
    return tree.best_cell[: int(tree.progress[NUM_LAID_OUT])] == NONE


def bury(tree: Tree, position: int) -> None:
    """Marks a dead position and all that was found beyond it, so that none is expanded again."""
    num_laid_out, num_filed = int(tree.progress[NUM_LAID_OUT]), int(tree.progress[FIRST_NEW])
    parents = tree.parent[tree.run[tree.came_by[:num_laid_out]]]
    is_dead = dead_positions(tree)
    is_dead[position] = True
    ancestors = parents
    while ancestors.any():  # each time twice as far, down to the start, which is its own parent
        is_dead |= is_dead[ancestors]
        ancestors = ancestors[ancestors]
    tree.best_cell[:num_laid_out][is_dead] = NONE
    for first in range(0, num_filed, _AT_ONCE):
        children = slice(first, min(first + _AT_ONCE, num_filed))
        tree.is_done[children] |= is_dead[tree.parent[tree.run[children]]]
    score = np.where(is_dead, NONE, tree.score[:num_laid_out])
    tree.progress[BEST] = score.argmax()
