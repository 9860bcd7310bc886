"""The cases of the certificate: a cell, its state and the states of its eight neighbours.

For one cell in one state, everything that the other cells contribute to its logit is tabulated: by
attention a cell takes of another what depends on the states of these two only.

Axes: P cases of one cell, N known cells (the nine at first), T cells, F far cells, D width.
"""

from collections.abc import Iterator
from typing import NamedTuple

import torch
from jaxtyping import Bool, Float, Int64
from torch import Tensor

from tokoban.systems.life.model import LifeNet
from tokoban.systems.life.rounding import (
    Arithmetic,
    AttentionErrors,
    Rounded,
    attention_errors,
    token_vectors,
)

_MIDDLE = 4  # of the nine cells of a neighbourhood, row by row


class CellCases(NamedTuple):
    """A cell in one state: its attention to the others in both of their states, and the cases."""

    token: Float[Tensor, "D"]
    scores: Float[Tensor, "2 T"]
    weights: Float[Tensor, "2 T"]  # exp(scores), up to a common factor; the largest is 1
    values: Float[Tensor, "2 T D"]
    errors: AttentionErrors  # of the forward pass
    known: Int64[Tensor, "N"]  # indices of cells
    states: Bool[Tensor, "P N"]  # of the known cells, in each case

    @property
    def far(self) -> Int64[Tensor, "F"]:
        """The indices of the cells whose state is not part of the case."""
        is_far = torch.ones(self.weights.shape[1], dtype=torch.bool)
        is_far[self.known] = False
        return is_far.nonzero()[:, 0]


def cell_cases(model: LifeNet, *, dtype: torch.dtype = torch.float32) -> Iterator[CellCases]:
    """All cases, grouped by cell and by the cell's own state.

    The model is in double precision; ``dtype`` is that of the forward pass whose rounding is
    bounded.
    """
    mixing, side = model.mixing, model.side
    arithmetic = Arithmetic(dtype)
    tokens = token_vectors(model, arithmetic)  # [2, T, D]
    queries, keys, values = (
        arithmetic.times_matrix(tokens, part.weight)
        for part in (mixing.attention.query, mixing.attention.key, mixing.attention.value)
    )
    nine, offsets = all_states(9), torch.arange(-1, 2)
    for cell in range(side**2):
        rows, columns = ((index + offsets) % side for index in divmod(cell, side))
        for state in (0, 1):
            token, query = (
                Rounded(each.exact[state, cell], each.error[state, cell])
                for each in (tokens, queries)
            )
            scores = arithmetic.scores(keys, query)
            yield CellCases(
                token=token.exact,
                scores=scores.exact,
                weights=(scores.exact - scores.exact.max()).exp(),
                values=values.exact,
                errors=attention_errors(
                    model, arithmetic, token=token, scores=scores, values=values
                ),
                known=(rows[:, None] * side + columns).flatten(),
                states=nine[nine[:, _MIDDLE] == bool(state)],
            )


def logits(model: LifeNet, cases: CellCases, grids: Bool[Tensor, "P T"]) -> Float[Tensor, "P"]:
    """The model's logits for the cell in these grids."""
    weights = torch.where(grids, cases.scores[1], cases.scores[0]).softmax(1)  # [P, T]
    attended = (weights * grids) @ cases.values[1] + (weights * ~grids) @ cases.values[0]
    return model.classify(cases.token + attended)


def all_states(num_cells: int) -> Bool[Tensor, "all_states cells"]:
    """Each combination of dead and alive."""
    bits = torch.arange(2**num_cells)[:, None] >> torch.arange(num_cells)
    return (bits & 1).bool()
