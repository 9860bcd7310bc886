"""Where a thing stands, for a network that could not otherwise tell: attention has no order.

Axes: B batch, N heads, T positions, E head width, D model width, H rows, W columns.
"""

import torch
from jaxtyping import Float, Int64
from torch import Tensor, nn

_BASE = 10000.0  # of the wavelengths, in Vaswani et al. 2017 and in Su et al. 2021


def sinusoidal(
    length: int, width: int, *, offset: int = 0, device: torch.device | str | None = None
) -> Float[Tensor, "T D"]:
    """Sine in the even and cosine in the odd components, at wavelengths from 2 pi to 20000 pi.

    Component 2i of position t is sin(t / 10000^(2i / width)), component 2i + 1 its cosine
    (Vaswani et al. 2017, section 3.5). The first position is ``offset``.
    """
    if width % 2:
        raise ValueError(f"sines and cosines come in pairs: expected an even width, got {width}")
    angles = _angles(length, width, offset=offset, device=device, dtype=torch.float32)
    return torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(-2)


class LearnedPositions(nn.Module):
    """One learned vector for each position below ``max_length``."""

    def __init__(self, max_length: int, width: int) -> None:
        super().__init__()
        self.table = nn.Parameter(torch.randn(max_length, width) * 0.02)

    def forward(self, length: int, *, offset: int = 0) -> Float[Tensor, "T D"]:
        """The vectors of ``length`` positions from ``offset`` on."""
        max_length, end = len(self.table), offset + length
        if end > max_length:
            raise ValueError(f"there are vectors for {max_length} positions, asked for {end}")
        return self.table[offset:end]


class GridPositions(nn.Module):
    """A learned vector for each row plus one for each column, so a grid costs H + W of them."""

    def __init__(self, max_rows: int, max_columns: int, width: int) -> None:
        super().__init__()
        self.rows = LearnedPositions(max_rows, width)
        self.columns = LearnedPositions(max_columns, width)

    def forward(self, num_rows: int, num_columns: int) -> Float[Tensor, "H W D"]:
        """The vectors of a grid's cells, counted from its upper left corner."""
        return self.rows(num_rows)[:, None] + self.columns(num_columns)


class Rotary(nn.Module):
    """Turns each pair of a head's components by an angle that grows with the position.

    A query's product with a key then depends on how far apart they stand, and not on where
    (Su et al. 2021). Component pair i turns by base^(-2i / E) per position. It has no parameters,
    so one may serve every layer.
    """

    def __init__(self, *, base: float = _BASE) -> None:
        super().__init__()
        if base <= 1:
            raise ValueError(f"the base of rotary positions must be above 1, got {base}")
        self.base = base

    def forward(
        self,
        queries: Float[Tensor, "B N T E"],
        keys: Float[Tensor, "B N T E"],
        *,
        offset: int | Int64[Tensor, "1"] = 0,
    ) -> tuple[Float[Tensor, "B N T E"], Float[Tensor, "B N T E"]]:
        """The same vectors turned; the first position is ``offset``."""
        length, head_width = queries.shape[-2:]
        if head_width % 2:
            raise ValueError(f"rotary turns pairs: expected an even head width, got {head_width}")
        # In half precision, large positions would no longer be told apart.
        dtype = torch.promote_types(queries.dtype, torch.float32)
        angles = _angles(
            length, head_width, offset=offset, device=queries.device, dtype=dtype, base=self.base
        )
        cos, sin = angles.cos(), angles.sin()
        both = torch.stack([queries, keys])  # together: a step of one position costs its calls
        first, second = both[..., 0::2], both[..., 1::2]
        turned = torch.stack([first * cos - second * sin, first * sin + second * cos], dim=-1)
        turned_queries, turned_keys = turned.flatten(-2).to(queries.dtype)
        return turned_queries, turned_keys


def _angles(
    length: int,
    width: int,
    *,
    offset: int | Int64[Tensor, "1"],
    device: torch.device | str | None,
    dtype: torch.dtype,
    base: float = _BASE,
) -> Float[Tensor, "T half_width"]:
    positions = torch.arange(length, device=device, dtype=dtype) + offset
    exponents = torch.arange(0, width, 2, device=device, dtype=dtype) / width
    return positions[:, None] * base**-exponents
