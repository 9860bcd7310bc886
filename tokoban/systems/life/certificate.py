"""Is it right everywhere? Each of the 512 neighbourhoods at each cell, checked and then proved.

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
line, but for half its second derivative times the square of its input's range; the lines of all
units and the skip connection together are one direction more. The bound is of exact arithmetic on
the given weights, and is computed in double precision.

Axes: P patterns, T cells, F far cells, U directions, D width.
"""

import copy
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import torch
from jaxtyping import Bool, Float, Int64
from torch import Tensor
from torch.nn import functional

from tokoban.systems.life.dataset import random_grids
from tokoban.systems.life.model import GridAttention, LifeNet
from tokoban.systems.life.rules import Rule, step

MIDDLE = 4  # of the nine cells of a pattern, row by row

# SiLU's second derivative lies between these; its least value is -0.03691, at 3.436 and -3.436.
LEAST_CURVATURE, GREATEST_CURVATURE = -0.03692, 0.5


@dataclass(frozen=True)
class Certificate:
    """Counts of cases; a margin is by how much a logit lies on the right side of 0."""

    num_cases: int
    num_wrong: int  # with any of the surroundings that were drawn
    least_margin: float  # over all that were drawn
    num_proved: int
    least_proved_margin: float  # over all surroundings there are; where it is not above 0, unknown


def certify(
    model: LifeNet, rule: Rule, *, densities: Sequence[float | None], seed: int = 0
) -> Certificate:
    """Proves what it can, and checks each case once for each density of the far cells.

    A density of None is another one for each case, from 0 to 1. Without attention an answer depends
    on nine cells by construction, on all tori alike: there are 512 cases, and what holds is proved.
    """
    model = copy.deepcopy(model).cpu().double()
    nine = patterns()
    lives = step(nine, rule)[:, 1, 1]
    with torch.no_grad():
        if not isinstance(model.mixing, GridAttention):
            # The nine cells are a torus of their own, on which the middle one has all neighbours.
            margins = _margins(model(nine)[:, 1, 1], lives)
            least, num_right = margins.min().item(), int((margins > 0).sum())
            return Certificate(len(nine), len(nine) - num_right, least, num_right, least)
        random = np.random.default_rng(seed)
        drawn, proved = [], []
        table = _tabulate(model)
        for cell in range(model.side**2):
            for state in (0, 1):
                is_asked = nine[:, 1, 1] == bool(state)
                asked = _ask(table, nine[is_asked].flatten(1), cell=cell, state=state)
                low, high = _bounds(model, asked)
                proved.append(torch.where(lives[is_asked], low, -high))
                logits = [
                    _logits(model, asked, _surroundings(asked, density, random))
                    for density in densities
                ]
                margins = _margins(torch.stack(logits), lives[is_asked])
                drawn.append(margins.amin(0))
    least_drawn, least_proved = torch.cat(drawn), torch.cat(proved)
    return Certificate(
        num_cases=len(least_drawn),
        num_wrong=int((least_drawn <= 0).sum()),
        least_margin=least_drawn.min().item(),
        num_proved=int((least_proved > 0).sum()),
        least_proved_margin=least_proved.min().item(),
    )


def patterns() -> Bool[Tensor, "512 3 3"]:
    """All states of a cell and its neighbours."""
    bits = torch.arange(2**9)[:, None] >> torch.arange(9)
    return (bits & 1).bool().unflatten(1, (3, 3))


class _Table(NamedTuple):
    """What attention makes of each cell dead and alive: there are no other tokens."""

    tokens: Float[Tensor, "2 T D"]
    queries: Float[Tensor, "2 T D"]
    keys: Float[Tensor, "2 T D"]
    values: Float[Tensor, "2 T D"]


class _Asked(NamedTuple):
    """One cell in one state, and how it sees the others in both of theirs."""

    token: Float[Tensor, "D"]
    weights: Float[Tensor, "2 T"]  # of attention, up to a common factor
    values: Float[Tensor, "2 T D"]
    near: Int64[Tensor, "9"]  # the places of the nine cells
    states: Bool[Tensor, "P 9"]  # of the nine cells, in each case


