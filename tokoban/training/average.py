"""The exponential moving average of a model's weights (Polyak and Juditsky 1992)."""

import copy
from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor, nn


class AveragedWeights:
    """A copy of a model whose parameters are the exponential average of the model's; storage.

    In the first updates it forgets faster: with the full decay at once, the random start would
    count for 1 / (1 - decay) steps. Buffers are copied. The updates are counted on the host, so
    that no update waits for the device, as those of torch's ``AveragedModel`` do; its state has
    the same names, and either can go on with the other's.
    """

    def __init__(self, model: nn.Module, *, decay: float) -> None:
        self.module = copy.deepcopy(model)
        self.decay = decay
        self.num_updates = 0

    @torch.no_grad()
    def update_parameters(self, model: nn.Module) -> None:
        """Moves towards the parameters of ``model``; the first update copies them."""
        averages: list[Tensor] = list(self.module.parameters())
        current: list[Tensor] = list(model.parameters())
        if self.num_updates == 0:
            torch._foreach_copy_(averages, current)
        else:
            decay = min(self.decay, (1 + self.num_updates) / (10 + self.num_updates))
            torch._foreach_lerp_(averages, current, 1 - decay)
        for mine, theirs in zip(self.module.buffers(), model.buffers(), strict=True):
            mine.copy_(theirs)
        self.num_updates += 1

    def state_dict(self) -> dict[str, Any]:
        """The number of updates and the state of the copy."""
        return {
            "n_averaged": torch.tensor(self.num_updates),
            **self.module.state_dict(prefix=_PREFIX),
        }

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Goes on from ``state``."""
        own = {name: value for name, value in state.items() if name != "n_averaged"}
        self.module.load_state_dict(
            {name.removeprefix(_PREFIX): value for name, value in own.items()}
        )
        self.num_updates = int(state["n_averaged"])


_PREFIX = "module."
