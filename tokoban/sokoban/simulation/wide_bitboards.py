"""The rules on boards of any size packed into several int64 per plane, on any device.

``wide_words`` says which bit a cell is. What is no cell of the board is wall.
Axes: ``words`` the words of a plane, ``*B`` any batch shape, A the four moves, C the planes of
``tensor_boards.Plane``, H rows and W columns.
"""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
import torch
from jaxtyping import Bool, Float, Int, Int64
from torch import Tensor

from tokoban.sokoban.board import Board, Square
from tokoban.sokoban.interior import interior
from tokoban.sokoban.simulation import areas, wide_words
from tokoban.sokoban.simulation.bitboards import index
from tokoban.sokoban.simulation.bits import NUM_BITS, mixed
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
    """A batch of boards of one size, of which a step replaces the boxes and the player.

    The words come before the batch, so that one word of many boards lies together.
    """

    walls: Int64[Tensor, "words *B"]
    goals: Int64[Tensor, "words *B"]
    boxes: Int64[Tensor, "words *B"]
    player: Int64[Tensor, "*B"]  # the number of its bit
    height: int
    width: int

    def map(self, change: Callable[[Tensor], Tensor]) -> "WideBitboards":
        """The same boards with ``change`` (a move to a device, a new last axis …) of each part."""
        walls, goals, boxes, player = map(change, self[:4])
        return WideBitboards(walls, goals, boxes, player, self.height, self.width)

    def at(self, place: Any) -> "WideBitboards":
        """The boards at an index, a slice or a mask of the batch, as tensors are indexed."""
        place = place if isinstance(place, tuple) else (place,)
        every_word = (slice(None), *place)
        return self._replace(
            walls=self.walls[every_word],
            goals=self.goals[every_word],
            boxes=self.boxes[every_word],
            player=self.player[place],
        )

    @property
    def size(self) -> tuple[int, int]:
        """Rows and columns of ``planes``, and of the cells that ``push`` counts."""
        return self.height, self.width

    def cells(self, words: Int64[Tensor, "words *B"]) -> Bool[Tensor, "*B H W"]:
        """The cells of an area, of pushes or of any other words of these boards."""
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
    """The bits one and two steps away, whether that is a push, and whether anything moves."""
    offset = offsets(actions, boards.width)
    ahead = _bit(boards, boards.player + offset)
    beyond = _bit(boards, boards.player + 2 * offset)
    is_push = is_set(boards.boxes, ahead) & _is_free(boards, beyond)
    return ahead, beyond, is_push, is_push | _is_free(boards, ahead)


def _bit(boards: WideBitboards, numbers: Int64[Tensor, "*B"]) -> Bit:
    return wide_words.bit(numbers, len(boards.walls))


def _is_free(boards: WideBitboards, bit: Bit) -> Bool[Tensor, "*B"]:
    return ~(is_set(boards.walls, bit) | is_set(boards.boxes, bit))


def successors(boards: WideBitboards) -> WideBitboards:
    """The boards after each of the four moves, along a new last axis."""
    return step(*_four_moves(boards))


def is_legal(boards: WideBitboards) -> Bool[Tensor, "*B A"]:
    """Which of the four moves change the board: no wall and no immovable box is in the way."""
    *_, moves = _attempt(*_four_moves(boards))
    return moves


def _four_moves(boards: WideBitboards) -> tuple[WideBitboards, Int64[Tensor, "*B A"]]:
    spread = boards.map(lambda part: part.unsqueeze(-1).expand(*part.shape, 4))
    return spread, torch.arange(4, device=boards.player.device).expand_as(spread.player)


def is_solved(boards: WideBitboards) -> Bool[Tensor, "*B"]:
    """Where the boxes stand exactly on the goals."""
    return (boards.boxes == boards.goals).all(0)


def reachable(boards: WideBitboards, *, num_rounds: int | None = None) -> Int64[Tensor, "words *B"]:
    """The player's area: the cells it can walk to without a push, its own among them.

    A given ``num_rounds``, such as ``areas.enough_rounds`` of the size, never asks the host.
    """
    start = only(_bit(boards, boards.player), boards.boxes)
    free = ~(boards.walls | boards.boxes)
    return areas.flood(start, free, _shift_of(boards), num_rounds)


