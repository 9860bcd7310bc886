"""Boards of any one size as boolean planes, on any device: what networks read.

Axes: ``*B`` any batch shape, C the planes, H rows, W columns.
"""

from collections.abc import Iterable, Sequence
from enum import IntEnum
from typing import NamedTuple

import torch
from jaxtyping import Bool
from torch import Tensor

from tokoban.sokoban.board import Board, Square


class Plane(IntEnum):
    """The five input planes of a network, in the order used everywhere in the project."""

    WALL = 0
    FLOOR = 1
    GOAL = 2
    BOX = 3
    PLAYER = 4


class TensorBoards(NamedTuple):
    """A batch of boards of one size in four planes."""

    walls: Bool[Tensor, "*B H W"]
    goals: Bool[Tensor, "*B H W"]
    boxes: Bool[Tensor, "*B H W"]
    player: Bool[Tensor, "*B H W"]


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


def from_boards(boards: Sequence[Board]) -> TensorBoards:
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
        return cells

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
