"""Weights kept along the way: the newest few, whose mean is often better than each, and the best.

https://arxiv.org/abs/1706.03762, section 6.1, took the mean of the last 5, or 20.
"""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from torch import Tensor

from tokoban.training.checkpoint import load_weights, save_weights

_NAME = re.compile(r"step-(\d{10})\.safetensors")


class Snapshots:
    """The newest ``num_kept`` in ``folder``, or all for None; a file for each step of one."""

    def __init__(self, folder: Path, *, num_kept: int | None) -> None:
        self.folder = folder
        self.num_kept = num_kept

    def take(
        self,
        model_state: Mapping[str, Tensor],
        *,
        step: int,
        metadata: Mapping[str, str],
    ) -> None:
        """Adds one, whose file has these ``metadata``, and removes what is too old.

        After a resumption what is yet to come is removed too.
        """
        self.folder.mkdir(parents=True, exist_ok=True)
        path = self.folder / f"step-{step:010}.safetensors"
        save_weights(path, model_state, metadata)
        reached = [path for path in self.paths() if step_of(path) <= step]
        for path in self.paths():
            if path not in reached[: self.num_kept]:
                path.unlink()

    def paths(self) -> list[Path]:
        """The files, newest first."""
        found = [path for path in self.folder.glob("*") if _NAME.fullmatch(path.name)]
        return sorted(found, reverse=True)


def mean_weights(paths: Sequence[Path]) -> dict[str, Tensor]:
    """The mean of each tensor over several weights files; what is not a float is the first's.

    ValueError where there is no file, or where they are not of one model.
    """
    if not paths:
        raise ValueError("a mean of weights needs at least one file")
    first, _ = load_weights(paths[0])
    # In double precision, so that the mean of equals is what they are.
    sums = {name: x.double() for name, x in first.items() if x.is_floating_point()}
    for path in paths[1:]:
        state, _ = load_weights(path)
        if {n: x.shape for n, x in state.items()} != {n: x.shape for n, x in first.items()}:
            raise ValueError(f"{path} holds another model than {paths[0]}")
        for name in sums:
            sums[name] += state[name]
    return first | {name: (x / len(paths)).to(first[name].dtype) for name, x in sums.items()}


def step_of(path: Path) -> int:
    """The step that the snapshot in this file was taken at."""
    name = _NAME.fullmatch(path.name)
    if name is None:
        raise ValueError(f"{path}: not a snapshot; its name is not step-<10 digits>.safetensors")
    return int(name[1])
