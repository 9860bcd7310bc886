"""Where the player can walk and what it can push from there, for words of any layout.

Axes: ``words`` whatever comes before the batch (nothing, or the words of a wide board), ``*B`` any
batch shape, A the four directions. Every set of cells is a tensor of bits with one cell a bit; the
layout is known to ``shift`` alone, which moves a set one step and drops what leaves the board.
"""

from collections.abc import Callable

import torch
from jaxtyping import Int64
from torch import Tensor

Shift = Callable[[Tensor, int], Tensor]

# The host is asked so rarely because on an accelerator each question waits for all that is queued.
_ROUNDS_PER_CHECK = 4


def flood(
    start: Int64[Tensor, "*words"],
    free: Int64[Tensor, "*words"],
    shift: Shift,
    num_rounds: int | None = None,
) -> Int64[Tensor, "*words"]:
    """All cells that a walk over ``free`` cells can come to from ``start``, the start included.

    Goes on until a few rounds find nothing new, which asks the host. ``num_rounds`` of them and no
    question are for what is compiled or captured as a graph; ``enough_rounds`` says how many.
    """
    area = start
    if num_rounds is not None:
        for _ in range(num_rounds):
            area = _round(area, free, shift)
        return area
    while True:
        before = area
        for _ in range(_ROUNDS_PER_CHECK):
            area = _round(area, free, shift)
        if torch.equal(area, before):
            return area


def enough_rounds(height: int, width: int) -> int:
    """So many rounds flood any board of this size: a shortest walk cannot be longer.

    It holds at most three cells of any 2x2 block, for from the first of four to the last there
    would be a shorter way.
    """
    return 3 * -(-height // 2) * -(-width // 2) - 1


def pushable(
    boxes: Int64[Tensor, "*words"],
    free: Int64[Tensor, "*words"],
    area: Int64[Tensor, "*words"],
    shift: Shift,
) -> Int64[Tensor, "*words A"]:
    """The boxes that can be pushed in each direction: the player can stand behind them, and the
    cell before them is free."""
    by_direction = [
        boxes & shift(area, direction) & shift(free, (direction + 2) % 4) for direction in range(4)
    ]
    return torch.stack(by_direction, dim=-1)


def _round(area: Tensor, free: Tensor, shift: Shift) -> Tensor:
    for direction in range(4):
        area = area | (shift(area, direction) & free)
    return area
