"""What proves a position lost, as plain data.

A proof speaks of the *blamed* boxes alone, as if the others were not there: whoever solves the
position also brings the blamed boxes to goals where no others stand in the way. It rests on

* traps: sets of places (a box alone on the board, and the player beside it) that no push leaves.
  More boxes in a trap than it has goals are lost; one box is, in a trap without a goal.
* frozen groups: boxes that hold each other and can only be pushed into traps without a goal. They
  are lost, since one of them is on no goal.
* positions: of several boxes, which no push leaves except into what is lost by the above, and in
  none of which all are on goals.
"""

from dataclasses import dataclass
from typing import NamedTuple

from tokoban.sokoban.board import Board, Square

# What a position is lost by: fewer boxes than goals; one box; boxes that hold each other; more
# boxes than the goals that they can come to; or only by a search through all that they can do.
KINDS = ("count", "dead", "frozen", "matching", "search")


class Place(NamedTuple):
    """A box alone on the board, and the player in the area around ``player``."""

    box: Square
    player: Square


class Position(NamedTuple):
    """Boxes alone on the board, and the player in the area around ``player``."""

    boxes: frozenset[Square]
    player: Square


@dataclass(frozen=True)
class Trap:
    """Places that no push of the box leaves."""

    places: tuple[Place, ...]


@dataclass(frozen=True)
class FrozenGroup:
    """Boxes, one of them on no goal, the first of which to move ends in a trap without a goal.

    ``holds`` has for each box what holds it up and down, and left and right: the wall or the box
    of the group beside it, or None if both of its pushes lead into traps without a goal.
    """

    boxes: tuple[Square, ...]
    holds: tuple[tuple[Square | None, Square | None], ...]


@dataclass(frozen=True)
class Certificate:
    """The claim that ``board`` is lost by ``blamed``, and its proof.

    ``without`` has for each blamed box the moves (as ``lurd`` letters) that bring all the others of
    them to goals where it is not there, which shows that it is needed; None where that is not
    known.
    """

    board: Board
    kind: str  # of KINDS
    blamed: tuple[Square, ...]
    without: tuple[str | None, ...]
    traps: tuple[Trap, ...] = ()
    frozen: tuple[FrozenGroup, ...] = ()
    positions: tuple[Position, ...] = ()

    @property
    def is_minimal(self) -> bool:
        """Whether no blamed box can be left out, as ``without`` shows."""
        return None not in self.without

    @property
    def size(self) -> int:
        """How many places, held boxes and positions a checker has to look at."""
        num_places = sum(len(trap.places) for trap in self.traps)
        return num_places + sum(len(group.boxes) for group in self.frozen) + len(self.positions)
