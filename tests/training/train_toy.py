"""What ``test_processes`` has torchrun start: one run straight on, one killed and resumed.

Both without dropout, so that two processes can be compared with one.
"""

import json
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from tests.training.toy import Toy, examples, toy_directory
from tokoban.training import processes
from tokoban.training.loop import fit
from tokoban.training.run_config import RunConfig

RUN = RunConfig(
    steps=7, device="cpu", learning_rate=0.02, warmup_steps=2, log_every=2, checkpoint_every_s=0.0
)
KILLED_AT = 5
# With all that several processes must agree on.
UNEQUAL = replace(RUN, accumulate=2, average_last=2, keep_every=3)


class Steady(Toy):
    """The toy without chance, and with an end where ``is_killed``."""

    is_killed = False

    def initial_model(self) -> nn.Module:
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


class Unequal(Steady):
    """Batches of 3 to 7 examples, which count by their number."""

    def parts(self, step: int, rank: int, world_size: int) -> tuple[Tensor, Tensor]:
        number = step * world_size + rank
        return examples(3 + 2 * number % 5, seed=1 + number)

    def train_batches(self, model: nn.Module, *, start_step: int) -> Iterator[Any]:
        step = start_step
        while True:
            yield self.parts(step, processes.rank(), processes.world_size())
            step += 1

    def weights(self, batch: Any) -> Tensor:
        return torch.tensor([len(batch[1])])


class UnequalJoined(Unequal):
    """One process with the batches of both, accumulated ones too, as one."""

    def train_batches(self, model: nn.Module, *, start_step: int) -> Iterator[Any]:
        for step in range(UNEQUAL.steps or 0):
            both = [
                self.parts(UNEQUAL.accumulate * step + number, rank, 2)
                for number in range(UNEQUAL.accumulate)
                for rank in (0, 1)
            ]
            inputs, labels = zip(*both, strict=True)
            yield torch.cat(inputs), torch.cat(labels)


def main(folder: Path) -> None:
    system = Steady()
    metrics = fit(system, RUN, toy_directory(folder / "straight"))
    (folder / f"metrics-{processes.rank()}.json").write_text(json.dumps(metrics))
    fit(Unequal(), UNEQUAL, toy_directory(folder / "unequal"))
    system.is_killed = True
    try:
        fit(system, RUN, toy_directory(folder / "resumed"))
    except MemoryError:
        fit(Steady(), RUN, toy_directory(folder / "resumed"), resume=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
