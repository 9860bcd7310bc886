"""The push policy as a ``System``: network, labelled positions and loss, wired together."""

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import torch
from jaxtyping import Float
from torch import Tensor, nn
from torch.nn import functional

from tokoban.systems.push_policy.config import PushPolicyConfig
from tokoban.systems.push_policy.dataset import Batch, LabelledPositions
from tokoban.systems.push_policy.model import PushNet, PushOutput
from tokoban.systems.push_policy.positions import DEADLOCK_CLASS, ILLEGAL, Result
from tokoban.training import processes
from tokoban.training.system import Loss

_LEAST_PROBABILITY = 1e-7  # of the optimal pushes, below which the loss no longer grows


def build_model(config: PushPolicyConfig) -> PushNet:
    """A freshly initialised network on the CPU."""
    return PushNet(config)


def loss_of(output: PushOutput, batch: Batch, config: PushPolicyConfig) -> Loss:
    """The weighted sum of three losses, the means of which ``counts_of`` has the sizes.

    Pushes: -log of the probability that any optimal push is chosen. Results of pushes, and pushes
    left: cross entropy.
    """
    num_solvable, num_pushes, _ = counts_of(batch).clamp(min=1)
    is_optimal = batch.results == Result.OPTIMAL
    is_solvable = batch.value != DEADLOCK_CLASS
    log_policy = output.log_policy(batch.results != ILLEGAL)
    chosen = (log_policy.exp() * is_optimal).sum((1, 2)).clamp(min=_LEAST_PROBABILITY)
    push = -(chosen.log() * is_solvable).sum() / num_solvable
    result = functional.cross_entropy(
        output.result.flatten(0, 2),
        batch.results.flatten().long(),
        ignore_index=ILLEGAL,
        reduction="sum",
    )
    value = functional.cross_entropy(output.value, batch.value.long())
    parts = torch.stack(
        [
            config.policy_weight * push,
            config.result_weight * result / num_pushes,
            config.value_weight * value,
        ]
    )
    with torch.no_grad():
        best = log_policy.flatten(1).argmax(1, keepdim=True)
        is_hit = is_optimal.flatten(1).gather(1, best).squeeze(1)
        top1 = (is_hit & is_solvable).sum() / num_solvable
    return Loss(parts.sum(), {"push": push.detach(), "top1": top1}, parts)


def counts_of(batch: Batch) -> Float[Tensor, "3"]:
    """The number of solvable positions, of legal pushes, and of positions."""
    num_solvable = (batch.value != DEADLOCK_CLASS).sum()
    num_pushes = (batch.results != ILLEGAL).sum()
    num_positions = torch.full_like(num_pushes, len(batch.value))
    return torch.stack([num_solvable, num_pushes, num_positions]).float()


@dataclass(frozen=True)
class PushSystem:
    """Trains one network on the shards of some folders."""

    config: PushPolicyConfig
    positions: LabelledPositions

    def initial_model(self) -> PushNet:
        """A freshly initialised network on the CPU."""
        return build_model(self.config)

    def train_batches(self, model: PushNet, *, start_step: int) -> Iterator[Batch]:
        """Batches for this process, on the model's device."""
        device = next(model.parameters()).device
        batches = self.positions.batches(
            self.config,
            start_step=start_step,
            rank=processes.rank(),
            world_size=processes.world_size(),
        )
        return (batch.to(device) for batch in batches)

    def loss(self, model: nn.Module, batch: Batch) -> Loss:
        """``loss_of`` the network's answers."""
        return loss_of(model(batch.boards), batch, self.config)

    def weights(self, batch: Batch) -> Tensor:
        """``counts_of`` the batch."""
        return counts_of(batch)

    def evaluate(self, model: PushNet) -> dict[str, float]:
        """No metrics yet."""
        return {}

    def metric_names(self) -> tuple[str, ...]:
        """The names of the metrics of ``evaluate``."""
        return ()


def make_system(config: PushPolicyConfig, start: PushNet | None = None) -> PushSystem:
    """The system of ``config``; ``FileNotFoundError`` where a folder has no shards."""
    shards: list[Path] = []
    for folder in config.labels:
        found = sorted(Path(folder).glob("*.safetensors"))
        if not found:
            raise FileNotFoundError(f"{folder}: no shards of `tokoban label`")
        shards += found
    if shards and processes.is_main_to_be():
        print(f"{len(shards):,} shards of labels", file=sys.stderr)
    return PushSystem(config, LabelledPositions(shards))
