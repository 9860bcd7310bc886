"""The loss, and that one short run of the command learns the embedded task's beginnings."""

from dataclasses import replace

import pytest
import torch
from torch.nn import functional

from tests.systems.translation.half_trained import drawn_sources, half_trained, padded
from tokoban.systems.translation.config import TranslationConfig, numbers, toy
from tokoban.systems.translation.dataset import Batch
from tokoban.systems.translation.train import TranslationSystem, make_system
from tokoban.text.bpe import BOS, EOS, PAD
from tokoban.training.gradients import set_gradients


@pytest.fixture(scope="module")
def system() -> TranslationSystem:
    return make_system(replace(toy(), label_smoothing=0.1))


def batch(rows: slice = slice(None)) -> Batch:
    sources = drawn_sources(9)[rows]
    targets = [row[::-1] for row in sources]
    return Batch(
        source=padded([[*row, EOS] for row in sources]),
        target_in=padded([[BOS, *row] for row in targets]),
        target_out=padded([[*row, EOS] for row in targets]),
    )


def test_the_loss_is_the_mean_over_target_tokens_of_the_smoothed_cross_entropy(
    system: TranslationSystem,
) -> None:
    loss = system.loss(half_trained(), batch())
    logits = half_trained()(batch().source, batch().target_in)
    log_probs = logits.log_softmax(-1)
    expected, num_tokens = 0.0, 0
    for row, tokens in enumerate(batch().target_out.tolist()):
        for place, token in enumerate(tokens):
            if token != PAD:
                said = log_probs[row, place]
                expected -= 0.9 * said[token].item() + 0.1 * said.mean().item()
                num_tokens += 1
    assert loss.total.item() == pytest.approx(expected / num_tokens, rel=1e-5)
    assert system.weights(batch()).tolist() == [num_tokens]


def test_padding_is_never_learned(system: TranslationSystem) -> None:
    """A batch of padding beside one sentence is that sentence; nothing becomes infinite."""
    one = batch(slice(2, 3))
    wide = Batch(*(functional.pad(x, (0, 6)) for x in (one.source, one.target_in, one.target_out)))
    losses = [system.loss(half_trained(), each).total.item() for each in (one, wide)]
    assert losses[0] == pytest.approx(losses[1], rel=1e-6)


def test_the_gradient_of_a_batch_is_that_of_its_rows_in_unequal_parts(
    system: TranslationSystem,
) -> None:
    model = half_trained()
    model.requires_grad_(True)
    try:
        found = []
        for parts in ([batch()], [batch(slice(0, 5)), batch(slice(5, 6)), batch(slice(6, 9))]):
            set_gradients(system, model, iter(parts), num_batches=len(parts), uses_bf16=False)
            found.append(
                torch.cat([p.grad.flatten() for p in model.parameters() if p.grad is not None])
            )
        assert torch.allclose(found[0], found[1], rtol=0, atol=1e-7)
    finally:
        model.requires_grad_(False)
        model.zero_grad(set_to_none=True)


def test_a_fresh_model_has_the_tokenizer_of_its_text(system: TranslationSystem) -> None:
    assert system.initial_model().tokenizer is system.data.tokenizer


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"num_heads": 3}, "num_heads is 3; expected a divisor of width 64"),
        (
            {"width": 63, "num_heads": 1},
            "width is 63; expected an even number, for its sines and cosines",
        ),
        ({"max_tokens": 129}, "max_tokens is 129; expected no more than max_positions"),
        ({"batch_tokens": 63}, "max_tokens is 64; expected no more than batch_tokens"),
        ({"target_language": "de"}, "target_language is 'de'; expected another language"),
        (
            {"train_source": ("a.de",)},
            "train_source and train_target go together, file by file; got 1 and 0",
        ),
        (
            {"validation_source": ("a.de",), "validation_target": ("a.en",)},
            "validation text without training text: name train_source as well",
        ),
    ],
)
def test_a_config_that_cannot_be_is_refused(fields: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError) as refusal:
        replace(numbers(), **fields)  # type: ignore[arg-type]
    assert str(refusal.value) == message


def test_only_named_files_replace_the_embedded_task() -> None:
    assert not TranslationConfig().has_text
    assert TranslationConfig(train_source=("a",), train_target=("b",)).has_text
