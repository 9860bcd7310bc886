"""Is it right everywhere? Each of the 512 neighbourhoods at each cell: checked, attacked, proved.

There are 2^(H * W) grids, but the right answer for a cell depends on nine cells. A *case* is a cell
with one of their 512 states: 131,072 on a torus of 16 x 16. It is checked with the far cells drawn
at random, and proved by a bound on the logit over all states of the far cells.

What attention tells a cell is a weighted mean: a = sum_j w_j v_j / sum_j w_j, where the weight w_j
and the value v_j of cell j depend on the states of j and of the cell that asks alone. A far cell
brings (w_j, w_j v_j) in one of two versions: their mean, plus or minus half their difference
(e_j, g_j). Let c be the quotient with all far cells at their means. Then exactly

    a - c  =  sum_j ±(g_j - c e_j) / sum_j w_j,

and so along any direction d:  |d a - d c|  <=  sum_j |d g_j - (d c) e_j| / (the least sum of w_j).

The inputs of the hidden units are bounded so, one direction each. Around c each SiLU is a straight
line, but for half its second derivative times the square of how far its input goes; the lines of
all units and the skip connection together are one direction more. The signs ± that are worst along
it are a grid, on which the network is tried. Where neither helps, the heaviest far cells are taken
in each of their states, one by one.

This bounds the logit in exact arithmetic on the given weights. Two rounding errors are subtracted
from it: that of the computation of the bound, in double precision, and that of the forward pass of
the network in the precision of its weights. Both are bounded themselves, under the assumptions on
arithmetic that ``rounding`` lists. So a proved case is right as the network runs on any machine
that meets the assumptions, in whatever order it adds.

Axes: P cases of one cell, N known cells (the nine at first), T cells, F far cells,
U hidden units, D width, K nodes.
"""

import copy
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import torch
from jaxtyping import Bool, Float, Int64
from torch import Tensor

from tokoban.systems.life.dataset import random_grids
from tokoban.systems.life.model import GridAttention, LifeNet
from tokoban.systems.life.rounding import (
    SLACK,
    STEEPEST,
    Arithmetic,
    AttentionErrors,
    Rounded,
    attention_errors,
    forward_error_without_attention,
    token_vectors,
)
from tokoban.systems.life.rules import Rule, step

MIDDLE = 4  # of the nine cells of a pattern, row by row

# SiLU's second derivative is even. It falls from 0.5 at 0 to its least value near 3.4358, and then
# rises towards 0 without reaching it. The first number is less than that place, the second less
# than that value.
_FALLS_UNTIL, _LOWEST = 3.4, -0.036915

_NUM_NODES = 17  # of a chord
_MOST_BRANCHES = 2**15  # at a time
_DOUBLE = Arithmetic(torch.double)  # of the proof
_LEAST_SUM = 1e-100  # of weights of which the largest is 1

_NUM_BRANCHED = (3, 6, 9, 12)  # far cells of which each state is taken, in rounds


@dataclass(frozen=True)
class Certificate:
    """Counts of cases; a margin is by how much a logit lies on the right side of 0.

    What is drawn and attacked is computed in double precision. ``proved`` is of the network as it
    runs, ``proved_exactly`` of exact arithmetic on its weights.
    """

    num_cases: int
    num_wrong: int  # with any of the surroundings that were drawn
    least_margin: float  # over all that were drawn
    num_refuted: int  # with the surroundings that seemed worst
    least_attacked_margin: float
    num_proved: int
    least_proved_margin: float  # at least this with all surroundings; unknown where not above 0
    num_proved_exactly: int
    least_margin_proved_exactly: float
    largest_rounding_error: float  # of a logit: no forward pass is further from the exact one


class Margins(NamedTuple):
    """The margins of some cases, and what rounding may take of them.

    ``exact`` and ``proved`` are lower bounds over all surroundings: in exact arithmetic, and as the
    network runs.
    """

    drawn: Float[Tensor, "P"]
    attacked: Float[Tensor, "P"]
    exact: Float[Tensor, "P"]
    proved: Float[Tensor, "P"]
    rounding: Float[Tensor, "P"]


