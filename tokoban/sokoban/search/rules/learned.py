"""What searches learn about the deadlocks of a level, and what one search applies of it.

Searches of one level share what they learn, never their workspace: another search may have its turn
between two boxes of one position.
"""

from typing import NamedTuple

import numpy as np

from tokoban.sokoban.search.level.ground import NONE, Ground
from tokoban.sokoban.search.rules.pruning import Pruning, empty_pruning, grown
from tokoban.sokoban.search.rules.two_boxes import LazyTwoBoxes, TwoBoxes
from tokoban.sokoban.search.state.positions import num_bytes


class Learned(NamedTuple):
    """The deadlocks that searches have found in a level, and its tables of two boxes."""

    pruning: Pruning
    two_boxes: LazyTwoBoxes
    by_pulls: LazyTwoBoxes | None = None  # for searches by pulls

    @property
    def table_bytes(self) -> int:
        """Of the tables of two boxes, which come late; ``pruning`` stays as large as it is."""
        by_pulls = None if self.by_pulls is None else self.by_pulls.table
        return num_bytes((self.two_boxes.table, by_pulls))


def learned_of(
    ground: Ground, backward: Ground | None = None, player: int = NONE, *, due_at: int = 0
) -> Learned:
    """Nothing yet; the table of two boxes is made after ``due_at`` expansions.

    ``backward`` is the ground for pulls to where the player starts, if there are such searches.
    """
    return Learned(
        empty_pruning(len(ground.zone), len(ground.goals), is_small=due_at > 0),
        LazyTwoBoxes(ground, due_at=due_at),
        None if backward is None else LazyTwoBoxes(backward, due_at=due_at, player=player),
    )


class Applied:
    """What one search applies: what is learned, and its verdict on the current position."""

    def __init__(
        self, ground: Ground, learned: Learned | None, *, by_pulls: bool = False, due_at: int = 0
    ) -> None:
        """``learned`` and then also the ground are shared with other searches; without it, nothing
        is learned yet, and ``due_at`` is that of ``learned_of``."""
        self._ground = ground
        self.learned = learned or learned_of(ground, due_at=due_at)
        self._own_bytes = 0 if learned else num_bytes((ground, self.learned.pruning))
        two_boxes = self.learned.by_pulls if by_pulls else self.learned.two_boxes
        assert two_boxes is not None
        self._two_boxes = two_boxes
        self._may_move = np.zeros_like(self.learned.pruning.may_move)

    @property
    def num_bytes(self) -> int:
        """Of what only this search holds, its ground included."""
        return self._own_bytes and self._own_bytes + self.learned.table_bytes

    def grow(self) -> None:
        """Gives tables that were small their full size."""
        self.learned = self.learned._replace(pruning=grown(self.learned.pruning))
        self._own_bytes = num_bytes((self._ground, self.learned.pruning))

    @property
    def next_at(self) -> int:
        """The number of expansions from which ``goes_on`` has work."""
        return self._two_boxes.due_at

    def goes_on(self, num_expansions: int) -> bool:
        """Whether a table is due after this many expansions; if so, works on it for some 10 ms."""
        is_due = num_expansions >= self._two_boxes.due_at
        if is_due:
            self._two_boxes.go_on()
        return is_due

    @property
    def two_boxes(self) -> TwoBoxes:
        """The table, for compiled code."""
        return self._two_boxes.table

    @property
    def pruning(self) -> Pruning:
        """All that is applied, for compiled code."""
        return self.learned.pruning._replace(two_boxes=self.two_boxes, may_move=self._may_move)
