"""A board on its ``Ground``, with the traps of lone boxes.

A *box state* is the number ``box * 4 + zone`` of a lone box and the player's zone beside it: the
*place* of ``search.level.ground``. Axes in this folder: F floor squares, G goals, K boxes, W words
of 64 squares, P capacity for positions, D sums of lower bounds.
"""

from collections.abc import Callable, Iterable

from tokoban.sokoban.board import Board, Square
from tokoban.sokoban.proofs.certificate import BoxState, Trap
from tokoban.sokoban.search.level.ground import Squares, build_ground


class NumberedBoard:
    """A board, the numbers of its squares, and what is known of it without its boxes."""

    def __init__(self, board: Board, check: Callable[[], None] = lambda: None) -> None:
        """``check`` is called between steps and may raise to stop."""
        self.board = board
        numbering = Squares(board)
        self.squares, self.number = numbering.squares, numbering.number
        self.numbers = numbering.numbers
        self.ground = build_ground(board, numbering, check)

    def state(self, box: Square, player: Square) -> int:
        """The number of a box state."""
        number = self.number[box]
        return number * 4 + int(self.ground.zone[number, self.number[player]])

    def trap(self, states: Iterable[int]) -> Trap:
        """The box states, and all that pushes of the lone boxes lead to; ascending."""
        neighbours, zone = self.ground.neighbours.tolist(), self.ground.zone
        wall = len(self.squares)
        found = set(states)
        waiting = list(found)
        while waiting:
            box, player_zone = divmod(waiting.pop(), 4)
            for direction in range(4):
                ahead, behind = neighbours[box][direction], neighbours[box][direction ^ 2]
                if wall in (ahead, behind) or zone[box, behind] != player_zone:
                    continue
                after = ahead * 4 + int(zone[ahead, box])
                if after not in found:
                    found.add(after)
                    waiting.append(after)
        return Trap(tuple(map(self._named, sorted(found))))

    def _named(self, state: int) -> BoxState:
        """The box, with the player on the square beside it that gives the zone its number."""
        box = self.squares[state // 4]
        return BoxState(box, box.neighbour(state % 4))
