"""Feed-forward nets, residuals and the blocks made of them."""

import pytest
import torch
from torch import nn
from torch.nn import functional

from tokoban.transformer import DecoderBlock, EncoderBlock, FeedForward
from tokoban.transformer.blocks import Residual

B, T, D, HIDDEN = 5, 7, 3, 11


def test_feed_forward_against_a_pencil() -> None:
    feed_forward = FeedForward(1, 2)
    with torch.no_grad():
        feed_forward.expand.weight[:] = torch.tensor([[1.0], [-1.0]])
        feed_forward.expand.bias[:] = torch.tensor([0.0, 1.0])
        feed_forward.contract.weight[:] = torch.tensor([[10.0, 100.0]])
        feed_forward.contract.bias[:] = 5.0
    # x = 3: hidden (3, max(0, -2) = 0), so 35; x = -4: hidden (0, 5), so 505.
    assert feed_forward(torch.tensor([[[3.0], [-4.0]]])).flatten().tolist() == [35.0, 505.0]


def test_feed_forward_drops_half_of_its_output_and_doubles_the_rest_while_training() -> None:
    feed_forward = FeedForward(D, HIDDEN, dropout=0.5)
    inputs = torch.randn(B, T, D)
    whole = feed_forward.eval()(inputs)
    torch.manual_seed(0)
    dropped = feed_forward.train()(inputs)
    assert torch.equal(dropped, torch.where(dropped == 0, 0.0, 2 * whole))
    assert 0.25 < (dropped == 0).double().mean() < 0.75


def test_pre_norm_adds_the_sublayer_of_the_norm() -> None:
    residual = Residual(D, pre_norm=True)
    inputs = torch.randn(B, T, D)
    normed = functional.layer_norm(inputs, (D,))
    assert torch.allclose(residual(inputs, lambda x: x**2), inputs + normed**2)


def test_post_norm_norms_the_sum() -> None:
    residual = Residual(D, pre_norm=False)
    inputs = torch.randn(B, T, D)
    assert torch.allclose(
        residual(inputs, lambda x: x**2), functional.layer_norm(inputs + inputs**2, (D,)), atol=1e-6
    )


@pytest.mark.parametrize(("block_class", "num_sublayers"), [(EncoderBlock, 2), (DecoderBlock, 3)])
def test_every_sublayer_has_a_norm_of_its_own(block_class: type, num_sublayers: int) -> None:
    norms = [part for part in block_class(6, 3).modules() if isinstance(part, nn.LayerNorm)]
    assert len(norms) == num_sublayers
