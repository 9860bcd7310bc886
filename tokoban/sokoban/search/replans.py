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
from tokoban.sokoban.search.fess import scores
from tokoban.sokoban.search.fess.paths import find_directions
from tokoban.sokoban.search.fess.solver import Fess, fess_in_steps
from tokoban.sokoban.search.fess.tree import BEST, EXPANDING, FIRST_NEW, NUM_LAID_OUT, Tree
from tokoban.sokoban.search.few_boxes import FewBoxesLater
from tokoban.sokoban.search.ground import NONE, Ground, Squares
from tokoban.sokoban.search.outcome import Outcome
from tokoban.sokoban.search.positions import unpacked_bits
from tokoban.sokoban.search.pruning import Pruning
from tokoban.sokoban.search.relay import Relay

# Expansions: of the first search in all rounds so far, and of each later one; both grow by round.
_FIRST, _LATER, _GROWTH = 1_000, 50, 2
# Later searches begin at positions that pack at least these shares of the most ever packed.
_SHARES = (1.0, 0.75, 0.5, 0.25, 0.0)
_MOST_DEAD = 8  # positions that a round may find dead for each share
_AT_ONCE = 1 << 20  # children that are looked at, so that the memory for that is bounded


class Replans:
    """FESS from the start, and in turns with it FESS from positions that it met.

    The unit of its work is a push that is tried.
    """

    is_complete = True  # the first search is

    def __init__(
        self,
        board: Board,
        squares: Squares,
        first: Fess,
        pruning: Pruning,
        few_boxes: FewBoxesLater,
        silent: Set[str] = frozenset(),
        *,
        has_one_sink: bool = False,
    ) -> None:
        """``pruning`` and ``few_boxes`` are shared with other searches, like the ground.

        ``silent`` are names of advisors; ``has_one_sink`` chooses the kind of later plans.
        """
        self.relay = relay = Relay[Fess](first)
        self.progress, self.num_bytes = relay.progress, relay.num_bytes
        self.num_bytes_while_growing, self.grow = relay.num_bytes_while_growing, relay.grow
        self._first = first
        self.name = first.name
        self._has_one_sink = has_one_sink
        self._silent = silent
        self._board, self._squares = board, squares
        self._ground: Ground = first.tables.ground
        self._pruning, self._few_boxes = pruning, few_boxes
        self._round = 0
        self._shares: list[float] = []  # for which a later search of this round is to be made
        self._num_dead = 0  # for the present share
        self._tried: set[int] = set()  # positions of the first search
        self._from: int = NONE  # the one where the later search begins

    @property
    def work(self) -> int:
        """As ``SliceSearch`` says."""
        return self.relay.work

    def go_on(self, budget: int, max_expansions: int | None) -> Outcome:
        """As ``single.Search`` says."""
        later = self.relay.later
        if later is not None:
            return self._go_on_later(later, budget, max_expansions)
        if self.relay.set_up():
            return Outcome.BUDGET_SPENT
        if self._shares:
            self._choose()
            return Outcome.BUDGET_SPENT
        most = _FIRST * _GROWTH**self._round
        outcome = self.relay.go_on(self._first, budget, most, max_expansions)
        is_over = self._first.progress(0.0).expansions >= most
        # In the middle of an expansion the tree has children that are not filed.
        if is_over and self._first.tree.progress[EXPANDING] == NONE:
            self._round += 1
            self._shares = list(_SHARES)
        return outcome

    def _choose(self) -> None:
        """Begins to set up a search from the most open position for a share of what is packed."""
        tree = self._first.tree
        score = tree.score[: int(tree.progress[NUM_LAID_OUT])]
        packed = score >> scores.PACKING
        is_dead = dead_positions(tree)
        most = int(packed[~is_dead].max(initial=0))
        features = (scores.REGIONS, scores.ROOMS, scores.HOTSPOTS)
        openness: Int64[np.ndarray, " E"] = packed.copy()
        for weight, feature in zip((48, 40, 32), features, strict=True):
            openness += (score >> feature & 255) << weight
        openness[is_dead | (packed < most * self._shares[0])] = NONE
        openness[[0, *self._tried]] = NONE
        best = int(openness.argmax())
        if openness[best] == NONE:
            self._end_share()
            return
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
        later = fess_in_steps(
            board,
            self._squares,
            self._ground,
            self._pruning,
            self._few_boxes,
            self._silent,
            has_one_sink=self._has_one_sink,
        )
        self.relay.begin(later)

    def _go_on_later(self, later: Fess, budget: int, max_expansions: int | None) -> Outcome:
        """Goes on from a later position; gives it up after so many expansions."""
        most = _LATER * _GROWTH**self._round
        outcome = self.relay.go_on(later, budget, most, max_expansions)
        if outcome == Outcome.SOLVED:
            return outcome
        if outcome == Outcome.EXHAUSTED or later.progress(0.0).expansions >= most:
            self.relay.end_later()
            is_dead = outcome == Outcome.EXHAUSTED
            if is_dead:
                bury(self._first.tree, self._from)
                self._num_dead += 1
            if not is_dead or self._num_dead >= _MOST_DEAD:
                self._end_share()
            return Outcome.BUDGET_SPENT
        return outcome

    def _end_share(self) -> None:
        del self._shares[0]
        self._num_dead = 0

    def directions(self) -> tuple[Direction, ...]:
        """As ``single.Search`` says."""
        later = self.relay.later
        if later is None:
            return self._first.directions()
        tree = self._first.tree
        ahead = find_directions(
            self._ground, tree, int(tree.came_by[self._from]), self._first.player
        )
        player = self._squares.number[rules.play(self._board, ahead)[-1].player]
        # The later search began with the player elsewhere in the same region.
        later.player = player
        return (*ahead, *later.directions())

    def optimum(self) -> None:
        """As ``single.Search`` says: none."""


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
