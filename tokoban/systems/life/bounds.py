"""Bounds on the logit of a cell over all states of the far cells.

Attention gives the cell a weighted mean: a = sum_j w_j v_j / sum_j w_j, where the weight w_j and
the value v_j of cell j depend on the states of j and of the cell itself only. A far cell
contributes (w_j, w_j v_j) in one of two versions: their mean, plus or minus half their difference
(e_j, g_j).
Let c be the quotient with all far cells at their means. Then exactly

    a - c  =  sum_j ±(g_j - c e_j) / sum_j w_j,

and so along any direction d:  |d a - d c|  <=  sum_j |d g_j - (d c) e_j| / (the least sum of w_j).

This bounds the input of each hidden unit. Around c each SiLU is replaced by its tangent, with an
error of at most half its second derivative times the square of the input's range; the tangents of
all units and the skip connection together are one direction more. Linear bounds of this kind:
CROWN (Zhang et al. 2018, arXiv:1811.00866).

The bound holds in exact arithmetic on the given weights. Two rounding errors are subtracted from
it: that of computing the bound, in double precision, and that of the forward pass in the precision
of the weights. Both are bounded under the assumptions on arithmetic that ``rounding`` lists.

Axes: P cases of one cell, N known cells, T cells, F far cells, U hidden units, D width, K nodes.
"""

import math
from typing import NamedTuple

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from tokoban.systems.life.cell_cases import CellCases
from tokoban.systems.life.model import LifeNet
from tokoban.systems.life.rounding import SLACK, STEEPEST, Arithmetic

# SiLU's second derivative is even. It falls from 0.5 at 0 to its least value near 3.4358, and then
# rises towards 0 without reaching it. The first number is less than that place, the second less
# than that value.
_FALLS_UNTIL, _LOWEST = 3.4, -0.036915

_NUM_NODES = 17  # of a chord
_DOUBLE = Arithmetic(torch.double)  # of the proof
_LEAST_SUM = 1e-100  # of weights of which the largest is 1


class LogitBounds(NamedTuple):
    """Bounds of each case's logit over all states of the far cells, in exact arithmetic."""

    low: Float[Tensor, "P"]
    high: Float[Tensor, "P"]
    pull: Float[Tensor, "P F"]  # above 0: a living far cell raises the logit, to first order
    rounding: Float[Tensor, "P"]  # bound of the forward pass's error

    def margins(self, lives: Bool[Tensor, "P"]) -> Float[Tensor, "P"]:
        """Lower bounds of the margins, given the right answers."""
        return torch.where(lives, self.low, -self.high)


