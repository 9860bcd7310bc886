"""The gradient of a step: of one batch, or accumulated over several."""

from collections.abc import Iterator
from contextlib import AbstractContextManager, nullcontext

import torch
from torch import Tensor, nn

from tokoban.training import processes
from tokoban.training.system import BatchT, Loss, ModelT, System

_LEAST_WEIGHT = 1e-9  # in place of 0, where nothing of a step counts


def set_gradients(
    system: System[ModelT, BatchT],
    model: nn.Module,
    batches: Iterator[BatchT],
    *,
    num_batches: int,
    uses_bf16: bool,
) -> dict[str, Tensor]:
    """Sets the parameters' ``grad`` to that of the mean loss of the next batches.

    The mean is over all processes, and each batch counts by ``System.weights``: the gradient is
    that of all batches as one. ``model`` is the distributed one. Returns this process's mean
    metrics; a metric of a loss with several parts is weighted by the first of them.
    """
    device = next(model.parameters()).device

    def loss_of(batch: BatchT) -> Loss:
        with torch.autocast(device.type, torch.bfloat16, enabled=uses_bf16):
            return system.loss(model, batch)

    if num_batches == processes.world_size() == 1:  # then weights would change nothing
        loss = loss_of(next(batches))
        model.zero_grad(set_to_none=True)
        loss.total.backward()
        return {"loss": loss.total.detach()} | loss.metrics
    # Drawn before the first loss: what a part counts for depends on all batches of the step.
    step = [next(batches) for _ in range(num_batches)]
    weights = torch.stack([system.weights(batch).float() for batch in step])  # [batches, P]
    sums = processes.add_up(weights.sum(0)).clamp(min=_LEAST_WEIGHT)
    # The first part counts by its weight, and the others by theirs in units of the first.
    relative = weights * (sums[0] / sums)
    model.zero_grad(set_to_none=True)
    parts, metrics = [], []
    for number, batch in enumerate(step):
        with _exchanging(model, is_last=number == num_batches - 1):
            loss = loss_of(batch)
            parts.append(loss.total[None] if loss.parts is None else loss.parts)
            (parts[-1] * relative[number]).sum().backward()
        metrics.append(loss.metrics)
    # What lies there is the weighted sum over this process's batches, and its mean over processes.
    share = processes.world_size() / sums[0]
    torch._foreach_mul_([p.grad for p in model.parameters() if p.grad is not None], share)
    means = _mean(torch.stack(parts).detach(), weights)
    return {"loss": means.sum()} | {
        name: _mean(torch.stack([each[name] for each in metrics]), weights[:, 0])
        for name in metrics[0]
    }


def _mean(values: Tensor, weights: Tensor) -> Tensor:
    """Over the first axis."""
    return (values * weights).sum(0) / weights.sum(0).clamp(min=_LEAST_WEIGHT)


def _exchanging(model: nn.Module, *, is_last: bool) -> AbstractContextManager:
    """Gradients are exchanged between processes once a step, with its last batch."""
    if is_last or processes.world_size() == 1:
        return nullcontext()
    no_exchange: AbstractContextManager = model.no_sync()  # type: ignore[operator]  # of DDP
    return no_exchange