def pushes(
    boards: WideBitboards, area: Int64[Tensor, "words *B"] | None = None
) -> Int64[Tensor, "words *B A"]:
    """For each direction the boxes that the player can walk to and push that way.

    ``area`` is what ``reachable`` said of these boards, where it was asked already.
    """
    area = reachable(boards) if area is None else area
    free = ~(boards.walls | boards.boxes)
    return areas.pushable(boards.boxes, free, area, _shift_of(boards))


def _shift_of(boards: WideBitboards) -> areas.Shift:
    return lambda words, direction: wide_words.shift(words, direction, boards.width)


def push(
    boards: WideBitboards,
    places: Int[Tensor, "*B"],
    directions: Int[Tensor, "*B"],
    area: Int64[Tensor, "words *B"] | None = None,
) -> WideBitboards:
    """Walks each player to the box in cell ``places`` (width * row + column) and pushes it once.

    An impossible push changes nothing, not even the player. ``area`` is as for ``pushes``.
    """
    area = reachable(boards) if area is None else area
    offset = offsets(directions, boards.width)
    number = places.long() + places // boards.width + 1  # one bit of wall for each row before
    box = _bit(boards, number)
    ahead, behind = _bit(boards, number + offset), _bit(boards, number - offset)
    is_push = is_set(boards.boxes, box) & _is_free(boards, ahead) & is_set(area, behind)
    return boards._replace(
        boxes=moved(boards.boxes, box, ahead, is_push),
        player=torch.where(is_push, box.number, boards.player),
    )


def select(is_new: Bool[Tensor, "*B"], new: WideBitboards, old: WideBitboards) -> WideBitboards:
    """The rows of ``new`` where ``is_new``, and those of ``old`` elsewhere."""
    pairs = zip(new[:4], old[:4], strict=True)
    walls, goals, boxes, player = (torch.where(is_new, *pair) for pair in pairs)
    return WideBitboards(walls, goals, boxes, player, old.height, old.width)


def planes(boards: WideBitboards) -> Float[Tensor, "*B C H W"]:
    """The five planes a network reads, in the order of ``tensor_boards.Plane``, as 0.0 and 1.0."""
    player = only(_bit(boards, boards.player), boards.boxes)
    words = (boards.walls, ~boards.walls, boards.goals, boards.boxes, player)
    return boards.cells(torch.stack(words, dim=-1)).float()


def keys(boards: WideBitboards) -> Int64[Tensor, "*B"]:
    """A number for each board: equal for equal boards, else different but for a 2^-64 chance."""
    words = torch.cat([boards.walls, boards.goals, boards.boxes, boards.player.unsqueeze(0)])
    # Another number for each place, or two words could change places unseen.
    places = torch.arange(1, len(words) + 1, device=words.device)
    places = mixed(places).view(-1, *[1] * boards.player.dim())
    return mixed(mixed(mixed(words ^ places)).sum(0))


def push_keys(
    boards: WideBitboards, area: Int64[Tensor, "words *B"] | None = None
) -> Int64[Tensor, "*B"]:
    """Like ``keys``, but equal also for boards that differ only in where in its area the player is.

    ``area`` is as for ``pushes``.
    """
    area = reachable(boards) if area is None else area
    word = (area != 0).int().argmax(0)  # the first that is not empty
    bits = area.gather(0, word.unsqueeze(0)).squeeze(0)
    return keys(boards._replace(player=NUM_BITS * word + index(bits & -bits)))


def pack(
    boards: Sequence[Board], *, device: torch.device | str = "cpu", margin: int = 0
) -> WideBitboards:
    """The boards as words, each placed with its top left floor in cell (``margin``, ``margin``).

    Their common size is that of the largest interior with its margins; the rest is wall, and so is
    floor that does not belong to the ``interior``.
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


def to_board(boards: WideBitboards, row: tuple[int, ...] = (0,)) -> Board:
    """One board of the batch as a ``Board`` of their size; where it lay is forgotten."""
    single = boards.at(row)
    walls, goals, boxes = (
        frozenset(Square(row, column) for row, column in single.cells(words).nonzero().tolist())
        for words in single[:3]
    )
    player = Square(*divmod(int(single.player) - 1, boards.width + 1))
    return Board(boards.height, boards.width, walls, goals, boxes, player)
