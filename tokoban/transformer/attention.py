"""Attention: each position asks, and mixes the answers of those that it may attend to.

Axes: B batch, T target positions (who asks), S source positions (who answers), D model width,
N heads, E head width (D = N * E); total = S, or the positions in the cache and T.
"""

import math

import torch
from jaxtyping import Bool, Float
from torch import Tensor, nn
from torch.nn import functional

from tokoban.transformer.kv_cache import CachedStep, KeysAndValues, KVCache
from tokoban.transformer.positions import Rotary


def attend(
    q: Float[Tensor, "B N T E"],
    k: Float[Tensor, "B N S E"],
    v: Float[Tensor, "B N S E"],
    may_attend: Bool[Tensor, "... #T #S"] | None = None,
) -> Float[Tensor, "B N T E"]:
    """softmax(q k^T / sqrt(E)) v over the sources that may be attended to; zeros where none may.

    The definition, which ``MultiHeadAttention`` is held to; it stores all B * N * T * S weights.
    """
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])  # [B, N, T, S]
    if may_attend is None:
        return scores.softmax(dim=-1) @ v
    weights = scores.masked_fill(~may_attend, -math.inf).softmax(dim=-1)
    # Where nothing may be attended to, the softmax is 0 / 0; elsewhere this changes nothing.
    return weights.masked_fill(~may_attend, 0.0) @ v


def attend_once(
    q: Float[Tensor, "B N 1 E"],
    k: Float[Tensor, "B N S E"],
    v: Float[Tensor, "B N S E"],
    may_attend: Bool[Tensor, "... 1 #S"],
) -> Float[Tensor, "B N 1 E"]:
    """``attend`` for one query, which may attend to something.

    To a compiler it is products and sums alone, in single precision at least: it makes one kernel
    of them, which reads keys and values once; torch's own for whole sequences would stand apart.
    """
    if not torch.compiler.is_compiling():
        return functional.scaled_dot_product_attention(q, k, v, attn_mask=may_attend)
    dtype = torch.promote_types(q.dtype, torch.float32)
    scores = (q.to(dtype) * k).sum(-1).unsqueeze(2) / math.sqrt(q.shape[-1])  # [B, N, 1, S]
    weights = scores.masked_fill(~may_attend, -math.inf).softmax(dim=-1)
    return (weights.transpose(-2, -1) * v).sum(-2, keepdim=True).to(q.dtype)


class MultiHeadAttention(nn.Module):
    """``attend`` in N subspaces at once, on torch's fused kernels: self attention or cross.

    Dropout falls on the output, where the paper has it, and not on the weights. Rotary positions,
    where given, are for self attention alone: a memory has its own places.
    """

    def __init__(
        self, width: int, num_heads: int, *, dropout: float = 0.0, rotary: Rotary | None = None
    ) -> None:
        super().__init__()
        if width % num_heads:
            raise ValueError(f"width {width} is not divisible by num_heads {num_heads}")
        self.num_heads = num_heads
        self.query = nn.Linear(width, width)
        self.key = nn.Linear(width, width)
        self.value = nn.Linear(width, width)
        self.output = nn.Linear(width, width)
        self.dropout = nn.Dropout(dropout)
        self.rotary = rotary

    def forward(
        self,
        queries: Float[Tensor, "B T D"],
        memory: Float[Tensor, "B S D"] | None = None,
        *,
        may_attend: Bool[Tensor, "... #T #total"] | None = None,
        cache: KVCache | CachedStep | None = None,
        layer: int = 0,
    ) -> Float[Tensor, "B T D"]:
        """Each query attends to the queries themselves, or to ``memory`` where there is one.

        ``may_attend`` has the axes [T, total] or [B, N, T, total], 1 where all are treated alike.
        With a cache, self attention also reaches all earlier positions (they come first), and cross
        attention takes the memory's keys and values from layer ``layer`` of the cache, where its
        first call has put them.
        """
        if may_attend is not None and may_attend.dim() not in (2, 4):
            raise ValueError(
                f"may_attend must have two axes [T, S] or four [B, N, T, S], "
                f"got the shape {list(may_attend.shape)}"
            )
        q = self._split_heads(self.query(queries))
        if memory is not None:
            k, v = self._of_memory(memory, cache, layer)
        else:
            k, v = self._keys_and_values(queries)
            if self.rotary is not None:
                offset = 0 if cache is None else cache.length
                q, k = self.rotary(q, offset=offset), self.rotary(k, offset=offset)
            if cache is not None:
                k, v = cache.append(layer, k, v)
        if memory is None and isinstance(cache, CachedStep):
            if may_attend is None:
                raise ValueError("a cached step needs may_attend, to hide what is not filled yet")
            mixed = attend_once(q, k, v, may_attend)
        else:
            # Never with is_causal, which aligns to the upper left: wrong for a cache or a memory.
            mixed = functional.scaled_dot_product_attention(q, k, v, attn_mask=may_attend)
        return self.dropout(self.output(mixed.transpose(1, 2).flatten(-2)))

    def _of_memory(
        self, memory: Float[Tensor, "B S D"], cache: KVCache | CachedStep | None, layer: int
    ) -> KeysAndValues:
        if cache is None:
            return self._keys_and_values(memory)
        kept = cache.memory(layer)
        if kept is None:
            kept = self._keys_and_values(memory)
            cache.keep_memory(layer, *kept)
        return kept

    def _keys_and_values(self, sources: Float[Tensor, "B S D"]) -> KeysAndValues:
        return self._split_heads(self.key(sources)), self._split_heads(self.value(sources))

    def _split_heads(self, vectors: Float[Tensor, "B S D"]) -> Float[Tensor, "B N S E"]:
        return vectors.unflatten(-1, (self.num_heads, -1)).transpose(1, 2)
