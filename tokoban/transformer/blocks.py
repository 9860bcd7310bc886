"""One layer of a transformer: attention mixes the positions, a feed-forward net thinks at each.

Axes: B batch, T positions, M rows and S positions of a memory, D width; total = the positions in
the cache and T.
"""

from collections.abc import Callable

from jaxtyping import Bool, Float
from torch import Tensor, nn
from torch.nn import functional

from tokoban.transformer.attention import MultiHeadAttention
from tokoban.transformer.dropout import Dropout
from tokoban.transformer.kv_cache import CachedStep, KVCache
from tokoban.transformer.local_attention import Window
from tokoban.transformer.positions import Rotary

Activation = Callable[[Tensor], Tensor]


class FeedForward(nn.Module):
    """The same two-layer net at every position; dropout falls on its output."""

    def __init__(
        self,
        width: int,
        hidden_width: int,
        *,
        dropout: float = 0.0,
        activation: Activation = functional.relu,
    ) -> None:
        super().__init__()
        self.expand = nn.Linear(width, hidden_width)
        self.contract = nn.Linear(hidden_width, width)
        self.activation = activation
        self.dropout = Dropout(dropout)

    def forward(self, inputs: Float[Tensor, "B T D"]) -> Float[Tensor, "B T D"]:
        """Treats each position alone."""
        return self.dropout(self.contract(self.activation(self.expand(inputs))))


class Residual(nn.Module):
    """Adds what a sublayer says to what it heard, with a layer norm of its own.

    The norm stands before the sublayer (pre-norm: trains without warm-up), or after the sum
    (post-norm: the paper of 2017).
    """

    def __init__(self, width: int, *, pre_norm: bool) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(width)
        self.pre_norm = pre_norm

    def forward(
        self, inputs: Float[Tensor, "B T D"], sublayer: Callable[[Tensor], Tensor]
    ) -> Float[Tensor, "B T D"]:
        """inputs + sublayer(norm(inputs)), or norm(inputs + sublayer(inputs))."""
        if self.pre_norm:
            return inputs + sublayer(self.norm(inputs))
        return self.norm(inputs + sublayer(inputs))


class EncoderBlock(nn.Module):
    """Self attention, then feed-forward; with a causal mask it is the block of a GPT."""

    def __init__(
        self,
        width: int,
        num_heads: int,
        *,
        hidden_width: int | None = None,
        dropout: float = 0.0,
        pre_norm: bool = True,
        activation: Activation = functional.relu,
        rotary: Rotary | None = None,
    ) -> None:
        super().__init__()
        self.attention = MultiHeadAttention(width, num_heads, dropout=dropout, rotary=rotary)
        self.attention_residual = Residual(width, pre_norm=pre_norm)
        self.feed_forward = FeedForward(
            width, hidden_width or 4 * width, dropout=dropout, activation=activation
        )
        self.feed_forward_residual = Residual(width, pre_norm=pre_norm)

    def forward(
        self,
        inputs: Float[Tensor, "B T D"],
        *,
        may_attend: Bool[Tensor, "... #T #total"] | Window | None = None,
        cache: KVCache | CachedStep | None = None,
        layer: int = 0,
    ) -> Float[Tensor, "B T D"]:
        """Mixes, then thinks; ``layer`` is this block's place in the cache."""
        mixed = self.attention_residual(
            inputs, lambda x: self.attention(x, may_attend=may_attend, cache=cache, layer=layer)
        )
        return self.feed_forward_residual(mixed, self.feed_forward)


class DecoderBlock(nn.Module):
    """Self attention, cross attention to a memory, then feed-forward."""

    def __init__(
        self,
        width: int,
        num_heads: int,
        *,
        hidden_width: int | None = None,
        dropout: float = 0.0,
        pre_norm: bool = True,
        activation: Activation = functional.relu,
        rotary: Rotary | None = None,
    ) -> None:
        super().__init__()
        self.attention = MultiHeadAttention(width, num_heads, dropout=dropout, rotary=rotary)
        self.attention_residual = Residual(width, pre_norm=pre_norm)
        self.cross_attention = MultiHeadAttention(width, num_heads, dropout=dropout)
        self.cross_attention_residual = Residual(width, pre_norm=pre_norm)
        self.feed_forward = FeedForward(
            width, hidden_width or 4 * width, dropout=dropout, activation=activation
        )
        self.feed_forward_residual = Residual(width, pre_norm=pre_norm)

    def forward(
        self,
        inputs: Float[Tensor, "B T D"],
        memory: Float[Tensor, "M S D"],
        *,
        may_attend: Bool[Tensor, "... #T #total"] | Window | None = None,
        memory_may_attend: Bool[Tensor, "... #T #S"] | None = None,
        cache: KVCache | CachedStep | None = None,
        layer: int = 0,
    ) -> Float[Tensor, "B T D"]:
        """Mixes the targets, asks the memory, then thinks; ``layer`` is its place in the cache."""
        mixed = self.attention_residual(
            inputs, lambda x: self.attention(x, may_attend=may_attend, cache=cache, layer=layer)
        )
        informed = self.cross_attention_residual(
            mixed,
            lambda x: self.cross_attention(
                x, memory, may_attend=memory_may_attend, cache=cache, layer=layer
            ),
        )
        return self.feed_forward_residual(informed, self.feed_forward)
