"""Hard example mining: the grids with the least margins among adversarial candidates.

Random grids rarely contain the cases that a network still gets wrong. Each candidate is one cell
with one neighbourhood; its far cells are chosen by the sign of the gradient of the logit, as the
fast gradient sign method does (Goodfellow et al. 2014, arXiv:1412.6572). The certificate attacks in
the same way, but also proves a bound for all surroundings. Mining: Shrivastava et al. 2016
(arXiv:1604.03540).

Axes: B batch, H rows, W columns, P candidates, N cells of a neighbourhood, T cells, D width.
"""

import math
from collections.abc import Iterator

import numpy as np
import torch
from jaxtyping import Bool, Float, Int64
from torch import Tensor

from tokoban.systems.life.dataset import Examples, random_grids
from tokoban.systems.life.model import LifeNet
from tokoban.systems.life.rules import Rule, step
from tokoban.training.streams import Purpose, streams

CANDIDATES = 128  # for each hard grid
_LEAST_SHARE = 0.99  # of candidates that must be right with half-alive surroundings


def with_hard_grids(
    batches: Iterator[Examples],
    model: LifeNet,
    rule: Rule,
    *,
    start_step: int,
    seed: int,
    rank: int,
) -> Iterator[Examples]:
    """Yields ``batches`` from ``start_step`` on with every second grid replaced by a hard one.

    Unchanged while ``hard_grids`` gives None. A batch depends on the current weights only, so a
    resumed run sees the same batches as an uninterrupted one.
    """
    chances = streams(seed, Purpose.HARD_EXAMPLES, rank, start_step=start_step)
    for batch, random in zip(batches, chances, strict=False):
        kept = Examples(batch.grids[::2], batch.successors[::2])
        num_grids = len(batch.grids) - len(kept.grids)
        hard = hard_grids(model, rule, num_grids=num_grids, random=random)
        if hard is None:
            yield batch
        else:
            yield Examples(
                torch.cat([kept.grids, hard]), torch.cat([kept.successors, step(hard, rule)])
            )


def hard_grids(
    model: LifeNet, rule: Rule, *, num_grids: int, random: np.random.Generator
) -> Bool[Tensor, "B H W"] | None:
    """The cases with the least margins among ``CANDIDATES`` random cases per grid.

    None while the network is wrong about more than 1 % of them with half-alive surroundings: one
    that does not attend to the neighbours yet fails everywhere and learns nothing from it.
    """
    side, device = model.side, model.states.device
    num_candidates = CANDIDATES * num_grids
    cells = torch.from_numpy(random.integers(side**2, size=num_candidates)).to(device)
    nine = random_grids(num_candidates, side=3, density=None, random=random).to(device)
    lives = step(nine, rule)[:, 1, 1]  # on a torus of 3 x 3 the middle cell has all neighbours
    known, nine = neighbourhoods(cells, side=side), nine.flatten(1)
    either = torch.full((num_candidates, side**2), 0.5, device=device)
    either.scatter_(1, known, nine.to(either.dtype)).requires_grad_()
    cell_logits = CellLogits(model, cells, is_alive=nine[:, 4])
    logits = cell_logits(either)
    if ((logits > 0) == lives).float().mean() < _LEAST_SHARE:
        return None
    (pull,) = torch.autograd.grad(logits.sum(), either)
    worst = ((pull < 0) == lives[:, None]).scatter(1, known, nine)
    with torch.no_grad():
        logits = cell_logits(worst.to(either.dtype))
    margins = torch.where(lives, logits, -logits)
    return worst[margins.topk(num_grids, largest=False).indices].unflatten(1, (side, side))


def neighbourhoods(cells: Int64[Tensor, "P"], *, side: int) -> Int64[Tensor, "P N"]:
    """The indices of each cell and its neighbours, row by row."""
    around = torch.arange(-1, 2, device=cells.device)
    rows = (cells // side)[:, None, None] + around[:, None]
    columns = (cells % side)[:, None, None] + around
    return (rows % side * side + columns % side).flatten(1)


class CellLogits:
    """The model's logits for one cell of each grid; the other cells may be partly alive.

    The contribution of a cell to another depends on the states of these two only, so the attention
    of the whole grid is not needed.
    """

    def __init__(
        self, model: LifeNet, cells: Int64[Tensor, "P"], *, is_alive: Bool[Tensor, "P"]
    ) -> None:
        attention = model.mixing.attention
        self.classify = model.classify
        with torch.no_grad():
            tokens = model.states[:, None] + model.position_vectors().flatten(0, 1)  # [2, T, D]
            keys, self.values = attention.key(tokens), attention.value(tokens)
            self.tokens = tokens[is_alive.long(), cells]
            queries = attention.query(self.tokens) / math.sqrt(tokens.shape[-1])
            scores = queries @ keys.flatten(0, 1).T
            self.weights = scores.softmax(-1).unflatten(1, keys.shape[:2])  # [P, 2, T]

    def __call__(self, lives: Float[Tensor, "P T"]) -> Float[Tensor, "P"]:
        """``lives`` is 0 for a dead cell and 1 for a living one, or anything between."""
        weights = torch.stack([1 - lives, lives], dim=1) * self.weights
        attended = weights.flatten(1) @ self.values.flatten(0, 1) / weights.sum((1, 2))[:, None]
        return self.classify(self.tokens + attended)
