"""Validation of the arguments of environments, and their conversion to tensors.

Axes: B environments.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from jaxtyping import Bool, Int, Int64
from torch import Tensor

from tokoban.sokoban.simulation.level_pool import as_int64


def actions_of_arrays(actions: Any, *, num_envs: int) -> Int64[Tensor, "B"]:
    """The actions of a numpy array of integers; ``ValueError`` for others."""
    try:
        array = np.asarray(actions)
    except ValueError:
        raise ValueError(f"the actions are ragged; expected {num_envs} whole numbers") from None
    _check_shape(array.shape, array.dtype, num_envs, np.issubdtype(array.dtype, np.integer))
    # A copy, since torch supports neither all integer types nor all strides.
    return torch.from_numpy(np.array(array, dtype=np.int64))


def actions_on_device(actions: Any, *, num_envs: int, device: torch.device) -> Int[Tensor, "B"]:
    """The actions unchanged; their range is for the caller to check, as it synchronises."""
    if not isinstance(actions, Tensor):
        raise ValueError(f"the actions are {type(actions).__name__}; expected a tensor on {device}")
    is_whole = not (
        actions.is_floating_point() or actions.is_complex() or actions.dtype == torch.bool
    )
    _check_shape(actions.shape, actions.dtype, num_envs, is_whole)
    if actions.device.type != device.type:
        raise ValueError(f"the actions are on {actions.device}; expected a tensor on {device}")
    return actions


def check_range(actions: Int[Tensor, "B"], num_actions: int) -> None:
    """``ValueError`` for an action out of range; synchronises with the device."""
    lowest, highest = (int(bound) for bound in torch.aminmax(actions))
    if lowest < 0 or highest >= num_actions:
        wrong = lowest if lowest < 0 else highest
        raise ValueError(f"one of the actions is {wrong}; expected 0 to {num_actions - 1}")


def seeds_of(
    seed: int | np.integer | Sequence[int | None], *, num_envs: int
) -> tuple[Int64[Tensor, "B"], Bool[Tensor, "B"]]:
    """The seed of each environment, on the CPU, and which of them were given one.

    A single seed is that of the first environment; environment i has seed + i. ``ValueError`` for
    an invalid seed.
    """
    if isinstance(seed, int | np.integer):
        first = checked_seed(seed)
        if first + num_envs > 2**64:
            return seeds_of(range(first, first + num_envs), num_envs=num_envs)
        return torch.arange(num_envs) + as_int64(first), torch.ones(num_envs).bool()
    if isinstance(seed, str | bytes) or not isinstance(seed, Sequence | np.ndarray):
        raise _no_seed(seed)
    if len(seed) != num_envs:
        raise ValueError(f"got {len(seed)} seeds for {num_envs} environments")
    seeds = [as_int64(0 if one is None else checked_seed(one)) for one in seed]
    return torch.tensor(seeds), torch.tensor([one is not None for one in seed])


def reset_mask_of(mask: Any, *, num_envs: int) -> Bool[Tensor, "B"]:
    """The environments to reset; ``ValueError`` unless there is a boolean for each."""
    try:
        tensor = torch.as_tensor(mask)
    except (TypeError, ValueError, RuntimeError):
        message = f"the reset mask is {mask!r}; expected {num_envs} booleans"
        raise ValueError(message) from None
    if tensor.shape != (num_envs,) or tensor.dtype != torch.bool:
        got = f"{tensor.dtype} {[*tensor.shape]}"
        raise ValueError(f"the reset mask is {got}; expected {num_envs} booleans")
    return tensor


def device_of(device: Any) -> torch.device:
    """The device by its name, the CPU for None; ``ValueError`` for an unusable one."""
    try:
        found = torch.device("cpu" if device is None else device)
        if found.type == "meta":
            raise ValueError("the device is meta, which holds no numbers; expected cpu or cuda")
        if found.type == "cuda" and not torch.cuda.is_available():
            raise ValueError(f"the device is {device}, but torch finds no CUDA device")
        torch.empty(0, device=found)
    except (TypeError, RuntimeError, AssertionError, NotImplementedError):
        message = f"the device is {device!r}, which torch cannot use; expected cpu or cuda"
        raise ValueError(message) from None
    return found


def check_whole(name: str, number: Any, *, least: int, most: int) -> None:
    """``ValueError`` unless it is a whole number in range."""
    if not is_whole_number(number) or not least <= number <= most:
        raise ValueError(f"{name} is {number!r}; expected a whole number, {least} to {most}")


def is_whole_number(number: Any) -> bool:
    """Whether it is an integer of Python or numpy, and no bool."""
    return isinstance(number, int | np.integer) and not isinstance(number, bool)


def checked_seed(seed: Any) -> int:
    """The seed; ``ValueError`` for an invalid one."""
    if not is_whole_number(seed) or seed < 0:
        raise _no_seed(seed)
    return int(seed)


def _no_seed(seed: Any) -> ValueError:
    return ValueError(f"a seed is {seed!r}; expected a whole number, 0 or more")


def _check_shape(shape: Sequence[int], dtype: Any, num_envs: int, is_whole: bool) -> None:
    if tuple(shape) != (num_envs,) or not is_whole:
        raise ValueError(f"the actions are {dtype} {[*shape]}; expected {num_envs} whole numbers")
