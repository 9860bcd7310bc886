"""The gradient of a step: of one batch, or of several that would be too large as one."""

from collections.abc import Iterator
from contextlib import AbstractContextManager, nullcontext

import torch
from torch import Tensor, nn

from tokoban.training import processes
from tokoban.training.system import Batch, Loss, System


def set_gradients(
    system: System, model: nn.Module, batches: Iterator[Batch], *, num_batches: int, uses_bf16: bool
) -> dict[str, Tensor]:
    """The parameters' ``grad`` becomes that of the mean loss of the next batches.

    The mean is over all processes, and each batch counts by its ``Loss.weight``: one batch gives
    what its parts do. ``model`` is the distributed one; returned are this process's mean figures.
    """
    losses: list[Loss] = []
    is_alone = num_batches == processes.world_size() == 1  # then a weight would change nothing
    device = next(model.parameters()).device
    for number in range(num_batches):
        batch = next(batches)
        with _exchanging(model, is_last=number == num_batches - 1):
            with torch.autocast(device.type, torch.bfloat16, enabled=uses_bf16):
                loss = system.loss(model, batch)
            if not losses:
                model.zero_grad(set_to_none=True)
            (loss.total if is_alone else loss.total * _weight(loss)).backward()
        losses.append(loss)
    if is_alone:
        return _figures(losses[0])
    weights = torch.stack([_weight(loss) for loss in losses])
    # What lies there is the weighted sum over this process's batches, and its mean over processes.
    share = processes.world_size() / processes.add_up(weights.sum())
    torch._foreach_mul_([p.grad for p in model.parameters() if p.grad is not None], share)
    columns = {name: [_figures(loss)[name] for loss in losses] for name in _figures(losses[0])}
    return {
        name: (torch.stack(column) * weights).sum() / weights.sum()
        for name, column in columns.items()
    }


def _weight(loss: Loss) -> Tensor:
    if loss.weight is None:
        return torch.ones((), device=loss.total.device)
    return loss.weight.detach().float()


def _figures(loss: Loss) -> dict[str, Tensor]:
    return {"loss": loss.total.detach()} | loss.figures


def _exchanging(model: nn.Module, *, is_last: bool) -> AbstractContextManager:
    """Gradients are exchanged between processes once a step, with its last batch."""
    if is_last or processes.world_size() == 1:
        return nullcontext()
    no_exchange: AbstractContextManager = model.no_sync()  # type: ignore[operator]  # of DDP
    return no_exchange
