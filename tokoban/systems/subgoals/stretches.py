"""What one box alone can do while the others stand still, read off the graph of a level.

Cells and positions are those of ``sokoban.instructions.graph``.
"""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from tokoban.sokoban.board import OFFSETS, Board, Direction, Square
from tokoban.sokoban.instructions.machine import FROM
from tokoban.sokoban.instructions.truth import FAR, pushed, truth_of
from tokoban.sokoban.sizes import SIDE

Subgoal = tuple[Square, Square]  # a box, and where it is to go


class Stretch(NamedTuple):
    """Pushes of one box to another cell: as few as it takes."""

    num_pushes: int
    ends: list[int]  # positions after so many; they differ in where the player can walk


class Stretches:
    """All stretches of a level, and which of them begin a solution with the fewest pushes."""

    def __init__(self, board: Board) -> None:
        truth = truth_of(board, ())
        self.graph = graph = truth.graph
        self.pushes_left: list[int] = truth.pushes_left[:, truth.machine.start].tolist()
        self._targets = graph.pushes.target.tolist()
        to, direction = np.divmod(graph.pushes.event.astype(np.int64) % 256, len(OFFSETS))
        self._from, self._to = FROM[to, direction].tolist(), to.tolist()
        self._boxes = graph.positions.boxes[: graph.num_positions, 0].tolist()

    def boxes(self, position: int) -> list[int]:
        """The cells of the boxes."""
        bits = self._boxes[position]
        return [cell for cell in range(SIDE * SIDE) if bits >> cell & 1]

    def board(self, position: int) -> Board:
        """The position, with the player on any square that it can walk to."""
        cells = self.graph.cells
        return replace(
            cells.board,
            boxes=frozenset(map(cells.square, self.boxes(position))),
            player=cells.square(int(self.graph.positions.player[position])),
        )

    def after(self, position: int, push: tuple[Square, Direction]) -> int | None:
        """The position after a push; None if it brings a box to a dead square."""
        pushes = self.graph.pushes_from(position)
        return next((self._targets[i] for i in pushes if pushed(self.graph, i) == push), None)

    def all(self, position: int) -> dict[tuple[int, int], Stretch]:
        """The stretches from a position, by the box and its target."""
        found: dict[tuple[int, int], Stretch] = {}
        for box in self.boxes(position):
            known, layer, num_pushes = {position}, {position: box}, 0
            while layer:
                num_pushes += 1
                after = {
                    self._targets[push]: self._to[push]
                    for before, cell in layer.items()
                    for push in self.graph.pushes_from(before)
                    if self._from[push] == cell and self._targets[push] not in known
                }
                for end, cell in after.items():
                    stretch = found.setdefault((box, cell), Stretch(num_pushes, []))
                    if stretch.num_pushes == num_pushes:
                        stretch.ends.append(end)
                known |= after.keys()
                layer = after
            found.pop((box, box), None)
        return found

    def safe(self, position: int) -> dict[tuple[int, int], Stretch]:
        """The stretches after which the level can be solved, however they end."""
        return {
            pair: stretch
            for pair, stretch in self.all(position).items()
            if all(self.pushes_left[end] != FAR for end in stretch.ends)
        }

    def best(
        self, position: int, safe: Mapping[tuple[int, int], Stretch]
    ) -> dict[tuple[int, int], Stretch]:
        """The longest of the ``safe`` stretches that begin a solution with the fewest pushes.

        A stretch counts only if all its ends do. There is none where the position is lost.
        """
        left = self.pushes_left
        right = {
            (box, target): stretch
            for (box, target), stretch in safe.items()
            if all(left[end] == left[position] - stretch.num_pushes for end in stretch.ends)
        }
        return {
            (box, target): stretch
            for (box, target), stretch in right.items()
            if not any(
                self._from[push] == target
                and (after := right.get((box, self._to[push])))
                and after.num_pushes == stretch.num_pushes + 1
                for end in stretch.ends
                for push in self.graph.pushes_from(end)
            )
        }

    def subgoals(self, stretches: Iterable[tuple[int, int]]) -> list[Subgoal]:
        """The squares of each box and its target."""
        square = self.graph.cells.square
        return [(square(box), square(target)) for box, target in stretches]

    def can_be_solved_one_at_a_time(self) -> bool:
        """Whether stretches that all end on goals solve the level."""
        goals = {*map(self.graph.cells.cell, self.graph.cells.board.goals)}
        known = [0]
        for position in known:  # grows while it is read
            if self.pushes_left[position] == 0:
                return True
            for (_, target), stretch in self.all(position).items():
                if target in goals:
                    known += [end for end in stretch.ends if end not in known]
        return False
