"""The GPT as a ``System``: its network, its examples and its loss, wired together."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from torch import nn
from torch.nn import functional

from tokoban.systems.gpt import config as presets
from tokoban.systems.gpt.config import GptConfig
from tokoban.systems.gpt.corpus import Corpus, load_corpus
from tokoban.systems.gpt.dataset import IGNORED, Batch, random_windows
from tokoban.systems.gpt.model import Gpt
from tokoban.training import processes
from tokoban.training.run_config import RunConfig
from tokoban.training.system import Loss

Config = GptConfig
PRESETS: dict[str, Callable[[], GptConfig]] = {
    preset.__name__: preset
    for preset in (presets.shakespeare_small, presets.small, presets.shakespeare)
}

# nanoGPT's train_shakespeare_char.py, with what its README changes for a CPU.
_NANOGPT = RunConfig(
    steps=2000,
    learning_rate=1e-3,
    final_share=0.1,
    warmup_steps=100,
    weight_decay=0.1,
    betas=(0.9, 0.99),
)
RUNS: dict[str, RunConfig] = {
    "shakespeare_small": _NANOGPT,
    "small": replace(_NANOGPT, final_share=0.0, learning_rate=3e-3),
    "shakespeare": replace(
        _NANOGPT, steps=5000, evaluate_every=250, watched="-validation_nats"
    ),
}
SMALLEST = "shakespeare_small"


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
    """Trains one GPT."""

    config: GptConfig
    corpus: Corpus

    def build_model(self) -> Gpt:
        """A freshly initialised model on the CPU, with the tokenizer of its text."""
        model = build_model(self.config)
        model.tokenizer = self.corpus.tokenizer
        return model

    def train_batches(self, model: nn.Module, *, start_step: int) -> Iterator[Batch]:
        """Batches for this process, on the model's device."""
        device = next(model.parameters()).device
        return random_windows(
            self.corpus.train.to(device),
            self.config.context_length,
            batch_size=self.config.batch_size,
            seed=self.config.data_seed,
            start_step=start_step,
            rank=processes.rank(),
        )

    def loss(self, model: nn.Module, batch: Batch) -> Loss:
        """Cross entropy, the mean over the tokens that count."""
        logits = model(batch.tokens)
        total = functional.cross_entropy(
            logits.flatten(0, 1).float(), batch.targets.flatten(), ignore_index=IGNORED
        )
        return Loss(total, {}, weight=(batch.targets != IGNORED).sum())

    def evaluate(self, model: nn.Module) -> dict[str, float]:
        """The figures of ``evaluate.evaluate``."""
        from tokoban.systems.gpt.evaluate import evaluate

        return evaluate(model, self.corpus, self.config)


def make_system(config: GptConfig) -> GptSystem:
    """The system of ``config`` with its text read."""
    return GptSystem(config, load_corpus(config))
