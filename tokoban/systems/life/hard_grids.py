"""The grids a network is worst at: of many cells in surroundings that mislead it, the most misled.

Random grids ask too rarely what a network is still wrong at. Here each candidate is one cell with
one neighbourhood; how strongly each far cell pulls its answer is a gradient, and the surroundings
are those that pull it to the wrong side. The certificate attacks in the same way, but proves its
bound for all surroundings.

Axes: B batch, H rows, W columns, P candidates, N cells of a neighbourhood, T cells, D width.
"""

import math
from collections.abc import Iterator
from itertools import count

import numpy as np
import torch
from jaxtyping import Bool, Float, Int64
from torch import Tensor

from tokoban.systems.life.dataset import Examples, random_grids
from tokoban.systems.life.model import GridAttention, LifeNet
from tokoban.systems.life.rules import Rule, step

CANDIDATES = 128  # for each grid that is taken
_LEAST_SHARE = 0.99  # of candidates that must be right in surroundings that pull to no side


def with_hard_grids(
    batches: Iterator[Examples],
    model: LifeNet,
    rule: Rule,
    *,
    start_step: int,
    seed: tuple[int, ...],
) -> Iterator[Examples]:
    """``batches``, the first one that of ``start_step``, with hard grids as soon as there are any.

    Then every other grid makes room for one of them. A batch depends on the weights as they are, so
    that a resumed run sees what an uninterrupted one would have seen.
    """
    for number in count(start_step):
        batch = next(batches)
        kept = Examples(batch.grids[::2], batch.successors[::2])
        hard = hard_grids(
            model,
            rule,
            num_grids=len(batch.grids) - len(kept.grids),
            random=np.random.default_rng([*seed, number, 1]),  # 1: other numbers than the dataset's
        )
        if hard is None:
            yield batch
        else:
            yield Examples(
                torch.cat([kept.grids, hard]), torch.cat([kept.successors, step(hard, rule)])
            )


def hard_grids(
    model: LifeNet, rule: Rule, *, num_grids: int, random: np.random.Generator
) -> Bool[Tensor, "B H W"] | None:
    """Of ``CANDIDATES`` times as many cases, drawn at random, those with the least margins.

    None before the network is right about nearly all of them in surroundings that are half alive:
    one that has not found the neighbours is misled everywhere, and learns nothing from it.
    """
    side, device = model.side, model.states.device
    num_candidates = CANDIDATES * num_grids
    cells = torch.from_numpy(random.integers(side**2, size=num_candidates)).to(device)
    nine = random_grids(num_candidates, side=3, density=None, random=random).to(device)
    lives = step(nine, rule)[:, 1, 1]  # a torus of their own: the middle has all neighbours
    known, nine = neighbourhoods(cells, side=side), nine.flatten(1)
    either = torch.full((num_candidates, side**2), 0.5, device=device)
    either.scatter_(1, known, nine.to(either.dtype)).requires_grad_()
    answer = Answers(model, cells, is_alive=nine[:, 4])
    logits = answer(either)
    if ((logits > 0) == lives).float().mean() < _LEAST_SHARE:
        return None
    (pull,) = torch.autograd.grad(logits.sum(), either)
    worst = ((pull < 0) == lives[:, None]).scatter(1, known, nine)
    with torch.no_grad():
        logits = answer(worst.to(either.dtype))
    margins = torch.where(lives, logits, -logits)
    return worst[margins.topk(num_grids, largest=False).indices].unflatten(1, (side, side))


def neighbourhoods(cells: Int64[Tensor, "P"], *, side: int) -> Int64[Tensor, "P N"]:
    """The places of each cell and its neighbours, row by row."""
    around = torch.arange(-1, 2, device=cells.device)
    rows = (cells // side)[:, None, None] + around[:, None]
    columns = (cells % side)[:, None, None] + around
    return (rows % side * side + columns % side).flatten(1)


class Answers:
    """The model's logits for one cell of each grid, of which each cell may be partly alive.

    What a cell tells another depends on the states of these two alone, so that a whole grid's
    attention need not be computed for one of its cells.
    """

    def __init__(
        self, model: LifeNet, cells: Int64[Tensor, "P"], *, is_alive: Bool[Tensor, "P"]
    ) -> None:
        assert isinstance(model.mixing, GridAttention)
        attention = model.mixing.attention
        self.judge = model.judge
        with torch.no_grad():
            tokens = model.states[:, None] + model.place_vectors().flatten(0, 1)  # [2, T, D]
            keys, self.values = attention.key(tokens), attention.value(tokens)
            self.tokens = tokens[is_alive.long(), cells]
            queries = attention.query(self.tokens) / math.sqrt(tokens.shape[-1])
            scores = queries @ keys.flatten(0, 1).T
            self.weights = scores.softmax(-1).unflatten(1, keys.shape[:2])  # [P, 2, T]

    def __call__(self, lives: Float[Tensor, "P T"]) -> Float[Tensor, "P"]:
        """``lives`` is 0 for a dead cell and 1 for a living one, or anything between."""
        weights = torch.stack([1 - lives, lives], dim=1) * self.weights
        heard = weights.flatten(1) @ self.values.flatten(0, 1) / weights.sum((1, 2))[:, None]
        return self.judge(self.tokens + heard)
