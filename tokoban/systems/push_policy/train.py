"""The push policy as a ``System``: network, labelled positions and loss, wired together."""

import sys
from collections.abc import Iterator
from dataclasses import dataclass

import torch
from jaxtyping import Bool, Float
from torch import Tensor, nn
from torch.nn import functional

from tokoban.sokoban.labels.shard_files import shards_by_kind
from tokoban.sokoban.wording import counted
from tokoban.systems.push_policy.batches import Batch
from tokoban.systems.push_policy.config import PushPolicyConfig
from tokoban.systems.push_policy.dataset import LabelledPositions, prepare
from tokoban.systems.push_policy.large_positions import LargePositions
from tokoban.systems.push_policy.model import PushNet, PushOutput
from tokoban.systems.push_policy.results import ILLEGAL, NO_CLASS, Result
from tokoban.training import processes
from tokoban.training.system import Loss, Unvalidated

_LEAST_PROBABILITY = 1e-7  # of the optimal pushes, below which the loss no longer grows


def loss_of(output: PushOutput, batch: Batch, config: PushPolicyConfig) -> Loss:
    """The weighted sum of three mean losses, in nats; ``counts_of`` says of how many each.

    Pushes: -log of the probability that any push known to be optimal is chosen, or the push of the
    best solution known. Results of pushes, and pushes left: cross entropy, where they are proved.
    """
    num_chosen, num_pushes, num_values = counts_of(batch).clamp(min=1)
    is_optimal = batch.results == Result.OPTIMAL
    has_optimal = is_optimal.any(2).any(1)
    log_policy = output.log_policy(batch.results != ILLEGAL)
    chosen = (log_policy.exp() * is_optimal).sum((1, 2)).clamp(min=_LEAST_PROBABILITY)
    push = -(chosen.log() * has_optimal).sum() / num_chosen
    result = functional.cross_entropy(
        output.result.flatten(0, 2),
        batch.results.masked_fill(~_is_proved(batch), ILLEGAL).flatten().long(),
        ignore_index=ILLEGAL,
        reduction="sum",
    )
    value = functional.cross_entropy(
        output.value, batch.value.long(), ignore_index=NO_CLASS, reduction="sum"
    )
    parts = torch.stack([push, result / num_pushes, config.value_weight * value / num_values])
    with torch.no_grad():
        best = log_policy.flatten(1).argmax(1, keepdim=True)
        is_hit = is_optimal.flatten(1).gather(1, best).squeeze(1)
        top1 = (is_hit & has_optimal).sum() / num_chosen
    return Loss(parts.sum(), {"push": push.detach(), "top1": top1}, parts)


def counts_of(batch: Batch) -> Float[Tensor, "3"]:
    """The number of positions with a push to choose, of pushes whose results are proved, and of
    positions whose pushes left are known."""
    num_chosen = (batch.results == Result.OPTIMAL).any(2).any(1).sum()
    num_pushes = _is_proved(batch).sum()
    num_values = (batch.value != NO_CLASS).sum()
    return torch.stack([num_chosen, num_pushes, num_values]).float()


def _is_proved(batch: Batch) -> Bool[Tensor, "B T 4"]:
    """Whether a push is known to lead to its result.

    Where only a bound of the pushes left is known, so that there is no class of them, the push of
    the best solution known may not be optimal.
    """
    is_bound = (batch.value == NO_CLASS)[:, None, None]
    return (batch.results >= 0) & ~(is_bound & (batch.results == Result.OPTIMAL))


@dataclass(frozen=True)
class PushSystem(Unvalidated):
    """Trains one network on the shards of some folders."""

    config: PushPolicyConfig
    positions: LabelledPositions

    def initial_model(self) -> PushNet:
        """A freshly initialised network on the CPU."""
        return PushNet(self.config)

    def train_batches(self, model: PushNet, *, start_step: int) -> Iterator[Batch]:
        """Batches for this process."""
        return self.positions.batches(
            self.config,
            start_step=start_step,
            rank=processes.rank(),
            world_size=processes.world_size(),
        )

    def loss(self, model: nn.Module, batch: Batch) -> Loss:
        """``loss_of`` the network's answers."""
        return loss_of(model(batch.boards), batch, self.config)

    def weights(self, batch: Batch) -> Tensor:
        """``counts_of`` the batch."""
        return counts_of(batch)


def make_system(config: PushPolicyConfig, start: PushNet | None = None) -> PushSystem:
    """The system of ``config``; raises as ``shards_by_kind``."""
    shards, large_shards = shards_by_kind(config.labels)
    if config.large_share > 0 and not large_shards:
        raise ValueError(
            f"large_share is {config.large_share:g}, but the labels have no levels beyond 8x8"
        )
    if config.large_share < 1 and config.labels and not shards:
        raise ValueError(
            f"large_share is {config.large_share:g}, but the labels have only levels beyond 8x8"
        )
    if config.labels and processes.is_main_to_be():
        large = f" and {len(large_shards):,} of larger levels" if large_shards else ""
        if large_shards and config.large_share == 0:
            large += ", which are left out (large_share is 0)"
        print(f"{counted(len(shards), 'shard')} of labels{large}", file=sys.stderr)
    prepare()
    return PushSystem(config, LabelledPositions(shards, LargePositions(large_shards)))
