"""Packed maps are the maps that they were made of."""

import pytest
import torch
from torch import nn

from tokoban.transformer import EncoderBlock
from tokoban.transformer.packed import PackedLinear, can_pack, pack_linears

pytestmark = pytest.mark.skipif(not can_pack(), reason="this torch has no oneDNN")

D, V = 13, 37


def draw(*shape: int, seed: int = 0) -> torch.Tensor:
    return torch.randn(shape, generator=torch.manual_seed(seed))


@pytest.mark.parametrize("shape", [(1, D), (5, D), (67, D), (2, 3, D)], ids=str)
@pytest.mark.parametrize("has_bias", [True, False])
@pytest.mark.parametrize(("dtype", "tolerance"), [(torch.float32, 1e-6), (torch.bfloat16, 0.02)])
def test_it_is_the_linear_map(
    shape: tuple[int, ...], has_bias: bool, dtype: torch.dtype, tolerance: float
) -> None:
    weight, bias = draw(V, D, seed=1), draw(V, seed=2) if has_bias else None
    inputs = draw(*shape)
    found = PackedLinear(weight, bias, dtype=dtype)(inputs)
    expected = nn.functional.linear(inputs, weight, bias)
    assert found.dtype == torch.float32 and found.shape == expected.shape
    assert (found - expected).norm() < tolerance * expected.norm()


def test_every_linear_map_of_a_model_is_packed() -> None:
    block = EncoderBlock(12, 3).eval().requires_grad_(False)
    inputs = draw(2, 5, 12)
    expected = block(inputs)
    pack_linears(block)
    packed = [name for name, module in block.named_modules() if isinstance(module, PackedLinear)]
    assert packed == [
        *(f"attention.{name}" for name in ("query", "key", "value", "output")),
        "feed_forward.expand",
        "feed_forward.contract",
    ]
    assert not any(isinstance(module, nn.Linear) for module in block.modules())
    assert torch.allclose(block(inputs), expected, rtol=0, atol=1e-5)
