"""What ``test_processes`` has torchrun start: one run straight on, one killed and resumed.

Both without dropout, so that two processes can be compared with one.
"""

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import torch
from torch import nn

from tests.training.toy import Toy, examples
from tokoban.training import processes
from tokoban.training.loop import train
from tokoban.training.run_config import RunConfig
from tokoban.training.run_directory import RunDirectory

RUN = RunConfig(
    steps=7, device="cpu", learning_rate=0.02, warmup_steps=2, log_every=2, checkpoint_every_s=0.0
)
KILLED_AT = 5


class Steady(Toy):
    """The toy without chance, and with an end where ``is_killed``."""

    is_killed = False

    def build_model(self) -> nn.Module:
        return nn.Sequential(nn.Linear(5, 7), nn.ReLU(), nn.Linear(7, 2))

    def before_batch(self, model: nn.Module, step: int) -> None:
        if self.is_killed and step == KILLED_AT:
            raise MemoryError("killed")

    def noise(self) -> float:
        return 0.0


class Joined(Steady):
    """One process with the batches of both."""

    def train_batches(self, model: nn.Module, *, start_step: int) -> Iterator[Any]:
        for step in range(RUN.steps or 0):
            halves = [examples(11, seed=1 + 2 * step + rank) for rank in (0, 1)]
            inputs, labels = zip(*halves, strict=True)
            yield torch.cat(inputs), torch.cat(labels)


def main(folder: Path) -> None:
    system = Steady()
    figures = train(system, RUN, toy_directory(folder / "straight"))
    (folder / f"figures-{processes.rank()}.json").write_text(json.dumps(figures))
    system.is_killed = True
    try:
        train(system, RUN, toy_directory(folder / "resumed"))
    except MemoryError:
        train(Steady(), RUN, toy_directory(folder / "resumed"), resume=True)


def toy_directory(path: Path) -> RunDirectory:
    return RunDirectory(path, system="toy", config={"width": 7})


if __name__ == "__main__":
    main(Path(sys.argv[1]))
