"""The player's zone by flood fill and the pushes from it, for packed boards of any layout.

Axes: ``words`` whatever comes before the batch (nothing, or the words of a wide board), ``*B`` any
batch shape, A the four directions. A set of cells is a tensor with one bit per cell. Only ``shift``
knows the layout: it moves a set one step and drops the cells that leave the board.
"""

from collections.abc import Callable

import torch
from jaxtyping import Int64
from torch import Tensor

Shift = Callable[[Tensor, int], Tensor]

# Each check waits for all that an accelerator has queued.
_ROUNDS_PER_CHECK = 4


def flood(
    start: Int64[Tensor, "*words"], free: Int64[Tensor, "*words"], shift: Shift
) -> Int64[Tensor, "*words"]:
    """All cells that a walk over ``free`` cells reaches from ``start``, the start included.

    Repeats until nothing new is found, which synchronises with the device every few rounds.
    """
    zone = start
    while True:
        before = zone
        for _ in range(_ROUNDS_PER_CHECK):
            for direction in range(4):
                zone = zone | (shift(zone, direction) & free)
        if torch.equal(zone, before):
            return zone


def pushable(
    boxes: Int64[Tensor, "*words"],
    free: Int64[Tensor, "*words"],
    zone: Int64[Tensor, "*words"],
    shift: Shift,
) -> Int64[Tensor, "*words A"]:
    """The boxes that can be pushed in each direction: the cell behind is in the zone, the one ahead
    is free."""
    by_direction = [
        boxes & shift(zone, direction) & shift(free, (direction + 2) % 4) for direction in range(4)
    ]
    return torch.stack(by_direction, dim=-1)
