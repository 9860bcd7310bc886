"""The rules on boards packed into one int64 per plane (bitboards), on any device.

Cell (row, column) is bit 8 * row + column. A board fits if its ``interior`` fits 8x8; everything
outside is wall, so no cell has a neighbour beyond the word.
Axes: ``*B`` any batch shape, A the four moves, C ``tensor_boards.Plane``, H rows and W columns.
"""

from collections.abc import Callable, Iterable, Sequence
from functools import cache
from typing import Any, NamedTuple

import torch
from jaxtyping import Bool, Float, Int, Int64
from torch import Tensor

from tokoban.sokoban.board import Board, Square
from tokoban.sokoban.interior import interior
from tokoban.sokoban.simulation.bits import bits, mixed
from tokoban.sokoban.simulation.tensor_boards import TensorBoards
from tokoban.sokoban.simulation.zones import flood, pushable
from tokoban.sokoban.sizes import SIDE
from tokoban.sokoban.symmetry import SYMMETRIES, Symmetry

# One step is a shift left, a shift right and a mask. The masks clear cells that wrapped around an
# edge, and the sign bits that int64's arithmetic right shift brings in.
_LEFT_SHIFTS = (0, 0, 8, 1)
_RIGHT_SHIFTS = (8, 1, 0, 0)
_LANDING = (
    0x00FFFFFFFFFFFFFF,
    0x7F7F7F7F7F7F7F7F,
    -1,
    0xFEFEFEFEFEFEFEFE - 2**64,
)


class Bitboards(NamedTuple):
    """A batch of boards of four words each; a step replaces the last two."""

    walls: Int64[Tensor, "*B"]
    goals: Int64[Tensor, "*B"]
    boxes: Int64[Tensor, "*B"]
    player: Int64[Tensor, "*B"]

    def map(self, change: Callable[[Tensor], Tensor]) -> "Bitboards":
        """The boards with ``change`` (a view, a transfer to a device …) applied to each word."""
        return Bitboards(*(change(word) for word in self))

    def at(self, index: Any) -> "Bitboards":
        """The boards at an index, a slice or a mask of the batch, as in indexing a tensor."""
        return self.map(lambda word: word[index])

    @property
    def size(self) -> tuple[int, int]:
        """Rows and columns of ``planes``, and of the cells that ``push`` counts."""
        return SIDE, SIDE

    @property
    def player_words(self) -> Int64[Tensor, "*B"]:
        """The player's cell as a set of squares, laid out as ``boxes`` is."""
        return self.player

    def cells(self, words: Int64[Tensor, "*B"]) -> Bool[Tensor, "*B H W"]:
        """The cells of zones, pushes or any other words of these boards."""
        return cells(words)


def shift(cells: Int64[Tensor, "*B"], direction: int) -> Int64[Tensor, "*B"]:
    """The cells moved one step in ``direction``; those that leave the 8x8 square are dropped."""
    return ((cells << _LEFT_SHIFTS[direction]) >> _RIGHT_SHIFTS[direction]) & _LANDING[direction]


def step(boards: Bitboards, actions: Int[Tensor, "*B"]) -> Bitboards:
    """Moves each player in its own direction (0 to 3); an impossible move changes nothing."""
    shifted = _shift_by(actions)
    free = ~(boards.walls | boards.boxes)
    ahead = shifted(boards.player)
    pushed_from = ahead & boards.boxes
    pushed_to = shifted(pushed_from) & free
    is_push = pushed_to != 0
    moves = is_push | ((ahead & free) != 0)
    return boards._replace(
        boxes=torch.where(is_push, boards.boxes ^ pushed_from ^ pushed_to, boards.boxes),
        player=torch.where(moves, ahead, boards.player),
    )


def _shift_by(directions: Int[Tensor, "*B"]) -> Callable[[Tensor], Tensor]:
    """``shift`` with a direction for each word."""
    directions = directions.long()
    if torch.compiler.is_compiling():
        # All four in registers: faster than tables, which a graph would have to hold.
        is_forward, is_along_row = directions > 1, (directions & 1) != 0

        def shifted(cells: Tensor) -> Tensor:
            up, left, down, right = (shift(cells, direction) for direction in range(4))
            forward = torch.where(is_along_row, right, down)
            return torch.where(is_forward, forward, torch.where(is_along_row, left, up))

        return shifted
    left, right, landing = (table[directions] for table in _tables_on(directions.device))
    return lambda cells: ((cells << left) >> right) & landing


