"""A proof that the network is right for every grid, cell by cell.

There are 2^(H * W) grids, but the right answer for a cell depends on nine cells. A *case* is a cell
with one of their 512 states: 131,072 on a torus of 16 x 16. Each case is tested with random far
cells, attacked with the far cells that the gradient of the bound makes worst, and proved by a bound
on the logit over all states of the far cells (``bounds``). Where the bound does not decide, each
state of the heaviest far cells is bounded separately: branch and bound, as Bunel et al. 2018
(arXiv:1711.00455) verify networks.

A proved case is right as the network runs on any machine that meets the assumptions on arithmetic
that ``rounding`` lists, in whatever order it adds.

Axes: P cases of one cell, T cells, F far cells.
"""

import copy
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import torch
from jaxtyping import Bool, Float
from torch import Tensor

from tokoban.systems.life.bounds import bound_logits
from tokoban.systems.life.cell_cases import CellCases, all_states, cell_cases, logits
from tokoban.systems.life.dataset import random_grids
from tokoban.systems.life.model import LifeNet
from tokoban.systems.life.rules import Rule, step

_MOST_BRANCHES = 2**15  # at a time
_NUM_BRANCHED = (3, 6, 9, 12)  # far cells of which each state is bounded, in rounds


@dataclass(frozen=True)
class Certificate:
    """Counts of cases; a margin is the logit's distance from 0 on the right side.

    Random and attacked cases are computed in double precision. ``cases_proved`` refers to the
    network as it runs, ``cases_proved_exactly`` to exact arithmetic on its weights.
    """

    cases: int
    cases_wrong: int  # with any of the random surroundings
    least_margin: float  # over all random surroundings
    cases_refuted: int  # by the attack
    least_attacked_margin: float
    cases_proved: int
    least_proved_margin: float  # at least this with all surroundings; unknown where not above 0
    cases_proved_exactly: int
    least_margin_proved_exactly: float
    largest_rounding_error: float  # bound of a logit's error in the forward pass


def certify(
    model: LifeNet, rule: Rule, *, densities: Sequence[float | None], seed: int = 0
) -> Certificate:
    """Attacks and proves every case, once for each density of random far cells.

    With a density of None each grid has its own, from 0 to 1.
    """
    drawn, proofs = zip(*margins(model, rule, densities=densities, seed=seed), strict=True)
    least = torch.cat(drawn)
    all_cases = Proof(*map(torch.cat, zip(*proofs, strict=True)))
    return Certificate(
        cases=len(least),
        cases_wrong=int((~(least > 0)).sum()),  # not a number is wrong too
        least_margin=least.min().item(),
        cases_refuted=int((~(all_cases.attacked > 0)).sum()),
        least_attacked_margin=all_cases.attacked.min().item(),
        cases_proved=int((all_cases.proved > 0).sum()),
        least_proved_margin=all_cases.proved.min().item(),
        cases_proved_exactly=int((all_cases.exact > 0).sum()),
        least_margin_proved_exactly=all_cases.exact.min().item(),
        largest_rounding_error=all_cases.rounding.max().item(),
    )


def margins(
    model: LifeNet, rule: Rule, *, densities: Sequence[float | None], seed: int = 0
) -> Iterator[tuple[Float[Tensor, "P"], "Proof"]]:
    """The least margin of each case in random surroundings, and its proof.

    The 256 cases of one cell in one state come at a time.
    """
    dtype = model.states.dtype
    model = copy.deepcopy(model).cpu().double().requires_grad_(False)
    random = np.random.default_rng(seed)
    for cases in cell_cases(model, dtype=dtype):
        lives = _truth(cases.states, rule)
        drawn = attack_at_random(model, cases, lives, densities=densities, random=random)
        yield drawn, prove(model, cases, lives)


def attack_at_random(
    model: LifeNet,
    cases: CellCases,
    lives: Bool[Tensor, "P"],
    *,
    densities: Sequence[float | None],
    random: np.random.Generator,
) -> Float[Tensor, "P"]:
    """The least margin of each case over one random grid of each density."""
    margins = []
    for density in densities:
        drawn = random_grids(len(lives), side=model.side, density=density, random=random)
        grids = drawn.flatten(1)
        grids[:, cases.known] = cases.states
        margins.append(_margins(logits(model, cases, grids), lives))
    return torch.stack(margins).amin(0)


class Proof(NamedTuple):
    """The margin of each case under attack, and lower bounds over all grids.

    ``exact`` is of exact arithmetic, ``proved`` of the network as it runs; ``rounding`` bounds the
    error of the forward pass.
    """

    attacked: Float[Tensor, "P"]
    exact: Float[Tensor, "P"]
    proved: Float[Tensor, "P"]
    rounding: Float[Tensor, "P"]


def prove(model: LifeNet, cases: CellCases, lives: Bool[Tensor, "P"]) -> Proof:
    """Bounds the margins; where that does not decide, branches on the heaviest far cells."""
    bounds = bound_logits(model, cases)
    exact = bounds.margins(lives)
    proved = exact - bounds.rounding
    grids = torch.empty(len(lives), cases.weights.shape[1], dtype=torch.bool)
    grids[:, cases.known] = cases.states
    grids[:, cases.far] = (bounds.pull < 0) == lives[:, None]
    attacked = _margins(logits(model, cases, grids), lives)
    for num_branched in _NUM_BRANCHED:
        # No branch proves more than the attack leaves.
        is_open = (proved <= 0) & (attacked > bounds.rounding)
        num_open, splits = int(is_open.sum()), all_states(min(num_branched, len(cases.far)))
        if not 0 < num_open * len(splits) <= _MOST_BRANCHES:
            break
        heaviest = bounds.pull[is_open].abs().sum(0).topk(splits.shape[1]).indices
        branches = cases._replace(
            known=torch.cat([cases.known, cases.far[heaviest]]),
            states=torch.cat(
                [
                    cases.states[is_open].repeat_interleave(len(splits), 0),
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


def _truth(nine: Bool[Tensor, "P 9"], rule: Rule) -> Bool[Tensor, "P"]:
    return step(nine.unflatten(1, (3, 3)), rule)[:, 1, 1]


def _margins(logits: Float[Tensor, "P"], lives: Bool[Tensor, "P"]) -> Float[Tensor, "P"]:
    return torch.where(lives, logits, -logits)