def _tabulate(model: LifeNet) -> _Table:
    mixing = model.mixing
    assert isinstance(mixing, GridAttention)
    tokens = model.states[:, None] + model.place_vectors().flatten(0, 1)
    attention = mixing.attention
    return _Table(tokens, attention.query(tokens), attention.key(tokens), attention.value(tokens))


def _ask(table: _Table, states: Bool[Tensor, "P 9"], *, cell: int, state: int) -> _Asked:
    num_cells, width = table.tokens.shape[1:]
    scores = table.keys @ table.queries[state, cell] / math.sqrt(width)
    side = math.isqrt(num_cells)
    row, column = divmod(cell, side)
    rows, columns = ((place + torch.arange(-1, 2)) % side for place in (row, column))
    return _Asked(
        token=table.tokens[state, cell],
        weights=(scores - scores.max()).exp(),
        values=table.values,
        near=(rows[:, None] * side + columns).flatten(),
        states=states,
    )


def _surroundings(
    asked: _Asked, density: float | None, random: np.random.Generator
) -> Bool[Tensor, "P T"]:
    """The asked cell's cases, each in a grid of its own."""
    side = math.isqrt(asked.weights.shape[1])
    grids = random_grids(len(asked.states), side=side, density=density, random=random).flatten(1)
    grids[:, asked.near] = asked.states
    return grids


def _logits(model: LifeNet, asked: _Asked, grids: Bool[Tensor, "P T"]) -> Float[Tensor, "P"]:
    """The model's answers for the asked cell in these grids, from the table."""
    living, dead = grids * asked.weights[1], ~grids * asked.weights[0]  # [P, T]
    total = living.sum(1) + dead.sum(1)
    heard = (living @ asked.values[1] + dead @ asked.values[0]) / total[:, None]
    return model.judge(asked.token + heard)


def _bounds(model: LifeNet, asked: _Asked) -> tuple[Float[Tensor, "P"], Float[Tensor, "P"]]:
    """The least and the greatest that each logit can be, whatever the far cells are."""
    is_far = torch.ones(asked.weights.shape[1], dtype=torch.bool)
    is_far[asked.near] = False
    weights = asked.weights[:, is_far]
    weighted = weights[..., None] * asked.values[:, is_far]  # [2, F, D]
    half_weight, half_weighted = (weights[1] - weights[0]) / 2, (weighted[1] - weighted[0]) / 2

    nine = asked.states.long()
    near_weights = asked.weights[nine, asked.near]  # [P, 9]
    near = torch.einsum("pn,pnd->pd", near_weights, asked.values[nine, asked.near])
    mean_total = near_weights.sum(1) + weights.mean(0).sum()
    least_total = near_weights.sum(1) + weights.amin(0).sum()
    centre = (near + weighted.mean(0).sum(0)) / mean_total[:, None]  # [P, D]

    def reach(along_weighted: Tensor, along_centre: Tensor) -> Tensor:
        """How far from the centre attention can lead along the directions on the last axis."""
        swings = along_weighted - along_centre.unsqueeze(-2) * half_weight[:, None]  # [P, F, U]
        return swings.abs().sum(-2) / least_total[:, None]

    directions, answer = model.hidden.weight, model.answer.weight[0]
    inputs = (asked.token + centre) @ directions.T  # [P, U]
    ranges = reach(half_weighted @ directions.T, centre @ directions.T)
    sigmoid = inputs.sigmoid()
    slopes = sigmoid * (1 + inputs * (1 - sigmoid))
    line = answer + (answer * slopes) @ directions  # [P, D], a direction for each case
    along = (half_weighted @ line.T).T.unsqueeze(-1)  # [P, F, 1]
    swing = reach(along, (line * centre).sum(1, keepdim=True)).squeeze(-1)
    bends = answer[:, None] * torch.tensor([LEAST_CURVATURE, GREATEST_CURVATURE]).double() / 2
    below, above = (ranges**2 @ bends.amin(1)), (ranges**2 @ bends.amax(1))
    middle = (asked.token + centre) @ answer + functional.silu(inputs) @ answer
    return middle - swing + below, middle + swing + above


def _margins(logits: Float[Tensor, "... P"], lives: Bool[Tensor, "P"]) -> Float[Tensor, "... P"]:
    return torch.where(lives, logits, -logits)