def certify(
    model: LifeNet, rule: Rule, *, densities: Sequence[float | None], seed: int = 0
) -> Certificate:
    """Proves what it can, and checks each case once for each density of the far cells.

    A density of None is another one for each case, from 0 to 1.
    """
    found = list(margins(model, rule, densities=densities, seed=seed))
    all_cases = Margins(*(torch.cat(each) for each in zip(*found, strict=True)))
    return Certificate(
        num_cases=len(all_cases.proved),
        num_wrong=int((~(all_cases.drawn > 0)).sum()),  # not a number is wrong too
        least_margin=all_cases.drawn.min().item(),
        num_refuted=int((~(all_cases.attacked > 0)).sum()),
        least_attacked_margin=all_cases.attacked.min().item(),
        num_proved=int((all_cases.proved > 0).sum()),
        least_proved_margin=all_cases.proved.min().item(),
        num_proved_exactly=int((all_cases.exact > 0).sum()),
        least_margin_proved_exactly=all_cases.exact.min().item(),
        largest_rounding_error=all_cases.rounding.max().item(),
    )


def count_cases(model: LifeNet) -> int:
    """Of each cell 512, of which a network without attention knows only one."""
    return 2**9 * (model.side**2 if isinstance(model.mixing, GridAttention) else 1)


def margins(
    model: LifeNet, rule: Rule, *, densities: Sequence[float | None], seed: int = 0
) -> Iterator[Margins]:
    """Those of all cases, the 256 of one cell in one state at a time.

    Without attention an answer depends on nine cells by construction, on all tori alike: then there
    are 512 cases, and what holds is proved.
    """
    dtype = model.states.dtype
    model = copy.deepcopy(model).cpu().double().requires_grad_(False)
    if not isinstance(model.mixing, GridAttention):
        # The nine cells are a torus of their own, on which the middle one has all neighbours.
        nine = _all_states(9)
        answers = _margins(model(nine.unflatten(1, (3, 3)))[:, 1, 1], _truth(nine, rule))
        exact = answers - forward_error_without_attention(model, torch.double)
        rounding = torch.full_like(answers, forward_error_without_attention(model, dtype))
        yield Margins(answers, answers, exact, exact - rounding, rounding)
        return
    random = np.random.default_rng(seed)
    for asked in questions(model, dtype=dtype):
        lives = _truth(asked.states, rule)
        drawn = check(model, asked, lives, densities=densities, random=random)
        proof = prove(model, asked, lives)
        yield Margins(drawn, proof.attacked, proof.exact, proof.proved, proof.rounding)


class Asked(NamedTuple):
    """One cell in one state, how it sees the others in both, and what is known of them."""

    token: Float[Tensor, "D"]
    scores: Float[Tensor, "2 T"]
    weights: Float[Tensor, "2 T"]  # exp(scores), up to a common factor; the largest is 1
    values: Float[Tensor, "2 T D"]
    errors: AttentionErrors  # of the forward pass
    known: Int64[Tensor, "N"]  # places
    states: Bool[Tensor, "P N"]  # of the known cells, in each case

    @property
    def far(self) -> Int64[Tensor, "F"]:
        """The places of which nothing is known."""
        is_far = torch.ones(self.weights.shape[1], dtype=torch.bool)
        is_far[self.known] = False
        return is_far.nonzero()[:, 0]


def questions(model: LifeNet, *, dtype: torch.dtype = torch.float32) -> Iterator[Asked]:
    """All cases of every cell, those of one state of the cell together.

    The model is in double precision here; ``dtype`` is that of the forward pass whose errors are
    bounded.
    """
    mixing, side = model.mixing, model.side
    assert isinstance(mixing, GridAttention)
    arithmetic = Arithmetic(dtype)
    tokens = token_vectors(model, arithmetic)  # [2, T, D]
    queries, keys, values = (
        arithmetic.times_matrix(tokens, part.weight)
        for part in (mixing.attention.query, mixing.attention.key, mixing.attention.value)
    )
    nine, around = _all_states(9), torch.arange(-1, 2)
    for cell in range(side**2):
        rows, columns = ((place + around) % side for place in divmod(cell, side))
        for state in (0, 1):
            token, query = (
                Rounded(each.exact[state, cell], each.error[state, cell])
                for each in (tokens, queries)
            )
            scores = arithmetic.scores(keys, query)
            yield Asked(
                token=token.exact,
                scores=scores.exact,
                weights=(scores.exact - scores.exact.max()).exp(),
                values=values.exact,
                errors=attention_errors(
                    model, arithmetic, token=token, scores=scores, values=values
                ),
                known=(rows[:, None] * side + columns).flatten(),
                states=nine[nine[:, MIDDLE] == bool(state)],
            )


