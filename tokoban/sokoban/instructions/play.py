"""A play by pushes: what it remembers of its start, and how a machine follows it."""

from dataclasses import dataclass, replace
from typing import NamedTuple

from tokoban.sokoban import rules
from tokoban.sokoban.board import Board, Direction, Square
from tokoban.sokoban.instructions.machine import REJECTED, Cells, Machine


@dataclass(frozen=True)
class Play:
    """A board and how pushes came to it, to which names, "first" and "until" refer.

    It knows no sentence. ``origins`` has, for each box inside the walls, where it is and began.
    """

    start: Board
    board: Board
    origins: tuple[tuple[Square, Square], ...]
    pushed: tuple[Square, ...] = ()  # where they began, in the order of their first pushes
    last: Square | None = None  # where the box pushed last began
    trail: frozenset[Square] = frozenset()  # onto which boxes were pushed

    @classmethod
    def of(cls, board: Board) -> "Play":
        """No push yet."""
        return cls(board, board, tuple((box, box) for box in sorted(board.boxes & board.inside())))

    def pushes(self) -> list[tuple[Square, Direction]]:
        """The legal pushes."""
        return rules.pushes(self.board)

    def push(self, box: Square, direction: Direction) -> "Play":
        """The play after a legal push."""
        beyond, origins = box.neighbour(direction), dict(self.origins)
        origin = origins[beyond] = origins.pop(box)
        return replace(
            self,
            board=rules.push(self.board, box, direction),
            origins=tuple(sorted(origins.items())),
            pushed=self.pushed if origin in self.pushed else (*self.pushed, origin),
            last=origin,
            trail=self.trail | {beyond},
        )


class Followed(NamedTuple):
    """A play that the machine has not refused."""

    play: Play
    state: int
    moves: tuple[Direction, ...]


def followed(
    cells: Cells, machine: Machine, before: Followed, push: tuple[Square, Direction]
) -> Followed | None:
    """The play after a legal push and the walk to it; None where the machine refuses either."""
    (box, direction), (play, state, moves) = push, before
    walls = cells.squares(machine.walls[state])
    beside = box.neighbour(direction.opposite)
    steps = rules.walk(play.board, beside, forbidden=walls)
    if box in walls or steps is None:
        return None
    origin = dict(play.origins)[box]
    label = cells.named.index(origin) if origin in cells.named else len(cells.named)
    after = machine.after[state, label, cells.cell(box.neighbour(direction)), direction]
    if after == REJECTED:
        return None
    return Followed(play.push(box, direction), int(after), (*moves, *steps, direction))
