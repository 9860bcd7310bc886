"""Sliding-window attention, whose cost grows linearly with the length.

The window: Longformer (Beltagy et al. 2020, arXiv:2004.05150); computed in chunks as local
attention is in Image Transformer (Parmar et al. 2018, arXiv:1802.05751).

Axes: B batch, N heads, T targets (queries), S sources (keys and values), E head width;
chunk = targets that are processed together, band = the sources within their reach.
"""

from dataclasses import dataclass

import torch
from jaxtyping import Bool, Float
from torch import Tensor
from torch.nn import functional

# Shorter chunks would leave the kernel too little work each.
_LEAST_CHUNK = 64


@dataclass(frozen=True, eq=False)
class Window:
    """A mask by distance, for self-attention.

    Each position may attend to those at most ``half_width`` away: on either side, or with
    ``is_causal`` to itself and earlier positions. If there are more sources than
    targets, the targets are the last positions, as with a cache.
    """

    half_width: int
    is_causal: bool = False

    def __post_init__(self) -> None:
        if not isinstance(self.half_width, int) or self.half_width < 0:
            raise ValueError(f"a window of half width {self.half_width}; expected 0, 1, 2, ...")

    def mask(
        self, num_targets: int, num_sources: int, *, device: torch.device | str | None = None
    ) -> Bool[Tensor, "T S"]:
        """The equivalent mask, with num_targets * num_sources elements."""
        _refuse_more_targets(num_targets, num_sources)
        sources = torch.arange(num_sources, device=device)
        return self._is_near(sources[num_sources - num_targets :], sources)

    def _is_near(self, targets: Tensor, sources: Tensor) -> Bool[Tensor, "T S"]:
        back = targets[:, None] - sources
        return (back <= self.half_width) & (back >= (0 if self.is_causal else -self.half_width))


def attend_locally(
    q: Float[Tensor, "B N T E"],
    k: Float[Tensor, "B N S E"],
    v: Float[Tensor, "B N S value_width"],
    *,
    window: Window,
) -> Float[Tensor, "B N T value_width"]:
    """``attend`` with ``window.mask(T, S)``, in time and memory that are linear in T.

    The targets are cut into chunks. Each chunk gets a copy of its band, the sources that any of its
    targets may attend to; torch's fused kernels then process the chunks as a batch. With a half
    width of 1 and chunks of 2::

        targets     0 1 | 2 3 | 4 5
        bands     _ 0 1 2
                      1 2 3 4
                          3 4 5 _     _ is beyond the end
    """
    num_targets, num_sources = q.shape[2], k.shape[2]
    _refuse_more_targets(num_targets, num_sources)
    before = min(window.half_width, num_sources - 1)
    after = 0 if window.is_causal else before
    chunk = min(num_targets, max(_LEAST_CHUNK, before // 2))
    band = before + chunk + after
    if band >= num_sources:
        mask = window.mask(num_targets, num_sources, device=q.device)
        return functional.scaled_dot_product_attention(q, k, v, attn_mask=mask)
    num_chunks = -(-num_targets // chunk)  # rounded up
    # The start of the first chunk's band, and how far the last chunk's goes beyond the end.
    first = num_sources - num_targets - before
    beyond = num_chunks * chunk - num_targets + after

    def bands(sources: Tensor) -> Tensor:
        """[B, N, S, E] or [B, 1, S, 1] to [B * chunks, N, band, E], zeros beyond the ends."""
        filled = functional.pad(sources, (0, 0, -first, beyond))
        return filled.unfold(2, band, chunk).permute(0, 2, 1, 4, 3).flatten(0, 1)

    positions = torch.arange(first, first + band, device=q.device)  # of the first band
    is_near = window._is_near(positions[before : before + chunk], positions)  # [chunk, band]
    exists = q.new_ones(1, 1, num_sources, 1, dtype=torch.bool)
    may_attend = is_near & bands(exists.expand(len(q), -1, -1, -1)).transpose(-2, -1)
    targets = functional.pad(q, (0, 0, 0, num_chunks * chunk - num_targets))
    mixed = functional.scaled_dot_product_attention(
        targets.unflatten(2, (num_chunks, chunk)).transpose(1, 2).flatten(0, 1),
        bands(k),
        bands(v),
        attn_mask=may_attend,  # [B * chunks, 1, chunk, band]
    )
    joined = mixed.unflatten(0, (len(q), num_chunks)).transpose(1, 2).flatten(2, 3)
    return joined[:, :, :num_targets]


def _refuse_more_targets(num_targets: int, num_sources: int) -> None:
    if num_sources < num_targets:
        raise ValueError(
            f"expected at least as many keys as queries ({num_targets}), got {num_sources}"
        )