@cache
def _tables_on(device: torch.device) -> tuple[Tensor, ...]:
    """The shifts and the mask of each direction, copied to a device once."""
    return tuple(
        torch.tensor(table, device=device) for table in (_LEFT_SHIFTS, _RIGHT_SHIFTS, _LANDING)
    )


def successors(boards: Bitboards) -> Bitboards:
    """The boards after each of the four moves, along a new last axis."""
    spread = boards.map(lambda word: word.unsqueeze(-1).expand(*word.shape, 4))
    actions = torch.arange(4, device=boards.boxes.device).expand_as(spread.boxes)
    return step(spread, actions)


def is_legal(boards: Bitboards) -> Bool[Tensor, "*B A"]:
    """Which of the four moves change the board: no wall or immovable box blocks them."""
    free = ~(boards.walls | boards.boxes)
    moved = []
    for direction in range(4):
        ahead = shift(boards.player, direction)
        moved.append((ahead | shift(ahead & boards.boxes, direction)) & free)
    return torch.stack(moved, dim=-1) != 0


def is_solved(boards: Bitboards) -> Bool[Tensor, "*B"]:
    """Whether the boxes cover exactly the goals."""
    return boards.boxes == boards.goals


def reachable(boards: Bitboards) -> Int64[Tensor, "*B"]:
    """The player's zone: the cells reachable without a push, its own included."""
    return flood(boards.player, ~(boards.walls | boards.boxes), shift)


def pushes(boards: Bitboards, zone: Int64[Tensor, "*B"] | None = None) -> Int64[Tensor, "*B A"]:
    """The boxes that can be pushed in each direction.

    ``zone`` is ``reachable(boards)`` if known already.
    """
    zone = reachable(boards) if zone is None else zone
    return pushable(boards.boxes, ~(boards.walls | boards.boxes), zone, shift)


def push(
    boards: Bitboards,
    squares: Int[Tensor, "*B"],
    directions: Int[Tensor, "*B"],
    zone: Int64[Tensor, "*B"] | None = None,
) -> Bitboards:
    """Walks each player to the box in cell ``squares`` (8 * row + column) and pushes it once.

    An impossible push changes nothing, not even the player. ``zone`` as in ``pushes``.
    """
    zone = reachable(boards) if zone is None else zone
    pushed_from = (torch.ones_like(boards.boxes) << squares) & boards.boxes
    free = ~(boards.walls | boards.boxes)
    pushed_to = _shift_by(directions)(pushed_from) & free
    behind = _shift_by(directions ^ 2)(pushed_from) & zone
    is_push = (pushed_to != 0) & (behind != 0)
    return boards._replace(
        boxes=torch.where(is_push, boards.boxes ^ pushed_from ^ pushed_to, boards.boxes),
        player=torch.where(is_push, pushed_from, boards.player),
    )


def select(is_new: Bool[Tensor, "*B"], new: Bitboards, old: Bitboards) -> Bitboards:
    """The boards of ``new`` where ``is_new``, else those of ``old``."""
    return Bitboards(*(torch.where(is_new, *pair) for pair in zip(new, old, strict=True)))


def cells(words: Int64[Tensor, "*B"]) -> Bool[Tensor, "*B H W"]:
    """The 8x8 cells of each word."""
    return bits(words).unflatten(-1, (SIDE, SIDE))


def to_word(squares: Bool[Tensor, "*B H W"]) -> Int64[Tensor, "*B"]:
    """The inverse of ``cells``, for boards of up to 8x8; cells beyond are not set."""
    height, width = squares.shape[-2:]
    numbers = SIDE * torch.arange(height, device=squares.device).unsqueeze(1)
    numbers = numbers + torch.arange(width, device=squares.device)
    return (squares.long() << numbers).sum((-2, -1))


def from_planes(boards: TensorBoards) -> Bitboards:
    """Boards of up to 8x8 as words; the rest of the square is wall."""
    walls = ~to_word(~boards.walls)
    return Bitboards(walls, *(to_word(plane) for plane in boards[1:]))


