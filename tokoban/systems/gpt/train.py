"""The GPT as a ``System``: its network, its examples and its loss, wired together."""

import sys
from collections.abc import Iterator
from dataclasses import dataclass

from torch import Tensor, nn

from tokoban.systems.gpt import tasks
from tokoban.systems.gpt.config import GptConfig
from tokoban.systems.gpt.corpus import Corpus, load_corpus
from tokoban.systems.gpt.dataset import IGNORED, Batch, random_windows
from tokoban.systems.gpt.evaluate import metric_names, validate
from tokoban.systems.gpt.model import Gpt
from tokoban.training import processes
from tokoban.training.cross_entropy import cross_entropy
from tokoban.training.system import Loss


def build_model(config: GptConfig) -> Gpt:
    """A freshly initialised model on the CPU, without a tokenizer."""
    return Gpt(
        vocabulary_size=config.vocabulary_size,
        num_layers=config.num_layers,
        num_heads=config.num_heads,
        width=config.width,
        context_length=config.context_length,
        positions=config.positions,
        activation=config.activation,
        dropout=config.dropout,
        has_biases=config.has_biases,
        is_tied=config.is_tied,
        reads_lines=config.shuffles_lines,
    )


@dataclass(frozen=True)
class GptSystem:
    """Trains one GPT, on a text or, without one, on the task of its config."""

    config: GptConfig
    corpus: Corpus | None

    def initial_model(self) -> Gpt:
        """A freshly initialised model on the CPU, with the tokenizer of its text or task."""
        model = build_model(self.config)
        if self.corpus is not None:
            model.tokenizer = self.corpus.tokenizer
        elif self.config.task is not None:
            model.tokenizer = tasks.tokenizer_of(self.config.task)
        return model

    def train_batches(self, model: Gpt, *, start_step: int) -> Iterator[Batch]:
        """Batches for this process; those of a text are on the model's device, as all of it is."""
        config = self.config
        if self.corpus is not None:
            return random_windows(
                self.corpus.train.to(next(model.parameters()).device),
                config.context_length,
                batch_size=config.batch_size,
                seed=config.data_seed,
                start_step=start_step,
                rank=processes.rank(),
            )
        assert config.task is not None
        return tasks.task_batches(
            config.task,
            num_digits=config.num_digits,
            batch_size=config.batch_size,
            seed=config.data_seed,
            start_step=start_step,
            rank=processes.rank(),
        )

    def loss(self, model: nn.Module, batch: Batch) -> Loss:
        """Cross entropy, the mean over the tokens that count."""
        logits = model(batch.tokens)
        total = cross_entropy(logits.flatten(0, 1), batch.targets.flatten(), ignore_index=IGNORED)
        return Loss(total, {})

    def weights(self, batch: Batch) -> Tensor:
        """The number of tokens that count."""
        return (batch.targets != IGNORED).sum()[None]

    def validate(self, model: Gpt) -> dict[str, float]:
        """The metrics of ``evaluate.validate``."""
        return validate(model, self.corpus, self.config)

    def metric_names(self) -> tuple[str, ...]:
        """The names of the metrics of ``validate``."""
        return metric_names(self.corpus, self.config)


def make_system(config: GptConfig, start: Gpt | None = None) -> GptSystem:
    """The system of ``config`` with its text read, if it learns from one.

    The vocabulary is that of ``start``, else learned, or that of its task.
    """
    if config.task is not None:
        return GptSystem(config, None)
    corpus = load_corpus(config, start.tokenizer if start is not None else None)
    batch_tokens = config.batch_size * config.context_length
    if len(corpus.train) < batch_tokens and processes.is_main_to_be():
        found = f"the text to train on has {len(corpus.train):,} tokens, fewer than a batch"
        print(f"{found} ({batch_tokens:,}): it will be learned by heart", file=sys.stderr)
    return GptSystem(config, corpus)
