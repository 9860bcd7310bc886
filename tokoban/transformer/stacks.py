"""Stacks of blocks. Positions are added to the inputs beforehand, unless rotary.

Vaswani et al. 2017 (arXiv:1706.03762), section 3.1; the norm after the last pre-norm block: GPT-2
(Radford et al. 2019) and Xiong et al. 2020 (arXiv:2002.04745).

Axes: B batch, T positions, M rows and S positions of a memory, D width; total = the positions in
the cache and T.
"""

from jaxtyping import Bool, Float
from torch import Tensor, nn

from tokoban.transformer.blocks import DEFAULT_OPTIONS, BlockOptions, DecoderBlock, EncoderBlock
from tokoban.transformer.dropout import Dropout
from tokoban.transformer.kv_cache import CachedStep, KVCache


class Encoder(nn.Module):
    """Blocks of self-attention; with a causal mask and a cache, the whole body of a GPT.

    Dropout is applied to the inputs (the sums of embeddings and positions) and to each sublayer's
    output, as in the paper. A pre-norm stack ends with a layer norm; a post-norm one does not,
    since each of its blocks does.
    """

    def __init__(
        self,
        num_layers: int,
        width: int,
        num_heads: int,
        *,
        options: BlockOptions = DEFAULT_OPTIONS,
    ) -> None:
        super().__init__()
        self.input_dropout = Dropout(options.dropout)
        self.blocks = nn.ModuleList(
            EncoderBlock(width, num_heads, options=options) for _ in range(num_layers)
        )
        self.last_norm = options.last_norm(width)

    def forward(
        self,
        inputs: Float[Tensor, "B T D"],
        *,
        may_attend: Bool[Tensor, "... #T #total"] | None = None,
        cache: KVCache | CachedStep | None = None,
    ) -> Float[Tensor, "B T D"]:
        """With a cache the inputs follow the cached positions, the first keys of ``may_attend``."""
        x = self.input_dropout(inputs)
        for layer, block in enumerate(self.blocks):
            x = block(x, may_attend=may_attend, cache=cache, layer=layer)
        return self.last_norm(x)


class Decoder(nn.Module):
    """Blocks of self-attention and cross-attention; dropout and norms as in ``Encoder``."""

    def __init__(
        self,
        num_layers: int,
        width: int,
        num_heads: int,
        *,
        options: BlockOptions = DEFAULT_OPTIONS,
    ) -> None:
        super().__init__()
        self.input_dropout = Dropout(options.dropout)
        self.blocks = nn.ModuleList(
            DecoderBlock(width, num_heads, options=options) for _ in range(num_layers)
        )
        self.last_norm = options.last_norm(width)

    def forward(
        self,
        inputs: Float[Tensor, "B T D"],
        memory: Float[Tensor, "M S D"],
        *,
        may_attend: Bool[Tensor, "... #T #total"] | None = None,
        memory_may_attend: Bool[Tensor, "... #T #S"] | None = None,
        cache: KVCache | CachedStep | None = None,
    ) -> Float[Tensor, "B T D"]:
        """``may_attend`` is of the inputs; it is not made causal here.

        A memory of M rows serves B / M neighbouring rows of inputs with each. With a cache the
        inputs follow the cached positions; the memory is read at the first call only, and later
        calls use its cached keys and values.
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
    """An encoder, and a decoder whose memory is the encoder's output."""

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
        target_may_attend: Bool[Tensor, "... #T #T"] | None = None,
    ) -> Float[Tensor, "B T D"]:
        """Padding of the sources is hidden from encoder and decoder."""
        memory = self.encoder(sources, may_attend=source_may_attend)
        return self.decoder(
            targets, memory, may_attend=target_may_attend, memory_may_attend=source_may_attend
        )


def empty_cache_for(
    stack: Encoder | Decoder,
    batch_size: int,
    max_length: int,
    *,
    initial_capacity: int | None = None,
) -> KVCache:
    """A cache for the stack, on its device and of its type."""
    block = stack.blocks[0]
    assert isinstance(block, EncoderBlock | DecoderBlock)
    # Not of a projection, which may be packed.
    weight, num_heads = block.attention_residual.norm.weight, block.attention.num_heads
    return KVCache(
        len(stack.blocks),
        batch_size,
        num_heads,
        max_length,
        len(weight) // num_heads,
        device=weight.device,
        dtype=weight.dtype,
        initial_capacity=initial_capacity,
    )
