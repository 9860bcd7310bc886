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
in each of their states, one by one. The bound is of exact arithmetic on the given weights, and is
computed in double precision.

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
from tokoban.systems.life.rules import Rule, step

MIDDLE = 4  # of the nine cells of a pattern, row by row

# SiLU's second derivative falls from 0.5 at 0 to its least value here, on both sides, and then
# rises towards 0 without reaching it.
_LOWEST_AT, _LOWEST = 3.4359, -0.036915

_NUM_NODES = 17  # of a chord
_MOST_BRANCHES = 2**15  # at a time
_NUM_BRANCHED = (3, 6, 9, 12)  # far cells of which each state is taken, in rounds


@dataclass(frozen=True)
class Certificate:
    """Counts of cases; a margin is by how much a logit lies on the right side of 0."""

    num_cases: int
    num_wrong: int  # with any of the surroundings that were drawn
    least_margin: float  # over all that were drawn
    num_refuted: int  # with the surroundings that seemed worst
    least_attacked_margin: float
    num_proved: int
    least_proved_margin: float  # at least this with all surroundings; unknown where not above 0


class Margins(NamedTuple):
    """The margins of some cases: the least that were drawn, of the attack, and proved for all."""

    drawn: Float[Tensor, "P"]
    attacked: Float[Tensor, "P"]
    proved: Float[Tensor, "P"]


