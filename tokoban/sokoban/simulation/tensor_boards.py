"""The rules on boolean planes, for boards of any one size and on any device.

Axes: ``*B`` any batch shape, C the planes, H rows, W columns.
Walls and goals are separate from boxes and player, so a step never copies them.
"""

from collections.abc import Iterable, Sequence
from enum import IntEnum
from typing import NamedTuple

import torch
from jaxtyping import Bool, Int
from torch import Tensor

from tokoban.sokoban.board import OFFSETS, Board, Square


class Plane(IntEnum):
    """The five input planes of a network, in the order used everywhere in the project."""

    WALL = 0
    FLOOR = 1
    GOAL = 2
    BOX = 3
    PLAYER = 4


class TensorBoards(NamedTuple):
    """A batch of boards of one size in four planes; a step replaces the last two."""

    walls: Bool[Tensor, "*B H W"]
    goals: Bool[Tensor, "*B H W"]
    boxes: Bool[Tensor, "*B H W"]
    player: Bool[Tensor, "*B H W"]


def step(boards: TensorBoards, actions: Int[Tensor, "*B"]) -> TensorBoards:
    """Moves each player in its own direction (0 to 3); an impossible move changes nothing."""
    ahead = _shift(boards.player, actions)
    beyond = _shift(ahead, actions)
    free = ~(boards.walls | boards.boxes)
    # A square beyond the edge is on no plane: neither free nor a box, like a wall.
    is_push = _any_cell(ahead & boards.boxes) & _any_cell(beyond & free)
    moves = is_push | _any_cell(ahead & free)
    return boards._replace(
        boxes=torch.where(is_push, (boards.boxes & ~ahead) | beyond, boards.boxes),
        player=torch.where(moves, ahead, boards.player),
    )


def is_solved(boards: TensorBoards) -> Bool[Tensor, "*B"]:
    """Whether the boxes cover exactly the goals."""
    return (boards.boxes == boards.goals).flatten(-2).all(-1)


def planes(boards: TensorBoards) -> Bool[Tensor, "*B C H W"]:
    """The five planes a network reads, in the order of ``Plane``."""
    by_plane = {
        Plane.WALL: boards.walls,
        Plane.FLOOR: ~boards.walls,
        Plane.GOAL: boards.goals,
        Plane.BOX: boards.boxes,
        Plane.PLAYER: boards.player,
    }
    return torch.stack([by_plane[plane] for plane in Plane], dim=-3)


def from_planes(planes: Bool[Tensor, "*B C H W"]) -> TensorBoards:
    """The boards of five planes in the order of ``Plane``, as views of them."""
    return TensorBoards(
        walls=planes[..., Plane.WALL, :, :],
        goals=planes[..., Plane.GOAL, :, :],
        boxes=planes[..., Plane.BOX, :, :],
        player=planes[..., Plane.PLAYER, :, :],
    )


def from_boards(boards: Sequence[Board], *, device: torch.device | str = "cpu") -> TensorBoards:
    """The boards as planes; raises ``ValueError`` unless they are of one size."""
    sizes = sorted({(board.height, board.width) for board in boards})
    if len(sizes) != 1:
        found = ", ".join(f"{height}x{width}" for height, width in sizes) or "no board"
        raise ValueError(f"expected boards of one size, got {found}")
    ((height, width),) = sizes

    def plane(squares_by_board: Iterable[Iterable[Square]]) -> Bool[Tensor, "B H W"]:
        indices = [
            (number, *square)
            for number, squares in enumerate(squares_by_board)
            for square in squares
        ]
        cells = torch.zeros(len(boards), height, width, dtype=torch.bool)
        cells[torch.tensor(indices, dtype=torch.long).reshape(-1, 3).unbind(1)] = True
        return cells.to(device)

    return TensorBoards(
        walls=plane(board.walls for board in boards),
        goals=plane(board.goals for board in boards),
        boxes=plane(board.boxes for board in boards),
        player=plane([board.player] for board in boards),
    )


def to_board(boards: TensorBoards, index: tuple[int, ...] = (0,)) -> Board:
    """One board of the batch; ``index`` has one number for each axis of ``*B``."""
    height, width = boards.player.shape[-2:]
    walls, goals, boxes, players = (
        frozenset(Square(row, column) for row, column in plane[index].nonzero().tolist())
        for plane in boards
    )
    (player,) = players
    return Board(height, width, walls, goals, boxes, player)


def _shift(plane: Bool[Tensor, "*B H W"], actions: Int[Tensor, "*B"]) -> Bool[Tensor, "*B H W"]:
    """Each plane moved one step in its own direction; cells that leave the board are dropped."""
    height, width = plane.shape[-2:]
    padded = plane.new_zeros(*plane.shape[:-2], height + 2, width + 2)
    padded[..., 1:-1, 1:-1] = plane
    shifted = torch.zeros_like(plane)
    for direction, (row_step, column_step) in enumerate(OFFSETS):
        top, left = 1 - row_step, 1 - column_step
        moved = padded[..., top : top + height, left : left + width]
        shifted |= moved & (actions == direction)[..., None, None]
    return shifted


def _any_cell(plane: Bool[Tensor, "*B H W"]) -> Bool[Tensor, "*B 1 1"]:
    return plane.flatten(-2).any(-1)[..., None, None]
