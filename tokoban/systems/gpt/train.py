"""The GPT as a ``System``: its network, its examples and its loss, wired together."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from torch import Tensor, nn

from tokoban.systems.gpt import config as presets
from tokoban.systems.gpt import tasks
from tokoban.systems.gpt.config import GptConfig
from tokoban.systems.gpt.corpus import Corpus, load_corpus
from tokoban.systems.gpt.dataset import IGNORED, Batch, random_windows
from tokoban.systems.gpt.model import Gpt
from tokoban.systems.gpt.tokens import Tokenizer
from tokoban.training import processes
from tokoban.training.cross_entropy import cross_entropy
from tokoban.training.run_config import RunConfig
from tokoban.training.system import Loss

Config = GptConfig
PRESETS: dict[str, Callable[[], GptConfig]] = {
    preset.__name__: preset
    for preset in (
        presets.sort,
        presets.addition,
        presets.python_docs,
        presets.shakespeare_small,
        presets.small,
        presets.shakespeare,
    )
}

# nanoGPT's train_shakespeare_char.py, with what its README changes for a CPU.
_NANOGPT = RunConfig(
    steps=2000,
    learning_rate=1e-3,
    final_share=0.1,
    warmup_steps=100,
    weight_decay=0.1,
    decays_embeddings=True,
    betas=(0.9, 0.99),
)
# With the tokens of a step a third, and so the steps three times as many, a few tokens teach more.
_OURS = replace(_NANOGPT, learning_rate=2e-3, final_share=0.0, decays_embeddings=False)
_TASK = RunConfig(steps=500, learning_rate=3e-3, weight_decay=0.1, betas=(0.9, 0.99))
RUNS: dict[str, RunConfig] = {
    "sort": _TASK,
    "addition": replace(_TASK, steps=6000),
    "python_docs": replace(_OURS, steps=3000),
    "shakespeare_small": _NANOGPT,
    "small": replace(_OURS, steps=6000),
    "shakespeare": replace(_NANOGPT, steps=5000, evaluate_every=250, watched="-validation_nats"),
}
SMALLEST = "sort"
DATA_FIELDS = ("source", "text")


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
    )


@dataclass(frozen=True)
class GptSystem:
    """Trains one GPT, on a text or, without one, on the task of its config."""

    config: GptConfig
    corpus: Corpus | None

    def build_model(self) -> Gpt:
        """A freshly initialised model on the CPU, with the tokenizer of its text or task."""
        model = build_model(self.config)
        if self.corpus is not None:
            model.tokenizer = self.corpus.tokenizer
        else:
            assert self.config.source in ("sort", "addition")
            model.tokenizer = tasks.tokenizer_of(self.config.source)
        return model

    def train_batches(self, model: nn.Module, *, start_step: int) -> Iterator[Batch]:
        """Batches for this process, on the model's device."""
        config, device = self.config, next(model.parameters()).device
        if self.corpus is not None:
            yield from random_windows(
                self.corpus.train.to(device),
                config.context_length,
                batch_size=config.batch_size,
                seed=config.data_seed,
                start_step=start_step,
                rank=processes.rank(),
            )
            return
        assert config.source in ("sort", "addition")
        for batch in tasks.task_batches(
            config.source,
            num_digits=config.num_digits,
            batch_size=config.batch_size,
            seed=config.data_seed,
            start_step=start_step,
            rank=processes.rank(),
        ):
            yield Batch(batch.tokens.to(device), batch.targets.to(device))

    def loss(self, model: nn.Module, batch: Batch) -> Loss:
        """Cross entropy, the mean over the tokens that count."""
        logits = model(batch.tokens)
        total = cross_entropy(logits.flatten(0, 1), batch.targets.flatten(), ignore_index=IGNORED)
        return Loss(total, {})

    def weights(self, batch: Batch) -> Tensor:
        """The number of tokens that count."""
        return (batch.targets != IGNORED).sum()[None]

    def evaluate(self, model: nn.Module) -> dict[str, float]:
        """The figures of ``evaluate.evaluate``."""
        from tokoban.systems.gpt.evaluate import evaluate

        return evaluate(model, self.corpus, self.config)

    def figure_names(self) -> tuple[str, ...]:
        """The names of the figures of ``evaluate``."""
        from tokoban.systems.gpt.evaluate import figure_names

        return figure_names(self.corpus, self.config)


def make_system(config: GptConfig, *, tokenizer: Tokenizer | None = None) -> GptSystem:
    """The system of ``config`` with its text read, if it learns from one.

    Without a tokenizer its vocabulary is learned, or is that of its task.
    """
    is_task = config.source in ("sort", "addition")
    return GptSystem(config, None if is_task else load_corpus(config, tokenizer))
