"""The player of Life as a ``System``: its network, its examples and its loss, wired together."""

from collections.abc import Iterator
from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional

from tokoban.systems.life.config import LifeConfig
from tokoban.systems.life.dataset import Examples, RandomGames
from tokoban.systems.life.evaluate import METRICS, validate
from tokoban.systems.life.hard_grids import with_hard_grids
from tokoban.systems.life.model import LifeNet
from tokoban.systems.life.rules import parse_rule
from tokoban.training import processes
from tokoban.training.system import Loss


def build_model(config: LifeConfig) -> LifeNet:
    """A freshly initialised network on the CPU."""
    return LifeNet(
        side=config.side,
        width=config.width,
        positions=config.positions,
        embedding_scale=config.embedding_scale,
    )


@dataclass(frozen=True)
class LifeSystem:
    """Trains one player on grids that are sampled without end."""

    config: LifeConfig

    def initial_model(self) -> LifeNet:
        """A freshly initialised network on the CPU."""
        return build_model(self.config)

    def train_batches(self, model: LifeNet, *, start_step: int) -> Iterator[Examples]:
        """Batches for this process, on the model's device."""
        config = self.config
        games = RandomGames(
            parse_rule(config.rule),
            side=config.side,
            num_grids=config.batch_grids,
            density=config.density,
            seed=config.data_seed,
        )
        batches = games.batches(model.states.device, start_step=start_step, rank=processes.rank())
        if not config.has_hard_grids:
            return batches
        return with_hard_grids(
            batches,
            model,
            games.rule,
            start_step=start_step,
            seed=config.data_seed,
            rank=processes.rank(),
        )

    def loss(self, model: nn.Module, batch: Examples) -> Loss:
        """Binary cross entropy, the mean over all cells."""
        logits = model(batch.grids).float()
        total = functional.binary_cross_entropy_with_logits(logits, batch.successors.float())
        accuracy = ((logits.detach() > 0) == batch.successors).float().mean()
        return Loss(total, {"accuracy": accuracy})

    def weights(self, batch: Examples) -> Tensor:
        """The number of grids, which all have as many cells."""
        return torch.full((1,), len(batch.grids), device=batch.grids.device)

    def validate(self, model: LifeNet) -> dict[str, float]:
        """The metrics of ``evaluate.validate``."""
        return validate(model, self.config)

    def metric_names(self) -> tuple[str, ...]:
        """The names of the metrics of ``validate``."""
        return METRICS


def make_system(config: LifeConfig, start: LifeNet | None = None) -> LifeSystem:
    """The system of ``config``."""
    return LifeSystem(config)
