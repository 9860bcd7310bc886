"""Data sets of Minari (https://minari.farama.org), where the package is installed."""

import numpy as np
import torch
from torch import Tensor

from tokoban.systems.trajectory.trajectories import Trajectories


def load_minari(name: str, *, env: str) -> Trajectories:
    """A data set that is on this machine already: nothing is downloaded.

    Raises ``ModuleNotFoundError`` without the package, ``FileNotFoundError`` without the data and
    ``ValueError`` for those of another environment, or whose numbers are not in plain arrays.
    """
    import minari

    data = minari.load_dataset(name)
    spec = data.spec.env_spec
    if spec is not None and spec.id != env:
        raise ValueError(f"minari:{name}: trajectories of {spec.id}; expected those of {env}")
    episodes = list(data.iterate_episodes())
    lengths = [len(episode.rewards) for episode in episodes]
    return Trajectories(
        env,
        # One observation more than actions: what came of the last one.
        torch.cat([_rows(name, episode.observations)[:-1] for episode in episodes]),
        torch.cat([_rows(name, episode.actions) for episode in episodes]),
        torch.cat([_rows(name, episode.rewards)[:, 0] for episode in episodes]),
        torch.tensor(lengths),
        torch.tensor([bool(episode.terminations[-1]) for episode in episodes]),
        torch.zeros(len(episodes), 0),
        torch.cat([_rows(name, episode.observations)[-1:] for episode in episodes]),
        f"minari:{name}",
    )


def _rows(name: str, values: object) -> Tensor:
    if not isinstance(values, np.ndarray):
        found = type(values).__name__
        raise ValueError(f"minari:{name}: expected plain arrays of numbers, got {found}")
    return torch.from_numpy(values.reshape(len(values), -1).astype(np.float32))
