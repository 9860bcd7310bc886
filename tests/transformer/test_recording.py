"""Recording changes nothing, and what is recorded are the weights that mix the values."""

import pytest
import torch
from torch import nn

from tests.transformer.draw import draw, padding
from tokoban.transformer import (
    BlockOptions,
    Decoder,
    Encoder,
    EncoderDecoder,
    Rotary,
    dot_product,
    empty_cache_for,
    masks,
    record_attention,
)

B, N, T, S, E, LAYERS = 5, 3, 7, 11, 2, 2
D = N * E


def model() -> EncoderDecoder:
    torch.manual_seed(3)
    return EncoderDecoder(Encoder(LAYERS, D, N), Decoder(LAYERS, D, N)).double()


def run(model: EncoderDecoder) -> torch.Tensor:
    return model(
        draw(B, S, D),
        draw(B, T, D, seed=1),
        source_may_attend=padding(torch.tensor([11, 1, 5, 2, 7]), S),
        target_may_attend=masks.causal(T),
    )


def test_recording_changes_no_bit_of_the_outputs() -> None:
    recorded = model()
    before = run(recorded)
    with record_attention(recorded):
        during = run(recorded)
    assert torch.equal(before, during)
    assert torch.equal(run(recorded), before)


def test_every_attention_is_recorded_by_its_name_at_every_call() -> None:
    recorded = model()
    with record_attention(recorded) as weights:
        run(recorded)
        run(recorded)
    run(recorded)
    shapes = {name: [tuple(call.shape) for call in calls] for name, calls in weights.items()}
    assert shapes == {
        f"encoder.blocks.{layer}.attention": [(B, N, S, S)] * 2 for layer in range(LAYERS)
    } | {
        f"decoder.blocks.{layer}.{kind}": [shape] * 2
        for layer in range(LAYERS)
        for kind, shape in (("attention", (B, N, T, T)), ("cross_attention", (B, N, T, S)))
    }


def test_weights_add_up_to_one_and_are_zero_where_nothing_may_be_attended_to() -> None:
    recorded = model()
    with record_attention(recorded) as weights:
        run(recorded)
    for calls in weights.values():
        assert torch.allclose(calls[0].sum(-1), torch.ones((), dtype=torch.float64))
        assert not calls[0].requires_grad
    (across,) = weights["decoder.blocks.1.cross_attention"]
    assert (across[1, :, :, 1:] == 0).all() and (across[0] > 0).all()
    (own,) = weights["decoder.blocks.0.attention"]
    assert (own.triu(1) == 0).all()


def test_in_single_precision_they_are_those_of_the_kernels(monkeypatch: pytest.MonkeyPatch) -> None:
    """A kernel shows its weights where the values are unit vectors, one for each source."""
    recorded = Decoder(LAYERS, D, N, options=BlockOptions(rotary=Rotary())).requires_grad_(False)
    targets, memory = draw(B, T, D).float(), draw(B, S, D, seed=1).float()
    kernel, shown = dot_product._by_kernel, []

    def showing(q, k, v, may_attend):
        # Values are as wide as keys, so a few of the units at a time; those beyond the last are 0.
        units = torch.eye(k.shape[2], 7 * E).expand(*k.shape[:2], -1, -1).split(E, dim=-1)
        parts = [kernel(q, k, unit, may_attend) for unit in units]
        shown.append(torch.cat(parts, dim=-1)[..., : k.shape[2]])
        return kernel(q, k, v, may_attend)

    monkeypatch.setattr(dot_product, "_by_kernel", showing)
    with record_attention(recorded) as weights:
        recorded(targets, memory, may_attend=masks.causal(T))
    assert len(shown) == len(weights) == 2 * LAYERS
    for calls, expected in zip(weights.values(), shown, strict=True):
        assert torch.allclose(calls[0], expected, rtol=0, atol=1e-5)


