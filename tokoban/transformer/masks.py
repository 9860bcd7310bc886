"""Attention masks: Bool[..., T, S], True = may attend; combine masks with ``&``.

Axes: T targets (queries, the rows), S sources (keys, the columns).
"""

import torch
from jaxtyping import Bool
from torch import Tensor


def causal(
    length: int, *, num_keys: int | None = None, device: torch.device | str | None = None
) -> Bool[Tensor, "T S"]:
    """Each position may attend to itself and to earlier positions.

    If ``num_keys`` exceeds ``length``, the queries are the last positions of the keys, as with a
    cache.
    """
    num_keys = length if num_keys is None else num_keys
    if length < 0:
        raise ValueError(f"expected a length of at least 0, got {length}")
    if num_keys < length:
        raise ValueError(f"expected at least as many keys as queries ({length}), got {num_keys}")
    everything = torch.ones(length, num_keys, dtype=torch.bool, device=device)
    return everything.tril(num_keys - length)


def goal_and_current(length: int) -> Bool[Tensor, "T T"]:
    """Each position may attend to position 0 and to itself, and so reads no history."""
    may_attend = torch.eye(length, dtype=torch.bool)
    may_attend[:, 0] = True
    return may_attend
