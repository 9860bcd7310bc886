"""Attention: each position asks, and mixes the answers of those that it may attend to.

Axes: B batch, T target positions (who asks), S source positions (who answers), D model width,
N heads, E head width (D = N * E); total = S, or the positions in the cache and T; M rows of a
memory, each of which serves B / M neighbouring rows (the beams of a search, say).
"""

import math

import torch
from jaxtyping import Bool, Float
from torch import Tensor, nn
from torch.nn import functional

from tokoban.transformer.dropout import Dropout
from tokoban.transformer.kv_cache import CachedStep, KeysAndValues, KVCache
from tokoban.transformer.local_attention import Window, attend_locally
from tokoban.transformer.positions import Rotary


def attend(
    q: Float[Tensor, "B N T E"],
    k: Float[Tensor, "B N S E"],
    v: Float[Tensor, "B N S value_width"],
    may_attend: Bool[Tensor, "... #T #S"] | None = None,
) -> Float[Tensor, "B N T value_width"]:
    """softmax(q k^T / sqrt(E)) v over the sources that may be attended to; zeros where none may.

    The definition, which ``MultiHeadAttention`` is held to; it stores all B * N * T * S weights.
    """
    return attention_weights(q, k, may_attend) @ v


def attention_weights(
    q: Float[Tensor, "B N T E"],
    k: Float[Tensor, "B N S E"],
    may_attend: Bool[Tensor, "... #T #S"] | None = None,
) -> Float[Tensor, "B N T S"]:
    """softmax(q k^T / sqrt(E)): how much of each source every target takes."""
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])
    if may_attend is None:
        return scores.softmax(dim=-1)
    weights = scores.masked_fill(~may_attend, -math.inf).softmax(dim=-1)
    # Where nothing may be attended to, the softmax is 0 / 0; elsewhere this changes nothing.
    return weights.masked_fill(~may_attend, 0.0)


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


