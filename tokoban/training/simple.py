"""A ``SystemSpec`` from three functions, for a system whose batches are sampled without end."""

import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Generic

import torch
from torch import Tensor, nn

from tokoban.training import processes
from tokoban.training.run_config import RunConfig
from tokoban.training.spec import Preset, SystemSpec, Trained
from tokoban.training.streams import Purpose, torch_stream
from tokoban.training.system import Loss, ModelT, to_device

Batch = tuple[Tensor, ...]

_EVALUATION_BATCHES = 20


@dataclass(frozen=True, kw_only=True)
class SimpleConfig:
    """No field describes the model, whose builder takes no arguments."""

    data_seed: int = 0  # of the batches


@dataclass(frozen=True, kw_only=True)
class SimpleEvaluation:
    """How much is evaluated."""

    batches: int = _EVALUATION_BATCHES  # that no training sees


@dataclass(frozen=True)
class SimpleSystem(Generic[ModelT]):
    """Trains on batches, each sampled from a seed of its own."""

    config: SimpleConfig
    build_model: Callable[[], ModelT]
    sample_batch: Callable[[torch.Generator], Batch]
    batch_loss: Callable[[nn.Module, Batch], Tensor]

    def initial_model(self) -> ModelT:
        """A freshly initialised model on the CPU."""
        return self.build_model()

    def train_batches(self, model: ModelT, *, start_step: int) -> Iterator[Batch]:
        """Batches for this process."""
        for number in itertools.count(start_step):
            yield self._batch(Purpose.EXAMPLES, processes.rank(), number)

    def loss(self, model: nn.Module, batch: Batch) -> Loss:
        """The loss of one batch."""
        return Loss(self.batch_loss(model, batch), {})

    def weights(self, batch: Batch) -> Tensor:
        """The number of examples."""
        return torch.full((1,), len(batch[0]), device=batch[0].device)

    def validate(self, model: ModelT) -> dict[str, float]:
        """The mean loss of batches that no training sees; each process takes its share."""
        return self.mean_loss(model, _EVALUATION_BATCHES)

    def mean_loss(self, model: ModelT, num_batches: int) -> dict[str, float]:
        """The mean loss of so many batches that no training sees."""
        device = next(model.parameters()).device
        mine = range(processes.rank(), num_batches, processes.world_size())
        with torch.inference_mode():
            batches = (to_device(self._batch(Purpose.TEST, number), device) for number in mine)
            total = sum(self.batch_loss(model, batch).item() for batch in batches)
        return {"loss": processes.sum_over_processes({"loss": total})["loss"] / num_batches}

    def metric_names(self) -> tuple[str, ...]:
        """The names of the metrics of ``validate``."""
        return ("loss",)

    def _batch(self, purpose: Purpose, *numbers: int) -> Batch:
        return self.sample_batch(torch_stream(self.config.data_seed, purpose, *numbers))


def simple_spec(
    name: str,
    *,
    build_model: Callable[[], ModelT],
    sample_batch: Callable[[torch.Generator], Batch],
    loss: Callable[[nn.Module, Batch], Tensor],
    run: RunConfig,
) -> SystemSpec[SimpleConfig, ModelT, Batch, SimpleEvaluation]:
    """The system ``name``, with one preset, ``default``.

    ``sample_batch`` returns tensors of equally many examples, sampled with the generator, and
    ``loss`` is a mean over examples; it may only call the model.
    """

    def default() -> SimpleConfig:
        """As its file says."""
        return SimpleConfig()

    def system(config: SimpleConfig, start: ModelT | None = None) -> SimpleSystem[ModelT]:
        return SimpleSystem(config, build_model, sample_batch, loss)

    def evaluate(
        trained: Trained[SimpleConfig, ModelT], options: SimpleEvaluation
    ) -> dict[str, float]:
        return system(trained.config).mean_loss(trained.model, options.batches)

    return SystemSpec(
        name=name,
        config_type=SimpleConfig,
        presets={"default": Preset(default, run)},
        smallest="default",
        default="default",
        build_model=lambda config: build_model(),
        make_system=system,
        evaluation_type=SimpleEvaluation,
        evaluate=evaluate,
    )
