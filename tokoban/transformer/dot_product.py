"""Scaled dot-product attention: the definition, and kernels that compute the same faster.

Vaswani et al. 2017 (arXiv:1706.03762), section 3.2.1. torch's fused kernels are those of
FlashAttention (Dao et al. 2022, arXiv:2205.14135) and memory-efficient attention (Rabe and Staats
2021, arXiv:2112.05682).

Axes: B batch, T targets (queries), S sources (keys and values), N heads, E head width; M rows of
keys, each of which serves B / M neighbouring rows of queries (the beams of a search, say).
"""

import math
from collections.abc import Sequence

import torch
from jaxtyping import Bool, Float
from torch import Tensor, nn
from torch.nn import functional


def attend(
    q: Float[Tensor, "B N T E"],
    k: Float[Tensor, "B N S E"],
    v: Float[Tensor, "B N S value_width"],
    may_attend: Bool[Tensor, "... #T #S"] | None = None,
) -> Float[Tensor, "B N T value_width"]:
    """softmax(q k^T / sqrt(E)) v over the sources that may be attended to; zeros where none may.

    The definition, to which tests hold every kernel; it stores all B * N * T * S weights.
    """
    if v.shape[:-1] != k.shape[:-1]:
        raise ValueError(f"v has the shape {list(v.shape)}; expected {[*k.shape[:-1]]} and a width")
    return attention_weights(q, k, may_attend) @ v


def attention_weights(
    q: Float[Tensor, "B N T E"],
    k: Float[Tensor, "B N S E"],
    may_attend: Bool[Tensor, "... #T #S"] | None = None,
) -> Float[Tensor, "B N T S"]:
    """softmax(q k^T / sqrt(E)): the weight of each source for each target."""
    if (q.shape[:-2], q.shape[-1:]) != (k.shape[:-2], k.shape[-1:]):
        shapes = f"q has the shape {list(q.shape)} and k {list(k.shape)}"
        raise ValueError(f"{shapes}; expected [B, N, T, E] and [B, N, S, E]")
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])
    if may_attend is None:
        return scores.softmax(dim=-1)
    _check_mask(may_attend, scores.shape)
    weights = scores.masked_fill(~may_attend, -math.inf).softmax(dim=-1)
    # Where nothing may be attended to, the softmax is 0 / 0; elsewhere this changes nothing.
    return weights.masked_fill(~may_attend, 0.0)


def _check_mask(may_attend: Tensor, shape: Sequence[int]) -> None:
    if may_attend.dtype != torch.bool:
        raise ValueError(f"may_attend is of {may_attend.dtype}; expected torch.bool, a mask")
    axes = may_attend.shape
    pairs = zip(reversed(axes), reversed(shape), strict=False)
    if len(axes) > len(shape) or any(size not in (1, whole) for size, whole in pairs):
        expected = f"{list(shape)}, or 1 in place of a number"
        raise ValueError(f"may_attend has the shape {list(axes)}; expected {expected}")


class DotProductAttention(nn.Module):
    """``attend`` by the kernel that suits the arguments and the device.

    A module without parameters, so that a forward hook sees the queries and keys of every call
    (``record_attention``).
    """

    def forward(
        self,
        q: Float[Tensor, "B N T E"],
        k: Float[Tensor, "M N S E"],
        v: Float[Tensor, "M N S E"],
        may_attend: Bool[Tensor, "... #T #S"] | None,
    ) -> Float[Tensor, "B N T E"]:
        """With fewer rows of keys, row i of the queries reads row i * M // B of them.

        ``may_attend`` is then of the rows of keys, the same for all targets. ``ValueError`` for a
        mask of another shape, or of numbers, which torch would add to the scores.
        """
        if may_attend is not None:
            num_targets = q.shape[2] if len(k) == len(q) else 1
            _check_mask(may_attend, (len(k), q.shape[1], num_targets, k.shape[2]))
        if len(k) == len(q):
            return _attend(q, k, v, may_attend)
        return _ungrouped(_attend(_grouped(q, len(k)), k, v, may_attend), len(q))


def _attend(
    q: Float[Tensor, "M N T E"],
    k: Float[Tensor, "M N S E"],
    v: Float[Tensor, "M N S E"],
    may_attend: Bool[Tensor, "... #T #S"] | None,
) -> Float[Tensor, "M N T E"]:
    if q.requires_grad and torch.is_autocast_enabled("cpu"):
        # The CPU's gradient of attention takes ten times as long in bf16 as in fp32.
        with torch.autocast("cpu", enabled=False):
            return _by_kernel(q.float(), k.float(), v.float(), may_attend)
    return _by_kernel(q, k, v, may_attend)


def _by_kernel(
    q: Float[Tensor, "M N T E"],
    k: Float[Tensor, "M N S E"],
    v: Float[Tensor, "M N S E"],
    may_attend: Bool[Tensor, "... #T #S"] | None,
) -> Float[Tensor, "M N T E"]:
    if q.shape[2] == 1 and may_attend is not None and torch.compiler.is_compiling():
        return _attend_compiled(q, k, v, may_attend)
    # Never with is_causal, which aligns to the upper left: wrong for a cache or a memory.
    return functional.scaled_dot_product_attention(q, k, v, attn_mask=may_attend)


def _attend_compiled(
    q: Float[Tensor, "M N 1 E"],
    k: Float[Tensor, "M N S E"],
    v: Float[Tensor, "M N S E"],
    may_attend: Bool[Tensor, "... 1 #S"],
) -> Float[Tensor, "M N 1 E"]:
    """``attend`` for one query in elementwise products and sums, in single precision at least.

    A compiler makes one kernel of them, which reads keys and values once.
    """
    dtype = torch.promote_types(q.dtype, torch.float32)
    scores = (q.to(dtype) * k).sum(-1).unsqueeze(2) / math.sqrt(q.shape[-1])  # [M, N, 1, S]
    weights = scores.masked_fill(~may_attend, -math.inf).softmax(dim=-1)
    weights = weights.masked_fill(~may_attend, 0.0)
    return (weights.transpose(-2, -1) * v).sum(-2, keepdim=True).to(q.dtype)


def _grouped(q: Float[Tensor, "B N T E"], num_rows: int) -> Float[Tensor, "M N group_T E"]:
    """The queries of all rows that read one row of keys, as positions of one row."""
    if len(q) % num_rows:
        raise ValueError(f"a memory of {num_rows} rows cannot serve {len(q)} rows alike")
    return q.unflatten(0, (num_rows, -1)).transpose(1, 2).flatten(2, 3)


def _ungrouped(mixed: Float[Tensor, "M N group_T E"], num_rows: int) -> Float[Tensor, "B N T E"]:
    """The inverse of ``_grouped``."""
    group = num_rows // len(mixed)
    return mixed.unflatten(2, (group, -1)).transpose(1, 2).flatten(0, 1)
