"""Multi-head attention: self-attention or cross-attention, with or without a cache.

Vaswani et al. 2017 (arXiv:1706.03762), section 3.2.2.

Axes: B batch, T targets (queries), S sources (keys and values), D model width, N heads, E head
width (D = N * E); total = S, or the positions in the cache and T; M rows of a memory, each of which
serves B / M neighbouring rows (the beams of a search, say).
"""

import torch
from jaxtyping import Bool, Float
from torch import Tensor, nn

from tokoban.transformer.dot_product import DotProductAttention
from tokoban.transformer.dropout import Dropout
from tokoban.transformer.kv_cache import CachedStep, KeysAndValues, KVCache
from tokoban.transformer.positions import Rotary


class MultiHeadAttention(nn.Module):
    """``attend`` in N subspaces of the width, between linear projections.

    Dropout is applied to the output, as in the paper, not to the weights. Rotary positions are for
    self-attention only: a memory has its own positions. Without ``has_output`` the heads' values
    are concatenated and not projected.
    """

    def __init__(
        self,
        width: int,
        num_heads: int,
        *,
        dropout: float = 0.0,
        bias: bool = True,
        has_output: bool = True,
        rotary: Rotary | None = None,
    ) -> None:
        super().__init__()
        if num_heads < 1 or width % num_heads:
            raise ValueError(f"width {width} is not divisible by num_heads {num_heads}")
        self.width, self.num_heads = width, num_heads
        self.query = nn.Linear(width, width, bias=bias)
        self.key = nn.Linear(width, width, bias=bias)
        self.value = nn.Linear(width, width, bias=bias)
        self.has_output = has_output
        if has_output:
            self.output = nn.Linear(width, width, bias=bias)
        self.attend = DotProductAttention()
        self.dropout = Dropout(dropout)
        self.rotary = rotary
        self.fused: nn.Linear | None = None

    def forward(
        self,
        queries: Float[Tensor, "B T D"],
        memory: Float[Tensor, "M S D"] | None = None,
        *,
        may_attend: Bool[Tensor, "... #T #total"] | None = None,
        cache: KVCache | CachedStep | None = None,
        layer: int = 0,
    ) -> Float[Tensor, "B T D"]:
        """Self-attention of ``queries``, or cross-attention to ``memory`` if given.

        A memory of fewer rows is not copied: row i of the queries reads its row i * M // B, and
        ``may_attend`` is of the memory's rows, the same for all targets.

        ``may_attend`` has the axes [T, total] or [B, N, T, total], each of them 1 to broadcast.
        With a cache, self-attention also reaches all earlier positions (they come first), and
        cross-attention takes the memory's keys and values from layer ``layer`` of the cache, where
        its first call has put them. Without a mask several new positions reach each other, later
        ones too.
        """
        if queries.dim() != 3 or queries.shape[2] != self.width:
            shape = list(queries.shape)
            raise ValueError(f"queries have the shape {shape}; expected [B, T, {self.width}]")
        if memory is not None and (memory.dim() != 3 or memory.shape[2] != self.width):
            shape = list(memory.shape)
            raise ValueError(f"memory has the shape {shape}; expected [M, S, {self.width}]")
        if may_attend is not None and may_attend.dim() not in (2, 4):
            raise ValueError(
                f"may_attend must have two axes [T, S] or four [B, N, T, S], "
                f"got the shape {list(may_attend.shape)}"
            )
        if memory is None and isinstance(cache, CachedStep) and may_attend is None:
            raise ValueError("a cached step needs a mask, to hide what is not filled yet")
        if memory is not None:
            q = self._split_heads(self.query(queries))
            k, v = self._memory_keys_and_values(memory, cache, layer)
        else:
            q, k, v = self._queries_keys_and_values(queries)
            if self.rotary is not None:
                q, k = self.rotary(q, k, offset=0 if cache is None else cache.length)
            if cache is not None:
                k, v = cache.append(layer, k, v)
        mixed = self.attend(q, k, v, may_attend)  # [B, N, T, E]
        mixed = mixed.transpose(1, 2).flatten(-2)  # [B, T, D]: the heads side by side
        return self.dropout(self.output(mixed) if self.has_output else mixed)

    def _memory_keys_and_values(
        self, memory: Float[Tensor, "M S D"], cache: KVCache | CachedStep | None, layer: int
    ) -> KeysAndValues:
        if cache is None:
            return self._keys_and_values(memory)
        cached = cache.memory(layer)
        if cached is None:
            cached = self._keys_and_values(memory)
            cache.put_memory(layer, *cached)
        return cached

    def fuse_projections(self) -> None:
        """Merges the projections of queries, keys and values, for self-attention only."""
        parts = self.query, self.key, self.value
        width, has_bias = len(self.query.weight), self.query.bias is not None
        self.fused = nn.Linear(width, 3 * width, bias=has_bias)
        with torch.no_grad():
            self.fused.weight.copy_(torch.cat([part.weight for part in parts]))
            if has_bias:
                self.fused.bias.copy_(torch.cat([part.bias for part in parts]))
        del self.query, self.key, self.value

    def _queries_keys_and_values(
        self, queries: Float[Tensor, "B T D"]
    ) -> tuple[Float[Tensor, "B N T E"], Float[Tensor, "B N T E"], Float[Tensor, "B N T E"]]:
        if self.fused is None:
            return self._split_heads(self.query(queries)), *self._keys_and_values(queries)
        q, k, v = self.fused(queries).chunk(3, dim=-1)
        return self._split_heads(q), self._split_heads(k), self._split_heads(v)

    def _keys_and_values(self, sources: Float[Tensor, "B S D"]) -> KeysAndValues:
        return self._split_heads(self.key(sources)), self._split_heads(self.value(sources))

    def _split_heads(self, vectors: Float[Tensor, "B S D"]) -> Float[Tensor, "B N S E"]:
        return vectors.unflatten(-1, (self.num_heads, -1)).transpose(1, 2)
