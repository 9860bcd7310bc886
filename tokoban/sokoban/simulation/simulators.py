"""The interface of both packed simulators, and the choice between them.

Axes: ``*B`` any batch shape, A the four directions, C the planes of ``tensor_boards.Plane``, H rows
and W columns.
"""

from collections.abc import Sequence
from typing import Any, Protocol, runtime_checkable

import torch
from jaxtyping import Bool, Int
from torch import Tensor

from tokoban.sokoban.board import Board
from tokoban.sokoban.interior import interior
from tokoban.sokoban.simulation import bitboards, wide_bitboards


@runtime_checkable
class Simulator(Protocol):
    """The functions of the modules ``bitboards`` and ``wide_bitboards``, documented there.

    ``boards`` are of the same module; ``zone`` and the results of ``reachable`` and ``pushes`` are
    words in its layout, which ``boards.cells`` converts to rows and columns.
    """

    def step(self, boards: Any, actions: Int[Tensor, "*B"]) -> Any: ...
    def is_legal(self, boards: Any) -> Bool[Tensor, "*B A"]: ...
    def is_solved(self, boards: Any) -> Bool[Tensor, "*B"]: ...
    def reachable(self, boards: Any) -> Tensor: ...
    def pushes(self, boards: Any, zone: Tensor | None = None) -> Tensor: ...
    def push(
        self,
        boards: Any,
        squares: Int[Tensor, "*B"],
        directions: Int[Tensor, "*B"],
        zone: Tensor | None = None,
    ) -> Any: ...
    def select(self, is_new: Bool[Tensor, "*B"], new: Any, old: Any) -> Any: ...
    def pack(
        self, boards: Sequence[Board], *, device: torch.device | str = "cpu", margin: int = 0
    ) -> Any: ...


def simulator_for(boards: Sequence[Board]) -> Simulator:
    """``bitboards`` if every interior fits 8x8, else ``wide_bitboards``."""
    interiors = [interior(board) for board in boards]
    fits = all(max(inside.height, inside.width) <= bitboards.SIDE for inside in interiors)
    return bitboards if fits else wide_bitboards
