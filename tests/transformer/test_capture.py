"""Looking on changes nothing, and what is seen are the weights that mix the values."""

import pytest
import torch
from torch import nn

from tokoban.transformer import (
    Decoder,
    Encoder,
    EncoderDecoder,
    MultiHeadAttention,
    Rotary,
    Window,
    captured_attention,
    empty_cache_for,
    masks,
)
from tokoban.transformer import attention as attention_module

B, N, T, S, E, LAYERS = 5, 3, 7, 11, 2, 2
D = N * E


def draw(*shape: int, seed: int = 0) -> torch.Tensor:
    return torch.randn(shape, generator=torch.manual_seed(seed), dtype=torch.float64)


def model() -> EncoderDecoder:
    torch.manual_seed(3)
    return EncoderDecoder(Encoder(LAYERS, D, N), Decoder(LAYERS, D, N)).double()


def run(model: EncoderDecoder) -> torch.Tensor:
    return model(
        draw(B, S, D),
        draw(B, T, D, seed=1),
        source_may_attend=masks.padding(torch.tensor([11, 1, 5, 2, 7]), S),
        target_may_attend=masks.causal(T),
    )


def test_looking_on_changes_nothing() -> None:
    watched = model()
    before = run(watched)
    with captured_attention(watched):
        during = run(watched)
    assert torch.allclose(before, during, rtol=0, atol=1e-12)
    assert torch.equal(run(watched), before)


def test_every_attention_is_seen_by_its_name_at_every_call() -> None:
    watched = model()
    with captured_attention(watched) as weights:
        run(watched)
        run(watched)
    run(watched)
    shapes = {name: [tuple(call.shape) for call in calls] for name, calls in weights.items()}
    assert shapes == {
        f"encoder.blocks.{layer}.attention": [(B, N, S, S)] * 2 for layer in range(LAYERS)
    } | {
        f"decoder.blocks.{layer}.{kind}": [shape] * 2
        for layer in range(LAYERS)
        for kind, shape in (("attention", (B, N, T, T)), ("cross_attention", (B, N, T, S)))
    }


def test_weights_add_up_to_one_and_are_zero_where_nothing_may_be_attended_to() -> None:
    watched = model()
    with captured_attention(watched) as weights:
        run(watched)
    for calls in weights.values():
        assert torch.allclose(calls[0].sum(-1), torch.ones((), dtype=torch.float64))
        assert not calls[0].requires_grad
    (across,) = weights["decoder.blocks.1.cross_attention"]
    assert (across[1, :, :, 1:] == 0).all() and (across[0] > 0).all()
    (own,) = weights["decoder.blocks.0.attention"]
    assert (own.triu(1) == 0).all()


def test_they_are_the_weights_of_the_values() -> None:
    """With values that are the positions' own unit vectors, what is mixed is the weights."""
    attention = MultiHeadAttention(4, 1).double()
    for layer in attention.value, attention.output:
        nn.init.eye_(layer.weight)
        nn.init.zeros_(layer.bias)
    inputs = torch.eye(4, dtype=torch.float64)[None]
    with captured_attention(attention) as weights:
        mixed = attention(inputs)
    assert torch.allclose(weights[""][0][0, 0], mixed[0])


@pytest.mark.parametrize("mask", ["causal", "window"])
def test_in_single_precision_they_are_those_of_the_fused_kernels(
    mask: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A kernel shows its weights where the values are unit vectors, one for each source."""
    watched = Decoder(LAYERS, D, N, rotary=Rotary()).requires_grad_(False)
    targets, memory = draw(B, T, D).float(), draw(B, S, D, seed=1).float()
    may_attend = masks.causal(T) if mask == "causal" else Window(3, is_causal=True)
    fused, shown = attention_module._fused, []

    def showing(q, k, v, may_attend):
        # Values are as wide as keys, so a few of the units at a time; those beyond the last are 0.
        units = torch.eye(k.shape[2], 7 * E).expand(*k.shape[:2], -1, -1).split(E, dim=-1)
        parts = [fused(q, k, unit, may_attend) for unit in units]
        shown.append(torch.cat(parts, dim=-1)[..., : k.shape[2]])
        return fused(q, k, v, may_attend)

    monkeypatch.setattr(attention_module, "_fused", showing)
    outputs = watched(targets, memory, may_attend=may_attend)
    with captured_attention(watched) as weights:
        seen = watched(targets, memory, may_attend=may_attend)
    assert torch.allclose(seen, outputs, rtol=0, atol=1e-5)
    assert len(shown) == len(weights) == 2 * LAYERS
    for calls, expected in zip(weights.values(), shown, strict=True):
        assert torch.allclose(calls[0], expected, rtol=0, atol=1e-5)


def test_with_a_cache_each_pass_shows_its_own_rows_of_the_whole() -> None:
    """The sources that are still to come, the whole map gives 0."""
    watched = Decoder(LAYERS, D, N, rotary=Rotary()).double().requires_grad_(False)
    targets, memory = draw(B, T, D), draw(B, S, D, seed=1)
    with captured_attention(watched) as whole:
        watched(targets, memory, may_attend=masks.causal(T))
    cache, start = empty_cache_for(watched, B, T), 0
    with captured_attention(watched) as pieces:
        for piece in targets.split([3, 1, 3], dim=1):
            end = start + piece.shape[1]
            may_attend = masks.causal(piece.shape[1], num_keys=end)
            watched(piece, memory, may_attend=may_attend, cache=cache)
            start = end
    for name, (expected,) in whole.items():
        length = expected.shape[-1]
        rows = [nn.functional.pad(call, (0, length - call.shape[-1])) for call in pieces[name]]
        assert torch.allclose(torch.cat(rows, dim=2), expected, rtol=0, atol=1e-12)


def test_an_error_under_way_leaves_the_model_as_it_was() -> None:
    watched = model()
    with pytest.raises(RuntimeError, match="on purpose"), captured_attention(watched):
        raise RuntimeError("on purpose")
    assert not any("mix" in vars(module) for module in watched.modules())


def test_only_what_is_named_is_looked_at() -> None:
    watched, name = model(), "decoder.blocks.1.cross_attention"
    with captured_attention(watched) as weights:
        run(watched)
    with captured_attention(watched, only=[name]) as chosen:
        run(watched)
    assert chosen.keys() == {name}
    assert torch.allclose(chosen[name][0], weights[name][0], rtol=0, atol=1e-12)


def test_a_name_that_no_attention_has_is_refused() -> None:
    with pytest.raises(
        ValueError, match=r"is called 'x'; there are encoder\.blocks\.0"
    ):
        captured_attention(model(), only=["x"]).__enter__()


def test_a_model_without_attention_is_refused() -> None:
    with pytest.raises(ValueError, match="Linear has no attention that could be captured"):
        captured_attention(nn.Linear(2, 3)).__enter__()
