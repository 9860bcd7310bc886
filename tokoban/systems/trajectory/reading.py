"""Readers of growing rows of tokens, with a cache or by reading every row anew.

Axes: B rows, T tokens, D width.
"""

from typing import Protocol, runtime_checkable

import torch
from jaxtyping import Float, Int64
from torch import Tensor

from tokoban.systems.trajectory.model import TrajectoryTransformer
from tokoban.systems.trajectory.rollouts import History
from tokoban.transformer import empty_cache_for, masks


@runtime_checkable
class Reader(Protocol):
    """Rows of tokens that grow; each token attends to all that were read before it."""

    def read(self, vectors: Float[Tensor, "B T D"]) -> Float[Tensor, "B D"]:
        """Appends tokens to every row; returns the encoder's output at the last one."""
        ...

    def reorder(self, rows: Int64[Tensor, "chosen"]) -> None:
        """Row i becomes a copy of row ``rows[i]``; the number of rows may change."""
        ...


class CachedReader:
    """Each token costs one position."""

    def __init__(self, model: TrajectoryTransformer, batch_size: int, max_length: int) -> None:
        self._encoder = model.encoder
        self._cache = empty_cache_for(model.encoder, batch_size, max_length)

    def read(self, vectors: Float[Tensor, "B T D"]) -> Float[Tensor, "B D"]:
        length, past = vectors.shape[1], self._cache.length
        may_attend = None
        if length > 1:  # a single position may attend to all that there is
            may_attend = masks.causal(length, num_keys=past + length, device=vectors.device)
        return self._encoder(vectors, may_attend=may_attend, cache=self._cache)[:, -1]

    def reorder(self, rows: Int64[Tensor, "chosen"]) -> None:
        self._cache.reorder(rows)


class PlainReader:
    """Each token costs all positions: the same numbers, slowly."""

    def __init__(self, model: TrajectoryTransformer, batch_size: int) -> None:
        self._encoder = model.encoder
        self._read = model.heads.new_empty(batch_size, 0, model.heads.shape[1])

    def read(self, vectors: Float[Tensor, "B T D"]) -> Float[Tensor, "B D"]:
        self._read = torch.cat([self._read, vectors], dim=1)
        mask = masks.causal(self._read.shape[1], device=vectors.device)
        return self._encoder(self._read, may_attend=mask)[:, -1]

    def reorder(self, rows: Int64[Tensor, "chosen"]) -> None:
        self._read = self._read[rows]


def vectors_so_far(
    model: TrajectoryTransformer,
    history: History,
    *,
    num_past: int,
    to_go: Float[Tensor, "B times"] | None = None,
    goals: Float[Tensor, "B states"] | None = None,
) -> Float[Tensor, "B T D"]:
    """The prefix, the last ``num_past`` transitions, and what is known of the next one.

    ``to_go`` are the returns asked for at all times so far, for a model that reads them; ``goals``
    the states to come, for one that reads those.
    """
    layout, device = model.layout, model.heads.device
    parts = [history.contexts] + ([goals] if goals is not None else [])
    prefix = model.bins.encode(torch.cat(parts, dim=1).to(device), layout.prefix)
    now = len(history.actions)
    values = []
    for time in range(max(0, now - num_past), now + 1):
        known = {"states": history.observations[time]}
        if to_go is not None:
            known["to_go"] = to_go[:, time, None]
        if time < now:
            known |= {"actions": history.actions[time], "reward": history.rewards[time][:, None]}
        values += [known[kind] for kind in _ORDERS[layout.kind] if kind in known]
    numbers = torch.cat(values, dim=1).to(device, model.bins.centres.dtype)
    num_slots = len(layout.slots)
    columns = [layout.slots[place % num_slots] for place in range(numbers.shape[1])]
    tokens = model.bins.encode(numbers, columns)
    return torch.cat([model.embed_prefix(prefix), model.embed(tokens, columns)], dim=1)


_ORDERS = {
    "plan": ("states", "actions", "reward"),
    "return": ("to_go", "states", "actions"),
    "goal": ("states", "actions"),
}
