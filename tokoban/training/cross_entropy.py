"""Cross entropy over a large vocabulary, value and gradient in one pass through memory.

Label smoothing: Szegedy et al. 2015 (arXiv:1512.00567), section 7.

Axes: N tokens, V vocabulary.
"""

from typing import Any

import torch
from jaxtyping import Float, Int64
from torch import Tensor
from torch.autograd.function import once_differentiable
from torch.nn import functional

_TOGETHER = 2**18  # numbers that stay in a core's own cache, together with what is made of them


def cross_entropy(
    logits: Float[Tensor, "N V"],
    targets: Int64[Tensor, "N"],
    *,
    ignore_index: int = -100,
    label_smoothing: float = 0.0,
) -> Float[Tensor, ""]:
    """The mean over the targets that are not ``ignore_index``, in nats, as torch defines it.

    On a CPU value and gradient are computed together, some rows at a time: torch makes several
    passes over logits that no cache holds. Elsewhere it is torch's own. Always in single precision.
    """
    if logits.device.type == "cpu" and logits.requires_grad and torch.is_grad_enabled():
        return _InRows.apply(logits, targets, ignore_index, label_smoothing)
    return functional.cross_entropy(
        logits.float(), targets, ignore_index=ignore_index, label_smoothing=label_smoothing
    )


class _InRows(torch.autograd.Function):
    """The gradient with respect to the logits is softmax - target; it is made with the value."""

    @staticmethod
    def forward(
        ctx: Any, logits: Tensor, targets: Tensor, ignore_index: int, smoothing: float
    ) -> Tensor:
        num_classes = logits.shape[1]
        counts = targets != ignore_index
        weights = counts.float() / counts.sum()
        targets = targets.where(counts, 0)[:, None]
        gradient = torch.empty_like(logits)
        loss = torch.zeros(())
        num_rows = max(1, _TOGETHER // num_classes)
        for first in range(0, len(logits), num_rows):
            rows = slice(first, first + num_rows)
            values, target, weight = logits[rows].float(), targets[rows], weights[rows, None]
            shares = values.softmax(1)
            # log(sum(exp)), by the largest: its share is far from 0, others may be too small
            log_sum = values.amax(1, keepdim=True) - shares.amax(1, keepdim=True).log()
            said = (1 - smoothing) * values.gather(1, target)
            said += smoothing * values.mean(1, keepdim=True)
            loss += ((log_sum - said) * weight).sum()
            shares.sub_(smoothing / num_classes)
            shares.scatter_add_(1, target, torch.full_like(said, smoothing - 1))
            gradient[rows] = shares.mul_(weight)
        ctx.save_for_backward(gradient)
        return loss

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, outer: Tensor) -> tuple[Tensor, None, None, None]:
        (gradient,) = ctx.saved_tensors
        # As a rule the loss is where it ends; a pass over all that was written is saved.
        return gradient if outer == 1 else gradient * outer, None, None, None