def bound_logits(
    model: LifeNet, cases: CellCases, *, rounding: Float[Tensor, "P"] | None = None
) -> LogitBounds:
    """The bounds of this module's docstring, with its letters c, e and g.

    ``rounding`` is the error of the forward pass if known, as it is for branches of a case.
    """
    weights = cases.weights[:, cases.far]
    weighted = weights[..., None] * cases.values[:, cases.far]  # [2, F, D]
    e, g = (weights[1] - weights[0]) / 2, (weighted[1] - weighted[0]) / 2
    states = cases.states.long()
    known_weights = cases.weights[states, cases.known]  # [P, N]
    known = torch.einsum("pn,pnd->pd", known_weights, cases.values[states, cases.known])
    mean_sum = known_weights.sum(1, keepdim=True) + weights.mean(0).sum()
    least_sum = known_weights.sum(1, keepdim=True) + weights.amin(0).sum()
    # Where the weights are smaller than this, they have lost their digits to underflow.
    has_digits = least_sum[:, 0] > _LEAST_SUM
    mean_sum, least_sum = (each.clamp_min(_LEAST_SUM) for each in (mean_sum, least_sum))
    c = (known + weighted.mean(0).sum(0)) / mean_sum  # [P, D]

    hidden, answer = model.hidden.weight, model.answer.weight[0]
    own = _BoundErrors(model, cases, far_share=weights.amax(0).sum() / least_sum)
    inputs = (cases.token + c) @ hidden.T  # [P, U]
    reach = _range_by_chords(g @ hidden.T, e, c @ hidden.T) / least_sum + own.reach
    slopes = inputs.sigmoid() * (1 + inputs * (1 - inputs.sigmoid()))
    line = answer + (answer * slopes) @ hidden  # [P, D]: a direction for each case
    pull = (line @ g.T - (line * c).sum(1, keepdim=True) * e) / least_sum  # [P, F]
    swing = pull.abs().sum(1)

    nearest, farthest = (inputs.abs() - reach).clamp_min(0), inputs.abs() + reach
    curvature_error = own.gamma * (1 + farthest)
    # An input may also stay where it is, so that the term of second order may be 0.
    most = _silu_curvature(nearest).clamp_min(0) + curvature_error
    least = torch.where(farthest < _FALLS_UNTIL, _silu_curvature(farthest), _LOWEST).clamp_max(0)
    least -= curvature_error
    bend = reach**2 / 2
    above = (bend * (answer.clamp_min(0) * most + answer.clamp_max(0) * least)).sum(1)
    below = (bend * (answer.clamp_min(0) * least + answer.clamp_max(0) * most)).sum(1)
    middle = model.classify(cases.token + c)

    if rounding is None:
        expansion = _Expansion(
            c, line, slopes, swing, reach, torch.maximum(most, -least), least_sum
        )
        rounding = _forward_error(model, cases, expansion)
    uses_slopes = (answer.abs() * (1 + inputs.abs()) * reach).sum(1)
    error = own.logit + own.gamma * (uses_slopes + above - below)
    # The same tables in double precision: each term of their error is a convex function of the unit
    # roundoff, and 0 where that is 0.
    error = error + rounding * min(1.0, _DOUBLE.unit / cases.errors.unit)
    low, high = middle - swing + below - error, middle + swing + above + error
    # Not where a number was too large for double precision, either.
    is_valid = has_digits & low.isfinite() & high.isfinite()
    return LogitBounds(
        torch.where(is_valid, low, -math.inf),
        torch.where(is_valid, high, math.inf),
        pull,
        rounding,
    )


class _BoundErrors:
    """Rounding errors of the bound itself, given the tables of ``CellCases`` as exact.

    Every number of the bound is a sum of products, of fewer terms than ``num_terms`` in each step
    and in few steps. Such a sum of terms of at most these sizes has an error of at most ``gamma``
    times the sum of the sizes: |x| of the token, A of the largest value, which also bounds c and
    the attention's answer, and |g| <= w A, |e| <= w for far weights w, whose sum is at most
    ``far_share`` of the least sum of weights.
    """

    def __init__(
        self, model: LifeNet, cases: CellCases, *, far_share: Float[Tensor, "P 1"]
    ) -> None:
        hidden, answer = model.hidden.weight.abs(), model.answer.weight[0].abs()
        num_terms = cases.weights.shape[1] + hidden.shape[0] + hidden.shape[1]
        self.gamma = _DOUBLE.gamma(4 * (num_terms + 256))
        values = cases.values.abs().amax((0, 1))
        near, far = cases.token.abs() + 2 * values, 4 * values
        self.reach = self.gamma * (hidden @ near + far_share * (hidden @ far))  # [P, U]
        sizes = answer + STEEPEST * answer @ hidden  # at least |line|
        # The last term is for underflow, far above the least number times 1 / _LEAST_SUM.
        self.logit = 4 * self.gamma * (sizes @ near + far_share[:, 0] * (sizes @ far)) + 1e-200


