"""The Gymnasium spaces that a player supports: discrete ones from 0, and boxes."""

from typing import Any, TypeGuard

import torch
from gymnasium import spaces
from jaxtyping import Float
from torch import Tensor

Space = spaces.Space[Any]
Discrete = spaces.Discrete | spaces.MultiDiscrete


def is_discrete(space: Space) -> TypeGuard[Discrete]:
    """Whether a value is one choice, or several at once; else it is a box."""
    return isinstance(space, Discrete)


def check_space(space: Space) -> None:
    """``ValueError`` for a space that a player cannot read."""
    match space:
        case spaces.Box():
            return
        case spaces.Discrete() if space.start == 0:
            return
        case spaces.MultiDiscrete() if space.nvec.ndim == 1 and not space.start.any():
            return
    raise ValueError(f"expected a space Discrete or MultiDiscrete from 0, or a Box, got {space}")


def counts_of(space: Discrete) -> tuple[int, ...]:
    """The number of values of each choice."""
    return (int(space.n),) if isinstance(space, spaces.Discrete) else tuple(space.nvec.tolist())


def are_read_alike(space: Space, other: Space) -> bool:
    """Whether a player takes them for the same: a choice by itself is that of a row of one."""
    if is_discrete(space) and is_discrete(other):
        return counts_of(space) == counts_of(other)
    return space == other


def bounds_of(space: spaces.Box) -> tuple[Float[Tensor, "n"], Float[Tensor, "n"]]:
    """The lowest and the highest of each number of the flattened box, maybe infinite."""
    low, high = (bound.astype(float).flatten().tolist() for bound in (space.low, space.high))
    return torch.tensor(low), torch.tensor(high)


def scaling_of(space: spaces.Box) -> tuple[Float[Tensor, "n"], Float[Tensor, "n"]]:
    """The middle and half the range of each number, or 0 and 1 where no range is of use."""
    low, high = bounds_of(space)
    is_bounded = (high - low < 1e6) & (high > low)
    centre = torch.where(is_bounded, (low + high) / 2, torch.zeros_like(low))
    return centre, torch.where(is_bounded, (high - low) / 2, torch.ones_like(low))
