"""AdamW with decay of matrices only, and learning-rate schedules.

Adam: Kingma and Ba 2014 (arXiv:1412.6980); decoupled weight decay: Loshchilov and Hutter 2017
(arXiv:1711.05101); cosine schedule: Loshchilov and Hutter 2016 (arXiv:1608.03983); ``noam``:
Vaswani et al. 2017 (arXiv:1706.03762), section 5.3.
"""

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


def schedule_factor(
    schedule: Schedule,
    step: int,
    progress: float,
    *,
    warmup_steps: int,
    final_share: float = 0.0,
) -> float:
    """The factor of the peak learning rate for the update after ``step`` updates.

    ``progress`` is the completed share of the run, 0 to 1. During the first ``warmup_steps``
    updates the factor rises linearly; ``linear`` and ``cosine`` fall to ``final_share``, and
    ``noam`` with the root of the step, whatever the progress, scaled to a peak of 1.
    """
    warmup = min(1.0, (step + 1) / warmup_steps) if warmup_steps else 1.0
    if schedule == "noam":
        return min(warmup, math.sqrt(warmup_steps / (step + 1)))
    return warmup * (final_share + (1.0 - final_share) * _DECAYS[schedule](progress))


_DECAYS: dict[Schedule, Callable[[float], float]] = {
    "constant": lambda progress: 1.0,
    "linear": lambda progress: 1.0 - progress,
    "cosine": lambda progress: 0.5 * (1.0 + math.cos(math.pi * progress)),
}
