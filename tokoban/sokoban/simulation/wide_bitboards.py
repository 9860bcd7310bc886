"""The rules on boards of any size packed into several int64 per plane, on any device.

``wide_words`` defines the bit of each cell. Bits without a cell are wall.
Axes: ``words`` the words of a plane, ``*B`` any batch shape, A the four moves, H rows and W
columns.
"""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
import torch
from jaxtyping import Bool, Int, Int64
from torch import Tensor

from tokoban.sokoban.board import Board, Square
from tokoban.sokoban.interior import interior
from tokoban.sokoban.simulation import wide_words, zones
from tokoban.sokoban.simulation.bits import NUM_BITS
from tokoban.sokoban.simulation.wide_words import (
    Bit,
    bit_number,
    cells,
    is_set,
    moved,
    offsets,
    only,
)


class WideBitboards(NamedTuple):
    """A batch of boards of one size; a step replaces the boxes and the player.

    The words come before the batch, so that the same word of many boards is contiguous.
    """

    walls: Int64[Tensor, "words *B"]
    goals: Int64[Tensor, "words *B"]
    boxes: Int64[Tensor, "words *B"]
    player: Int64[Tensor, "*B"]  # its bit number
    height: int
    width: int

    def map(self, change: Callable[[Tensor], Tensor]) -> "WideBitboards":
        """The boards with ``change`` (a view, a transfer to a device …) applied to each part."""
        walls, goals, boxes, player = map(change, self[:4])
        return WideBitboards(walls, goals, boxes, player, self.height, self.width)

    def at(self, index: Any) -> "WideBitboards":
        """The boards at an index, a slice or a mask of the batch, as in indexing a tensor."""
        index = index if isinstance(index, tuple) else (index,)
        every_word = (slice(None), *index)
        return self._replace(
            walls=self.walls[every_word],
            goals=self.goals[every_word],
            boxes=self.boxes[every_word],
            player=self.player[index],
        )

    @property
    def size(self) -> tuple[int, int]:
        """Rows and columns of ``planes``, and of the cells that ``push`` counts."""
        return self.height, self.width

    @property
    def player_words(self) -> Int64[Tensor, "words *B"]:
        """The player's cell as a set of squares, laid out as ``boxes`` is."""
        return only(_bit(self, self.player), self.boxes)

    def cells(self, words: Int64[Tensor, "words *B"]) -> Bool[Tensor, "*B H W"]:
        """The cells of zones, pushes or any other words of these boards."""
        return cells(words, self.height, self.width)


def step(boards: WideBitboards, actions: Int[Tensor, "*B"]) -> WideBitboards:
    """Moves each player in its own direction (0 to 3); an impossible move changes nothing."""
    ahead, beyond, is_push, moves = _attempt(boards, actions)
    return boards._replace(
        boxes=moved(boards.boxes, ahead, beyond, is_push),
        player=torch.where(moves, ahead.number, boards.player),
    )


def _attempt(
    boards: WideBitboards, actions: Int[Tensor, "*B"]
) -> tuple[Bit, Bit, Bool[Tensor, "*B"], Bool[Tensor, "*B"]]:
    """The bits one and two steps ahead, whether the move is a push, and whether it is legal."""
    offset = offsets(actions, boards.width)
    ahead = _bit(boards, boards.player + offset)
    beyond = _bit(boards, boards.player + 2 * offset)
    is_push = is_set(boards.boxes, ahead) & _is_free(boards, beyond)
    return ahead, beyond, is_push, is_push | _is_free(boards, ahead)


def _bit(boards: WideBitboards, numbers: Int64[Tensor, "*B"]) -> Bit:
    return wide_words.bit(numbers, len(boards.walls))


def _is_free(boards: WideBitboards, bit: Bit) -> Bool[Tensor, "*B"]:
    return ~(is_set(boards.walls, bit) | is_set(boards.boxes, bit))


