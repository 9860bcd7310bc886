"""One layer of a transformer: attention mixes the positions, a feed-forward net follows at each.

Vaswani et al. 2017 (arXiv:1706.03762), sections 3.1 and 3.3; pre-norm: Xiong et al. 2020
(arXiv:2002.04745).

Axes: B batch, T positions, M rows and S positions of a memory, D width; total = the positions in
the cache and T.
"""

from collections.abc import Callable
from dataclasses import dataclass

from jaxtyping import Bool, Float
from torch import Tensor, nn
from torch.nn import functional

from tokoban.transformer.attention import MultiHeadAttention
from tokoban.transformer.dropout import Dropout
from tokoban.transformer.kv_cache import CachedStep, KVCache
from tokoban.transformer.positions import Rotary

Activation = Callable[[Tensor], Tensor]


class FeedForward(nn.Module):
    """The same two-layer net at every position, with dropout on its output."""

    def __init__(
        self,
        width: int,
        hidden_width: int,
        *,
        dropout: float = 0.0,
        bias: bool = True,
        activation: Activation = functional.relu,
    ) -> None:
        super().__init__()
        # The up projection and the down projection; files of weights have these names.
        self.expand = nn.Linear(width, hidden_width, bias=bias)
        self.contract = nn.Linear(hidden_width, width, bias=bias)
        self.activation = activation
        self.dropout = Dropout(dropout)

    def forward(self, inputs: Float[Tensor, "B T D"]) -> Float[Tensor, "B T D"]:
        """Treats each position alone."""
        return self.dropout(self.contract(self.activation(self.expand(inputs))))


class Residual(nn.Module):
    """The residual connection around a sublayer, with a layer norm of its own."""

    def __init__(self, width: int, *, pre_norm: bool, bias: bool = True) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(width, bias=bias)
        self.pre_norm = pre_norm

    def forward(
        self, inputs: Float[Tensor, "B T D"], sublayer: Callable[[Tensor], Tensor]
    ) -> Float[Tensor, "B T D"]:
        """inputs + sublayer(norm(inputs)) with pre-norm, else norm(inputs + sublayer(inputs))."""
        if self.pre_norm:
            return inputs + sublayer(self.norm(inputs))
        return self.norm(inputs + sublayer(inputs))


@dataclass(frozen=True, kw_only=True)
class BlockOptions:
    """The options of a stack's blocks, apart from their width and number of heads."""

    hidden_width: int | None = None  # of the feed-forward net; None: 4 times the width
    dropout: float = 0.0  # on the output of each sublayer
    bias: bool = True  # of linear maps and layer norms
    pre_norm: bool = True  # False: post-norm, as in the paper of 2017
    activation: Activation = functional.relu  # of the feed-forward net
    rotary: Rotary | None = None  # positions of self-attention; None: added to the inputs, or none

    def attention(
        self, width: int, num_heads: int, *, rotary: Rotary | None = None
    ) -> MultiHeadAttention:
        """Self-attention or cross-attention."""
        return MultiHeadAttention(
            width, num_heads, dropout=self.dropout, bias=self.bias, rotary=rotary
        )

    def feed_forward(self, width: int) -> FeedForward:
        """The feed-forward net."""
        return FeedForward(
            width,
            self.hidden_width or 4 * width,
            dropout=self.dropout,
            bias=self.bias,
            activation=self.activation,
        )

    def residual(self, width: int) -> Residual:
        """The residual connection around a sublayer."""
        return Residual(width, pre_norm=self.pre_norm, bias=self.bias)

    def last_norm(self, width: int) -> nn.Module:
        """The end of a stack: a layer norm, or nothing after post-norm blocks."""
        return nn.LayerNorm(width, bias=self.bias) if self.pre_norm else nn.Identity()


DEFAULT_OPTIONS = BlockOptions()


class EncoderBlock(nn.Module):
    """Self-attention, then feed-forward; with a causal mask it is the block of a GPT.

    With pre-norm, two sums: ``h = x + attention(norm(x))``, then ``h + feed_forward(norm(h))``,
    each with a layer norm of its own.
    """

    def __init__(
        self, width: int, num_heads: int, *, options: BlockOptions = DEFAULT_OPTIONS
    ) -> None:
        super().__init__()
        self.attention = options.attention(width, num_heads, rotary=options.rotary)
        self.attention_residual = options.residual(width)
        self.feed_forward = options.feed_forward(width)
        self.feed_forward_residual = options.residual(width)

    def forward(
        self,
        inputs: Float[Tensor, "B T D"],
        *,
        may_attend: Bool[Tensor, "... #T #total"] | None = None,
        cache: KVCache | CachedStep | None = None,
        layer: int = 0,
    ) -> Float[Tensor, "B T D"]:
        """``layer`` is this block's index in the cache."""
        mixed = self.attention_residual(
            inputs, lambda x: self.attention(x, may_attend=may_attend, cache=cache, layer=layer)
        )
        return self.feed_forward_residual(mixed, self.feed_forward)


class DecoderBlock(nn.Module):
    """Self-attention, cross-attention to a memory, then feed-forward."""

    def __init__(
        self, width: int, num_heads: int, *, options: BlockOptions = DEFAULT_OPTIONS
    ) -> None:
        super().__init__()
        self.attention = options.attention(width, num_heads, rotary=options.rotary)
        self.attention_residual = options.residual(width)
        self.cross_attention = options.attention(width, num_heads)
        self.cross_attention_residual = options.residual(width)
        self.feed_forward = options.feed_forward(width)
        self.feed_forward_residual = options.residual(width)

    def forward(
        self,
        inputs: Float[Tensor, "B T D"],
        memory: Float[Tensor, "M S D"],
        *,
        may_attend: Bool[Tensor, "... #T #total"] | None = None,
        memory_may_attend: Bool[Tensor, "... #T #S"] | None = None,
        cache: KVCache | CachedStep | None = None,
        layer: int = 0,
    ) -> Float[Tensor, "B T D"]:
        """``layer`` is this block's index in the cache."""
        mixed = self.attention_residual(
            inputs, lambda x: self.attention(x, may_attend=may_attend, cache=cache, layer=layer)
        )
        mixed = self.cross_attention_residual(
            mixed,
            lambda x: self.cross_attention(
                x, memory, may_attend=memory_may_attend, cache=cache, layer=layer
            ),
        )
        return self.feed_forward_residual(mixed, self.feed_forward)
