"""The model of trajectories as a ``System``: its network, its data and its loss, wired together."""

import copy
import sys
from collections.abc import Iterator
from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional

from tokoban.sokoban.formats import printable
from tokoban.systems.trajectory.collect import collect
from tokoban.systems.trajectory.config import TrajectoryConfig
from tokoban.systems.trajectory.dataset import WindowDataset, Windows, sizes, table
from tokoban.systems.trajectory.environments import Spec, World
from tokoban.systems.trajectory.layout import Layout
from tokoban.systems.trajectory.model import TrajectoryTransformer
from tokoban.systems.trajectory.trajectories import Trajectories
from tokoban.systems.trajectory.worlds import make_world
from tokoban.training import processes
from tokoban.training.system import Loss


def world_of(config: TrajectoryConfig, *, is_drawn: bool = False) -> World:
    """Copies of the environment that ``config`` names."""
    return make_world(
        config.env, max_steps=config.max_steps, repeat=config.repeat, is_drawn=is_drawn
    )


def layout_of(config: TrajectoryConfig, spec: Spec) -> Layout:
    """The tokens of a transition of this environment."""
    return Layout(
        config.layout, len(spec.state_sizes), len(spec.action_sizes), len(spec.context_sizes)
    )


def build_model(config: TrajectoryConfig) -> TrajectoryTransformer:
    """A freshly initialised model on the CPU, whose bins are not laid yet."""
    with torch.device("cpu"):  # also where the model itself is built on the meta device
        spec = world_of(config).spec
    return TrajectoryTransformer(
        layout_of(config, spec),
        sizes=sizes(spec),
        num_bins=config.bins,
        width=config.width,
        num_layers=config.num_layers,
        num_heads=config.num_heads,
    )


def collected(config: TrajectoryConfig) -> Trajectories:
    """The episodes of ``config``, before the best of them are chosen."""
    world = world_of(config)
    return collect(world, config.mix, num_episodes=config.episodes, seed=config.data_seed)


@dataclass(frozen=True)
class TrajectorySystem:
    """Trains one model on episodes that are there already."""

    config: TrajectoryConfig
    spec: Spec
    trajectories: Trajectories

    def initial_model(self) -> TrajectoryTransformer:
        """A freshly initialised model on the CPU, with bins for its data."""
        model = build_model(self.config)
        values = table(self.trajectories, discount=self.config.discount)
        model.bins.fit(values, sizes(self.spec), binning=self.config.binning)
        model.best_return.copy_(self.trajectories.returns().max())
        return model

    def train_batches(self, model: TrajectoryTransformer, *, start_step: int) -> Iterator[Windows]:
        """Batches for this process."""
        config = self.config
        dataset = WindowDataset(
            self.trajectories,
            model.layout,
            copy.deepcopy(model.bins).cpu(),
            window=config.window,
            discount=config.discount,
            batch_windows=config.batch_windows,
            seed=config.data_seed,
        )
        return dataset.batches(start_step=start_step, rank=processes.rank())

    def loss(self, model: nn.Module, batch: Windows) -> Loss:
        """Cross entropy, the mean over the tokens that are to be learned."""
        layout = layout_of(self.config, self.spec)
        # Slices and not lists as indices: those would be sent to the device, and waited for.
        read = torch.stack([batch.tokens[:, :, column] for column in layout.slots], dim=2)
        logits = model(batch.prefix, read).float()
        wanted, counts = _targets(layout, batch)
        losses = functional.cross_entropy(
            logits.flatten(0, 2), wanted.flatten(), reduction="none"
        ).view_as(counts)
        total = counts.sum().clamp_min(1e-9)
        of_actions = [x.column in layout.actions for x in layout.targets]
        places = [place for place, is_one in enumerate(of_actions) if is_one]

        def acted(values: Tensor) -> Tensor:
            return torch.stack([values[:, :, place] for place in places], dim=2).sum()

        action = acted(losses * counts) / acted(counts)
        return Loss((losses * counts).sum() / total, {"action_loss": action.detach()})

    def weights(self, batch: Windows) -> Tensor:
        """The number of tokens that are to be learned."""
        _, counts = _targets(layout_of(self.config, self.spec), batch)
        return counts.sum()[None]

    def validate(self, model: TrajectoryTransformer) -> dict[str, float]:
        """The metrics of ``evaluate.validate``."""
        from tokoban.systems.trajectory.evaluate import validate

        return validate(model, self.config)

    def metric_names(self) -> tuple[str, ...]:
        """The names of the metrics of ``validate``."""
        from tokoban.systems.trajectory.evaluate import metric_names

        return metric_names(self.config)


def _targets(layout: Layout, batch: Windows) -> tuple[Tensor, Tensor]:
    """The token of each of ``layout.targets``, and 1 where it is to be learned, else 0."""
    following = batch.tokens.roll(-1, dims=1)
    has_following = batch.is_real & batch.is_real.roll(-1, dims=1)
    has_following[:, -1] = False
    wanted, is_learned = [], []
    for target in layout.targets:
        source = following if target.is_next else batch.tokens
        counts = has_following if target.is_next else batch.is_real
        if target.column == layout.to_go:
            known = batch.knows_return.roll(-1, dims=1) if target.is_next else batch.knows_return
            counts = counts & known
        wanted.append(source[:, :, target.column])
        is_learned.append(counts)
    return torch.stack(wanted, dim=2), torch.stack(is_learned, dim=2).float()


def make_system(
    config: TrajectoryConfig, start: TrajectoryTransformer | None = None
) -> TrajectorySystem:
    """The system of ``config``, with the best of the episodes that it collects."""
    everything = collected(config)
    trajectories = everything.best(config.best_share)
    if processes.is_main_to_be():
        returns = everything.returns()
        print(
            f"{everything.env}: {len(returns)} episodes ({printable(everything.origin)}), "
            f"{len(everything.rewards)} transitions, returns {returns.min():.6g} to "
            f"{returns.max():.6g}, mean {returns.mean():.6g}, checksum "
            f"{everything.checksum()[:16]}; trained on {len(trajectories.lengths)} of them",
            file=sys.stderr,
        )
    return TrajectorySystem(config, world_of(config).spec, trajectories)
