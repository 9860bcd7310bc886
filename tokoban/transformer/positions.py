"""Position encodings: attention itself does not depend on the order of its inputs.

Sinusoidal: Vaswani et al. 2017 (arXiv:1706.03762), section 3.5. Learned: Gehring et al. 2017
(arXiv:1705.03122). Rotary (RoPE): Su et al. 2021 (arXiv:2104.09864).

Axes: B batch, N heads, T positions, E head width, D model width, H rows, W columns.
"""

import torch
from jaxtyping import Float, Int64
from torch import Tensor, nn

_BASE = 10000.0  # of the wavelengths, in both papers


def sinusoidal(
    length: int, width: int, *, device: torch.device | str | None = None
) -> Float[Tensor, "T D"]:
    """Component 2i of position t is sin(t / 10000^(2i / width)), component 2i + 1 its cosine."""
    if width % 2 or min(length, width) < 0:
        need = "an even width and no negative length"
        raise ValueError(f"sinusoidal positions need {need}, got {width} and {length}")
    angles = _angles(length, width, offset=0, device=device, dtype=torch.float32)
    return torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(-2)


class LearnedPositions(nn.Module):
    """A learned vector for each position below ``max_length``."""

    def __init__(self, max_length: int, width: int) -> None:
        super().__init__()
        self.table = nn.Parameter(torch.randn(max_length, width) * 0.02)

    def forward(self, length: int) -> Float[Tensor, "T D"]:
        """The vectors of the first ``length`` positions."""
        if length > len(self.table):
            raise ValueError(f"expected at most {len(self.table)} positions, got {length}")
        return self.table[:length]


class GridPositions(nn.Module):
    """The sum of a learned vector for the row and one for the column: H + W vectors for a grid."""

    def __init__(self, max_rows: int, max_columns: int, width: int) -> None:
        super().__init__()
        self.rows = LearnedPositions(max_rows, width)
        self.columns = LearnedPositions(max_columns, width)

    def forward(self, num_rows: int, num_columns: int) -> Float[Tensor, "H W D"]:
        """The vectors of a grid's cells; the first is the upper left one."""
        return self.rows(num_rows)[:, None] + self.columns(num_columns)


class Rotary(nn.Module):
    """Rotates pair i of a head's components by position * base^(-2i / E).

    Pair i is the components 2i and 2i + 1, as in the paper; Llama pairs i with i + E / 2. The
    product of a query and a key then depends on their positions only through the difference.
    There are no parameters, so all layers may share an instance.
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
        """Rotated queries and keys; the first position is ``offset``."""
        length, head_width = queries.shape[-2:]
        if head_width % 2:
            raise ValueError(f"rotary positions need an even head width, got {head_width}")
        # Half precision cannot represent large positions exactly.
        dtype = torch.promote_types(queries.dtype, torch.float32)
        angles = _angles(
            length, head_width, offset=offset, device=queries.device, dtype=dtype, base=self.base
        )
        cos, sin = angles.cos(), angles.sin()
        both = torch.stack([queries, keys])  # one call: launches are the cost
        first, second = both[..., 0::2], both[..., 1::2]
        rotated = torch.stack([first * cos - second * sin, first * sin + second * cos], dim=-1)
        rotated_queries, rotated_keys = rotated.flatten(-2).to(queries.dtype)
        return rotated_queries, rotated_keys


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
