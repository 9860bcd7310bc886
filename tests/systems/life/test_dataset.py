"""Batches depend on seed, rank and number alone; half of each is what becomes of the other."""

from itertools import islice

import numpy as np
import torch

from tokoban.systems.life.dataset import RandomGames, random_grids
from tokoban.systems.life.rules import parse_rule, step

LIFE = parse_rule("B3/S23")
CPU = torch.device("cpu")


def games(seed: int = 5) -> RandomGames:
    return RandomGames(LIFE, side=7, num_grids=6, density=None, seed=seed)


def test_a_batch_is_the_same_wherever_one_begins() -> None:
    whole = list(islice(games().batches(CPU), 5))
    later = next(games().batches(CPU, start_step=3))
    assert torch.equal(later.grids, whole[3].grids)
    assert not torch.equal(whole[3].grids, whole[4].grids)


def test_the_second_half_are_the_successors_of_the_first() -> None:
    grids, successors = next(games().batches(CPU))
    assert torch.equal(grids[3:], step(grids[:3], LIFE))
    assert torch.equal(successors, step(grids, LIFE))


def test_grids_have_densities_of_their_own_or_the_one_requested() -> None:
    random = np.random.default_rng(1)
    own = random_grids(400, side=16, density=None, random=random).float().mean((1, 2))
    assert own.min() < 0.05
    assert own.max() > 0.95
    assert abs(own.mean() - 0.5) < 0.06
    one = random_grids(400, side=16, density=0.25, random=random).float().mean((1, 2))
    # Four standard deviations of a mean of 256 cells.
    assert (one - 0.25).abs().max() < 4.5 * (0.25 * 0.75 / 256) ** 0.5
    assert not random_grids(3, side=5, density=0.0, random=random).any()
    assert random_grids(3, side=5, density=1.0, random=random).all()
