"""The vision transformer as a ``System``: network, pictures and loss, wired together."""

import sys
from collections.abc import Iterator
from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional

from tokoban.systems.vit.config import VitConfig
from tokoban.systems.vit.dataset import Examples, Parts, batches, check_batch, load_training
from tokoban.systems.vit.evaluate import METRICS, validate
from tokoban.systems.vit.model import VisionTransformer
from tokoban.training import processes
from tokoban.training.system import Loss


def build_model(config: VitConfig) -> VisionTransformer:
    """A freshly initialised network on the CPU, which knows no names of classes yet."""
    return VisionTransformer(
        picture_size=(config.picture_height, config.picture_width),
        channels=config.channels,
        num_classes=config.num_classes,
        patch_side=config.patch_side,
        width=config.width,
        num_layers=config.num_layers,
        num_heads=config.num_heads,
        hidden_width=config.hidden_width,
        pooling=config.pooling,
    )


@dataclass(frozen=True)
class VitSystem:
    """Trains one classifier; the held-out pictures are for its metrics alone."""

    config: VitConfig
    parts: Parts

    def initial_model(self) -> VisionTransformer:
        """A freshly initialised network on the CPU that knows its classes and the brightness."""
        model = build_model(self.config)
        model.class_names = self.parts.train.class_names
        mean, deviation = self.parts.train.mean_and_deviation()
        model.mean.copy_(mean[:, None, None])
        model.deviation.copy_(deviation[:, None, None])
        return model

    def train_batches(self, model: VisionTransformer, *, start_step: int) -> Iterator[Examples]:
        """Batches for this process, on the model's device, where all pictures lie."""
        return batches(
            self.parts.train.to(next(model.parameters()).device),
            self.config,
            start_step=start_step,
            rank=processes.rank(),
            world_size=processes.world_size(),
        )

    def loss(self, model: nn.Module, batch: Examples) -> Loss:
        """Smoothed cross entropy, the mean over the pictures."""
        logits = model(batch.pictures).float()
        total = functional.cross_entropy(
            logits, batch.labels, label_smoothing=self.config.label_smoothing
        )
        accuracy = (logits.detach().argmax(1) == batch.labels).float().mean()
        return Loss(total, {"accuracy": accuracy})

    def weights(self, batch: Examples) -> Tensor:
        """The number of pictures."""
        return torch.full((1,), len(batch.labels), device=batch.labels.device)

    def validate(self, model: VisionTransformer) -> dict[str, float]:
        """The metrics of ``evaluate.validate`` on the held-out pictures."""
        return validate(model, self.parts.held_out)

    def metric_names(self) -> tuple[str, ...]:
        """The names of the metrics of ``validate``."""
        return METRICS


def make_system(config: VitConfig, start: VisionTransformer | None = None) -> VitSystem:
    """The system of ``config`` with its pictures read or generated."""
    parts = load_training(config)
    if config.class_names not in ((), parts.train.class_names):
        raise ValueError(f"{config.data}: class_names are for IDX files; folders name the classes")
    check_batch(parts.train, config.batch_pictures)  # before the run has a folder
    if processes.is_main_to_be():
        message = f"{len(parts.train):,} pictures to learn from, {len(parts.held_out):,} held out"
        print(f"{config.data}: {message}", file=sys.stderr)
    return VitSystem(config, parts)
