"""Dropout leaves out the share it is asked to, changes no expectation, and draws by the seed."""

import pytest
import torch

from tokoban.transformer.dropout import Dropout


def _train(p: float) -> Dropout:
    return Dropout(p).train()


@pytest.mark.parametrize("p", [1 / 65536, 0.1, 0.3, 0.5, 0.9])
def test_so_many_are_left_out_and_the_others_are_scaled_up(p: float) -> None:
    torch.manual_seed(0)
    num_drawn = 1_000_003  # no multiple of four
    dropped = _train(p)(torch.ones(num_drawn))
    share = (dropped == 0).double().mean().item()
    deviation = (p * (1 - p) / num_drawn) ** 0.5
    assert abs(share - p) <= 5 * deviation + 1 / 65536
    assert len(dropped.unique()) == 2
    # The expectation is exact for the rounded chance.
    level = round(p * 65536)
    assert dropped.max().item() == pytest.approx(65536 / (65536 - level), rel=1e-6)


def test_neighbours_are_left_out_independently() -> None:
    torch.manual_seed(0)
    is_out = _train(0.5)(torch.ones(400_000)) == 0
    for distance in (1, 2, 3, 4, 8):
        both = (is_out[distance:] & is_out[:-distance]).double().mean().item()
        assert both == pytest.approx(0.25, abs=0.005)


def test_the_gradient_goes_where_the_number_went() -> None:
    torch.manual_seed(0)
    inputs = torch.randn(7, 5, 3, requires_grad=True)
    dropped = _train(0.4)(inputs)
    dropped.sum().backward()
    assert inputs.grad is not None
    torch.testing.assert_close(inputs.grad * inputs, dropped)


def test_a_seed_draws_the_same_and_the_next_call_another() -> None:
    layer, inputs = _train(0.5), torch.ones(1000)
    torch.manual_seed(1)
    first, second = layer(inputs), layer(inputs)
    torch.manual_seed(1)
    assert torch.equal(layer(inputs), first)
    assert not torch.equal(first, second)


def test_it_is_nothing_outside_training_or_at_0_and_all_at_1() -> None:
    inputs = torch.randn(100)
    assert torch.equal(Dropout(0.5).eval()(inputs), inputs)
    assert torch.equal(_train(0.0)(inputs), inputs)
    assert torch.equal(_train(1.0)(inputs), torch.zeros(100))
