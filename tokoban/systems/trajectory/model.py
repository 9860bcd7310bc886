"""A decoder of transitions: each number is a token, with an embedding and a head of its column.

Trajectory Transformer: Janner et al. 2021 (arXiv:2106.02039).

Axes: B windows, T tokens, D width, V bins; steps = transitions, slots = tokens of each.
"""

import math
from collections.abc import Sequence

import torch
from jaxtyping import Float, Int64
from torch import Tensor, nn
from torch.nn import functional

from tokoban.systems.trajectory.discretise import Bins
from tokoban.systems.trajectory.layout import Layout
from tokoban.transformer import BlockOptions, Encoder, Rotary, masks

_EMBEDDING_STD = 0.5
_NUM_WAVES = 16  # of which the functions of a bin are made that embeddings begin as


class TrajectoryTransformer(nn.Module):
    """Tokens of transitions -> logits of what comes next, each from the head of its column.

    Positions are rotary: what is predicted depends on how far back things lie, not on where in
    the window or the episode. The bins are kept with the weights.
    """

    def __init__(
        self,
        layout: Layout,
        *,
        sizes: Sequence[int | None],
        num_bins: int,
        width: int,
        num_layers: int,
        num_heads: int,
    ) -> None:
        super().__init__()
        self.layout = layout
        self.bins = Bins(layout.num_columns, num_bins)
        self.embedding = nn.Embedding(layout.num_columns * num_bins, width)
        # Added to the states that stand before all. Training in several processes wants a gradient
        # for every parameter that has one.
        self.goal = nn.Parameter(torch.zeros(width), requires_grad=layout.kind == "goal")
        self.encoder = Encoder(
            num_layers,
            width,
            num_heads,
            options=BlockOptions(activation=functional.gelu, rotary=Rotary()),
        )
        self.heads = nn.Parameter(torch.empty(layout.num_columns, width, num_bins))
        self.biases = nn.Parameter(torch.zeros(layout.num_columns, num_bins))
        self._initialise(sizes)
        slots = torch.tensor([target.slot for target in layout.targets])
        columns = torch.tensor([target.column for target in layout.targets])
        # The best return of an episode of the data: what is asked for unless something else is.
        self.register_buffer("best_return", torch.zeros(()))
        self.register_buffer("target_slots", slots, persistent=False)
        self.register_buffer("target_columns", columns, persistent=False)

    best_return: Float[Tensor, ""]
    target_slots: Int64[Tensor, "targets"]
    target_columns: Int64[Tensor, "targets"]

    def _initialise(self, sizes: Sequence[int | None]) -> None:
        """Without a size neighbouring bins begin alike, so that their order need not be found."""
        width, num_bins = self.heads.shape[1:]
        nn.init.normal_(self.goal, std=_EMBEDDING_STD)
        with torch.no_grad():
            for column, size in enumerate(sizes):
                draw = _smooth if size is None else torch.randn
                rows = slice(column * num_bins, (column + 1) * num_bins)
                # What tells the columns apart, and in each of them the bins.
                vectors = torch.randn(1, width) + draw(num_bins, width)
                self.embedding.weight[rows] = vectors * _EMBEDDING_STD
                self.heads[column] = draw(num_bins, width).T * width**-0.5

    def forward(
        self, prefix: Int64[Tensor, "B prefix"], tokens: Int64[Tensor, "B steps slots"]
    ) -> Float[Tensor, "B steps targets V"]:
        """The logits of ``layout.targets`` at each transition, given it and all before it."""
        num_steps, num_slots = tokens.shape[1:]
        columns = list(self.layout.slots)
        vectors = torch.cat(
            [
                self.embed_prefix(prefix),
                self.embed(tokens, columns).flatten(1, 2),
            ],
            dim=1,
        )
        mask = masks.causal(vectors.shape[1], device=vectors.device)
        hidden = self.encoder(vectors, may_attend=mask)[:, prefix.shape[1] :]
        hidden = hidden.unflatten(1, (num_steps, num_slots))[:, :, self.target_slots]
        return self.logits(hidden, self.target_columns)

    def embed(
        self, tokens: Int64[Tensor, "*B chosen"], columns: Sequence[int]
    ) -> Float[Tensor, "*B chosen D"]:
        """A vector for each token; ``columns`` are the columns of the last axis."""
        return self.embedding(tokens + self.bins.index(columns) * self.bins.num_bins)

    def embed_prefix(self, prefix: Int64[Tensor, "B prefix"]) -> Float[Tensor, "B prefix D"]:
        """A vector for each token that stands before all transitions."""
        vectors = self.embed(prefix, self.layout.prefix)
        if self.layout.kind != "goal":
            return vectors
        num_contexts = len(self.layout.contexts)
        return torch.cat([vectors[:, :num_contexts], vectors[:, num_contexts:] + self.goal], dim=1)

    def logits(
        self, hidden: Float[Tensor, "*B chosen D"], columns: Int64[Tensor, "chosen"]
    ) -> Float[Tensor, "*B chosen V"]:
        """The logits of the heads of these columns; -inf for bins that a column does not use."""
        found = torch.einsum("...cd,cdv->...cv", hidden, self.heads[columns])
        return (found + self.biases[columns]).masked_fill(~self.bins.is_used()[columns], -torch.inf)


def _smooth(num_bins: int, width: int) -> Float[Tensor, "V D"]:
    """Random functions of a bin's place that change little from bin to bin, of variance 1."""
    places = (torch.arange(num_bins) + 0.5) / num_bins
    waves = torch.arange(_NUM_WAVES)
    basis = (math.pi * places[:, None] * waves).cos()
    functions = basis @ torch.randn(_NUM_WAVES, width)
    return functions / functions.square().mean().sqrt()
