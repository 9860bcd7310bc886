"""Attention to what is near, at a cost that grows with the length and not with its square.

Axes: B batch, N heads, T target positions (who asks), S source positions (who answers), E head
width; chunk = the targets that are treated together, band = the sources that those reach.
"""

from dataclasses import dataclass

import torch
from jaxtyping import Bool, Float
from torch import Tensor
from torch.nn import functional

# Of shorter chunks the kernel would do many with little work in each.
_LEAST_CHUNK = 64


@dataclass(frozen=True, eq=False)
class Window:
    """Who may attend to whom where distance decides; it stands wherever a mask may stand.

    Each position may attend to those at most ``half_width`` away, as in ``masks.local``: on either
    side, or with ``is_causal`` to itself and what came before. ``may_be_attended`` hides sources
    from everybody besides (``masks.padding``). Of more sources than targets the targets are the
    last, as they are when earlier keys come from a cache.
    """

    half_width: int
    is_causal: bool = False
    may_be_attended: Bool[Tensor, "#B 1 1 S"] | None = None

    def __post_init__(self) -> None:
        if self.half_width < 0:
            raise ValueError(f"a window reaches 0 positions or more, got {self.half_width}")

    def mask(
        self, num_targets: int, num_sources: int, *, device: torch.device | str | None = None
    ) -> Bool[Tensor, "... T S"]:
        """The same as a mask, with num_targets * num_sources elements."""
        _refuse_more_targets(num_targets, num_sources)
        sources = torch.arange(num_sources, device=device)
        may_attend = self._is_near(sources[num_sources - num_targets :], sources)
        return may_attend if self.may_be_attended is None else may_attend & self.may_be_attended

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
    """``attend`` with ``window.mask(T, S)``, in time and memory of T * half_width.

    The targets are cut into chunks. Each chunk is given a copy of its band, the sources that any of
    it may attend to; then they are short sequences of one batch, on torch's fused kernels.
    """
    num_targets, num_sources = q.shape[2], k.shape[2]
    _refuse_more_targets(num_targets, num_sources)
    may_be_attended = window.may_be_attended
    if may_be_attended is not None and may_be_attended.shape[-1] != num_sources:
        raise ValueError(
            f"the window hides some of {may_be_attended.shape[-1]} keys, got {num_sources} keys"
        )
    before = min(window.half_width, num_sources - 1)
    after = 0 if window.is_causal else before
    chunk = min(num_targets, max(_LEAST_CHUNK, before // 2))
    band = before + chunk + after
    if band >= num_sources:
        mask = window.mask(num_targets, num_sources, device=q.device)
        return functional.scaled_dot_product_attention(q, k, v, attn_mask=mask)
    num_chunks = -(-num_targets // chunk)
    # Where the band of the first chunk begins, and how far that of the last one goes.
    first = num_sources - num_targets - before
    beyond = num_chunks * chunk - num_targets + after

    def bands(sources: Tensor) -> Tensor:
        """[B, N, S, E] or [B, 1, S, 1] to [B * chunks, N, band, E], zeros beyond the ends."""
        filled = functional.pad(sources, (0, 0, -first, beyond))
        return filled.unfold(2, band, chunk).permute(0, 2, 1, 4, 3).flatten(0, 1)

    places = torch.arange(first, first + band, device=q.device)  # of the first band
    is_near = window._is_near(places[before : before + chunk], places)  # [chunk, band]
    exists = q.new_ones(1, 1, num_sources, 1, dtype=torch.bool)
    if may_be_attended is not None:
        exists = may_be_attended.transpose(-2, -1)
    may_attend = is_near & bands(exists.expand(len(q), -1, -1, -1)).transpose(-2, -1)
    targets = functional.pad(q, (0, 0, 0, num_chunks * chunk - num_targets))
    mixed = functional.scaled_dot_product_attention(
        targets.unflatten(2, (num_chunks, chunk)).transpose(1, 2).flatten(0, 1),
        bands(k),
        bands(v),
        attn_mask=may_attend,  # [B * chunks, 1, chunk, band]
    )
    in_a_row = mixed.unflatten(0, (len(q), num_chunks)).transpose(1, 2).flatten(2, 3)
    return in_a_row[:, :, :num_targets]


def _refuse_more_targets(num_targets: int, num_sources: int) -> None:
    if num_sources < num_targets:
        raise ValueError(
            f"expected at least as many keys as queries ({num_targets}), got {num_sources}"
        )
