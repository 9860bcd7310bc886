"""Greedy translation in compiled loops is greedy translation by torch, token by token."""

import copy

import pytest
import torch

from tests.systems.translation.half_trained import (
    MAX_POSITIONS,
    drawn_sources,
    half_trained,
)
from tokoban.decoding import Sampling
from tokoban.systems.translation import compiled_greedy
from tokoban.systems.translation.compiled_greedy import CompiledGreedy
from tokoban.systems.translation.model import Greedy, Translator
from tokoban.systems.translation.translate import made_ready, translate
from tokoban.text.bpe import BOS, EOS
from tokoban.transformer.packed import can_pack

pytestmark = pytest.mark.skipif(not can_pack(), reason="this torch has no oneDNN")

SOURCES = [*drawn_sources(13), [], [5]]


def drawn_translator(*, pre_norm: bool) -> Translator:
    """Its gains, shifts and biases are no ones and zeros, and its widths no multiples of four."""
    torch.manual_seed(3)
    model = Translator(
        vocabulary_size=29,
        width=14,
        num_layers=3,
        num_heads=7,
        hidden_width=11,
        dropout=0.5,
        pre_norm=pre_norm,
        max_positions=MAX_POSITIONS,
    )
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            if "norm" in name or "bias" in name:
                parameter.add_(torch.randn_like(parameter) / 3)
    return model.eval().requires_grad_(False)


def ready(model: Translator) -> Translator:
    found = made_ready(model, torch.device("cpu"), beam=1)
    assert isinstance(found.greedy, CompiledGreedy) and isinstance(found.greedy, Greedy)
    return found


@pytest.mark.parametrize("pre_norm", [True, False], ids=["pre-norm", "post-norm"])
@pytest.mark.parametrize(
    "options",
    [{}, {"length_penalty": 0.0}, {"forced_prefix": [9, 5]}, {"max_length": 3}, {"batch_size": 1}],
    ids=str,
)
def test_it_says_what_a_beam_of_one_says(options: dict, pre_norm: bool) -> None:
    model = drawn_translator(pre_norm=pre_norm)
    expected = translate(model, SOURCES, beam=1, **options)
    found = translate(ready(model), SOURCES, beam=1, **options)
    assert [best.tokens for (best,) in found] == [best.tokens for (best,) in expected]
    for (mine,), (other,) in zip(found, expected, strict=True):
        assert mine.score == pytest.approx(other.score, abs=1e-4)
        assert mine.score_nats == pytest.approx(other.score_nats, abs=1e-4)


def test_it_ends_where_a_trained_one_ends() -> None:
    model = copy.deepcopy(half_trained()).float()
    found = translate(ready(model), SOURCES, beam=1)
    assert len({len(best.tokens) for (best,) in found}) > 3
    expected = translate(model, SOURCES, beam=1)
    assert [best.tokens for (best,) in found] == [best.tokens for (best,) in expected]


def test_a_forbidden_token_is_never_the_next() -> None:
    model = drawn_translator(pre_norm=False)

    def first(*forbidden: int) -> int:
        greedy = CompiledGreedy(
            model.transformer.encoder,
            model.transformer.decoder,
            embedding=model.embedding.weight,
            positions=model.position_vectors,
            forbidden=torch.tensor(forbidden),
        )
        return greedy([5, EOS], torch.tensor([-1, EOS]))[0][0]

    order = model(torch.tensor([[5, EOS]]), torch.tensor([[BOS]]))[0, 0].argsort(descending=True)
    assert first(EOS) == next(token for token in order.tolist() if token != EOS)
    assert first(EOS, *order[:3].tolist()) == next(x for x in order[3:].tolist() if x != EOS)


def test_only_a_beam_of_one_in_single_precision_is_compiled(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    model = drawn_translator(pre_norm=False)
    cpu = torch.device("cpu")
    assert made_ready(model, cpu).greedy is None
    assert made_ready(model, cpu, beam=2).greedy is None
    assert made_ready(model, cpu, beam=1, precision="bf16").greedy is None

    def never(*_: object) -> None:
        raise AssertionError("was called")

    compiled = ready(model)
    monkeypatch.setattr(CompiledGreedy, "__call__", never)
    translate(compiled, SOURCES, beam=2)
    translate(compiled, SOURCES, beam=1, sampling=Sampling(seed=1))
    with pytest.raises(AssertionError, match="was called"):
        translate(compiled, SOURCES, beam=1)


def test_a_large_model_translates_batches_together(monkeypatch: pytest.MonkeyPatch) -> None:
    greedy = ready(drawn_translator(pre_norm=False)).greedy
    assert greedy is not None and greedy.is_quicker(1) and greedy.is_quicker(32)
    monkeypatch.setattr(compiled_greedy, "_CACHED_BYTES", 1000)
    assert greedy.is_quicker(1) and not greedy.is_quicker(2)
