"""A proof that a position is deadlocked, as plain data.

The proof considers the boxes of the certificate alone: whoever solves the position also brings
these boxes to goals, and other boxes only stand in the way. It consists of

* traps: sets of states of a lone box that no push leaves. More boxes in a trap than it has goals
  are a bipartite deadlock; one box in a trap without a goal is a dead-square deadlock.
* frozen groups: boxes that block each other and can only be pushed into traps without a goal. One
  of them is on no goal, so they are a freeze deadlock.
* positions of several boxes: a set that no push leaves except into a deadlock of the above kinds,
  and in which no position is solved.

The first three kinds are those of Junghanns and Schaeffer, "Sokoban: Enhancing general single-agent
search methods using domain knowledge" (Artificial Intelligence 129, 2001), and of the Sokoban wiki.
"""

from dataclasses import dataclass
from typing import NamedTuple

from tokoban.sokoban.board import Board, Square

# Why a position is deadlocked: fewer boxes than goals; one box on a dead square; boxes that block
# each other; more boxes than the goals that they can reach; or only by a search of all positions.
KINDS = ("count", "dead", "frozen", "bipartite", "search")


class BoxState(NamedTuple):
    """A box alone on the board, with the player in the zone around ``player``."""

    box: Square
    player: Square


class Position(NamedTuple):
    """Boxes alone on the board, with the player in the zone around ``player``."""

    boxes: frozenset[Square]
    player: Square


@dataclass(frozen=True)
class Trap:
    """States of a lone box that no push leaves."""

    states: tuple[BoxState, ...]


@dataclass(frozen=True)
class FrozenGroup:
    """Boxes, one of them on no goal; the first of them to move would enter a trap without a goal.

    ``blocked_by`` has for each box what blocks it vertically and horizontally: the wall or the box
    of the group beside it, or None if both of its pushes lead into traps without a goal.
    """

    boxes: tuple[Square, ...]
    blocked_by: tuple[tuple[Square | None, Square | None], ...]


@dataclass(frozen=True)
class Certificate:
    """The claim that ``boxes`` deadlock ``board``, and its proof.

    ``without`` has for each of the boxes the moves (as ``lurd`` letters) that bring all the others
    to goals without it, which shows that it is needed; None where that is not known.
    """

    board: Board
    kind: str  # of KINDS
    boxes: tuple[Square, ...]
    without: tuple[str | None, ...]
    traps: tuple[Trap, ...] = ()
    frozen: tuple[FrozenGroup, ...] = ()
    positions: tuple[Position, ...] = ()

    @property
    def is_minimal(self) -> bool:
        """Whether no box can be left out, as ``without`` shows."""
        return None not in self.without

    @property
    def size(self) -> int:
        """The number of box states, frozen boxes and positions that a checker has to look at."""
        num_states = sum(len(trap.states) for trap in self.traps)
        return num_states + sum(len(group.boxes) for group in self.frozen) + len(self.positions)