def certify(
    model: LifeNet, rule: Rule, *, densities: Sequence[float | None], seed: int = 0
) -> Certificate:
    """Proves what it can, and checks each case once for each density of the far cells.

    A density of None is another one for each case, from 0 to 1.
    """
    found = list(margins(model, rule, densities=densities, seed=seed))
    drawn, attacked, proved = (torch.cat(each) for each in zip(*found, strict=True))
    return Certificate(
        num_cases=len(proved),
        num_wrong=int((drawn <= 0).sum()),
        least_margin=drawn.min().item(),
        num_refuted=int((attacked <= 0).sum()),
        least_attacked_margin=attacked.min().item(),
        num_proved=int((proved > 0).sum()),
        least_proved_margin=proved.min().item(),
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
    model = copy.deepcopy(model).cpu().double().requires_grad_(False)
    if not isinstance(model.mixing, GridAttention):
        # The nine cells are a torus of their own, on which the middle one has all neighbours.
        nine = _all_states(9)
        answers = _margins(model(nine.unflatten(1, (3, 3)))[:, 1, 1], _truth(nine, rule))
        yield Margins(answers, answers, answers)
        return
    random = np.random.default_rng(seed)
    for asked in questions(model):
        lives = _truth(asked.states, rule)
        drawn = check(model, asked, lives, densities=densities, random=random)
        yield Margins(drawn, *prove(model, asked, lives))


class Asked(NamedTuple):
    """One cell in one state, how it sees the others in both, and what is known of them."""

    token: Float[Tensor, "D"]
    weights: Float[Tensor, "2 T"]  # of attention, up to a common factor
    values: Float[Tensor, "2 T D"]
    known: Int64[Tensor, "N"]  # places
    states: Bool[Tensor, "P N"]  # of the known cells, in each case

    @property
    def far(self) -> Int64[Tensor, "F"]:
        """The places of which nothing is known."""
        is_far = torch.ones(self.weights.shape[1], dtype=torch.bool)
        is_far[self.known] = False
        return is_far.nonzero()[:, 0]


def questions(model: LifeNet) -> Iterator[Asked]:
    """All cases of every cell, those of one state of the cell together."""
    mixing, side = model.mixing, model.side
    assert isinstance(mixing, GridAttention)
    tokens = model.states[:, None] + model.place_vectors().flatten(0, 1)  # [2, T, D]
    keys, values = mixing.attention.key(tokens), mixing.attention.value(tokens)
    queries = mixing.attention.query(tokens) / math.sqrt(tokens.shape[-1])
    nine, around = _all_states(9), torch.arange(-1, 2)
    for cell in range(side**2):
        rows, columns = ((place + around) % side for place in divmod(cell, side))
        for state in (0, 1):
            scores = keys @ queries[state, cell]
            yield Asked(
                token=tokens[state, cell],
                weights=(scores - scores.max()).exp(),
                values=values,
                known=(rows[:, None] * side + columns).flatten(),
                states=nine[nine[:, MIDDLE] == bool(state)],
            )


def logits(model: LifeNet, asked: Asked, grids: Bool[Tensor, "P T"]) -> Float[Tensor, "P"]:
    """The model's answers for the asked cell in these grids."""
    living, dead = grids * asked.weights[1], ~grids * asked.weights[0]  # [P, T]
    heard = living @ asked.values[1] + dead @ asked.values[0]
    return model.judge(asked.token + heard / (living + dead).sum(1, keepdim=True))


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


def prove(
    model: LifeNet, asked: Asked, lives: Bool[Tensor, "P"]
) -> tuple[Float[Tensor, "P"], Float[Tensor, "P"]]:
    """The margin of each case in the grid that seems worst, and a lower bound of it in all."""
    bounds = bound_logits(model, asked)
    least = torch.where(lives, bounds.low, -bounds.high)
    grids = torch.empty(len(lives), asked.weights.shape[1], dtype=torch.bool)
    grids[:, asked.known] = asked.states
    grids[:, asked.far] = (bounds.pull < 0) == lives[:, None]
    attacked = _margins(logits(model, asked, grids), lives)
    for num_branched in _NUM_BRANCHED:
        is_open = (least <= 0) & (attacked > 0)
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
        narrower = bound_logits(model, branches)
        lives_then = lives[is_open].repeat_interleave(len(splits), 0)
        margins = torch.where(lives_then, narrower.low, -narrower.high)
        least[is_open] = margins.unflatten(0, (num_open, len(splits))).amin(1)
    return attacked, least


class Bounds(NamedTuple):
    """What the logit of each case can be, whatever the far cells are."""

    low: Float[Tensor, "P"]
    high: Float[Tensor, "P"]
    pull: Float[Tensor, "P F"]  # above 0: a far cell raises the logit by living, in first order


def bound_logits(model: LifeNet, asked: Asked) -> Bounds:
    """Bounds by the argument in this file's first lines, whose letters c, e and g are used here."""
    weights = asked.weights[:, asked.far]
    weighted = weights[..., None] * asked.values[:, asked.far]  # [2, F, D]
    e, g = (weights[1] - weights[0]) / 2, (weighted[1] - weighted[0]) / 2
    states = asked.states.long()
    known_weights = asked.weights[states, asked.known]  # [P, N]
    known = torch.einsum("pn,pnd->pd", known_weights, asked.values[states, asked.known])
    mean_sum = known_weights.sum(1, keepdim=True) + weights.mean(0).sum()
    least_sum = known_weights.sum(1, keepdim=True) + weights.amin(0).sum()
    c = (known + weighted.mean(0).sum(0)) / mean_sum  # [P, D]

    hidden, answer = model.hidden.weight, model.answer.weight[0]
    inputs = (asked.token + c) @ hidden.T  # [P, U]
    reach = _swings(g @ hidden.T, e, c @ hidden.T) / least_sum
    slopes = inputs.sigmoid() * (1 + inputs * (1 - inputs.sigmoid()))
    line = answer + (answer * slopes) @ hidden  # [P, D]: a direction for each case
    pull = (line @ g.T - (line * c).sum(1, keepdim=True) * e) / least_sum  # [P, F]
    swing = pull.abs().sum(1)

    nearest, farthest = (inputs.abs() - reach).clamp_min(0), inputs.abs() + reach
    most = _silu_curvature(nearest).clamp_min(0)
    least = torch.where(farthest < _LOWEST_AT, _silu_curvature(farthest), _LOWEST)
    bend = reach**2 / 2
    above = (bend * (answer.clamp_min(0) * most + answer.clamp_max(0) * least)).sum(1)
    below = (bend * (answer.clamp_min(0) * least + answer.clamp_max(0) * most)).sum(1)
    middle = model.judge(asked.token + c)
    return Bounds(middle - swing + below, middle + swing + above, pull)


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