def logits(model: LifeNet, asked: Asked, grids: Bool[Tensor, "P T"]) -> Float[Tensor, "P"]:
    """The model's answers for the asked cell in these grids."""
    weights = torch.where(grids, asked.scores[1], asked.scores[0]).softmax(1)  # [P, T]
    heard = (weights * grids) @ asked.values[1] + (weights * ~grids) @ asked.values[0]
    return model.judge(asked.token + heard)


def check(
    model: LifeNet,
    asked: Asked,
    lives: Bool[Tensor, "P"],
    *,
    densities: Sequence[float | None],
    random: np.random.Generator,
) -> Float[Tensor, "P"]:
    """The least margin of each case in a grid of each density."""
    margins = []
    for density in densities:
        drawn = random_grids(len(lives), side=model.side, density=density, random=random)
        grids = drawn.flatten(1)
        grids[:, asked.known] = asked.states
        margins.append(_margins(logits(model, asked, grids), lives))
    return torch.stack(margins).amin(0)


class Proof(NamedTuple):
    """The margin of each case in the grid that seems worst, and lower bounds of it in all.

    ``exact`` is of exact arithmetic; ``rounding`` is what the forward pass may be off by.
    """

    attacked: Float[Tensor, "P"]
    exact: Float[Tensor, "P"]
    proved: Float[Tensor, "P"]
    rounding: Float[Tensor, "P"]


def prove(model: LifeNet, asked: Asked, lives: Bool[Tensor, "P"]) -> Proof:
    """Bounds the margins, and takes the heaviest far cells in each state where a bound is open."""
    bounds = bound_logits(model, asked)
    exact = bounds.margins(lives)
    proved = exact - bounds.rounding
    grids = torch.empty(len(lives), asked.weights.shape[1], dtype=torch.bool)
    grids[:, asked.known] = asked.states
    grids[:, asked.far] = (bounds.pull < 0) == lives[:, None]
    attacked = _margins(logits(model, asked, grids), lives)
    for num_branched in _NUM_BRANCHED:
        # No branch proves more than the attack has left.
        is_open = (proved <= 0) & (attacked > bounds.rounding)
        num_open, splits = int(is_open.sum()), _all_states(min(num_branched, len(asked.far)))
        if not 0 < num_open * len(splits) <= _MOST_BRANCHES:
            break
        heaviest = bounds.pull[is_open].abs().sum(0).topk(splits.shape[1]).indices
        branches = asked._replace(
            known=torch.cat([asked.known, asked.far[heaviest]]),
            states=torch.cat(
                [
                    asked.states[is_open].repeat_interleave(len(splits), 0),
                    splits.repeat(num_open, 1),
                ],
                dim=1,
            ),
        )
        rounding, lives_then = (
            of_case[is_open].repeat_interleave(len(splits), 0)
            for of_case in (bounds.rounding, lives)
        )
        margins = bound_logits(model, branches, rounding=rounding).margins(lives_then)
        for bound, branched in ((exact, margins), (proved, margins - rounding)):
            least = branched.unflatten(0, (num_open, len(splits))).amin(1)
            bound[is_open] = torch.maximum(bound[is_open], least)
    return Proof(attacked, exact, proved, bounds.rounding)


class Bounds(NamedTuple):
    """What the logit of each case can be, whatever the far cells are, in exact arithmetic."""

    low: Float[Tensor, "P"]
    high: Float[Tensor, "P"]
    pull: Float[Tensor, "P F"]  # above 0: a far cell raises the logit by living, in first order
    rounding: Float[Tensor, "P"]  # the forward pass is no further from the exact logit

    def margins(self, lives: Bool[Tensor, "P"]) -> Float[Tensor, "P"]:
        """Lower bounds of the margins, where these are the right answers."""
        return torch.where(lives, self.low, -self.high)