def test_with_a_cache_each_pass_shows_its_own_rows_of_the_whole() -> None:
    """The sources that are still to come, the whole map gives 0."""
    recorded = (
        Decoder(LAYERS, D, N, options=BlockOptions(rotary=Rotary())).double().requires_grad_(False)
    )
    targets, memory = draw(B, T, D), draw(B, S, D, seed=1)
    with record_attention(recorded) as whole:
        recorded(targets, memory, may_attend=masks.causal(T))
    cache, start = empty_cache_for(recorded, B, T), 0
    with record_attention(recorded) as pieces:
        for piece in targets.split([3, 1, 3], dim=1):
            end = start + piece.shape[1]
            may_attend = masks.causal(piece.shape[1], num_keys=end)
            recorded(piece, memory, may_attend=may_attend, cache=cache)
            start = end
    for name, (expected,) in whole.items():
        length = expected.shape[-1]
        rows = [nn.functional.pad(call, (0, length - call.shape[-1])) for call in pieces[name]]
        assert torch.allclose(torch.cat(rows, dim=2), expected, rtol=0, atol=1e-12)


def test_a_cached_step_shows_zeros_for_positions_that_are_not_filled() -> None:
    recorded, inputs = Encoder(LAYERS, D, N).double().requires_grad_(False), draw(B, 3, D)
    with record_attention(recorded) as whole:
        recorded(inputs, may_attend=masks.causal(3))
    cache = empty_cache_for(recorded, B, T)
    recorded(inputs[:, :2], may_attend=masks.causal(2), cache=cache)
    with record_attention(recorded) as step:
        recorded(inputs[:, 2:], may_attend=masks.causal(T)[2:3], cache=cache.take_step())
    for name, (weights,) in step.items():
        assert weights.shape == (B, N, 1, T) and not weights[..., 3:].any()
        assert torch.allclose(weights[..., :3], whole[name][0][:, :, 2:], rtol=0, atol=1e-12)


def test_rows_that_share_a_row_of_the_memory_have_rows_of_their_own() -> None:
    recorded = Decoder(LAYERS, D, N).double()
    targets, memory = draw(6, T, D), draw(2, S, D, seed=1)
    may_attend = padding(torch.tensor([11, 4]), S)
    with record_attention(recorded) as shared:
        recorded(targets, memory, memory_may_attend=may_attend)
    with record_attention(recorded) as apart:
        every = memory.repeat_interleave(3, dim=0)
        recorded(targets, every, memory_may_attend=may_attend.repeat_interleave(3, dim=0))
    pattern = "*.cross_attention"
    assert shared.stacked(pattern).shape == (LAYERS, 6, N, T, S)
    assert torch.allclose(shared.stacked(pattern), apart.stacked(pattern), rtol=0, atol=1e-12)


def test_records_nest_and_each_has_the_passes_while_it_was_open() -> None:
    recorded = model()
    with record_attention(recorded) as outer:
        run(recorded)
        with record_attention(recorded.encoder.blocks[0]) as inner:
            run(recorded)
        run(recorded)
    assert all(len(calls) == 3 for calls in outer.values())
    assert torch.equal(inner["attention"][0], outer["encoder.blocks.0.attention"][1])


@pytest.mark.parametrize("is_inner", [True, False], ids=["inner", "outer"])
def test_after_an_error_nothing_more_is_recorded(is_inner: bool) -> None:
    recorded = model()
    with pytest.raises(RuntimeError, match="on purpose"), record_attention(recorded) as outer:
        with record_attention(recorded) as inner:
            if is_inner:
                raise RuntimeError("on purpose")
        raise RuntimeError("on purpose")
    run(recorded)
    assert not any(outer.values()) and not any(inner.values())


def test_weights_are_stacked_by_a_pattern_of_names_after_one_pass() -> None:
    recorded = model()
    with record_attention(recorded) as record:
        run(recorded)
    stacked = record.stacked("decoder.*.attention")
    assert stacked.shape == (LAYERS, B, N, T, T)
    assert torch.equal(stacked[1], record["decoder.blocks.1.attention"][0])
    with pytest.raises(ValueError, match=r"no recorded attention matches 'x': encoder\.blocks"):
        record.stacked("x")
    with record_attention(recorded) as record:
        run(recorded)
        run(recorded)
    with pytest.raises(ValueError, match="was called 2 times; expected one pass"):
        record.stacked("encoder.*")
