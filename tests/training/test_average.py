"""The average of the weights: the same numbers as torch's, without its waiting."""

from typing import Any

import torch
from torch import nn
from torch.optim.swa_utils import AveragedModel, get_ema_multi_avg_fn

from tests.crossings import Crossings
from tokoban.training.average import AveragedWeights

DECAY = 0.9


def network() -> nn.Module:
    """With a buffer that changes, and a weight that two layers share."""
    layers = nn.Sequential(nn.Linear(3, 5), nn.BatchNorm1d(5), nn.Linear(5, 5), nn.Linear(5, 5))
    assert isinstance(layers[2], nn.Linear) and isinstance(layers[3], nn.Linear)
    layers[3].weight = layers[2].weight
    return layers


def moved(model: nn.Module, step: int) -> nn.Module:
    """Every parameter and buffer anew."""
    generator = torch.Generator().manual_seed(step)
    for value in [*model.parameters(), *model.buffers()]:
        if value.is_floating_point():
            value.data = torch.randn(value.shape, generator=generator)
        else:
            value.fill_(step)
    return model


def torchs(model: nn.Module) -> AveragedModel:
    """What checkpoints were written by until now."""

    def update(averaged: Any, current: Any, num_averaged: Any) -> None:
        warm = min(DECAY, (1 + int(num_averaged)) / (10 + int(num_averaged)))
        get_ema_multi_avg_fn(warm)(averaged, current, num_averaged)

    return AveragedModel(model, multi_avg_fn=update)


def assert_same(one: AveragedModel | AveragedWeights, other: AveragedModel) -> None:
    first, second = one.state_dict(), other.state_dict()
    assert list(first) == list(second)
    for name, value in second.items():
        assert first[name].dtype == value.dtype
        assert first[name].equal(value), name


def test_it_is_bit_by_bit_the_average_that_torch_makes() -> None:
    model = network()
    ours, theirs = AveragedWeights(model, decay=DECAY), torchs(model)
    assert_same(ours, theirs)
    for step in range(100):  # until the decay is its full one
        moved(model, step)
        ours.update_parameters(model)
        theirs.update_parameters(model)
        assert_same(ours, theirs)


def test_a_checkpoint_by_torchs_average_goes_on_bit_by_bit() -> None:
    model = network()
    theirs = torchs(model)
    for step in range(7):
        theirs.update_parameters(moved(model, step))
    ours = AveragedWeights(network(), decay=DECAY)
    ours.load_state_dict(theirs.state_dict())
    assert_same(ours, theirs)
    for step in range(7, 19):
        moved(model, step)
        ours.update_parameters(model)
        theirs.update_parameters(model)
    assert_same(ours, theirs)


def test_an_update_asks_the_device_for_nothing() -> None:
    model = network()
    average = AveragedWeights(model, decay=DECAY)
    with Crossings() as crossings:
        for _ in range(3):
            average.update_parameters(model)
    assert not crossings.names