def bound_logits(
    model: LifeNet, asked: Asked, *, rounding: Float[Tensor, "P"] | None = None
) -> Bounds:
    """Bounds by the argument in this file's first lines, whose letters c, e and g are used here.

    ``rounding`` is that of the forward pass where it is known, as it is of branches of a case.
    """
    weights = asked.weights[:, asked.far]
    weighted = weights[..., None] * asked.values[:, asked.far]  # [2, F, D]
    e, g = (weights[1] - weights[0]) / 2, (weighted[1] - weighted[0]) / 2
    states = asked.states.long()
    known_weights = asked.weights[states, asked.known]  # [P, N]
    known = torch.einsum("pn,pnd->pd", known_weights, asked.values[states, asked.known])
    mean_sum = known_weights.sum(1, keepdim=True) + weights.mean(0).sum()
    least_sum = known_weights.sum(1, keepdim=True) + weights.amin(0).sum()
    # Where the weights are smaller than this, they have lost their digits to underflow.
    has_digits = least_sum[:, 0] > _LEAST_SUM
    mean_sum, least_sum = (each.clamp_min(_LEAST_SUM) for each in (mean_sum, least_sum))
    c = (known + weighted.mean(0).sum(0)) / mean_sum  # [P, D]

    hidden, answer = model.hidden.weight, model.answer.weight[0]
    own = _OwnErrors(model, asked, far_share=weights.amax(0).sum() / least_sum)
    inputs = (asked.token + c) @ hidden.T  # [P, U]
    reach = _swings(g @ hidden.T, e, c @ hidden.T) / least_sum + own.reach
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
    middle = model.judge(asked.token + c)

    if rounding is None:
        expansion = _Expansion(
            c, line, slopes, swing, reach, torch.maximum(most, -least), least_sum
        )
        rounding = _rounding(model, asked, expansion)
    uses_slopes = (answer.abs() * (1 + inputs.abs()) * reach).sum(1)
    error = own.logit + own.gamma * (uses_slopes + above - below)
    # The same tables in double precision: each term of their error is a convex function of the unit
    # roundoff, and 0 where that is 0.
    error = error + rounding * min(1.0, _DOUBLE.unit / asked.errors.unit)
    low, high = middle - swing + below - error, middle + swing + above + error
    # Not where a number was too large for double precision, either.
    is_known = has_digits & low.isfinite() & high.isfinite()
    return Bounds(
        torch.where(is_known, low, -math.inf),
        torch.where(is_known, high, math.inf),
        pull,
        rounding,
    )


class _OwnErrors:
    """Rounding errors of the bound itself, where the tables of ``Asked`` are taken as exact.

    Every number of the bound is a sum of products, of fewer terms than ``num_terms`` in each step
    and in few steps. Such a sum of terms of at most these sizes has an error of at most ``gamma``
    times the sum of the sizes: |x| of the token, A of the largest value, which also bounds c and
    the attention's answer, and |g| <= w A, |e| <= w for far weights w, whose sum is at most
    ``far_share`` of the least sum of weights.
    """

    def __init__(self, model: LifeNet, asked: Asked, *, far_share: Float[Tensor, "P 1"]) -> None:
        hidden, answer = model.hidden.weight.abs(), model.answer.weight[0].abs()
        num_terms = asked.weights.shape[1] + hidden.shape[0] + hidden.shape[1]
        self.gamma = _DOUBLE.gamma(4 * (num_terms + 256))
        values = asked.values.abs().amax((0, 1))
        near, far = asked.token.abs() + 2 * values, 4 * values
        self.reach = self.gamma * (hidden @ near + far_share * (hidden @ far))  # [P, U]
        sizes = answer + STEEPEST * answer @ hidden  # at least |line|
        # The last term is for underflow, far above the least number times 1 / _LEAST_SUM.
        self.logit = 4 * self.gamma * (sizes @ near + far_share[:, 0] * (sizes @ far)) + 1e-200


class _Expansion(NamedTuple):
    """The logit around c: what ``bound_logits`` knows of it, in its words."""

    c: Float[Tensor, "P D"]
    line: Float[Tensor, "P D"]
    slopes: Float[Tensor, "P U"]
    swing: Float[Tensor, "P"]
    reach: Float[Tensor, "P U"]
    curvature: Float[Tensor, "P U"]  # of SiLU, the largest absolute value
    least_sum: Float[Tensor, "P 1"]


