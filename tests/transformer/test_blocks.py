"""Feed-forward nets, residuals and the blocks made of them."""

import torch

from tokoban.transformer import FeedForward

B, T, D, HIDDEN = 5, 7, 3, 11


def test_feed_forward_drops_half_of_its_output_and_doubles_the_rest_while_training() -> None:
    feed_forward = FeedForward(D, HIDDEN, dropout=0.5)
    inputs = torch.randn(B, T, D)
    whole = feed_forward.eval()(inputs)
    torch.manual_seed(0)
    dropped = feed_forward.train()(inputs)
    assert torch.equal(dropped, torch.where(dropped == 0, 0.0, 2 * whole))
    assert 0.25 < (dropped == 0).double().mean() < 0.75
