"""Blocks in a row. Their inputs are vectors with positions already added, unless rotary.

Axes: B batch, T positions, M rows and S positions of a memory, D width; total = the positions in
the cache and T.
"""

import torch
from jaxtyping import Bool, Float
from torch import Tensor, nn
from torch.nn import functional

from tokoban.transformer.blocks import Activation, DecoderBlock, EncoderBlock
from tokoban.transformer.dropout import Dropout
from tokoban.transformer.kv_cache import CachedStep, KVCache
from tokoban.transformer.local_attention import Window
from tokoban.transformer.positions import Rotary


class Encoder(nn.Module):
    """Self-attending blocks; with a causal mask and a cache, the whole body of a GPT.

    Dropout falls on the inputs (the sums of embeddings and positions) and on each sublayer's
    output, as in the paper. With pre-norm a last norm follows, since nothing has normed the sum;
    with post-norm every block ends in one already, and as in the paper there is no other.
    """

    def __init__(
        self,
        num_layers: int,
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
        self.input_dropout = Dropout(dropout)
        self.blocks = nn.ModuleList(
            EncoderBlock(
                width,
                num_heads,
                hidden_width=hidden_width,
                dropout=dropout,
                pre_norm=pre_norm,
                activation=activation,
                rotary=rotary,
            )
            for _ in range(num_layers)
        )
        self.last_norm = nn.LayerNorm(width) if pre_norm else nn.Identity()

    def forward(
        self,
        inputs: Float[Tensor, "B T D"],
        *,
        may_attend: Bool[Tensor, "... #T #total"] | Window | None = None,
        cache: KVCache | CachedStep | None = None,
    ) -> Float[Tensor, "B T D"]:
        """With a cache the inputs continue what it holds; in ``may_attend`` its keys come first."""
        x = self.input_dropout(inputs)
        for layer, block in enumerate(self.blocks):
            x = block(x, may_attend=may_attend, cache=cache, layer=layer)
        return self.last_norm(x)


class Decoder(nn.Module):
    """Blocks that attend to their own past and to a memory; dropout and norms as in ``Encoder``."""

    def __init__(
        self,
        num_layers: int,
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
        self.input_dropout = Dropout(dropout)
        self.blocks = nn.ModuleList(
            DecoderBlock(
                width,
                num_heads,
                hidden_width=hidden_width,
                dropout=dropout,
                pre_norm=pre_norm,
                activation=activation,
                rotary=rotary,
            )
            for _ in range(num_layers)
        )
        self.last_norm = nn.LayerNorm(width) if pre_norm else nn.Identity()

    def forward(
        self,
        inputs: Float[Tensor, "B T D"],
        memory: Float[Tensor, "M S D"],
        *,
        may_attend: Bool[Tensor, "... #T #total"] | Window | None = None,
        memory_may_attend: Bool[Tensor, "... #T #S"] | None = None,
        cache: KVCache | CachedStep | None = None,
    ) -> Float[Tensor, "B T D"]:
        """``may_attend`` is of the inputs, and is not made causal here.

        A memory of fewer rows serves as many neighbouring rows each. With a cache the inputs
        continue what it holds, as in ``Encoder``; the memory is read at the first call alone, and
        the later ones use the keys and values that the cache has kept.
        """
        x = self.input_dropout(inputs)
        for layer, block in enumerate(self.blocks):
            x = block(
                x,
                memory,
                may_attend=may_attend,
                memory_may_attend=memory_may_attend,
                cache=cache,
                layer=layer,
            )
        return self.last_norm(x)


class EncoderDecoder(nn.Module):
    """An encoder, and a decoder whose memory is what the encoder says."""

    def __init__(self, encoder: Encoder, decoder: Decoder) -> None:
        super().__init__()
        self.encoder = encoder
        self.decoder = decoder

    def forward(
        self,
        sources: Float[Tensor, "B S D"],
        targets: Float[Tensor, "B T D"],
        *,
        source_may_attend: Bool[Tensor, "#B 1 1 S"] | None = None,
        target_may_attend: Bool[Tensor, "... #T #T"] | Window | None = None,
    ) -> Float[Tensor, "B T D"]:
        """Sources that are padding are hidden from both halves (``masks.padding``)."""
        memory = self.encoder(sources, may_attend=source_may_attend)
        return self.decoder(
            targets, memory, may_attend=target_may_attend, memory_may_attend=source_may_attend
        )


def empty_cache_for(
    stack: Encoder | Decoder,
    batch_size: int,
    max_length: int,
    *,
    dtype: torch.dtype | None = None,
    room: int | None = None,
) -> KVCache:
    """A cache of the stack's own sizes on its device, of the type of its weights or another.

    ``room`` as ``KVCache`` takes it.
    """
    block = stack.blocks[0]
    assert isinstance(block, EncoderBlock | DecoderBlock)
    weight, num_heads = block.attention.key.weight, block.attention.num_heads
    return KVCache(
        len(stack.blocks),
        batch_size,
        num_heads,
        max_length,
        len(weight) // num_heads,
        device=weight.device,
        dtype=dtype or weight.dtype,
        room=room,
    )
