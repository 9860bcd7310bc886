"""Translation by the engine of a CPU is translation by torch's modules, token by token."""

import copy
from typing import Any

import pytest
import torch

from tests.systems.translation.half_trained import (
    MAX_POSITIONS,
    drawn_sources,
    half_trained,
    impatient,
)
from tokoban.inference import cpu as cpu_module
from tokoban.inference.cached import CachedEngine
from tokoban.inference.cpu import CpuEngine
from tokoban.inference.engine import Engine
from tokoban.inference.plain import PlainEngine
from tokoban.systems.translation import engine as engine_module
from tokoban.systems.translation.engine import network_of, prepare_for_inference
from tokoban.systems.translation.model import Translator
from tokoban.systems.translation.translate import Hypothesis, translate
from tokoban.text.bpe import BOS, EOS

SOURCES = [*drawn_sources(6), [], [5]]
NORMS = pytest.mark.parametrize("pre_norm", [True, False], ids=["pre-norm", "post-norm"])
WAYS: dict[str, dict[str, Any]] = {
    "greedy": {"beam": 1, "batch_size": 1},
    "prefixed": {"beam": 1, "batch_size": 1, "forced_prefix": [9, 5]},
    "greedy, together": {"beam": 1},
    "beam": {"beam": 4, "nbest": 4, "batch_size": 3},
    "prefixed beam": {"beam": 3, "forced_prefix": [9, 5], "length_penalty": 1.0},
}


def drawn_translator(*, pre_norm: bool, max_positions: int = MAX_POSITIONS) -> Translator:
    """Its gains, shifts and biases are no ones and zeros, and its widths no whole panels."""
    torch.manual_seed(3)
    model = Translator(
        vocabulary_size=89,
        width=28,
        num_layers=3,
        num_decoder_layers=2,
        num_heads=7,
        hidden_width=71,
        dropout=0.5,
        pre_norm=pre_norm,
        max_positions=max_positions,
    )
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            if "norm" in name or "bias" in name:
                parameter.add_(torch.randn_like(parameter) / 3)
    return model.eval().requires_grad_(False)


def fast(model: Translator) -> Engine:
    engine = prepare_for_inference(model, torch.device("cpu"))
    assert isinstance(engine, CpuEngine)
    return engine


def assert_alike(found: list[list[Hypothesis]], expected: list[list[Hypothesis]]) -> None:
    for mine, others in zip(found, expected, strict=True):
        assert [h.tokens for h in mine] == [h.tokens for h in others]
        assert [h.score for h in mine] == pytest.approx([h.score for h in others], abs=1e-4)
        assert [h.score_nats for h in mine] == pytest.approx(
            [h.score_nats for h in others], abs=1e-4
        )


@NORMS
def test_an_engine_says_what_the_model_says(pre_norm: bool) -> None:
    model = drawn_translator(pre_norm=pre_norm)
    source, target = [7, 11, 6, EOS], [BOS, 5, 88, 13]
    expected = model(torch.tensor([source]), torch.tensor([target]))[0]
    for engine in (PlainEngine(network_of(model)), CachedEngine(network_of(model)), fast(model)):
        rows = engine.read([source])
        for position, token in enumerate(target[1:]):
            torch.testing.assert_close(rows.output[0], expected[position], rtol=0, atol=1e-4)
            rows.advance(torch.tensor([token]), None)


@NORMS
@pytest.mark.parametrize("way", WAYS)
def test_it_says_what_torch_says(way: str, pre_norm: bool) -> None:
    model = drawn_translator(pre_norm=pre_norm)
    options = {**WAYS[way], "max_length": 7}
    expected = translate(model, SOURCES, **{**options, "batch_size": 32})
    assert_alike(translate(model, SOURCES, engine=fast(model), **options), expected)


@NORMS
@pytest.mark.parametrize("way", ["greedy", "beam"])
def test_it_ends_where_a_trained_one_ends(way: str, pre_norm: bool) -> None:
    model = copy.deepcopy(half_trained(pre_norm=pre_norm)).float()
    expected = translate(model, SOURCES, **{**WAYS[way], "batch_size": 32})
    assert len({len(best.tokens) for best, *_ in expected}) > 3
    assert_alike(translate(model, SOURCES, engine=fast(model), **WAYS[way]), expected)


@NORMS
@pytest.mark.parametrize("way", ["greedy", "beam"])
def test_it_does_not_end_at_once_either(way: str, pre_norm: bool) -> None:
    model = impatient(half_trained(pre_norm=pre_norm)).float()
    sources = drawn_sources(9)
    expected = translate(model, sources, **{**WAYS[way], "batch_size": 32})
    assert all(best.tokens for best, *_ in expected)
    assert_alike(translate(model, sources, engine=fast(model), **WAYS[way]), expected)


def test_without_onednn_loops_are_compiled_and_nothing_is_packed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for module in (engine_module, cpu_module):
        monkeypatch.setattr(module, "can_pack", lambda *_: False)
    model, device = copy.deepcopy(half_trained()).float(), torch.device("cpu")
    before = copy.deepcopy(model.state_dict())
    engine = prepare_for_inference(model, device)
    assert isinstance(engine, CpuEngine) and engine.packed.network is engine.network
    assert [best.tokens for (best,) in translate(model, SOURCES, engine=engine)] == [
        best.tokens for (best,) in translate(model, SOURCES)
    ]
    assert all(torch.equal(model.state_dict()[name], x) for name, x in before.items())
    assert isinstance(prepare_for_inference(model, device, precision="bf16"), CachedEngine)
    assert model.embedding.weight.dtype == torch.bfloat16
