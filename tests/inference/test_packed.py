"""Packed maps are the maps that they were made of."""

import pytest
import torch
from torch import nn

from tests.inference import networks
from tokoban.inference import packed
from tokoban.inference.cached import CachedEngine
from tokoban.inference.packed import (
    PackedLinear,
    QuantizedLinear,
    can_pack,
    pack_linears,
    packed_linear,
)
from tokoban.transformer import DecoderBlock

pytestmark = pytest.mark.skipif(not can_pack(), reason="this torch has no oneDNN")

D, V = 13, 37


def draw(*shape: int, seed: int = 0) -> torch.Tensor:
    return torch.randn(shape, generator=torch.manual_seed(seed))


@pytest.mark.parametrize("shape", [(1, D), (5, D), (67, D), (2, 3, D)], ids=str)
@pytest.mark.parametrize("has_bias", [True, False])
@pytest.mark.parametrize(
    ("dtype", "tolerance"), [(torch.float32, 1e-6), (torch.bfloat16, 0.02), (torch.int8, 0.02)]
)
def test_it_is_the_linear_map_nearly_where_it_is_rounded(
    shape: tuple[int, ...], has_bias: bool, dtype: torch.dtype, tolerance: float
) -> None:
    if not can_pack(dtype):
        pytest.skip("this processor cannot multiply packed weights of bf16")
    weight, bias = draw(V, D, seed=1), draw(V, seed=2) if has_bias else None
    inputs = draw(*shape)
    found = packed_linear(weight, bias, dtype=dtype)(inputs)
    expected = nn.functional.linear(inputs, weight, bias)
    assert found.dtype == torch.float32 and found.shape == expected.shape
    assert (found - expected).norm() < tolerance * expected.norm()


def test_in_bytes_no_row_changes_another() -> None:
    quantized = QuantizedLinear(draw(V, D, seed=1))
    inputs = draw(5, D)
    together = quantized(torch.cat([inputs, 1000 * inputs]))
    for row, found in zip(inputs, together, strict=False):
        assert torch.equal(quantized(row[None])[0], found)


@pytest.mark.parametrize("dtype", [torch.float32, torch.int8], ids=str)
def test_a_relu_leaves_what_is_above_zero(dtype: torch.dtype) -> None:
    weight, bias, inputs = draw(V, D, seed=1), draw(V, seed=2), draw(5, D)
    found = packed_linear(weight, bias, dtype=dtype, has_relu=True)(inputs)
    assert bool((found == 0).any())
    assert torch.equal(found, packed_linear(weight, bias, dtype=dtype)(inputs).relu())


def test_every_linear_map_of_a_model_is_packed() -> None:
    block = DecoderBlock(12, 3).eval().requires_grad_(False)
    inputs, memory = draw(2, 5, 12), draw(2, 7, 12, seed=1)
    expected = block(inputs, memory)
    pack_linears(block)
    names = [name for name, module in block.named_modules() if isinstance(module, PackedLinear)]
    assert names == [
        *(f"attention.{name}" for name in ("output", "fused")),
        *(f"cross_attention.{name}" for name in ("query", "key", "value", "output")),
        "feed_forward.expand",
        "feed_forward.contract",
    ]
    assert not any(isinstance(module, nn.Linear) for module in block.modules())
    assert torch.allclose(block(inputs, memory), expected, rtol=0, atol=1e-5)


def test_without_products_of_bf16_none_are_packed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packed, "_BF16_CHECK", "_gone")
    assert can_pack() and can_pack(torch.int8) and not can_pack(torch.bfloat16)
    with pytest.raises(ValueError, match="this processor cannot multiply packed weights of bf16"):
        packed.packed_network(networks.decoder_only(), dtype=torch.bfloat16)


def test_without_the_operations_nothing_is_packed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packed, "_OPERATIONS", ("_reorder_linear_weight", "_gone"))
    assert not can_pack()
    with pytest.raises(ValueError, match="this torch was built without oneDNN"):
        packed.packed_network(networks.decoder_only())
    monkeypatch.delattr(torch, "_int_mm")
    with pytest.raises(ValueError, match="has no products of bytes, as int8 needs"):
        QuantizedLinear(draw(V, D))


@pytest.mark.parametrize("dtype", [torch.float32, torch.int8], ids=str)
def test_a_network_without_biases_is_packed_too(dtype: torch.dtype) -> None:
    network = networks.decoder_only(is_tied=False, bias=False)
    expected = CachedEngine(network).read([[5, 7]]).output
    found = CachedEngine(packed.packed_network(network, dtype=dtype)).read([[5, 7]]).output
    assert (found - expected).norm() < (1e-5 if dtype == torch.float32 else 0.05) * expected.norm()
