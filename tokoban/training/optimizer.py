"""AdamW whose decay spares what should not decay, and the learning rate as a plain function."""

import math
from collections.abc import Callable

import torch
from torch import nn

from tokoban.training.run_config import RunConfig, Schedule


def adamw(model: nn.Module, run: RunConfig) -> torch.optim.AdamW:
    """AdamW over ``model``'s trainable parameters, in two groups: decaying, and spared.

    Spared: all with fewer than two axes (biases, norms, scales), and every parameter of an
    ``nn.Embedding`` unless ``run.decays_embeddings``. One shared by an embedding and a matrix is
    an embedding's.
    """
    embeddings = {
        id(parameter)
        for module in model.modules()
        if isinstance(module, nn.Embedding) and not run.decays_embeddings
        for parameter in module.parameters(recurse=False)
    }
    decaying: list[nn.Parameter] = []
    spared: list[nn.Parameter] = []
    for parameter in model.parameters():
        if parameter.requires_grad:
            is_spared = parameter.ndim < 2 or id(parameter) in embeddings
            (spared if is_spared else decaying).append(parameter)
    groups = [
        {"params": decaying, "weight_decay": run.weight_decay},
        {"params": spared, "weight_decay": 0.0},
    ]
    is_on_cuda = any(parameter.is_cuda for parameter in model.parameters())
    return torch.optim.AdamW(
        [group for group in groups if group["params"]],
        lr=run.learning_rate,
        betas=run.betas,
        eps=run.epsilon,
        fused=is_on_cuda,  # one kernel for all parameters: launches are what a small model costs
    )


def rate(
    schedule: Schedule,
    step: int,
    progress: float,
    *,
    warmup_steps: int,
    final_share: float = 0.0,
) -> float:
    """The share of the peak learning rate for the update after ``step`` updates.

    ``progress`` is how much of the run is over, 0 to 1. In the first ``warmup_steps`` updates the
    share rises in a straight line; ``linear`` and ``cosine`` fall to ``final_share``, and ``noam``
    with the root of the step, whatever the progress (Vaswani et al. 2017, scaled to a peak of 1).
    """
    warmth = min(1.0, (step + 1) / warmup_steps) if warmup_steps else 1.0
    if schedule == "noam":
        return min(warmth, math.sqrt(warmup_steps / (step + 1)))
    return warmth * (final_share + (1.0 - final_share) * _DECAYS[schedule](progress))


_DECAYS: dict[Schedule, Callable[[float], float]] = {
    "constant": lambda progress: 1.0,
    "linear": lambda progress: 1.0 - progress,
    "cosine": lambda progress: 0.5 * (1.0 + math.cos(math.pi * progress)),
}
