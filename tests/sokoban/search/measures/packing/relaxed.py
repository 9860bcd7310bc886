"""The relaxed game of the plans in plain Python: boxes come from where boxes start, one at a time.

A region is named by its least square. Squares are those of ``Squares``.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from tokoban.sokoban.board import Board
from tokoban.sokoban.formats.xsb import parse_board
from tokoban.sokoban.search.level.ground import Squares

Boxes = frozenset[int]


def draw_board(
    draw: np.random.Generator, rows: int, columns: int, num_boxes: int, walls: float = 0.25
) -> Board | None:
    """A board with walls here and there; None if something lies beyond the player's reach."""
    tiles = np.full((rows + 2, columns + 2), "#")
    tiles[1:-1, 1:-1] = np.where(draw.random((rows, columns)) < walls, "#", " ")
    free = np.argwhere(tiles == " ")
    if len(free) < 2 * num_boxes + 1:
        return None
    places = [tuple(place) for place in draw.permutation(free)]
    for i, place in enumerate(places[: 2 * num_boxes + 1]):
        tiles[place] = "@" if i == 0 else ".$"[i % 2]
    board = parse_board("|".join("".join(row) for row in tiles))
    return board if board.boxes | board.goals <= board.inside() else None


@dataclass(frozen=True)
class Relaxed:
    """A level; what moves is one box on ``box`` among ``others``, with the player in a region."""

    neighbours: np.ndarray  # [F + 1, 4]
    starts: Boxes
    goals: Boxes

    @classmethod
    def of(cls, board: Board) -> "Relaxed":
        squares = Squares(board)
        starts, goals = (squares.numbers(some).tolist() for some in (board.boxes, board.goals))
        return cls(squares.neighbours, frozenset(starts), frozenset(goals))

    def regions(self, boxes: Boxes) -> set[int]:
        """All regions of free floor."""
        free = set(range(len(self.neighbours) - 1)) - boxes
        return {self.region(boxes, square) for square in free}

    def region(self, boxes: Boxes, square: int) -> int:
        """The region of a free square."""
        seen = [square]
        for at in seen:
            for ahead in self.neighbours[at].tolist():
                if ahead < len(self.neighbours) - 1 and ahead not in boxes and ahead not in seen:
                    seen.append(ahead)
        return min(seen)

    def moves(
        self, others: Boxes, box: int, region: int, *, are_pulls: bool
    ) -> Iterator[tuple[int, int]]:
        """Where the box comes to by one or more moves of it, and the player's region then."""
        seen = {(box, region)}
        waiting = [(box, region)]
        wall = len(self.neighbours) - 1
        while waiting:
            at, region = waiting.pop()
            for direction in range(4):
                end = int(self.neighbours[at, direction])
                beside = end if are_pulls else int(self.neighbours[at, direction ^ 2])
                after = int(self.neighbours[end, direction]) if are_pulls else at
                if {end, beside, after} & (others | {wall}):
                    continue
                if self.region(others | {at}, beside) != region:
                    continue
                place = end, self.region(others | {end}, after)
                if place not in seen:
                    seen.add(place)
                    waiting.append(place)
                    yield place
