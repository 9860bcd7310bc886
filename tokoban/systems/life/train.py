"""The player of Life as a ``System``: its network, its examples and its loss, wired together."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import torch
from torch import Tensor, nn
from torch.nn import functional

from tokoban.systems.life import config as presets
from tokoban.systems.life.config import LifeConfig
from tokoban.systems.life.dataset import Examples, RandomGames
from tokoban.systems.life.hard_grids import with_hard_grids
from tokoban.systems.life.model import LifeNet
from tokoban.systems.life.rules import parse_rule
from tokoban.training import processes
from tokoban.training.run_config import RunConfig
from tokoban.training.system import Loss

Config = LifeConfig
PRESETS: dict[str, Callable[[], LifeConfig]] = {
    preset.__name__: preset
    for preset in (
        presets.life16,
        presets.seed,
        presets.density_half,
        presets.fixed_neighbourhood,
        presets.convolution,
        presets.tiny,
    )
}

# Attention finds the neighbours after 1000 to 2000 steps, if the rate has not fallen by then. A run
# ends when its network is proved, long before its last step.
_RUN = RunConfig(
    steps=6000,
    weight_decay=0.0,
    betas=(0.9, 0.99),
    evaluate_every=100,
    watched="proved_share",
    target=1.0,
)
RUNS: dict[str, RunConfig] = dict.fromkeys(PRESETS, _RUN) | {
    "seed": replace(_RUN, steps=20_000),  # eight times as many positions to learn
    "density_half": replace(_RUN, steps=3000, watched="", target=None),  # the usual way
    "tiny": RunConfig(steps=20, learning_rate=3e-3, warmup_steps=5, log_every=5),
}
SMALLEST = "tiny"


def build_model(config: LifeConfig) -> LifeNet:
    """A freshly initialised network on the CPU."""
    return LifeNet(
        side=config.side,
        width=config.width,
        mixing=config.mixing,
        positions=config.positions,
        embedding_scale=config.embedding_scale,
    )


@dataclass(frozen=True)
class LifeSystem:
    """Trains one player on grids that are drawn without end."""

    config: LifeConfig

    def build_model(self) -> LifeNet:
        """A freshly initialised network on the CPU."""
        return build_model(self.config)

    def train_batches(self, model: nn.Module, *, start_step: int) -> Iterator[Examples]:
        """Batches for this process, on the model's device."""
        config = self.config
        games = RandomGames(
            parse_rule(config.rule),
            side=config.side,
            num_grids=config.batch_grids,
            density=config.density,
            seed=config.data_seed,
        )
        assert isinstance(model, LifeNet)
        batches = games.batches(model.states.device, start_step=start_step, rank=processes.rank())
        if not config.has_hard_grids:
            return batches
        return with_hard_grids(
            batches,
            model,
            games.rule,
            start_step=start_step,
            seed=(config.data_seed, processes.rank()),
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

    def evaluate(self, model: nn.Module) -> dict[str, float]:
        """The figures of ``evaluate.evaluate``."""
        from tokoban.systems.life.evaluate import evaluate

        return evaluate(model, self.config)

    def figure_names(self) -> tuple[str, ...]:
        """The names of the figures of ``evaluate``."""
        from tokoban.systems.life.evaluate import figure_names

        return figure_names(self.config)


def make_system(config: LifeConfig) -> LifeSystem:
    """The system of ``config``."""
    return LifeSystem(config)
