"""The cross entropy in rows is torch's, in value and gradient."""

from collections.abc import Callable

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor
from torch.nn import functional

from tokoban.training import cross_entropy as module
from tokoban.training.cross_entropy import cross_entropy

IGNORED = 0


def _drawn(num_tokens: int, num_classes: int, *, seed: int = 0) -> tuple[Tensor, Tensor]:
    """Logits, some of them large, and targets of which every third is ignored."""
    generator = torch.Generator().manual_seed(seed)
    logits = torch.randn(num_tokens, num_classes, generator=generator) * 9
    targets = torch.randint(1, num_classes, (num_tokens,), generator=generator)
    targets[::3] = IGNORED
    return logits, targets


def _with_gradient(
    function: Callable[..., Tensor],
    logits: Tensor,
    targets: Tensor,
    scale: float = 3.0,
    **options: object,
) -> tuple[Tensor, Tensor]:
    leaf = logits.clone().requires_grad_()
    loss = function(leaf, targets, ignore_index=IGNORED, **options)
    (scale * loss).backward()
    assert leaf.grad is not None
    return loss.detach(), leaf.grad


@settings(max_examples=60)
@given(
    num_tokens=st.integers(2, 40),
    num_classes=st.integers(2, 30),
    smoothing=st.sampled_from([0.0, 0.1, 1.0]),
    together=st.integers(1, 500),
    scale=st.sampled_from([1.0, 3.0]),
)
def test_it_is_torch_s_in_value_and_gradient(
    num_tokens: int, num_classes: int, smoothing: float, together: int, scale: float
) -> None:
    logits, targets = _drawn(num_tokens, num_classes)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_TOGETHER", together)
        found = _with_gradient(cross_entropy, logits, targets, scale, label_smoothing=smoothing)
    wanted = _with_gradient(
        functional.cross_entropy, logits, targets, scale, label_smoothing=smoothing
    )
    for one, another in zip(found, wanted, strict=True):
        torch.testing.assert_close(one, another)


def test_half_precision_is_computed_in_single_precision() -> None:
    logits, targets = _drawn(50, 700)
    logits = logits.bfloat16()

    found = _with_gradient(cross_entropy, logits, targets)
    wanted = _with_gradient(
        lambda leaf, *rest, **options: functional.cross_entropy(leaf.float(), *rest, **options),
        logits,
        targets,
    )
    assert found[0].dtype == torch.float32
    assert found[1].dtype == torch.bfloat16
    torch.testing.assert_close(found[0], wanted[0])
    torch.testing.assert_close(found[1], wanted[1])


def test_nothing_to_predict_is_no_number_as_with_torch() -> None:
    logits = torch.randn(4, 5, requires_grad=True)
    assert cross_entropy(logits, torch.zeros(4, dtype=torch.int64), ignore_index=0).isnan()
