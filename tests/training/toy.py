"""A small system for the loop's tests: is the sum of five numbers positive?

Its loss draws from every generator, so that a run that loses one of them is found out.
"""

import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from tokoban.training import processes
from tokoban.training.run_directory import RunDirectory
from tokoban.training.system import Loss

NUM_EXAMPLES = 103  # of evaluation: odd, so that two processes get unequal shares


class Toy:
    """Batch n depends on the rank and n alone."""

    def initial_model(self) -> nn.Module:
        return nn.Sequential(nn.Linear(5, 7), nn.ReLU(), nn.Dropout(0.1), nn.Linear(7, 2))

    def train_batches(self, model: nn.Module, *, start_step: int) -> Iterator[Any]:
        step = start_step
        while True:
            self.before_batch(model, step)
            yield examples(11, seed=1 + step * processes.world_size() + processes.rank())
            step += 1

    def before_batch(self, model: nn.Module, step: int) -> None:
        """For tests to override."""

    def loss(self, model: nn.Module, batch: Any) -> Loss:
        inputs, labels = batch
        logits = model(inputs)
        loss = nn.functional.cross_entropy(logits.float(), labels) * (1 + 0.01 * self.noise())
        return Loss(loss, {"accuracy": (logits.argmax(1) == labels).float().mean()})

    def weights(self, batch: Any) -> Tensor:
        return torch.ones(1)

    def validate(self, model: nn.Module) -> dict[str, float]:
        assert not model.training and not torch.is_grad_enabled()
        self.noise()
        inputs, labels = examples(NUM_EXAMPLES, seed=0)
        mine = slice(processes.rank(), None, processes.world_size())
        hits = (model(inputs[mine]).argmax(1) == labels[mine]).sum().item()
        counts = processes.sum_over_processes({"hits": hits, "trials": len(labels[mine])})
        return counts | {"accuracy": counts["hits"] / counts["trials"]}

    def metric_names(self) -> tuple[str, ...]:
        return ("hits", "trials", "accuracy")

    def noise(self) -> float:
        """A draw from each generator."""
        return random.random() + np.random.random() + torch.rand(()).item()


def examples(num_examples: int, *, seed: int) -> tuple[Tensor, Tensor]:
    inputs = torch.randn(num_examples, 5, generator=torch.Generator().manual_seed(seed))
    return inputs, (inputs.sum(1) > 0).long()


def read_lines(path: Path) -> list[dict[str, Any]]:
    """A metrics.jsonl without what the clock says."""
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    for line in lines:
        line.pop("loop/elapsed_s", None)
        line.pop("loop/steps_per_s", None)
    return lines


def toy_directory(path: Path) -> RunDirectory:
    return RunDirectory(path, system="toy", config={"width": 7})
