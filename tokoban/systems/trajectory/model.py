"""One decoder of transitions: every number is a token, with an embedding and a head of its column.

Axes: B windows, T tokens, D width, V bins; steps = transitions, slots = tokens of each.
"""

from collections.abc import Sequence

import torch
from jaxtyping import Float, Int64
from torch import Tensor, nn
from torch.nn import functional

from tokoban.systems.trajectory.discretise import Bins
from tokoban.systems.trajectory.layout import Layout
from tokoban.transformer import Encoder, KVCache, Rotary, masks
from tokoban.transformer.stacks import empty_cache_for


class TrajectoryTransformer(nn.Module):
    """Tokens of transitions -> logits of what comes next, each from the head of its column.

    Positions are rotary: what is predicted depends on how far back things lie, not on where in
    the window or the episode. The bins are kept with the weights.
    """

    def __init__(
        self,
        layout: Layout,
        *,
        num_bins: int,
        width: int,
        num_layers: int,
        num_heads: int,
        dropout: float,
    ) -> None:
        super().__init__()
        self.layout = layout
        self.bins = Bins(layout.num_columns, num_bins)
        self.embedding = nn.Embedding(layout.num_columns * num_bins, width)
        self.goal = nn.Parameter(torch.zeros(width))  # added to the states that stand before all
        self.encoder = Encoder(
            num_layers,
            width,
            num_heads,
            dropout=dropout,
            activation=functional.gelu,
            rotary=Rotary(),
        )
        self.heads = nn.Parameter(torch.randn(layout.num_columns, width, num_bins) * width**-0.5)
        self.biases = nn.Parameter(torch.zeros(layout.num_columns, num_bins))
        nn.init.normal_(self.embedding.weight, std=0.5)
        nn.init.normal_(self.goal, std=0.5)
        slots = torch.tensor([target.slot for target in layout.targets])
        columns = torch.tensor([target.column for target in layout.targets])
        self.register_buffer("target_slots", slots, persistent=False)
        self.register_buffer("target_columns", columns, persistent=False)

    target_slots: Int64[Tensor, "targets"]
    target_columns: Int64[Tensor, "targets"]

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
        """A vector for each token; ``columns`` says of which column each of the last axis is."""
        first = torch.tensor(columns, dtype=torch.int64, device=tokens.device) * self.bins.num_bins
        return self.embedding(tokens + first)

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
        """What the heads of these columns say; -inf for bins that a column does not use."""
        found = torch.einsum("...cd,cdv->...cv", hidden, self.heads[columns])
        return (found + self.biases[columns]).masked_fill(
            ~self.bins.is_used()[columns], -torch.inf
        )

    def new_cache(self, batch_size: int, max_length: int) -> KVCache:
        """An empty cache on the model's device, for so many tokens."""
        return empty_cache_for(self.encoder, batch_size, max_length)
