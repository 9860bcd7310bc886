"""AdamW with decay of matrices only, Muon beside it, and learning-rate schedules.

Adam: Kingma and Ba 2014 (arXiv:1412.6980); decoupled weight decay: Loshchilov and Hutter 2017
(arXiv:1711.05101); cosine schedule: Loshchilov and Hutter 2016 (arXiv:1608.03983); ``noam``:
Vaswani et al. 2017 (arXiv:1706.03762), section 5.3. Muon: Jordan et al. 2024
(https://kellerjordan.github.io/posts/muon), scaled as by Liu et al. 2025 (arXiv:2502.16982);
``trapezoid``: Zhai et al. 2021 (arXiv:2106.04560).
"""

import math
from collections.abc import Callable
from typing import Any

import torch
from torch import nn

from tokoban.training.muon import BatchedMuon
from tokoban.training.run_config import RunConfig, Schedule


def make_optimizer(model: nn.Module, run: RunConfig) -> torch.optim.Optimizer:
    """The optimiser of ``model``'s trainable parameters that ``run`` asks for.

    Not decaying: all with fewer than two axes (biases, norms, scales), and every parameter of an
    ``nn.Embedding`` unless ``run.decays_embeddings``. One shared by an embedding and a matrix is an
    embedding's.
    """
    embeddings = {
        id(parameter)
        for module in model.modules()
        if isinstance(module, nn.Embedding)
        for parameter in module.parameters(recurse=False)
    }
    matrices: list[nn.Parameter] = []
    decaying: list[nn.Parameter] = []
    spared: list[nn.Parameter] = []
    for parameter in model.parameters():
        if parameter.requires_grad:
            is_embedding = id(parameter) in embeddings
            if parameter.ndim < 2 or (is_embedding and not run.decays_embeddings):
                spared.append(parameter)
            elif run.muon and parameter.ndim == 2 and not is_embedding:
                matrices.append(parameter)
            else:
                decaying.append(parameter)
    groups = [
        {"params": decaying, "weight_decay": run.weight_decay},
        {"params": spared, "weight_decay": 0.0},
    ]
    is_on_cuda = any(parameter.is_cuda for parameter in model.parameters())
    parts: list[torch.optim.Optimizer] = []
    if groups := [group for group in groups if group["params"]]:
        parts.append(
            torch.optim.AdamW(
                groups,
                lr=run.learning_rate,
                betas=run.betas,
                eps=run.epsilon,
                fused=is_on_cuda,  # one kernel for all parameters: launches cost a small model most
            )
        )
    if matrices:
        parts.append(
            BatchedMuon(
                matrices,
                lr=run.learning_rate,
                weight_decay=run.weight_decay,
                adjust_lr_fn="match_rms_adamw",
            )
        )
        for group in parts[-1].param_groups:
            group[LR_FACTOR] = run.muon
    return parts[0] if len(parts) == 1 else SeveralOptimizers(parts)


LR_FACTOR = "lr_factor"  # in a group of parameters: times the learning rate of the run


def set_learning_rate(optimizer: torch.optim.Optimizer, learning_rate: float) -> None:
    """Sets the rate of the next step."""
    for group in optimizer.param_groups:
        group["lr"] = learning_rate * group.get(LR_FACTOR, 1.0)


class SeveralOptimizers(torch.optim.Optimizer):
    """Optimisers of different parameters, with one state and one list of groups."""

    def __init__(self, parts: list[torch.optim.Optimizer]) -> None:
        self.parts = parts
        super().__init__([group for part in parts for group in part.param_groups], {})
        self._share()

    def _share(self) -> None:
        """Makes the parts use the state and the parameter groups of this optimiser."""
        first = 0
        for part in self.parts:
            last = first + len(part.param_groups)
            part.param_groups = self.param_groups[first:last]
            part.state = self.state
            first = last

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Goes on from ``state_dict``."""
        super().load_state_dict(state_dict)
        self._share()

    def step(self, closure: Any = None) -> None:  # type: ignore[override]
        """One step of each part."""
        for part in self.parts:
            part.step()


def schedule_factor(
    schedule: Schedule,
    step: int,
    progress: float,
    *,
    warmup_steps: int,
    final_share: float = 0.0,
    is_by_clock: bool = False,
) -> float:
    """The factor of the peak learning rate for the update after ``step`` updates.

    ``progress`` is the completed share of the run, 0 to 1. During the first ``warmup_steps``
    updates the factor rises linearly; ``linear``, ``cosine`` and, in the second half,
    ``trapezoid`` fall to ``final_share``, and ``noam`` with the root of the step, whatever the
    progress, scaled to a peak of 1. Where the clock ends the run, ``is_by_clock``, the rise takes
    a tenth of it at most, or a slow machine would end before the rate has risen.
    """
    warmup = min(1.0, (step + 1) / warmup_steps) if warmup_steps else 1.0
    if is_by_clock:
        warmup = min(1.0, max(warmup, progress / _LONGEST_WARMUP))
    if schedule == "noam":
        return min(warmup, math.sqrt(warmup_steps / (step + 1)))
    return warmup * (final_share + (1.0 - final_share) * _DECAYS[schedule](progress))


_LONGEST_WARMUP = 0.1  # of a run that the clock ends
_DECAYS: dict[Schedule, Callable[[float], float]] = {
    "constant": lambda progress: 1.0,
    "linear": lambda progress: 1.0 - progress,
    "trapezoid": lambda progress: min(1.0, 2.0 * (1.0 - progress)),
    "cosine": lambda progress: 0.5 * (1.0 + math.cos(math.pi * progress)),
}
