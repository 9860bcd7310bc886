"""Bounds of the rounding error of the network's forward pass, for any order of additions.

They are a priori bounds in the manner of N. J. Higham, *Accuracy and Stability of Numerical
Algorithms* (2nd edition, 2002), chapter 3: a sum of n products has an error of at most gamma_n
times the sum of their absolute values, with gamma_n = n u / (1 - n u) and u the unit roundoff
(2^-24 in single precision, 2^-53 in double). They assume of the arithmetic:

* additions, multiplications and divisions are rounded to nearest in the dtype of the weights (no
  TF32, no bfloat16, no Winograd convolutions); products and sums may be fused and come in any
  order; results below the smallest normal number may be flushed to zero. Where a sum of absolute
  values is too large for the dtype, the bound is infinite;
* exp and SiLU are off by at most ``EXP_ULPS`` units in the last place (the fused attention of
  torch's CPU kernels states 20, other kernels 1 or 2);
* attention is softmax(q k^T / sqrt(D)) v, whole or in blocks of at least ``BLOCK_KEYS`` keys with a
  running maximum.

The bounds are themselves computed in double precision from sums of positive terms, so that
``SLACK`` covers their own rounding. Axes: T cells, D width, U hidden units.
"""

import math
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Tensor

from tokoban.systems.life.model import LifeNet
from tokoban.transformer import GridPositions

EXP_ULPS = 32
BLOCK_KEYS = 32
SLACK = 1.001
STEEPEST = 1.1  # |SiLU'| is at most 1.0998...


class Rounded(NamedTuple):
    """Exact numbers, and bounds of the error of the computed ones."""

    exact: Float[Tensor, "*axes"]
    error: Float[Tensor, "*axes"]


class Arithmetic:
    """Error bounds of operations in floating-point numbers of ``dtype``."""

    def __init__(self, dtype: torch.dtype) -> None:
        info = torch.finfo(dtype)
        self.unit, self.tiny, self.largest = info.eps / 2, info.tiny, info.max / 2

    def gamma(self, num_operations: int) -> float:
        """The relative error of ``num_operations`` roundings; infinite where it has no bound."""
        product = num_operations * self.unit
        return product / (1 - product) if product < 1 else math.inf

    @property
    def elementary(self) -> float:
        """Bounds of the relative error of exp and of SiLU."""
        return 2 * EXP_ULPS * self.unit

    def plus(self, x: Rounded, y: Rounded) -> Rounded:
        """The sum, rounded once."""
        exact, error = x.exact + y.exact, x.error + y.error
        size = exact.abs() + error
        return Rounded(exact, self._unless_overflow(size, error + self.unit * size + self.tiny))

    def times_matrix(self, x: Rounded, matrix: Float[Tensor, "num_outputs num_inputs"]) -> Rounded:
        """``nn.Linear`` without a bias; the matrix itself is exact."""
        sizes, num_inputs = matrix.abs().T, matrix.shape[1]
        computed = x.exact.abs() + x.error + self.tiny
        size = computed @ sizes
        error = (x.error + self.tiny) @ sizes + self.gamma(num_inputs) * size
        underflow = self.tiny * (2 * num_inputs + computed.sum(-1, keepdim=True))
        return Rounded(x.exact @ matrix.T, self._unless_overflow(size, error + underflow))

    def scores(self, keys: Rounded, query: Rounded) -> Rounded:
        """Scalar products, divided by sqrt(D), of keys [2, T, D] with one query [D]."""
        width = keys.exact.shape[-1]
        key_sizes, query_sizes = keys.exact.abs() + keys.error, query.exact.abs() + query.error
        size = key_sizes @ query_sizes
        # Eight more: sqrt(D) or its root, and multiplying by them the query, the key or both.
        error = (
            keys.exact.abs() @ query.error + keys.error @ query_sizes + self.gamma(width + 8) * size
        )
        underflow = 2 * width * self.tiny * (1 + key_sizes.sum(-1) + query_sizes.sum())
        scale = 1 / math.sqrt(width)
        error = self._unless_overflow(size, error * scale + underflow)
        return Rounded(keys.exact @ query.exact * scale, error)

    def softmax_weights(self, scores: Rounded) -> Float[Tensor, "2 T"]:
        """The relative error of each attention weight, up to a common factor.

        A weight is exp(score - maximum), multiplied once for each block of keys that follows.
        """
        spread = scores.exact.max() - scores.exact.min() + 2 * scores.error.max()
        num_blocks = math.ceil(scores.exact.shape[1] / BLOCK_KEYS)
        # (1 + a)^n exp(b) - 1, without losing digits where it is small.
        factors = (1 + num_blocks) * math.log1p(self.elementary + 4 * self.unit)
        return (scores.error + 2 * self.unit * spread + factors).expm1()

    def _unless_overflow(
        self, size: Float[Tensor, "*axes"], error: Float[Tensor, "*axes"]
    ) -> Float[Tensor, "*axes"]:
        """The error, infinite where a number of this size may overflow."""
        return torch.where(size < self.largest, error, math.inf)

    def attention_mean(self, num_keys: int) -> float:
        """The error of a weighted mean over the keys, relative to that of the absolute values."""
        num_blocks = math.ceil(num_keys / BLOCK_KEYS)
        return self.gamma(2 * (num_keys + num_blocks) + 6)