def planes(boards: Bitboards) -> Float[Tensor, "*B C H W"]:
    """The five planes a network reads, in the order of ``tensor_boards.Plane``, as 0.0 and 1.0."""
    words = (boards.walls, ~boards.walls, boards.goals, boards.boxes, boards.player)
    return cells(torch.stack(words, dim=-1)).float()


def index(single: Int64[Tensor, "*B"]) -> Int64[Tensor, "*B"]:
    """The cell number, 0 to 63, of words that hold one cell."""
    # A power of two is exact in float64, but bit 63 is negative there, hence abs().
    return single.double().abs().log2().round().long()


def image(boards: Bitboards, symmetry: Symmetry) -> Bitboards:
    """The boards under one of the eight symmetries of the 8x8 square."""
    return boards.map(lambda word: to_word(symmetry.of_planes(cells(word))))


def keys(boards: Bitboards) -> Int64[Tensor, "*B"]:
    """A hash of each board: equal for equal boards, else different with probability 1 - 2^-64."""
    key = torch.zeros_like(boards.boxes)
    for word in boards:
        key = mixed(key ^ word)
    return key * -4658895280553007687


def push_keys(boards: Bitboards) -> Int64[Tensor, "*B"]:
    """Like ``keys``, but of the boxes and the player's zone instead of its cell."""
    zone = reachable(boards)
    return keys(boards._replace(player=zone & -zone))  # the lowest cell of the zone


def to_corner(boards: Bitboards) -> Bitboards:
    """The boards translated up and left until floor touches both edges of the 8x8 square."""
    floor = cells(~boards.walls)
    rows = floor.any(-1).int().argmax(-1)
    columns = floor.any(-2).int().argmax(-1)
    distance = SIDE * rows + columns
    # Clears the sign bits that int64's right shift brings in.
    mask = ~(torch.full_like(distance, -1) << (63 - distance) << 1)

    def move(word: Tensor) -> Tensor:
        return (word >> distance) & mask

    _, goals, boxes, player = boards.map(move)
    return Bitboards(~move(~boards.walls), goals, boxes, player)


def canonical_keys(boards: Bitboards) -> Int64[Tensor, "*B"]:
    """``keys`` up to the eight symmetries and translation."""
    images = (to_corner(image(boards, symmetry)) for symmetry in SYMMETRIES)
    return torch.stack([keys(board) for board in images]).amin(0)


def pack(
    boards: Sequence[Board], *, device: torch.device | str = "cpu", margin: int | None = None
) -> Bitboards:
    """The boards as words, each with its top left floor in cell (``margin``, ``margin``).

    Floor outside the ``interior`` becomes wall. Without ``margin`` a board of up to 8x8 keeps its
    position and all its floor; a larger one is packed as with margin 0. ``ValueError`` for a board
    that does not fit.
    """
    rows = [_words(board, margin) for board in boards]
    columns = torch.tensor(rows, dtype=torch.int64, device=device).reshape(len(rows), 4).unbind(1)
    return Bitboards(*(column.contiguous() for column in columns))


def to_boards(boards: Bitboards) -> list[Board]:
    """All boards of a batch [B], each of 8x8 squares, in one transfer from the device."""
    return [_board(words) for words in torch.stack(boards, dim=1).tolist()]


def _board(words: Iterable[int]) -> Board:
    walls, goals, boxes, player = (
        frozenset(
            Square(cell // SIDE, cell % SIDE) for cell in range(SIDE * SIDE) if word >> cell & 1
        )
        for word in words
    )
    (player_square,) = player
    return Board(SIDE, SIDE, walls, goals, boxes, player_square)


def _words(board: Board, margin: int | None) -> tuple[int, int, int, int]:
    if margin is None and board.height <= SIDE and board.width <= SIDE:
        floor: Iterable[Square] = set(board.squares()) - board.walls
        top = left = 0
    else:
        margin = margin or 0
        floor, top, left, height, width = interior(board)
        top, left, side = top - margin, left - margin, SIDE - 2 * margin
        if max(height, width) > side:
            size = f"{height}x{width}"
            raise ValueError(f"interior {size} does not fit one 64-bit plane ({side}x{side})")

    def word(squares: Iterable[Square]) -> int:
        bits = sum(1 << (SIDE * (row - top) + column - left) for row, column in squares)
        return bits - 2**64 if bits >= 2**63 else bits

    return ~word(floor), word(board.goals), word(board.boxes), word({board.player})
