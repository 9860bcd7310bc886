"""Concatenated episodes (observations, actions, rewards), and their file.

Axes: N transitions of all episodes, E episodes.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import torch
from jaxtyping import Bool, Float, Int64
from safetensors.torch import save_file
from torch import Tensor

from tokoban.files.atomic import atomically
from tokoban.training.checkpoint import load_weights
from tokoban.training.weights_header import TensorInfo, read_header

_FORMAT = "tokoban trajectories 2"

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

    def save(self, path: Path) -> None:
        """Writes the file; whole, or not at all."""
        about = {"env": self.env, "origin": self.origin, "checksum": self.checksum()}
        with atomically(path) as temporary:
            save_file(self._tensors(), temporary, {"format": _FORMAT, "about": json.dumps(about)})

    def _tensors(self) -> dict[str, Tensor]:
        return {name: getattr(self, name).contiguous() for name in TENSORS}


def load(path: Path, *, env: str) -> Trajectories:
    """The inverse of ``save``; ``ValueError`` for a damaged file, or one of another environment."""
    with path.open("rb"):
        pass  # what is no file is refused by its name
    header = read_header(path)
    metadata = header.metadata
    if metadata.get("format") != _FORMAT:
        raise ValueError(f"{path}: not a file of trajectories that tokoban has written")
    try:
        about = json.loads(metadata["about"])
        words = [about[name] for name in ("env", "origin", "checksum")]
        is_whole = all(isinstance(word, str) for word in words) and _are_right(header.tensors)
    except (ValueError, KeyError, TypeError, RecursionError):
        is_whole = False
    if not is_whole:
        raise ValueError(f"{path}: damaged: not the arrays of episodes")
    if about["env"] != env:
        raise ValueError(f"{path}: trajectories of {about['env']}; expected those of {env}")
    tensors: dict[str, Any] = load_weights(path)[0]
    try:
        found = Trajectories(about["env"], **tensors, origin=about["origin"])
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from None
    if found.checksum() != about["checksum"]:
        raise ValueError(f"{path}: damaged: the numbers are not those that were written")
    return found


def _are_right(tensors: Mapping[str, TensorInfo]) -> bool:
    """Whether they are those of ``TENSORS``, of their types, and of shapes that fit together."""
    if tensors.keys() != set(TENSORS):
        return False
    shapes = {name: tensors[name].shape for name in TENSORS}
    types = dict.fromkeys(TENSORS, "F32") | {"lengths": "I64", "is_terminated": "BOOL"}
    num_axes = dict.fromkeys(TENSORS, 2) | dict.fromkeys(("rewards", "lengths", "is_terminated"), 1)
    return (
        all(tensors[name].dtype == types[name] for name in TENSORS)
        and all(len(shapes[name]) == num_axes[name] for name in TENSORS)
        and len({shapes[name][0] for name in ("observations", "actions", "rewards")}) == 1
        and len({shapes[name][0] for name in _OF_EPISODES}) == 1
        and shapes["observations"][1] == shapes["last_observations"][1]
    )
