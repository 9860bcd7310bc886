"""The translator as a ``System``: its network, its examples and its loss, wired together."""

import sys
from collections.abc import Iterator
from dataclasses import dataclass

from torch import Tensor, nn

from tokoban.systems.translation.config import TranslationConfig
from tokoban.systems.translation.corpus import Data, load_data
from tokoban.systems.translation.dataset import Batch
from tokoban.systems.translation.evaluate import METRICS, validate
from tokoban.systems.translation.model import Translator
from tokoban.text.bpe import PAD
from tokoban.training import processes
from tokoban.training.cross_entropy import cross_entropy
from tokoban.training.system import Loss


def build_model(config: TranslationConfig) -> Translator:
    """A freshly initialised translator on the CPU, without a tokenizer."""
    return Translator(
        vocabulary_size=config.vocabulary_size,
        width=config.width,
        num_layers=config.num_layers,
        num_decoder_layers=config.num_decoder_layers or config.num_layers,
        num_heads=config.num_heads,
        hidden_width=config.hidden_width,
        dropout=config.dropout,
        pre_norm=config.pre_norm,
        max_positions=config.max_positions,
    )


@dataclass(frozen=True)
class TranslationSystem:
    """Trains one translator; the data's validation is for its metrics alone."""

    config: TranslationConfig
    data: Data

    def initial_model(self) -> Translator:
        """A freshly initialised translator on the CPU, with the tokenizer of its text."""
        model = build_model(self.config)
        model.tokenizer = self.data.tokenizer
        return model

    def train_batches(self, model: Translator, *, start_step: int) -> Iterator[Batch]:
        """Batches for this process."""
        return self.data.train.batches(
            start_step=start_step, rank=processes.rank(), world_size=processes.world_size()
        )

    def loss(self, model: nn.Module, batch: Batch) -> Loss:
        """Smoothed cross entropy, the mean over the target tokens; padding counts for nothing."""
        logits = model(batch.source, batch.target_in)
        total = cross_entropy(
            logits.flatten(0, 1),
            batch.target_out.flatten(),
            ignore_index=PAD,
            label_smoothing=self.config.label_smoothing,
        )
        return Loss(total, {})

    def weights(self, batch: Batch) -> Tensor:
        """The number of target tokens."""
        return (batch.target_out != PAD).sum()[None]

    def validate(self, model: Translator) -> dict[str, float]:
        """The metrics of ``evaluate.validate`` on the validation text."""
        return validate(model, self.data, self.config)

    def metric_names(self) -> tuple[str, ...]:
        """The names of the metrics of ``validate``."""
        return METRICS


def make_system(config: TranslationConfig, start: Translator | None = None) -> TranslationSystem:
    """The system of ``config`` with its text read; its vocabulary is that of ``start``, or new."""
    data = load_data(config, start.tokenizer if start is not None else None)
    if processes.is_main_to_be():
        print(data.report, file=sys.stderr)
    return TranslationSystem(config, data)