_FEW_QUERIES = 8  # beams of one source, or a position of each of some beams


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
        self.dropout = Dropout(dropout)
        self.rotary = rotary
        self.fused: nn.Linear | None = None

    def forward(
        self,
        queries: Float[Tensor, "B T D"],
        memory: Float[Tensor, "M S D"] | None = None,
        *,
        may_attend: Bool[Tensor, "... #T #total"] | Window | None = None,
        cache: KVCache | CachedStep | None = None,
        layer: int = 0,
    ) -> Float[Tensor, "B T D"]:
        """Each query attends to the queries themselves, or to ``memory`` where there is one.

        A memory of fewer rows is not copied: row i of the queries reads its row i * M // B, and
        ``may_attend`` is of the memory's rows, the same for all targets.

        ``may_attend`` has the axes [T, total] or [B, N, T, total], 1 where all are treated alike;
        a ``Window``, for self attention alone, costs what it reaches and not T * total.
        With a cache, self attention also reaches all earlier positions (they come first), and cross
        attention takes the memory's keys and values from layer ``layer`` of the cache, where its
        first call has put them.
        """
        if isinstance(may_attend, Tensor) and may_attend.dim() not in (2, 4):
            raise ValueError(
                f"may_attend must have two axes [T, S] or four [B, N, T, S], "
                f"got the shape {list(may_attend.shape)}"
            )
        if isinstance(may_attend, Window) and memory is not None:
            raise ValueError("a window is for self attention: a memory has its own places")
        if memory is not None:
            q = self._split_heads(self.query(queries))
            k, v = self._of_memory(memory, cache, layer)
        else:
            q, k, v = self._of_itself(queries)
            if self.rotary is not None:
                q, k = self.rotary(q, k, offset=0 if cache is None else cache.length)
            if cache is not None:
                k, v = cache.append(layer, k, v)
        if memory is None and isinstance(cache, CachedStep):
            if not isinstance(may_attend, Tensor):
                raise ValueError("a cached step needs a mask, to hide what is not filled yet")
            mixed = attend_once(q, k, v, may_attend)
        elif len(k) < len(q):
            mixed = _apart(self.mix(_side_by_side(q, len(k)), k, v, may_attend), len(q))
        else:
            mixed = self.mix(q, k, v, may_attend)
        return self.dropout(self.output(mixed.transpose(1, 2).flatten(-2)))

    def mix(
        self,
        q: Float[Tensor, "M N T E"],
        k: Float[Tensor, "M N S E"],
        v: Float[Tensor, "M N S E"],
        may_attend: Bool[Tensor, "... #T #S"] | Window | None,
    ) -> Float[Tensor, "M N T E"]:
        """``attend``, by one of torch's kernels; ``capture`` puts one that remembers in its place.

        Never with is_causal, which aligns to the upper left: wrong for a cache or a memory.
        """
        if not (q.requires_grad and torch.is_autocast_enabled("cpu")):
            return _fused(q, k, v, may_attend)
        # The CPU's gradient of this takes ten times as long in bf16 as in fp32.
        with torch.autocast("cpu", enabled=False):
            return _fused(q.float(), k.float(), v.float(), may_attend)

    def _of_memory(
        self, memory: Float[Tensor, "M S D"], cache: KVCache | CachedStep | None, layer: int
    ) -> KeysAndValues:
        if cache is None:
            return self._keys_and_values(memory)
        kept = cache.memory(layer)
        if kept is None:
            kept = self._keys_and_values(memory)
            cache.keep_memory(layer, *kept)
        return kept

    def fuse_projections(self) -> None:
        """From here on one product makes queries, keys and values: for self attention alone."""
        parts = self.query, self.key, self.value
        width = len(self.query.weight)
        self.fused = nn.Linear(width, 3 * width)
        with torch.no_grad():
            self.fused.weight.copy_(torch.cat([part.weight for part in parts]))
            self.fused.bias.copy_(torch.cat([part.bias for part in parts]))
        del self.query, self.key, self.value

    def _of_itself(
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


def _attend_few(
    q: Float[Tensor, "M N T E"],
    k: Float[Tensor, "M N S E"],
    v: Float[Tensor, "M N S E"],
    may_attend: Bool[Tensor, "... #T #S"] | None,
) -> Float[Tensor, "M N T E"]:
    """``attend`` by two products: where few ask, torch's own takes twice as long on the CPU."""
    shape = *q.shape[:3], k.shape[2]
    q, k, v = (x.flatten(0, 1) for x in (q, k, v))
    scale = q.shape[2] ** -0.5
    if may_attend is None:
        scores = q @ k.transpose(1, 2) * scale
    else:
        bias = q.new_zeros(may_attend.shape).masked_fill_(~may_attend, -math.inf)
        bias = bias.expand(shape).flatten(0, 1)
        scores = torch.baddbmm(bias, q, k.transpose(1, 2), alpha=scale)
    # By hand: softmax is made for long rows.
    greatest = scores.amax(dim=-1, keepdim=True)
    # Where nothing may be attended to, all weights stay 0.
    weights = scores.sub_(greatest.clamp_(min=torch.finfo(q.dtype).min)).exp_()
    weights /= weights.sum(dim=-1, keepdim=True).clamp_(min=torch.finfo(q.dtype).tiny)
    return (weights @ v).unflatten(0, shape[:2])


def _fused(
    q: Float[Tensor, "M N T E"],
    k: Float[Tensor, "M N S E"],
    v: Float[Tensor, "M N S E"],
    may_attend: Bool[Tensor, "... #T #S"] | Window | None,
) -> Float[Tensor, "M N T E"]:
    if isinstance(may_attend, Window):
        return attend_locally(q, k, v, window=may_attend)
    if q.shape[2] <= _FEW_QUERIES and q.device.type == "cpu" and not torch.is_grad_enabled():
        return _attend_few(q, k, v, may_attend)
    return functional.scaled_dot_product_attention(q, k, v, attn_mask=may_attend)


def _side_by_side(q: Float[Tensor, "B N T E"], num_rows: int) -> Float[Tensor, "M N group_T E"]:
    """The queries of the rows that read one row of a memory as if they were positions of one."""
    if len(q) % num_rows:
        raise ValueError(f"a memory of {num_rows} rows cannot serve {len(q)} rows alike")
    return q.unflatten(0, (num_rows, -1)).transpose(1, 2).flatten(2, 3)


def _apart(mixed: Float[Tensor, "M N group_T E"], num_rows: int) -> Float[Tensor, "B N T E"]:
    """The inverse of ``_side_by_side``."""
    group = num_rows // len(mixed)
    return mixed.unflatten(2, (group, -1)).transpose(1, 2).flatten(0, 1)