class AttentionErrors(NamedTuple):
    """Rounding errors of the attention of one cell."""

    weights: Float[Tensor, "2 T"]  # up to a common factor; the largest weight is 1
    mixed: Float[Tensor, "D"]  # of the head's input, given exact weights
    head: "HeadErrors"
    unit: float  # the unit roundoff


class HeadErrors(NamedTuple):
    """Errors of the head itself, in the inputs of its hidden units and in the logit."""

    inputs: Float[Tensor, "U"]
    logit: Float[Tensor, ""]


def token_vectors(model: LifeNet, arithmetic: Arithmetic) -> Rounded:
    """The vector of each cell, dead and alive [2, T, D]."""
    states = model.states[:, None]
    zeros = torch.zeros_like(states)
    positions = model.position_vectors().flatten(0, 1)
    error = torch.zeros_like(positions)
    if isinstance(model.places, GridPositions):  # rows and columns are added first
        error = arithmetic.unit * positions.abs() + arithmetic.tiny
    return arithmetic.plus(Rounded(states, zeros), Rounded(positions, error))


def attention_errors(
    model: LifeNet, arithmetic: Arithmetic, *, token: Rounded, scores: Rounded, values: Rounded
) -> AttentionErrors:
    """The errors of a cell with the vector ``token`` [D], scores [2, T] and values [2, T, D]."""
    weights = (scores.exact - scores.exact.max()).exp()
    value_sizes = (values.exact.abs() + values.error).amax((0, 1))
    mean_error = arithmetic.attention_mean(scores.exact.shape[1]) * value_sizes
    # A weighted mean is no larger than the largest value, whatever the weights are.
    attended = Rounded(value_sizes, values.error.amax((0, 1)) + mean_error + 9 * arithmetic.tiny)
    mixed = arithmetic.plus(Rounded(token.exact.abs(), token.error), attended)
    return AttentionErrors(
        weights=weights * arithmetic.softmax_weights(scores) + arithmetic.tiny,
        mixed=mixed.error,
        head=head_errors(model, arithmetic, mixed.exact + mixed.error),
        unit=arithmetic.unit,
    )


def head_errors(model: LifeNet, arithmetic: Arithmetic, sizes: Float[Tensor, "D"]) -> HeadErrors:
    """The errors for a computed input of at most these absolute values."""
    zeros = torch.zeros_like(sizes)
    hidden = arithmetic.times_matrix(Rounded(sizes, zeros), model.hidden.weight.abs())
    inputs = hidden.exact + hidden.error
    residual = sizes + inputs  # |SiLU(x)| is at most |x|
    error = arithmetic.elementary * inputs + arithmetic.unit * residual + 2 * arithmetic.tiny
    answer = arithmetic.times_matrix(Rounded(residual, error), model.answer.weight.abs())
    return HeadErrors(hidden.error, answer.error[0])