def is_legal(boards: WideBitboards) -> Bool[Tensor, "*B A"]:
    """Which of the four moves change the board: no wall or immovable box blocks them."""
    spread = boards.map(lambda part: part.unsqueeze(-1).expand(*part.shape, 4))
    actions = torch.arange(4, device=boards.player.device).expand_as(spread.player)
    *_, moves = _attempt(spread, actions)
    return moves


def is_solved(boards: WideBitboards) -> Bool[Tensor, "*B"]:
    """Whether the boxes cover exactly the goals."""
    return (boards.boxes == boards.goals).all(0)


def reachable(boards: WideBitboards) -> Int64[Tensor, "words *B"]:
    """The player's zone: the cells reachable without a push, its own included."""
    return zones.flood(boards.player_words, ~(boards.walls | boards.boxes), _shift_of(boards))


def pushes(
    boards: WideBitboards, zone: Int64[Tensor, "words *B"] | None = None
) -> Int64[Tensor, "words *B A"]:
    """The boxes that can be pushed in each direction.

    ``zone`` is ``reachable(boards)`` if known already.
    """
    zone = reachable(boards) if zone is None else zone
    free = ~(boards.walls | boards.boxes)
    return zones.pushable(boards.boxes, free, zone, _shift_of(boards))


def _shift_of(boards: WideBitboards) -> zones.Shift:
    return lambda words, direction: wide_words.shift(words, direction, boards.width)


def push(
    boards: WideBitboards,
    squares: Int[Tensor, "*B"],
    directions: Int[Tensor, "*B"],
    zone: Int64[Tensor, "words *B"] | None = None,
) -> WideBitboards:
    """Walks each player to the box in cell ``squares`` (width * row + column), pushes it once.

    An impossible push changes nothing, not even the player. ``zone`` as in ``pushes``.
    """
    zone = reachable(boards) if zone is None else zone
    offset = offsets(directions, boards.width)
    number = squares.long() + squares // boards.width + 1  # one bit of wall for each row before
    box = _bit(boards, number)
    ahead, behind = _bit(boards, number + offset), _bit(boards, number - offset)
    is_push = is_set(boards.boxes, box) & _is_free(boards, ahead) & is_set(zone, behind)
    return boards._replace(
        boxes=moved(boards.boxes, box, ahead, is_push),
        player=torch.where(is_push, box.number, boards.player),
    )


def select(is_new: Bool[Tensor, "*B"], new: WideBitboards, old: WideBitboards) -> WideBitboards:
    """The boards of ``new`` where ``is_new``, else those of ``old``."""
    pairs = zip(new[:4], old[:4], strict=True)
    walls, goals, boxes, player = (torch.where(is_new, *pair) for pair in pairs)
    return WideBitboards(walls, goals, boxes, player, old.height, old.width)


def pack(
    boards: Sequence[Board], *, device: torch.device | str = "cpu", margin: int = 0
) -> WideBitboards:
    """The boards as words, each with its top left floor in cell (``margin``, ``margin``).

    Their common size is that of the largest interior with its margins; the rest is wall, as is
    floor outside the ``interior``.
    """
    interiors = [interior(board) for board in boards]
    height = max((inside.height for inside in interiors), default=1) + 2 * margin
    width = max((inside.width for inside in interiors), default=1) + 2 * margin
    num_bytes = NUM_BITS // 8 * wide_words.num_words(height, width)
    packed, players = [], []
    for board, inside in zip(boards, interiors, strict=True):
        top, left = inside.top - margin, inside.left - margin

        def number(square: Square, top: int = top, left: int = left) -> int:
            return bit_number(square.row - top, square.column - left, width)

        for squares in (inside.floor, board.goals, board.boxes):
            bits = sum(1 << number(square) for square in squares)
            packed.append(bits.to_bytes(num_bytes, "little"))
        players.append(number(board.player))
    words = np.frombuffer(b"".join(packed), "<i8").reshape(len(boards), 3, num_bytes // 8)
    floor, goals, boxes = torch.from_numpy(words.transpose(1, 2, 0).copy()).to(device)
    player = torch.tensor(players, dtype=torch.int64, device=device)
    return WideBitboards(~floor, goals, boxes, player, height, width)