def _rounding(model: LifeNet, asked: Asked, around: _Expansion) -> Float[Tensor, "P"]:
    """How far the forward pass may be from the exact logit, whatever the far cells are.

    Errors dw_j of the weights move the mean a by sum_j dw_j (v_j - a) / sum_j (w_j + dw_j). How far
    along the line of first order, and along each hidden unit's inputs, follows from the v_j - c
    and from how far a can be from c. All other errors are bounded component by component.
    """
    errors, (hidden, answer) = asked.errors, (model.hidden.weight, model.answer.weight[0])
    far_errors = errors.weights[:, asked.far].amax(0)  # [F]
    far_sizes = far_errors @ asked.values[:, asked.far].abs().amax(0)  # [D]
    along_line = around.line.abs() @ far_sizes
    along_units = (hidden.abs() @ far_sizes).expand_as(around.reach)
    line_c, units_c = (around.line * around.c).sum(1), around.c @ hidden.T
    along_line = along_line + far_errors.sum() * line_c.abs()
    along_units = along_units + far_errors.sum() * units_c.abs()
    error_sum = far_errors.sum().expand_as(line_c)
    values = asked.values[:, asked.known]  # [2, N, D]
    line_moves = (values @ around.line.T - line_c).abs()  # [2, N, P]
    unit_values, cases = values @ hidden.T, torch.arange(len(line_c))
    for number, state in enumerate(asked.states.long().T):
        error = errors.weights[state, asked.known[number]]  # [P]
        error_sum = error_sum + error
        along_line = along_line + error * line_moves[state, number, cases]
        along_units = along_units + error[:, None] * (unit_values[state, number] - units_c).abs()
    least_sum = around.least_sum[:, 0]
    share = error_sum / least_sum
    along_line = (along_line / least_sum + share * around.swing) / (1 - share)
    along_units = along_units / around.least_sum + share[:, None] * around.reach
    along_units = along_units / (1 - share)[:, None]

    moves = along_units + hidden.abs() @ errors.mixed + errors.judge.inputs  # [P, U]
    # The third derivative of SiLU is at most 0.31.
    bends = (around.curvature + moves / 2) * (around.reach + moves) * moves
    rounding = (
        along_line
        + around.line.abs() @ errors.mixed
        + (answer * around.slopes).abs() @ errors.judge.inputs
        + bends @ answer.abs()
        + errors.judge.logit
    )
    return torch.where((share < 0.5) & rounding.isfinite(), SLACK * rounding, math.inf)


def _swings(
    g: Float[Tensor, "F U"], e: Float[Tensor, "F"], c: Float[Tensor, "P U"]
) -> Float[Tensor, "P U"]:
    """At least sum_f |g_fu - c_pu e_f|, and very little more.

    It is convex in c, so that it lies below its chords: a few nodes serve all cases.
    """
    low, high = c.amin(0), c.amax(0)
    nodes = torch.lerp(low, high, torch.linspace(0, 1, _NUM_NODES, dtype=c.dtype)[:, None])
    heights = (g - nodes[:, None] * e[:, None]).abs().sum(1)  # [K, U]
    place = (c - low) / (high - low).clamp_min(1e-300) * (_NUM_NODES - 1)
    left = place.long().clamp_max(_NUM_NODES - 2)
    return torch.lerp(heights.gather(0, left), heights.gather(0, left + 1), place - left)


def _silu_curvature(x: Float[Tensor, "P U"]) -> Float[Tensor, "P U"]:
    """The second derivative."""
    y = x.sigmoid()
    return y * (1 - y) * (2 + x * (1 - 2 * y))


def _all_states(num_cells: int) -> Bool[Tensor, "all_states cells"]:
    bits = torch.arange(2**num_cells)[:, None] >> torch.arange(num_cells)
    return (bits & 1).bool()


def _truth(nine: Bool[Tensor, "P 9"], rule: Rule) -> Bool[Tensor, "P"]:
    return step(nine.unflatten(1, (3, 3)), rule)[:, 1, 1]


def _margins(logits: Float[Tensor, "P"], lives: Bool[Tensor, "P"]) -> Float[Tensor, "P"]:
    return torch.where(lives, logits, -logits)
