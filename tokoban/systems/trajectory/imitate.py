"""Acting without planning: behaviour cloning, and conditioning on a return or a goal.

Conditioning on a return: Decision Transformer (Chen et al. 2021, arXiv:2106.01345); on a goal:
Janner et al. 2021 (arXiv:2106.02039).

Axes: B episodes, V bins.
"""

from dataclasses import dataclass, field

import torch
from jaxtyping import Bool, Float, Int64
from torch import Tensor

from tokoban.decoding import gumbel_noise
from tokoban.systems.trajectory.model import TrajectoryTransformer
from tokoban.systems.trajectory.reading import CachedReader, vectors_so_far
from tokoban.systems.trajectory.rollouts import History


@dataclass(frozen=True)
class Imitator:
    """A policy: each number of an action is the most probable one or, by a generator, drawn."""

    model: TrajectoryTransformer
    num_past: int  # transitions that are read besides the one whose action is chosen
    targets: Float[Tensor, "B"] | None = None  # the returns asked for, of the layout "return"
    goals: Float[Tensor, "B states"] | None = None  # of the layout "goal"
    generator: torch.Generator | None = field(default=None, repr=False)

    @torch.no_grad()
    def __call__(self, history: History) -> Float[Tensor, "B actions"]:
        """The actions after this history."""
        model, layout = self.model, self.model.layout
        to_go = None if self.targets is None else returns_asked(self.targets, history)
        # A window may begin anywhere in training, so the model has seen all these lengths.
        vectors = vectors_so_far(
            model, history, num_past=self.num_past, to_go=to_go, goals=self.goals
        )
        max_length = vectors.shape[1] + len(layout.actions)
        reader = CachedReader(model, len(vectors), max_length)
        is_possible = history.is_legal
        if is_possible is not None:
            is_possible = is_possible.to(vectors.device)
        tokens: list[Tensor] = []
        for column in layout.actions:
            hidden = reader.read(vectors)
            logits = model.logits(hidden[:, None], model.bins.index([column]))[:, 0]
            tokens.append(self._choose(logits, is_possible))
            vectors = model.embed(tokens[-1][:, None], [column])
            is_possible = None  # what is said of possible actions is said of their first number
        actions = model.bins.decode(torch.stack(tokens, dim=1), layout.actions)
        # Where the environment is, in its own precision.
        return actions.to(history.observations[-1])

    def _choose(
        self, logits: Float[Tensor, "B V"], is_possible: Bool[Tensor, "B _"] | None
    ) -> Int64[Tensor, "B"]:
        if is_possible is not None:
            logits = with_possible(logits, is_possible)
        if self.generator is None:
            return logits.argmax(dim=1)
        noise = gumbel_noise(1, *logits.shape, generator=self.generator, device=logits.device)
        return (logits.log_softmax(dim=1) + noise[0]).argmax(dim=1)


def returns_asked(targets: Float[Tensor, "B"], history: History) -> Float[Tensor, "B times"]:
    """The return-to-go at each time: the target minus the rewards so far."""
    if not history.rewards:
        return targets[:, None]
    gained = torch.stack(history.rewards, dim=1).cumsum(dim=1).to(targets.device)
    return torch.cat([targets[:, None], targets[:, None] - gained], dim=1)


def with_possible(
    logits: Float[Tensor, "*B V"], is_possible: Bool[Tensor, "*B values"]
) -> Float[Tensor, "*B V"]:
    """The logits, -inf for impossible values; the token of a discrete number is its value."""
    num_values = is_possible.shape[-1]
    masked = logits[..., :num_values].masked_fill(~is_possible, -torch.inf)
    return torch.cat([masked, torch.full_like(logits[..., num_values:], -torch.inf)], dim=-1)
