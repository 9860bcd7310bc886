"""Muon, in fp32 and for all matrices of a shape at once.

``torch.optim.Muon`` takes one matrix after the other, some forty launches each on a GPU, and in
bf16, which a CPU without bf16 instructions emulates.
"""

from collections import defaultdict
from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor, nn


class BatchedMuon(torch.optim.Muon):
    """The same options, state and update, but for rounding."""

    @torch.no_grad()
    def step(self, closure: Any = None) -> None:  # type: ignore[override]
        """One step."""
        for group in self.param_groups:
            by_shape: defaultdict[torch.Size, list[nn.Parameter]] = defaultdict(list)
            for parameter in group["params"]:
                if parameter.grad is not None:
                    by_shape[parameter.shape].append(parameter)
            for shape, parameters in by_shape.items():
                updates = orthogonal(
                    torch.stack([self._momentum(parameter, group) for parameter in parameters]),
                    group["ns_coefficients"],
                    group["ns_steps"],
                    group["eps"],
                )
                # As large as an update of AdamW (Liu et al. 2025, arXiv:2502.16982, section 2.2).
                size = 0.2 * max(shape) ** 0.5
                for parameter, update in zip(parameters, updates, strict=True):
                    parameter.mul_(1 - group["lr"] * group["weight_decay"])
                    parameter.add_(update, alpha=-group["lr"] * size)

    def _momentum(self, parameter: nn.Parameter, group: dict[str, Any]) -> Tensor:
        """The momentum after this step's gradient; Nesterov's, if the group has it."""
        gradient, state = parameter.grad, self.state[parameter]
        assert gradient is not None
        if not state:
            state["momentum_buffer"] = torch.zeros_like(gradient)
        momentum: Tensor = state["momentum_buffer"]
        momentum.lerp_(gradient, 1 - group["momentum"])
        return gradient.lerp(momentum, group["momentum"]) if group["nesterov"] else momentum


def orthogonal(
    matrices: Float[Tensor, "*B rows columns"],
    coefficients: tuple[float, float, float],
    num_steps: int,
    epsilon: float,
) -> Float[Tensor, "*B rows columns"]:
    """Approximately the nearest matrix with singular values of 1, by Newton-Schulz iteration.

    ``epsilon`` is the least norm to divide by.
    """
    a, b, c = coefficients
    is_tall = matrices.shape[-2] > matrices.shape[-1]
    x = matrices.mT if is_tall else matrices
    x = x / x.norm(dim=(-2, -1), keepdim=True).clamp(min=epsilon)
    for _ in range(num_steps):
        gram = x @ x.mT
        x = a * x + (b * gram + c * gram @ gram) @ x
    return x.mT if is_tall else x
