"""The translator as a ``System``: its network, its examples and its loss, wired together."""

import sys
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, replace

from torch import Tensor, nn

from tokoban.systems.translation import config as presets
from tokoban.systems.translation.config import TranslationConfig
from tokoban.systems.translation.corpus import Data, load_data
from tokoban.systems.translation.dataset import Batch
from tokoban.systems.translation.model import Translator
from tokoban.text.bpe import PAD, Tokenizer
from tokoban.training import processes
from tokoban.training.cross_entropy import cross_entropy
from tokoban.training.run_config import RunConfig
from tokoban.training.system import Loss

Config = TranslationConfig
PRESETS: dict[str, Callable[[], TranslationConfig]] = {
    preset.__name__: preset
    for preset in (presets.toy, presets.numbers, presets.tiny, presets.base, presets.big)
}

# Adam as the paper has it: the rate's peak is width^-0.5 * warmup_steps^-0.5.
_PAPER = RunConfig(
    steps=100_000,
    accumulate=6,  # of 4096 tokens: 25,000, as in the paper
    learning_rate=512**-0.5 * 4000**-0.5,
    schedule="noam",
    warmup_steps=4000,
    weight_decay=0.0,
    epsilon=1e-9,
    clip_norm=0.0,
    average_last=5,
    average_every=1500,  # the paper: ten minutes
    evaluate_every=5000,
)
RUNS: dict[str, RunConfig] = {
    "toy": RunConfig(steps=20, learning_rate=3e-3, warmup_steps=5, log_every=5),
    "numbers": RunConfig(steps=1500, learning_rate=3e-3, warmup_steps=100, weight_decay=0.0),
    # Wu et al. 2021: 8192 tokens a step. They look at the loss after each epoch and stop ten after
    # the best; this one at the BLEU after every ten epochs, and stops thirty after the best.
    "tiny": replace(
        _PAPER,
        steps=8000,
        accumulate=2,
        learning_rate=5e-3,
        warmup_steps=2000,
        epsilon=1e-8,
        clip_norm=25.0,
        average_last=10,
        average_every=60,
        evaluate_every=600,
        watched="bleu",
        patience=3,
    ),
    "base": _PAPER,
    "big": replace(_PAPER, steps=300_000, learning_rate=1024**-0.5 * 4000**-0.5, average_last=20),
}
SMALLEST = "toy"
DATA_FIELDS = (
    "train_source",
    "train_target",
    "train_table",
    "validation_source",
    "validation_target",
    "validation_table",
    "cache",
)


def build_model(config: TranslationConfig) -> Translator:
    """A freshly initialised translator on the CPU, without a tokenizer."""
    return Translator(
        vocabulary_size=config.vocabulary_size,
        width=config.width,
        num_layers=config.num_layers,
        num_heads=config.num_heads,
        hidden_width=config.hidden_width,
        dropout=config.dropout,
        pre_norm=config.pre_norm,
        max_positions=config.max_positions,
    )


def without_writing(config: TranslationConfig, *, named: Collection[str]) -> TranslationConfig:
    """The config of a run that goes on, without a cache that its record alone names.

    ``named`` are the fields that the user has given. Without its cache the text is read again.
    """
    return config if "cache" in named else replace(config, cache="")


@dataclass(frozen=True)
class TranslationSystem:
    """Trains one translator; the data's validation is for its figures alone."""

    config: TranslationConfig
    data: Data

    def build_model(self) -> Translator:
        """A freshly initialised translator on the CPU, with the tokenizer of its text."""
        model = build_model(self.config)
        model.tokenizer = self.data.tokenizer
        return model

    def train_batches(self, model: nn.Module, *, start_step: int) -> Iterator[Batch]:
        """Batches for this process, on the model's device."""
        device = next(model.parameters()).device
        for batch in self.data.train.batches(
            start_step=start_step, rank=processes.rank(), world_size=processes.world_size()
        ):
            yield batch.to(device)

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

    def evaluate(self, model: nn.Module) -> dict[str, float]:
        """The figures of ``evaluate.evaluate`` on the validation text."""
        from tokoban.systems.translation.evaluate import evaluate

        return evaluate(model, self.data, self.config)

    def figure_names(self) -> tuple[str, ...]:
        """The names of the figures of ``evaluate``."""
        from tokoban.systems.translation.evaluate import FIGURES

        return FIGURES


def make_system(
    config: TranslationConfig, *, tokenizer: Tokenizer | None = None
) -> TranslationSystem:
    """The system of ``config`` with its text read, and its vocabulary learned if none is given."""
    data = load_data(config, tokenizer)
    if processes.is_main_to_be():
        print(data.report, file=sys.stderr)
    return TranslationSystem(config, data)
