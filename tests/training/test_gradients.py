"""The gradient of parts is that of the whole, whatever the sizes of the parts."""

from collections.abc import Iterator
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from tests.training.toy import Toy, examples
from tokoban.training.gradients import set_gradients
from tokoban.training.system import Loss


class Weighed(Toy):
    """Without noise; a batch counts by its examples."""

    def loss(self, model: nn.Module, batch: Any) -> Loss:
        inputs, labels = batch
        loss = nn.functional.cross_entropy(model(inputs), labels)
        hits = (model(inputs).argmax(1) == labels).double().mean()
        return Loss(loss, {"accuracy": hits})

    def weights(self, batch: Any) -> Tensor:
        return torch.tensor([len(batch[1])])


class Unweighed(Weighed):
    def weights(self, batch: Any) -> Tensor:
        return torch.ones(1)


class InTwoParts(Weighed):
    """The second part is a mean over the positive examples alone; a batch may have none."""

    def loss(self, model: nn.Module, batch: Any) -> Loss:
        inputs, labels = batch
        each = nn.functional.cross_entropy(model(inputs), labels, reduction="none")
        parts = torch.stack([each.mean(), 3 * each[labels == 1].sum() / max(1, labels.sum())])
        return Loss(parts.sum(), {"accuracy": each.mean().detach()}, parts)

    def weights(self, batch: Any) -> Tensor:
        return torch.tensor([len(batch[1]), batch[1].sum()])


def model() -> nn.Module:
    torch.manual_seed(2)
    return nn.Sequential(nn.Linear(5, 7), nn.ReLU(), nn.Linear(7, 2)).double()


def parts(*sizes: int) -> Iterator[Any]:
    inputs, labels = examples(sum(sizes), seed=3)
    return zip(inputs.double().split(sizes), labels.split(sizes), strict=True)


def gradient(system: Toy, batches: Iterator[Any], *, num_batches: int) -> tuple[Tensor, dict]:
    under_test = model()
    for parameter in under_test.parameters():
        parameter.grad = torch.full_like(parameter, 100.0)  # of the step before
    metrics = set_gradients(system, under_test, batches, num_batches=num_batches, uses_bf16=False)
    found = [p.grad.flatten() for p in under_test.parameters() if p.grad is not None]
    return torch.cat(found), metrics


@pytest.mark.parametrize("system", [Weighed(), InTwoParts()])
@pytest.mark.parametrize("sizes", [(11, 1, 5), (2, 2, 13), (17,)])
def test_parts_of_any_size_give_the_gradient_of_the_whole(
    system: Toy, sizes: tuple[int, ...]
) -> None:
    expected, whole = gradient(system, parts(17), num_batches=1)
    found, metrics = gradient(system, parts(*sizes), num_batches=len(sizes))
    assert torch.allclose(found, expected, rtol=0, atol=1e-7)  # a weight is in single precision
    assert metrics.keys() == whole.keys() == {"loss", "accuracy"}
    for name, metric in whole.items():
        assert metrics[name].item() == pytest.approx(metric.item())


def test_without_weights_all_parts_count_alike() -> None:
    singles = [gradient(Unweighed(), iter([part]), num_batches=1)[0] for part in parts(11, 1, 5)]
    found, _ = gradient(Unweighed(), parts(11, 1, 5), num_batches=3)
    assert torch.allclose(found, torch.stack(singles).mean(0), rtol=0, atol=1e-7)
