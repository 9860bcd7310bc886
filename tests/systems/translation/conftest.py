"""A translator that no test has to train: few weights, drawn from a seed, and a tokenizer."""

from dataclasses import replace

import pytest
import torch

from tokoban.systems.translation import number_words
from tokoban.systems.translation import translate as translate_module
from tokoban.systems.translation.config import TranslationConfig, numbers
from tokoban.systems.translation.model import Translator
from tokoban.systems.translation.train import build_model
from tokoban.text.bpe import train_bpe


@pytest.fixture(scope="session")
def small_config() -> TranslationConfig:
    """The embedded task, and a network of one layer."""
    return replace(numbers(), width=16, num_layers=1, hidden_width=32, vocabulary_size=331)


@pytest.fixture(scope="session")
def translator(small_config: TranslationConfig) -> Translator:
    """Knows nothing but words."""
    torch.manual_seed(7)
    model = build_model(small_config)
    pairs = number_words.examples(300, seed=0)
    model.tokenizer = train_bpe(
        (text for pair in pairs for text in pair), vocabulary_size=331, has_space_before=True
    )
    return model.eval()


@pytest.fixture
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ends translations soon, which those of ``translator`` hardly do by themselves."""
    monkeypatch.setattr(translate_module, "EXTRA_LENGTH", 7)
