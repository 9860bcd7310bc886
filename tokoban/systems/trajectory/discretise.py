"""Discretisation: each column is cut into bins, and a token stands for its bin's centre.

Uniform and quantile bins: Janner et al. 2021 (arXiv:2106.02039), section 3.1.

Axes: B rows, V bins.
"""

from collections.abc import Sequence
from typing import Literal

import torch
from jaxtyping import Float, Int64
from torch import Tensor, nn

Binning = Literal["uniform", "quantile"]


class Bins(nn.Module):
    """The bins of every column; buffers, so that they are saved with the weights that need them.

    A value on an edge belongs to the upper bin, one outside to the first or last. A column may use
    fewer than V bins: a discrete one has a bin for each value, a constant one a single bin.
    """

    centres: Float[Tensor, "columns V"]
    edges: Float[Tensor, "columns inner"]  # between neighbouring bins; inf behind those in use
    num_used: Int64[Tensor, "columns"]
    columns: Int64[Tensor, "columns"]  # 0, 1, …: what ``index`` is made of

    def __init__(self, num_columns: int, num_bins: int) -> None:
        super().__init__()
        self.register_buffer("centres", torch.zeros(num_columns, num_bins))
        self.register_buffer("edges", torch.full((num_columns, num_bins - 1), torch.inf))
        self.register_buffer("num_used", torch.ones(num_columns, dtype=torch.int64))
        self.register_buffer("columns", torch.arange(num_columns), persistent=False)

    @property
    def num_bins(self) -> int:
        return self.centres.shape[1]

    def fit(
        self,
        values: Float[Tensor, "B columns"],
        sizes: Sequence[int | None],
        *,
        binning: Binning,
    ) -> None:
        """Lays the bins for these values; a column with a size has the values 0 to size - 1.

        Uniform bins are equally wide from the least value to the greatest, and their centres are
        their middles. Quantile bins hold equally many values, equal ones never apart, and their
        centres are the means of what they hold.
        """
        for column, size in enumerate(sizes):
            known = values[:, column][values[:, column].isfinite()].double()
            if size is not None:
                edges, centres = _of_integers(size, self.num_bins)
            elif len(known) == 0 or known.min() == known.max():
                edges, centres = known.new_empty(0), known[:1] if len(known) else torch.zeros(1)
            elif binning == "uniform":
                edges, centres = _uniform(known, self.num_bins)
            else:
                edges, centres = _quantile(known, self.num_bins)
            self.num_used[column] = len(centres)
            self.centres[column] = centres[-1]
            self.centres[column, : len(centres)] = centres
            self.edges[column] = torch.inf
            self.edges[column, : len(edges)] = edges

    def encode(
        self, values: Float[Tensor, "*B chosen"], columns: Sequence[int]
    ) -> Int64[Tensor, "*B chosen"]:
        """The token of each value; ``columns`` says of which column each of the last axis is."""
        chosen = self.index(columns)
        edges = self.edges[chosen]
        rows = values.flatten(0, -2).T.contiguous().to(edges.dtype)  # [chosen, rows]
        tokens = torch.searchsorted(edges, rows, right=True)
        # NaN would otherwise get a token past the last bin in use.
        tokens = tokens.minimum(self.num_used[chosen][:, None] - 1)
        return tokens.T.reshape(values.shape)

    def decode(
        self, tokens: Int64[Tensor, "*B chosen"], columns: Sequence[int]
    ) -> Float[Tensor, "*B chosen"]:
        """The centre of each token's bin."""
        return self.centres[self.index(columns), tokens]

    def index(self, columns: Sequence[int]) -> Int64[Tensor, "chosen"]:
        """An index of these columns, built on the device: copying one from the host would block."""
        first = 0
        runs = []
        for place in range(1, len(columns) + 1):
            if place == len(columns) or columns[place] != columns[place - 1] + 1:
                runs.append(self.columns[columns[first] : columns[place - 1] + 1])
                first = place
        return runs[0] if len(runs) == 1 else torch.cat([self.columns[:0], *runs])

    def is_used(self) -> torch.Tensor:
        """Whether a column has so many bins: Bool[columns, V]."""
        return torch.arange(self.num_bins, device=self.num_used.device) < self.num_used[:, None]


def _of_integers(size: int, num_bins: int) -> tuple[Tensor, Tensor]:
    if size > num_bins:
        raise ValueError(f"a number with {size} values needs as many bins; bins is {num_bins}")
    return torch.arange(size - 1) + 0.5, torch.arange(size).double()


def _uniform(values: Tensor, num_bins: int) -> tuple[Tensor, Tensor]:
    edges = torch.linspace(values.min(), values.max(), num_bins + 1, dtype=values.dtype)
    return edges[1:-1], (edges[1:] + edges[:-1]) / 2


def _quantile(values: Tensor, num_bins: int) -> tuple[Tensor, Tensor]:
    ordered = values.sort().values
    places = torch.arange(1, num_bins) * len(ordered) // num_bins
    # The edges are values of the data: what is equal is never cut apart, and no bin is empty.
    edges = ordered[places].unique()
    edges = edges[edges > ordered[0]]
    bins = torch.searchsorted(edges, ordered, right=True)
    sums = torch.zeros(len(edges) + 1, dtype=values.dtype).index_add_(0, bins, ordered)
    return edges, sums / bins.bincount(minlength=len(edges) + 1)
