"""Concatenated episodes: observations, actions, rewards.

Axes: N transitions of all episodes, E episodes.
"""

import hashlib
from dataclasses import dataclass, replace
from typing import Any

import torch
from jaxtyping import Bool, Float, Int64
from torch import Tensor

TENSORS = (
    "observations",
    "actions",
    "rewards",
    "lengths",
    "is_terminated",
    "contexts",
    "last_observations",
)
_OF_EPISODES = ("lengths", "is_terminated", "contexts", "last_observations")


@dataclass(frozen=True)
class Trajectories:
    """Whole episodes; discrete states and actions are numbers from 0.

    An episode ended by itself (terminated), or was cut off by the time limit (truncated).
    """

    env: str
    observations: Float[Tensor, "N states"]
    actions: Float[Tensor, "N actions"]
    rewards: Float[Tensor, "N"]
    lengths: Int64[Tensor, "E"]
    is_terminated: Bool[Tensor, "E"]
    contexts: Float[Tensor, "E contexts"]  # what stays the same in an episode
    last_observations: Float[Tensor, "E states"]  # what came of each episode's last action
    origin: str = ""  # the policies, their shares and the seed, in words

    def __post_init__(self) -> None:
        if not len(self.lengths):
            raise ValueError(f"{self.env}: no episodes")
        if int(self.lengths.sum()) != len(self.rewards) or not (self.lengths > 0).all():
            raise ValueError(
                f"{self.env}: the lengths of {len(self.lengths)} episodes are to be at least 1 and "
                f"{len(self.rewards)} together; got {int(self.lengths.sum())}"
            )
        for name in ("observations", "actions", "rewards", "contexts", "last_observations"):
            is_wrong = ~getattr(self, name).isfinite()
            if is_wrong.any():
                first = is_wrong.nonzero()[0].tolist()
                raise ValueError(f"{self.env}: {name} {first} is not a finite number")

    @property
    def ends(self) -> Int64[Tensor, "E"]:
        """The transition behind each episode's last one."""
        return self.lengths.cumsum(0)

    def returns(self) -> Float[Tensor, "E"]:
        """The sum of each episode's rewards."""
        episode = torch.arange(len(self.lengths)).repeat_interleave(self.lengths)
        sums = torch.zeros(len(self.lengths), dtype=torch.float64)
        return sums.index_add_(0, episode, self.rewards.double()).float()

    def best(self, share: float) -> "Trajectories":
        """The episodes with the highest returns, so large a share of them, in their order."""
        number = max(1, round(share * len(self.lengths)))
        order = self.returns().argsort(descending=True, stable=True)[:number]
        return self.at(order)

    def at(self, episodes: Int64[Tensor, "chosen"]) -> "Trajectories":
        """Some of the episodes, in their order."""
        is_kept = torch.zeros(len(self.lengths), dtype=torch.bool)
        is_kept[episodes] = True
        in_kept = is_kept.repeat_interleave(self.lengths)
        kept: dict[str, Any] = {
            name: tensor[is_kept if name in _OF_EPISODES else in_kept]
            for name, tensor in self._tensors().items()
        }
        return replace(self, **kept)

    def checksum(self) -> str:
        """SHA-256 of all numbers in their order."""
        digest = hashlib.sha256(self.env.encode())
        for tensor in self._tensors().values():
            digest.update(tensor.numpy().tobytes())
        return digest.hexdigest()

    def _tensors(self) -> dict[str, Tensor]:
        return {name: getattr(self, name).contiguous() for name in TENSORS}