class _Expansion(NamedTuple):
    """The expansion of the logit around c, in the names of ``bound_logits``."""

    c: Float[Tensor, "P D"]
    line: Float[Tensor, "P D"]
    slopes: Float[Tensor, "P U"]
    swing: Float[Tensor, "P"]
    reach: Float[Tensor, "P U"]
    curvature: Float[Tensor, "P U"]  # of SiLU, the largest absolute value
    least_sum: Float[Tensor, "P 1"]


def _forward_error(model: LifeNet, cases: CellCases, around: _Expansion) -> Float[Tensor, "P"]:
    """A bound of the forward pass's rounding error over all states of the far cells.

    Errors dw_j of the weights move the mean a by sum_j dw_j (v_j - a) / sum_j (w_j + dw_j). Its
    effect on the line of first order and on the hidden units' inputs follows from the v_j - c and
    from the distance of a from c. All other errors are bounded component by component.
    """
    errors, (hidden, answer) = cases.errors, (model.hidden.weight, model.answer.weight[0])
    far_errors = errors.weights[:, cases.far].amax(0)  # [F]
    far_sizes = far_errors @ cases.values[:, cases.far].abs().amax(0)  # [D]
    along_line = around.line.abs() @ far_sizes
    along_units = (hidden.abs() @ far_sizes).expand_as(around.reach)
    line_c, units_c = (around.line * around.c).sum(1), around.c @ hidden.T
    along_line = along_line + far_errors.sum() * line_c.abs()
    along_units = along_units + far_errors.sum() * units_c.abs()
    error_sum = far_errors.sum().expand_as(line_c)
    values = cases.values[:, cases.known]  # [2, N, D]
    line_moves = (values @ around.line.T - line_c).abs()  # [2, N, P]
    unit_values, rows = values @ hidden.T, torch.arange(len(line_c))
    for number, state in enumerate(cases.states.long().T):
        error = errors.weights[state, cases.known[number]]  # [P]
        error_sum = error_sum + error
        along_line = along_line + error * line_moves[state, number, rows]
        along_units = along_units + error[:, None] * (unit_values[state, number] - units_c).abs()
    least_sum = around.least_sum[:, 0]
    share = error_sum / least_sum
    along_line = (along_line / least_sum + share * around.swing) / (1 - share)
    along_units = along_units / around.least_sum + share[:, None] * around.reach
    along_units = along_units / (1 - share)[:, None]

    moves = along_units + hidden.abs() @ errors.mixed + errors.head.inputs  # [P, U]
    # The third derivative of SiLU is at most 0.31.
    bends = (around.curvature + moves / 2) * (around.reach + moves) * moves
    rounding = (
        along_line
        + around.line.abs() @ errors.mixed
        + (answer * around.slopes).abs() @ errors.head.inputs
        + bends @ answer.abs()
        + errors.head.logit
    )
    return torch.where((share < 0.5) & rounding.isfinite(), SLACK * rounding, math.inf)


def _range_by_chords(
    g: Float[Tensor, "F U"], e: Float[Tensor, "F"], c: Float[Tensor, "P U"]
) -> Float[Tensor, "P U"]:
    """A tight upper bound of sum_f |g_fu - c_pu e_f|.

    The sum is convex in c and so lies below its chords: a few nodes serve all cases.
    """
    low, high = c.amin(0), c.amax(0)
    nodes = torch.lerp(low, high, torch.linspace(0, 1, _NUM_NODES, dtype=c.dtype)[:, None])
    heights = (g - nodes[:, None] * e[:, None]).abs().sum(1)  # [K, U]
    place = (c - low) / (high - low).clamp_min(1e-300) * (_NUM_NODES - 1)
    left = place.long().clamp_max(_NUM_NODES - 2)
    return torch.lerp(heights.gather(0, left), heights.gather(0, left + 1), place - left)


def _silu_curvature(x: Float[Tensor, "P U"]) -> Float[Tensor, "P U"]:
    """The second derivative of SiLU."""
    y = x.sigmoid()
    return y * (1 - y) * (2 + x * (1 - 2 * y))
