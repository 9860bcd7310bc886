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
    start: Int64[Tensor, "*words"],
    free: Int64[Tensor, "*words"],
    shift: Shift,
    num_rounds: int | None = None,
) -> Int64[Tensor, "*words"]:
    """All cells that a walk over ``free`` cells reaches from ``start``, the start included.

    Repeats until nothing new is found, which synchronises with the device every few rounds. A fixed
    ``num_rounds`` never does, for compiled code and CUDA graphs; see ``max_flood_rounds``.
    """
    zone = start
    if num_rounds is not None:
        for _ in range(num_rounds):
            zone = _round(zone, free, shift)
        return zone
    while True:
        before = zone
        for _ in range(_ROUNDS_PER_CHECK):
            zone = _round(zone, free, shift)
        if torch.equal(zone, before):
            return zone


def max_flood_rounds(height: int, width: int) -> int:
    """Rounds that suffice for any board of this size: the length of the longest shortest walk.

    A shortest walk has at most three cells of any 2x2 block: with four there would be a shortcut.
    """
    return 3 * -(-height // 2) * -(-width // 2) - 1


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


def _round(zone: Tensor, free: Tensor, shift: Shift) -> Tensor:
    for direction in range(4):
        zone = zone | (shift(zone, direction) & free)
    return zone
